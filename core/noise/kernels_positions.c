/* The loops for samples at arbitrary places, on lattice bases. */
#include "core/noise/kernels_window.h"

/* How far the lanes of a chunk are from its first: cells, and 64 bits below them. In halves of 32
 * bits all the way, as vectors have more lanes of those. */
struct coordinate_lanes {
    _Alignas(64) uint32_t cell[NOISE_LANES], high[NOISE_LANES], low[NOISE_LANES];
};

TERRANE_INLINE void chunk_coordinates(uint32_t cell, uint64_t fraction,
                                      const struct coordinate_lanes *lanes,
                                      uint32_t *restrict out_low, float *restrict t)
{
    const uint32_t high = (uint32_t)(fraction >> 32), low = (uint32_t)fraction;
    TERRANE_NO_UNROLL
    for (int i = 0; i < NOISE_LANES; i++) {
        const uint32_t carry = low + lanes->low[i] < low ? 1 : 0;
        const uint32_t sum = high + lanes->high[i];
        const uint32_t all = sum + carry;
        out_low[i] = cell + lanes->cell[i] + (sum < high ? 1 : 0) + (all < carry ? 1 : 0);
        t[i] = lattice_fraction(all);
    }
}

TERRANE_CLONES
void kernel_row_coordinates(uint32_t count, const struct kernel_row_coordinates *coordinates,
                            uint32_t *restrict low, float *restrict t)
{
    struct coordinate_lanes lanes;
    uint32_t cell = 0, first = coordinates->cell;
    uint64_t fraction = 0, first_fraction = coordinates->fraction;
    if (coordinates->cell_step == 0 && coordinates->fraction_step == 0) {
        for (uint32_t i = 0; i < count; i++) {
            low[i] = first;
            t[i] = lattice_fraction((uint32_t)(first_fraction >> 32));
        }
        return;
    }
    for (uint64_t i = 0; i < NOISE_LANES; i++) {
        lanes.cell[i] = cell;
        lanes.high[i] = (uint32_t)(fraction >> 32);
        lanes.low[i] = (uint32_t)fraction;
        fraction += coordinates->fraction_step;
        cell += coordinates->cell_step + (fraction < coordinates->fraction_step);
    }
    for (uint32_t start = 0; start < count; start += NOISE_LANES) {
        chunk_coordinates(first, first_fraction, &lanes, low + start, t + start);
        first_fraction += fraction;
        first += cell + (first_fraction < fraction);
    }
}

/* Along one axis of the world, as the axes of lattices that are not turned are. */
TERRANE_INLINE void coordinates_along_axis(uint32_t count, const struct kernel_places *places,
                                           uint32_t *restrict low, float *restrict t)
{
    const uint32_t *restrict along = places->form[1] == 0 ? places->east : places->south;
    const uint64_t form = places->form[1] == 0 ? places->form[0] : places->form[1];
    const uint64_t base_low = (uint32_t)places->fraction, base_high = places->fraction >> 32;
    const uint32_t form_low = (uint32_t)form, form_high = (uint32_t)(form >> 32);
    const uint64_t column = 0xFFFFFFFFu;
    const uint32_t cell = places->cell, sign = 0u - (uint32_t)(form >> 63);
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t lower = (uint64_t)along[i] * form_low,
                       upper = (uint64_t)along[i] * form_high;
        const uint64_t sum = base_high + (upper & column) + ((base_low + lower) >> 32);
        low[i] = cell + (uint32_t)(upper >> 32) + (uint32_t)(sum >> 32) - (along[i] & sign);
        t[i] = lattice_fraction((uint32_t)sum);
    }
}

TERRANE_INLINE void coordinates_across_axes(uint32_t count, const struct kernel_places *places,
                                            uint32_t *restrict low, float *restrict t)
{
    const uint32_t *restrict east = places->east, *restrict south = places->south;
    const uint64_t base_low = (uint32_t)places->fraction, base_high = places->fraction >> 32;
    const uint32_t x_low = (uint32_t)places->form[0], x_high = (uint32_t)(places->form[0] >> 32);
    const uint32_t y_low = (uint32_t)places->form[1], y_high = (uint32_t)(places->form[1] >> 32);
    const uint32_t x_sign = 0u - (x_high >> 31), y_sign = 0u - (y_high >> 31);
    const uint32_t cell = places->cell;
    const uint64_t column = 0xFFFFFFFFu;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t x_lower = (uint64_t)east[i] * x_low, x_upper = (uint64_t)east[i] * x_high;
        const uint64_t y_lower = (uint64_t)south[i] * y_low, y_upper = (uint64_t)south[i] * y_high;
        /* The lower products are below 2⁶³: three of that size would not fit. */
        const uint64_t carried = (base_low + (x_lower & column) + (y_lower & column)) >> 32;
        const uint64_t sum = base_high + (x_lower >> 32) + (y_lower >> 32) + (x_upper & column) +
                             (y_upper & column) + carried;
        low[i] = cell + (uint32_t)(x_upper >> 32) + (uint32_t)(y_upper >> 32) +
                 (uint32_t)(sum >> 32) - (east[i] & x_sign) - (south[i] & y_sign);
        t[i] = lattice_fraction((uint32_t)sum);
    }
}

