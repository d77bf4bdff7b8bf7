/* The kernels of a basis that interpolates between the corners of cells, compiled in the basis' own
 * file by CELL_KERNELS() or PLANE_KERNELS(): every function here takes the basis' corner_rule as a
 * constant and is inlined, so a kernel has no branch on the basis and no indirect call in a loop.
 *
 * A sample can be reached on two paths: lattice_row() serves rows of a grid between two lattice
 * rows, add_cells() takes samples anywhere. Both keep one order of float operations (see
 * corners_interpolate), so they agree to the last bit. Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_CELL_H
#define TERRANE_NOISE_KERNELS_CELL_H

#include "core/noise/kernels_turned.h"

/* The contribution of one lattice row to each column, and its derivative by x if wanted. */
TERRANE_INLINE void lattice_row(struct corner_rule rule, bool with_gradient, uint32_t count,
                                const struct kernel_columns *columns,
                                const struct kernel_line *line)
{
    const uint32_t *restrict line_left = columns->line_left;
    const uint32_t *restrict line_right = columns->line_right;
    const struct kernel_weights weights = columns->weights;
    const struct kernel_slopes slopes = columns->slopes;
    const struct slice slice = rule.planes > 1 ? *line->slice : (struct slice){0};
    float *restrict a = line->terms.a, *restrict b = line->terms.b;
    float *restrict slope_a = line->slopes.a, *restrict slope_b = line->slopes.b;
    uint32_t line_y[SLICE_PLANES_MAX];
    for (int plane = 0; plane < rule.planes; plane++)
        line_y[plane] = corner_line_y(rule, line->low, line->key, &slice, plane);
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const struct corner left = corner_at(rule, line_left[i], line_y, &slice);
        const struct corner right = corner_at(rule, line_right[i], line_y, &slice);
        const struct column_weights own = column_weights_at(&weights, i);
        const struct row_terms terms = row_terms_of(rule, left, right, &own);
        a[i] = terms.a;
        b[i] = terms.b;
        if (with_gradient) {
            const struct column_slopes steep = {slopes.right[i], slopes.left_t[i],
                                                slopes.right_t[i]};
            const struct row_terms slope = row_slopes_of(rule, left, right, &steep);
            slope_a[i] = slope.a;
            slope_b[i] = slope.b;
        }
    }
}

/* A run of samples. */
struct range {
    uint32_t start, end;
};

TERRANE_INLINE struct cell_position cell_position_of(const struct cell_job *job, uint32_t i)
{
    return (struct cell_position){job->positions->t[0][i], job->fades->x[i],
                                  job->positions->t[1][i], job->fades->y[i]};
}

TERRANE_INLINE struct cell_position fade_derivatives(const struct cell_job *job, uint32_t i)
{
    return (struct cell_position){.sx = job->fades->derivative_x[i],
                                  .sy = job->fades->derivative_y[i]};
}

/* Adds one sample's noise, or sets its noise and gradient. */
TERRANE_INLINE void write_cell_sample(struct corner_rule rule, bool with_gradient,
                                      const struct cell_job *job, struct corners g, uint32_t i)
{
    const struct kernel_out *out = job->out;
    if (!with_gradient) {
        out->n[i] += corners_interpolate(rule, g, out->amplitude, cell_position_of(job, i));
        return;
    }
    const struct gradient_sample sample = corners_gradient(
        rule, g, out->amplitude, cell_position_of(job, i), fade_derivatives(job, i));
    out->n[i] = sample.n;
    out->x[i] = sample.x;
    out->y[i] = sample.y;
}

/* Samples that share a cell: its corners are computed once. */
TERRANE_INLINE void add_shared_cell(struct corner_rule rule, bool with_gradient,
                                    const struct cell_job *own, struct range range)
{
    const struct cell_job job = *own;
    const struct kernel_positions *positions = job.positions;
    const struct cell cell = {positions->key[0] + KERNEL_KEY_OWN,
                              positions->key[1] + KERNEL_KEY_OWN, positions->low[0][range.start],
                              positions->low[1][range.start]};
    const struct corners g = rule.has_window && positions->window
                                 ? window_corners(positions->window, cell.low_x, cell.low_y)
                                 : corners_of_cell(rule, job.slice, &cell);
    TERRANE_INDEPENDENT
    for (uint32_t i = range.start; i < range.end; i++)
        write_cell_sample(rule, with_gradient, &job, g, i);
}

