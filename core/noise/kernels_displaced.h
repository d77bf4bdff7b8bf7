/* One octave over a row of a grid whose samples are displaced, for bases on a lattice in two
 * dimensions; compiled in the basis' file by ADD_DISPLACED().
 *
 * The row is divided into chunks of NOISE_LANES samples. The extremes of the displacement tell
 * which chunks lie in one cell, which is so for all but the finest octaves. Corners come from the
 * octave's window; where that does not reach, they are hashed. Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_DISPLACED_H
#define TERRANE_NOISE_KERNELS_DISPLACED_H

#include "core/noise/kernels_window.h"

/* The cell that each chunk lies in, if it lies in one. */
struct chunk_cells {
    float whole_x[KERNEL_CHUNKS_MAX], whole_y[KERNEL_CHUNKS_MAX]; /* cells from the base */
    uint32_t shared[KERNEL_CHUNKS_MAX];
};

/* True if no displacement that leads to positions from `low` to `high` is clamped: the fraction
 * adds less than 1 to a displacement. */
TERRANE_INLINE uint32_t displacement_in_range(float low, float high)
{
    return (low > 1.0f - KERNEL_CELLS_MAX) & (high < KERNEL_CELLS_MAX);
}

/* Finds the chunks that lie in one cell. Rounding is monotonic, so the extremes of the displacement
 * lead to the extremes of the positions. Nothing is clamped in a shared chunk, so
 * add_displaced_shared() needs no clamp. */
TERRANE_INLINE void find_cells(uint32_t count, const struct kernel_row *row,
                               const struct kernel_bounds *bounds,
                               struct chunk_cells *restrict cells)
{
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    const struct kernel_chunks *restrict chunks = row->chunks;
    for (uint32_t c = 0; c < count; c++) {
        float west = bounds->dx_low[c] * scale + chunks->fraction_first[c];
        float east = bounds->dx_high[c] * scale + chunks->fraction_last[c];
        float north = bounds->dy_low[c] * scale + fraction_y;
        float south = bounds->dy_high[c] * scale + fraction_y;
        float x = __builtin_floorf(west), y = __builtin_floorf(north);
        uint32_t one = (x == __builtin_floorf(east)) & (y == __builtin_floorf(south));
        cells->whole_x[c] = x;
        cells->whole_y[c] = y;
        cells->shared[c] = chunks->one_base[c] & displacement_in_range(west, east) &
                           displacement_in_range(north, south) & one;
    }
}

/* A run of samples, and its cell if the samples share one. */
struct chunk_range {
    uint32_t start, end;
    float whole_x, whole_y;
};

/* The positions of the samples of a run in their cells, and the fades. */
struct run_positions {
    _Alignas(64) float tx[NOISE_ROW_MAX], sx[NOISE_ROW_MAX], ty[NOISE_ROW_MAX], sy[NOISE_ROW_MAX];
};

/* Samples that share a cell. Two short loops are faster than one long loop: in a long one the
 * processor cannot look far enough ahead to stay busy while it waits for results. */
TERRANE_INLINE void add_displaced_shared(struct corner_rule rule,
                                         enum noise_interpolation interpolation,
                                         const struct kernel_job *job, struct chunk_range range,
                                         bool windowed, struct run_positions *restrict at)
{
    const struct kernel_row *row = job->row;
    float *restrict out = job->out;
    const float *restrict dx = row->dx, *restrict dy = row->dy;
    const float *restrict fraction_x = row->fraction_x;
    const float scale = row->cells_per_metre, amplitude = row->amplitude;
    const float fraction_y = row->fraction_y, whole_x = range.whole_x, whole_y = range.whole_y;
    const uint32_t low_x = row->base_x[range.start] + (uint32_t)(int32_t)whole_x;
    const uint32_t low_y = row->base_y + (uint32_t)(int32_t)whole_y;
    const struct cell cell = {row->key_x, row->key_y, low_x, low_y};
    const struct corners g =
        windowed ? window_corners(job->window, low_x, low_y) : corners_of_cell(rule, NULL, &cell);
    for (uint32_t i = range.start; i < range.end; i++) {
        at->tx[i] = (dx[i] * scale + fraction_x[i]) - whole_x;
        at->ty[i] = (dy[i] * scale + fraction_y) - whole_y;
        at->sx[i] = fade_of(interpolation, at->tx[i]);
        at->sy[i] = fade_of(interpolation, at->ty[i]);
    }
    for (uint32_t i = range.start; i < range.end; i++)
        out[i] += corners_interpolate(
            rule, g, amplitude, (struct cell_position){at->tx[i], at->sx[i], at->ty[i], at->sy[i]});
}

struct displaced_scratch {
    struct run_positions at;
    uint32_t index[NOISE_ROW_MAX];
    uint32_t low_x[NOISE_ROW_MAX], low_y[NOISE_ROW_MAX];
    uint32_t line_x[2][NOISE_ROW_MAX], line_y[2][NOISE_ROW_MAX];
    float x[4][NOISE_ROW_MAX], y[4][NOISE_ROW_MAX];
};