/* Products of 32 × 32 bits, which vectors have, summed up in columns of 32 bits. A negative form
 * stands there with 2⁶⁴ too much, which is taken off the cells again. */
TERRANE_CLONES
struct kernel_span kernel_place_coordinates(uint32_t count, const struct kernel_places *places,
                                            uint32_t *low, float *t)
{
    struct kernel_span span = {0, 0};
    const uint32_t cell = places->cell;
    if (places->form[0] == 0 || places->form[1] == 0)
        coordinates_along_axis(count, places, low, t);
    else
        coordinates_across_axes(count, places, low, t);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t moved = (int32_t)(low[i] - cell);
        span.least = moved < span.least ? moved : span.least;
        span.most = moved > span.most ? moved : span.most;
    }
    return span;
}

TERRANE_CLONES
void kernel_displace(uint32_t count, const struct kernel_displacement *displacement,
                     uint32_t *restrict low, float *restrict t)
{
    const float *restrict dx = displacement->dx, *restrict dy = displacement->dy;
    const float east = displacement->cells[0], south = displacement->cells[1];
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        /* Each by itself, as two infinities would make no sum. */
        float moved = cells_of(dx[i], east) + cells_of(dy[i], south);
        float cells = cells_clamp(moved) + t[i];
        float whole = __builtin_floorf(cells);
        t[i] = cells - whole;
        low[i] += (uint32_t)(int32_t)whole;
    }
}

/* A job of kernel_add_lattice(). */
struct job {
    const struct kernel_positions *positions;
    const struct slice *slice;
    const struct kernel_fades *fades;
    const struct kernel_out *out;
    bool windowed; /* the window has all corners */
};

/* A stretch of sites. */
struct sample_range {
    uint32_t start, end;
};

TERRANE_INLINE struct cell_position cell_position_of(const struct job *job, uint32_t i)
{
    return (struct cell_position){job->positions->t[0][i], job->fades->x[i],
                                  job->positions->t[1][i], job->fades->y[i]};
}

TERRANE_INLINE struct cell_position fade_derivatives(const struct job *job, uint32_t i)
{
    return (struct cell_position){.sx = job->fades->derivative_x[i],
                                  .sy = job->fades->derivative_y[i]};
}

/* Writes one site's noise, or noise and gradient. */
TERRANE_INLINE void write_sample(enum kernel_kind kind, bool with_gradient, const struct job *job,
                                 struct corners g, uint32_t i)
{
    const struct kernel_out *out = job->out;
    if (!with_gradient) {
        out->n[i] += corners_interpolate(kind, g, out->amplitude, cell_position_of(job, i));
        return;
    }
    const struct gradient_sample gradient_sample = corners_gradient(
        kind, g, out->amplitude, cell_position_of(job, i), fade_derivatives(job, i));
    out->n[i] = gradient_sample.n;
    out->x[i] = gradient_sample.x;
    out->y[i] = gradient_sample.y;
}

TERRANE_INLINE void add_shared(enum kernel_kind kind, bool with_gradient, const struct job *own,
                               struct sample_range sample_range)
{
    const struct job job = *own;
    const struct kernel_positions *positions = job.positions;
    const struct cell cell = {
        positions->key[0] + KERNEL_KEY_OWN, positions->key[1] + KERNEL_KEY_OWN,
        positions->low[0][sample_range.start], positions->low[1][sample_range.start]};
    const struct corners g = job.windowed
                                 ? window_corners(positions->window, cell.low_x, cell.low_y)
                                 : corners_of_cell(kind, job.slice, &cell);
    TERRANE_INDEPENDENT
    for (uint32_t i = sample_range.start; i < sample_range.end; i++)
        write_sample(kind, with_gradient, &job, g, i);
}