/* The corners of many cells, one array for each corner. */
struct corner_arrays {
    _Alignas(64) float x[4][NOISE_ROW_MAX], y[4][NOISE_ROW_MAX], c[4][NOISE_ROW_MAX];
};

/* Samples in any cells: all corners are hashed, one corner of all samples after the other. */
TERRANE_INLINE void add_scattered_cells(struct corner_rule rule, bool with_gradient,
                                        const struct cell_job *own, struct range range)
{
    const struct cell_job job = *own;
    const struct kernel_positions positions = *job.positions;
    const struct slice slice = rule.planes > 1 ? *job.slice : (struct slice){0};
    struct corner_arrays corner_arrays;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t right = k & 1, below = k >> 1;
        const uint32_t key_x = positions.key[0][KERNEL_KEY_OWN + right];
        const uint32_t key_y = positions.key[1][KERNEL_KEY_OWN + below];
        TERRANE_INDEPENDENT
        for (uint32_t i = range.start; i < range.end; i++) {
            uint32_t line_y[SLICE_PLANES_MAX];
            for (int plane = 0; plane < rule.planes; plane++)
                line_y[plane] =
                    corner_line_y(rule, positions.low[1][i] + below, key_y, &slice, plane);
            const uint32_t line_x = corner_line_x(rule, positions.low[0][i] + right, key_x);
            const struct corner corner = corner_at(rule, line_x, line_y, &slice);
            corner_arrays.x[k][i] = corner.x;
            corner_arrays.y[k][i] = corner.y;
            corner_arrays.c[k][i] = corner.c;
        }
    }
    TERRANE_INDEPENDENT
    for (uint32_t i = range.start; i < range.end; i++) {
        struct corners g;
        for (int k = 0; k < 4; k++) {
            g.x[k] = corner_arrays.x[k][i];
            g.y[k] = corner_arrays.y[k][i];
            g.c[k] = corner_arrays.c[k][i];
        }
        write_cell_sample(rule, with_gradient, &job, g, i);
    }
}

/* write_cell_sample() for WINDOW_LANES samples whose corners were taken from the window. */
TERRANE_INLINE void write_window_cells(struct corner_rule rule, bool with_gradient,
                                       const struct cell_job *job, uint32_t start,
                                       const union window_cells *cells)
{
    const float *restrict tx = job->positions->t[0] + start;
    const float *restrict ty = job->positions->t[1] + start;
    const float *restrict sx = job->fades->x + start, *restrict sy = job->fades->y + start;
    const float amplitude = job->out->amplitude;
    float *restrict n = job->out->n + start;
    if (!with_gradient) {
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < WINDOW_LANES; i++)
            n[i] += corners_interpolate(rule, window_cell(cells, i), amplitude,
                                        (struct cell_position){tx[i], sx[i], ty[i], sy[i]});
        return;
    }
    const float *restrict derivative_x = job->fades->derivative_x + start;
    const float *restrict derivative_y = job->fades->derivative_y + start;
    float *restrict x = job->out->x + start, *restrict y = job->out->y + start;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < WINDOW_LANES; i++) {
        const struct cell_position at = {tx[i], sx[i], ty[i], sy[i]};
        const struct cell_position slopes = {.sx = derivative_x[i], .sy = derivative_y[i]};
        const struct gradient_sample sample =
            corners_gradient(rule, window_cell(cells, i), amplitude, at, slopes);
        n[i] = sample.n;
        x[i] = sample.x;
        y[i] = sample.y;
    }
}