/* Samples in any cells, all corners hashed. */
TERRANE_INLINE void add_displaced_scattered(struct corner_rule rule,
                                            enum noise_interpolation interpolation,
                                            const struct kernel_row *row, struct chunk_range range,
                                            struct displaced_scratch *restrict s,
                                            float *restrict out)
{
    const uint32_t *restrict base_x = row->base_x;
    const float *restrict dx = row->dx, *restrict dy = row->dy;
    const float *restrict fraction_x = row->fraction_x;
    const float scale = row->cells_per_metre, amplitude = row->amplitude;
    const float fraction_y = row->fraction_y;
    const uint32_t base_y = row->base_y;
    const uint32_t key_x[2] = {row->key_x[0], row->key_x[1]};
    const uint32_t key_y[2] = {row->key_y[0], row->key_y[1]};
    for (uint32_t i = range.start; i < range.end; i++) {
        float cells_x = cells_of(dx[i], scale) + fraction_x[i];
        float cells_y = cells_of(dy[i], scale) + fraction_y;
        float whole_x = __builtin_floorf(cells_x), whole_y = __builtin_floorf(cells_y);
        s->low_x[i] = base_x[i] + (uint32_t)(int32_t)whole_x;
        s->low_y[i] = base_y + (uint32_t)(int32_t)whole_y;
        s->at.tx[i] = cells_x - whole_x;
        s->at.ty[i] = cells_y - whole_y;
        s->at.sx[i] = fade_of(interpolation, s->at.tx[i]);
        s->at.sy[i] = fade_of(interpolation, s->at.ty[i]);
    }
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t i = range.start; i < range.end; i++) {
            s->line_x[side][i] = corner_line_x(rule, s->low_x[i] + side, key_x[side]);
            s->line_y[side][i] = corner_line_y(rule, s->low_y[i] + side, key_y[side], NULL, 0);
        }
    for (uint32_t c = 0; c < 4; c++)
        for (uint32_t i = range.start; i < range.end; i++) {
            const struct corner corner =
                rule.corner(s->line_x[c & 1][i], s->line_y[c >> 1][i], NULL, 0);
            s->x[c][i] = corner.x;
            s->y[c][i] = corner.y;
        }
    for (uint32_t i = range.start; i < range.end; i++) {
        const struct corners g = {
            .x = {s->x[0][i], s->x[1][i], s->x[2][i], s->x[3][i]},
            .y = {s->y[0][i], s->y[1][i], s->y[2][i], s->y[3][i]},
        };
        out[i] += corners_interpolate(
            rule, g, amplitude,
            (struct cell_position){s->at.tx[i], s->at.sx[i], s->at.ty[i], s->at.sy[i]});
    }
}

/* Samples in any cells, with corners from the window; nothing is clamped here either. */
TERRANE_INLINE void add_displaced_windowed(struct corner_rule rule,
                                           enum noise_interpolation interpolation,
                                           const struct kernel_job *job, struct chunk_range range,
                                           struct displaced_scratch *restrict s)
{
    const struct kernel_row *row = job->row;
    float *restrict out = job->out;
    const uint32_t *restrict base_x = row->base_x;
    const float *restrict dx = row->dx, *restrict dy = row->dy;
    const float *restrict fraction_x = row->fraction_x;
    const float scale = row->cells_per_metre, amplitude = row->amplitude;
    const float fraction_y = row->fraction_y;
    const uint32_t base_y = row->base_y;
    const struct kernel_window window = *job->window;
    for (uint32_t i = range.start; i < range.end; i++) {
        float cells_x = dx[i] * scale + fraction_x[i];
        float cells_y = dy[i] * scale + fraction_y;
        float whole_x = __builtin_floorf(cells_x), whole_y = __builtin_floorf(cells_y);
        s->index[i] = window_index(&window, base_x[i] + (uint32_t)(int32_t)whole_x,
                                   base_y + (uint32_t)(int32_t)whole_y);
        s->at.tx[i] = cells_x - whole_x;
        s->at.ty[i] = cells_y - whole_y;
        s->at.sx[i] = fade_of(interpolation, s->at.tx[i]);
        s->at.sy[i] = fade_of(interpolation, s->at.ty[i]);
    }
    for (uint32_t start = range.start; start < range.end; start += WINDOW_LANES) {
        union window_cells cells;
        window_take(&window, s->index + start, &cells);
        float *restrict to = out + start;
        const float *restrict tx = s->at.tx + start, *restrict ty = s->at.ty + start;
        const float *restrict sx = s->at.sx + start, *restrict sy = s->at.sy + start;
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < WINDOW_LANES; i++) {
            const struct corners g = window_cell(&cells, i);
            to[i] += corners_interpolate(rule, g, amplitude,
                                         (struct cell_position){tx[i], sx[i], ty[i], sy[i]});
        }
    }
}