/* The corners of many cells, corner by corner. */
struct corner_arrays {
    _Alignas(64) float x[4][NOISE_ROW_MAX], y[4][NOISE_ROW_MAX], c[4][NOISE_ROW_MAX];
};

TERRANE_INLINE void add_scattered(enum kernel_kind kind, bool with_gradient, const struct job *own,
                                  struct sample_range sample_range)
{
    const struct job job = *own;
    const struct kernel_positions positions = *job.positions;
    const struct slice slice = kind_planes(kind) > 1 ? *job.slice : (struct slice){0};
    struct corner_arrays corner_arrays;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t right = k & 1, below = k >> 1;
        const uint32_t key_x = positions.key[0][KERNEL_KEY_OWN + right];
        const uint32_t key_y = positions.key[1][KERNEL_KEY_OWN + below];
        TERRANE_INDEPENDENT
        for (uint32_t i = sample_range.start; i < sample_range.end; i++) {
            uint32_t line_y[SLICE_PLANES_MAX];
            for (int plane = 0; plane < kind_planes(kind); plane++)
                line_y[plane] =
                    kind_line_y(kind, positions.low[1][i] + below, key_y, &slice, plane);
            const uint32_t line_x = kind_line_x(kind, positions.low[0][i] + right, key_x);
            const struct corner corner = corner_at(kind, line_x, line_y, &slice);
            corner_arrays.x[k][i] = corner.x;
            corner_arrays.y[k][i] = corner.y;
            corner_arrays.c[k][i] = corner.c;
        }
    }
    TERRANE_INDEPENDENT
    for (uint32_t i = sample_range.start; i < sample_range.end; i++) {
        struct corners g;
        for (int k = 0; k < 4; k++) {
            g.x[k] = corner_arrays.x[k][i];
            g.y[k] = corner_arrays.y[k][i];
            g.c[k] = corner_arrays.c[k][i];
        }
        write_sample(kind, with_gradient, &job, g, i);
    }
}

/* write_sample() for the cells of WINDOW_LANES sites. */
TERRANE_INLINE void write_cells(enum kernel_kind kind, bool with_gradient, const struct job *job,
                                uint32_t start, const union window_cells *cells)
{
    const float *restrict tx = job->positions->t[0] + start, *restrict ty =
                                                                 job->positions->t[1] + start;
    const float *restrict sx = job->fades->x + start, *restrict sy = job->fades->y + start;
    const float amplitude = job->out->amplitude;
    float *restrict n = job->out->n + start;
    if (!with_gradient) {
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < WINDOW_LANES; i++)
            n[i] += corners_interpolate(kind, window_cell(cells, i), amplitude,
                                        (struct cell_position){tx[i], sx[i], ty[i], sy[i]});
        return;
    }
    const float *restrict derivative_x = job->fades->derivative_x + start;
    const float *restrict derivative_y = job->fades->derivative_y + start;
    float *restrict x = job->out->x + start, *restrict y = job->out->y + start;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < WINDOW_LANES; i++) {
        const struct cell_position at = {tx[i], sx[i], ty[i], sy[i]};
        const struct cell_position fades = {.sx = derivative_x[i], .sy = derivative_y[i]};
        const struct gradient_sample gradient_sample =
            corners_gradient(kind, window_cell(cells, i), amplitude, at, fades);
        n[i] = gradient_sample.n;
        x[i] = gradient_sample.x;
        y[i] = gradient_sample.y;
    }
}

/* Sites of any cells, whose corners the window has. */
TERRANE_INLINE void add_windowed(enum kernel_kind kind, bool with_gradient, const struct job *own,
                                 struct sample_range sample_range)
{
    const struct job job = *own;
    const uint32_t *restrict x = job.positions->low[0], *restrict y = job.positions->low[1];
    const struct kernel_window window = *job.positions->window;
    uint32_t index[NOISE_ROW_MAX];
    for (uint32_t i = sample_range.start; i < sample_range.end; i++)
        index[i] = window_index(&window, x[i], y[i]);
    for (uint32_t start = sample_range.start; start < sample_range.end; start += WINDOW_LANES) {
        union window_cells cells;
        window_take(&window, index + start, &cells);
        write_cells(kind, with_gradient, &job, start, &cells);
    }
}