/* Samples in any cells, with corners from the window. */
TERRANE_INLINE void add_windowed_cells(struct corner_rule rule, bool with_gradient,
                                       const struct cell_job *own, struct range range)
{
    const struct cell_job job = *own;
    const struct kernel_window window = *job.positions->window;
    const uint32_t *restrict x = job.positions->low[0], *restrict y = job.positions->low[1];
    uint32_t index[NOISE_ROW_MAX];
    for (uint32_t i = range.start; i < range.end; i++)
        index[i] = window_index(&window, x[i], y[i]);
    for (uint32_t start = range.start; start < range.end; start += WINDOW_LANES) {
        union window_cells cells;
        window_take(&window, index + start, &cells);
        write_window_cells(rule, with_gradient, &job, start, &cells);
    }
}

/* True if a chunk lies in the cell (x, y). */
TERRANE_INLINE bool chunk_in_cell(const struct kernel_positions *positions, uint32_t start,
                                  uint32_t x, uint32_t y)
{
    const uint32_t *low_x = positions->low[0] + start, *low_y = positions->low[1] + start;
    const bool ends = low_x[0] == x && low_y[0] == y && low_x[NOISE_LANES - 1] == x &&
                      low_y[NOISE_LANES - 1] == y;
    return ends && (positions->monotonic || !lanes_outside_cell(low_x, low_y, x, y));
}

/* Divides the samples into runs of chunks of NOISE_LANES. A run whose chunks lie in one cell, which
 * is usual for all but the finest octaves, computes the cell's corners once. */
TERRANE_INLINE void add_cells(struct corner_rule rule, bool with_gradient,
                              const struct cell_job *job)
{
    const struct kernel_positions *at = job->positions;
    const uint32_t count = at->count, *x = at->low[0], *y = at->low[1];
    for (uint32_t start = 0, end; start < count; start = end) {
        for (end = start; end < count && chunk_in_cell(at, end, x[start], y[start]);)
            end += NOISE_LANES;
        if (end > start) {
            add_shared_cell(rule, with_gradient, job, (struct range){start, end});
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < count && !chunk_in_cell(at, end, x[end], y[end]));
        if (rule.has_window && at->window)
            add_windowed_cells(rule, with_gradient, job, (struct range){start, end});
        else
            add_scattered_cells(rule, with_gradient, job, (struct range){start, end});
    }
}

/* CELL_KERNELS() defines `static const struct cell_kernels name` for a rule. */
#define CELL_FUNCTIONS(name, rule)                                                                 \
    TERRANE_CLONES                                                                                 \
    static void name##_row(uint32_t count, const struct kernel_columns *columns,                   \
                           const struct kernel_line *line)                                         \
    {                                                                                              \
        lattice_row(rule, false, count, columns, line);                                            \
    }                                                                                              \
    TERRANE_CLONES                                                                                 \
    static void name##_row_gradient(uint32_t count, const struct kernel_columns *columns,          \
                                    const struct kernel_line *line)                                \
    {                                                                                              \
        lattice_row(rule, true, count, columns, line);                                             \
    }                                                                                              \
    TERRANE_CLONES                                                                                 \
    static void name##_add(const struct cell_job *job)                                             \
    {                                                                                              \
        add_cells(rule, false, job);                                                               \
    }                                                                                              \
    TERRANE_CLONES                                                                                 \
    static void name##_add_gradient(const struct cell_job *job)                                    \
    {                                                                                              \
        add_cells(rule, true, job);                                                                \
    }
#define CELL_KERNELS(name, rule)                                                                   \
    CELL_FUNCTIONS(name, rule)                                                                     \
    static const struct cell_kernels name = {                                                      \
        {name##_row, name##_row_gradient}, {name##_add, name##_add_gradient}, NULL, NULL, NULL};

/* PLANE_KERNELS() does so for a basis in two dimensions, with windows and displaced rows. */
#define PLANE_KERNELS(name, rule)                                                                  \
    CELL_FUNCTIONS(name, rule)                                                                     \
    WINDOW_FILL(name##_fill, rule)                                                                 \
    ADD_DISPLACED(name##_add_displaced, rule)                                                      \
    ADD_TURNED(name##_add_turned, rule)                                                            \
    static const struct cell_kernels name = {{name##_row, name##_row_gradient},                    \
                                             {name##_add, name##_add_gradient},                    \
                                             name##_fill,                                          \
                                             name##_add_displaced,                                 \
                                             name##_add_turned};

#endif