/* Makes the window hold all corners of the row; false if it is too small or a displacement is
 * clamped. The columns' fractions are in [0, 1). */
TERRANE_INLINE bool ensure_row_window(const struct kernel_job *job)
{
    const struct kernel_row *row = job->row;
    const struct kernel_bounds *bounds = job->bounds;
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    const float west = bounds->row_dx_low * scale, east = bounds->row_dx_high * scale + 1.0f;
    const float north = bounds->row_dy_low * scale + fraction_y;
    const float south = bounds->row_dy_high * scale + fraction_y;
    if (!job->window->points || !displacement_in_range(west, east) ||
        !displacement_in_range(north, south))
        return false;
    const struct kernel_box box = {
        .west = row->base_x[0] + (uint32_t)(int32_t)__builtin_floorf(west),
        .east = row->base_x[job->count - 1] + (uint32_t)(int32_t)__builtin_floorf(east),
        .north = row->base_y + (uint32_t)(int32_t)__builtin_floorf(north),
        .south = row->base_y + (uint32_t)(int32_t)__builtin_floorf(south),
        .key_x = row->key_x[0],
        .key_y = row->key_y[0],
    };
    return kernel_window_ensure(job->window, &box);
}

/* find_cells() for the whole row as one chunk: true if it lies in one cell, as in coarse octaves.
 */
TERRANE_INLINE bool row_in_one_cell(const struct kernel_job *job, struct chunk_range *range)
{
    const struct kernel_row *row = job->row;
    const struct kernel_bounds *bounds = job->bounds;
    const float scale = row->cells_per_metre, fraction_y = row->fraction_y;
    float west = bounds->row_dx_low * scale + row->chunks->fraction_first[0];
    float east = bounds->row_dx_high * scale + row->chunks->row_fraction_last;
    float north = bounds->row_dy_low * scale + fraction_y;
    float south = bounds->row_dy_high * scale + fraction_y;
    range->whole_x = __builtin_floorf(west);
    range->whole_y = __builtin_floorf(north);
    return row->chunks->row_one_base && displacement_in_range(west, east) &&
           displacement_in_range(north, south) && range->whole_x == __builtin_floorf(east) &&
           range->whole_y == __builtin_floorf(south);
}

/* True if chunk b continues a run that began with chunk a. */
TERRANE_INLINE bool continues_range(const struct kernel_row *row, const struct chunk_cells *cells,
                                    uint32_t a, uint32_t b)
{
    if (cells->shared[a] != cells->shared[b])
        return false;
    return !cells->shared[a] ||
           (row->chunks->base[a] == row->chunks->base[b] &&
            cells->whole_x[a] == cells->whole_x[b] && cells->whole_y[a] == cells->whole_y[b]);
}

TERRANE_INLINE void add_displaced(struct corner_rule rule, enum noise_interpolation interpolation,
                                  const struct kernel_job *job)
{
    struct chunk_cells cells;
    struct displaced_scratch scattered;
    struct chunk_range whole = {0, job->count, 0, 0};
    const bool windowed = ensure_row_window(job);
    if (row_in_one_cell(job, &whole)) {
        add_displaced_shared(rule, interpolation, job, whole, windowed, &scattered.at);
        return;
    }
    const uint32_t chunks = job->count / NOISE_LANES;
    find_cells(chunks, job->row, job->bounds, &cells);
    for (uint32_t first = 0, next; first < chunks; first = next) {
        next = first + 1;
        while (next < chunks && continues_range(job->row, &cells, first, next))
            next++;
        const struct chunk_range range = {first * NOISE_LANES, next * NOISE_LANES,
                                          cells.whole_x[first], cells.whole_y[first]};
        if (cells.shared[first])
            add_displaced_shared(rule, interpolation, job, range, windowed, &scattered.at);
        else if (windowed)
            add_displaced_windowed(rule, interpolation, job, range, &scattered);
        else
            add_displaced_scattered(rule, interpolation, job->row, range, &scattered, job->out);
    }
}

#define ADD_DISPLACED_CASE(rule, interpolation, job)                                               \
    case interpolation:                                                                            \
        add_displaced(rule, interpolation, job);                                                   \
        break;
#define ADD_DISPLACED(name, rule)                                                                  \
    TERRANE_CLONES                                                                                 \
    static void name(enum noise_interpolation interpolation, const struct kernel_job *job)         \
    {                                                                                              \
        switch (interpolation) {                                                                   \
            ADD_DISPLACED_CASE(rule, NOISE_LINEAR, job)                                            \
            ADD_DISPLACED_CASE(rule, NOISE_COSINE, job)                                            \
            ADD_DISPLACED_CASE(rule, NOISE_CUBIC, job)                                             \
            ADD_DISPLACED_CASE(rule, NOISE_QUINTIC, job)                                           \
            ADD_DISPLACED_CASE(rule, NOISE_NONE, job)                                              \
        }                                                                                          \
    }

#endif