/* Whether the window has all corners of the sites; cells count from the first site's. */
TERRANE_INLINE bool ensure_window(enum kernel_kind kind, const struct kernel_positions *positions)
{
    const uint32_t *restrict x = positions->low[0], *restrict y = positions->low[1];
    const uint32_t x0 = x[0], y0 = y[0];
    int32_t west = 0, east = 0, north = 0, south = 0;
    for (uint32_t i = 0; i < positions->count; i++) {
        const int32_t dx = (int32_t)(x[i] - x0), dy = (int32_t)(y[i] - y0);
        west = dx < west ? dx : west;
        east = dx > east ? dx : east;
        north = dy < north ? dy : north;
        south = dy > south ? dy : south;
    }
    const struct kernel_box box = {
        .west = x0 + (uint32_t)west,
        .east = x0 + (uint32_t)east,
        .north = y0 + (uint32_t)north,
        .south = y0 + (uint32_t)south,
        .key_x = positions->key[0][KERNEL_KEY_OWN],
        .key_y = positions->key[1][KERNEL_KEY_OWN],
    };
    return kernel_window_ensure(kind, positions->window, &box);
}

/* Runs of chunks of NOISE_LANES sites. Where chunks lie in one cell, which is so for all but the
 * finest octaves, its corners are hashed once for the run. */
TERRANE_INLINE void add_lattice(enum kernel_kind kind, bool with_gradient, struct job *job)
{
    const struct kernel_window *window = job->positions->window;
    const bool can = kind == KERNEL_VALUE2 || kind == KERNEL_PERLIN2;
    job->windowed = can && window && window->points && ensure_window(kind, job->positions);
    const uint32_t count = job->positions->count;
    const uint32_t *low_x = job->positions->low[0], *low_y = job->positions->low[1];
    for (uint32_t start = 0, end; start < count; start = end) {
        end = start;
        while (end < count &&
               !lanes_outside_cell(low_x + end, low_y + end, low_x[start], low_y[start]))
            end += NOISE_LANES;
        if (end > start) {
            add_shared(kind, with_gradient, job, (struct sample_range){start, end});
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < count && lanes_outside_cell(low_x + end, low_y + end, low_x[end], low_y[end]));
        if (can && job->windowed)
            add_windowed(kind, with_gradient, job, (struct sample_range){start, end});
        else
            add_scattered(kind, with_gradient, job, (struct sample_range){start, end});
    }
}

#define ADD_LATTICE(name, kind)                                                                    \
    TERRANE_CLONES                                                                                 \
    static void name(struct job *job)                                                              \
    {                                                                                              \
        add_lattice(kind, false, job);                                                             \
    }                                                                                              \
    TERRANE_CLONES                                                                                 \
    static void name##_gradient(struct job *job)                                                   \
    {                                                                                              \
        add_lattice(kind, true, job);                                                              \
    }
ADD_LATTICE(add_value2, KERNEL_VALUE2)
ADD_LATTICE(add_perlin2, KERNEL_PERLIN2)
ADD_LATTICE(add_perlin1, KERNEL_PERLIN1)
ADD_LATTICE(add_value3, KERNEL_VALUE3)
ADD_LATTICE(add_perlin3, KERNEL_PERLIN3)
ADD_LATTICE(add_value4, KERNEL_VALUE4)
ADD_LATTICE(add_perlin4, KERNEL_PERLIN4)
ADD_LATTICE(add_perlin2002, KERNEL_PERLIN2002)

void kernel_add_lattice(enum kernel_kind kind, const struct kernel_positions *positions,
                        const struct slice *slice, const struct kernel_fades *fades,
                        const struct kernel_out *out)
{
    static void (*const adders[][2])(struct job *) = {
        [KERNEL_VALUE2] = {add_value2, add_value2_gradient},
        [KERNEL_PERLIN2] = {add_perlin2, add_perlin2_gradient},
        [KERNEL_PERLIN1] = {add_perlin1, add_perlin1_gradient},
        [KERNEL_VALUE3] = {add_value3, add_value3_gradient},
        [KERNEL_PERLIN3] = {add_perlin3, add_perlin3_gradient},
        [KERNEL_VALUE4] = {add_value4, add_value4_gradient},
        [KERNEL_PERLIN4] = {add_perlin4, add_perlin4_gradient},
        [KERNEL_PERLIN2002] = {add_perlin2002, add_perlin2002_gradient},
    };
    struct job job = {positions, slice, fades, out, false};
    adders[kind][out->x != NULL](&job);
}
