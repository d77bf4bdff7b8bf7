/* The loops for samples at arbitrary places, on lattice bases. */
#include "core/noise/window.h"

/* How far the lanes of a chunk are from its first: cells, and 64 bits below them. In halves of 32
 * bits all the way, as vectors have more lanes of those. */
struct walk_lanes {
    _Alignas(64) uint32_t cell[NOISE_LANES], high[NOISE_LANES], low[NOISE_LANES];
};

TERRANE_INLINE void walk_chunk(uint32_t cell, uint64_t fraction, const struct walk_lanes *lanes,
                               uint32_t *restrict out_low, float *restrict t)
{
    const uint32_t high = (uint32_t)(fraction >> 32), low = (uint32_t)fraction;
    TERRANE_LANES
    for (int i = 0; i < NOISE_LANES; i++) {
        const uint32_t carry = low + lanes->low[i] < low ? 1 : 0;
        const uint32_t sum = high + lanes->high[i];
        const uint32_t all = sum + carry;
        out_low[i] = cell + lanes->cell[i] + (sum < high ? 1 : 0) + (all < carry ? 1 : 0);
        t[i] = lattice_fraction(all);
    }
}

TERRANE_CLONES
void kernel_walk(uint32_t count, const struct kernel_walk *walk, uint32_t *restrict low,
                 float *restrict t)
{
    struct walk_lanes lanes;
    uint32_t cell = 0, first = walk->cell;
    uint64_t fraction = 0, first_fraction = walk->fraction;
    if (walk->cell_step == 0 && walk->fraction_step == 0) {
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
        fraction += walk->fraction_step;
        cell += walk->cell_step + (fraction < walk->fraction_step);
    }
    for (uint32_t start = 0; start < count; start += NOISE_LANES) {
        walk_chunk(first, first_fraction, &lanes, low + start, t + start);
        first_fraction += fraction;
        first += cell + (first_fraction < fraction);
    }
}

/* Along one axis of the world, as the axes of lattices that are not turned are. */
TERRANE_INLINE void place_along(uint32_t count, const struct kernel_places *places,
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

TERRANE_INLINE void place_across(uint32_t count, const struct kernel_places *places,
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
struct kernel_span kernel_place(uint32_t count, const struct kernel_places *places, uint32_t *low,
                                float *t)
{
    struct kernel_span span = {0, 0};
    const uint32_t cell = places->cell;
    if (places->form[0] == 0 || places->form[1] == 0)
        place_along(count, places, low, t);
    else
        place_across(count, places, low, t);
    for (uint32_t i = 0; i < count; i++) {
        const int32_t moved = (int32_t)(low[i] - cell);
        span.least = moved < span.least ? moved : span.least;
        span.most = moved > span.most ? moved : span.most;
    }
    return span;
}

TERRANE_CLONES
void kernel_displace(uint32_t count, const struct kernel_move *move, uint32_t *restrict low,
                     float *restrict t)
{
    const float *restrict dx = move->dx, *restrict dy = move->dy;
    const float east = move->cells[0], south = move->cells[1];
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
    const struct kernel_sites *sites;
    const struct slice *slice;
    const struct kernel_fades *fades;
    const struct kernel_out *out;
    bool windowed; /* the window has all corners */
};

/* A stretch of sites. */
struct run {
    uint32_t start, end;
};

TERRANE_INLINE struct spot spot_of(const struct job *job, uint32_t i)
{
    return (struct spot){job->sites->t[0][i], job->fades->x[i], job->sites->t[1][i],
                         job->fades->y[i]};
}

TERRANE_INLINE struct spot fade_slopes(const struct job *job, uint32_t i)
{
    return (struct spot){.sx = job->fades->slope_x[i], .sy = job->fades->slope_y[i]};
}

/* Writes one site's noise, or noise and gradient. */
TERRANE_INLINE void put(enum kernel_kind kind, bool sloped, const struct job *job, struct corners g,
                        uint32_t i)
{
    const struct kernel_out *out = job->out;
    if (!sloped) {
        out->n[i] += corners_mix(kind, g, out->amplitude, spot_of(job, i));
        return;
    }
    const struct slope slope =
        corners_slope(kind, g, out->amplitude, spot_of(job, i), fade_slopes(job, i));
    out->n[i] = slope.n;
    out->x[i] = slope.x;
    out->y[i] = slope.y;
}

TERRANE_INLINE void add_shared(enum kernel_kind kind, bool sloped, const struct job *own,
                               struct run run)
{
    const struct job job = *own;
    const struct kernel_sites *sites = job.sites;
    const struct cell cell = {sites->key[0] + KERNEL_KEY_OWN, sites->key[1] + KERNEL_KEY_OWN,
                              sites->low[0][run.start], sites->low[1][run.start]};
    const struct corners g = job.windowed ? window_corners(sites->window, cell.low_x, cell.low_y)
                                          : corners_of_cell(kind, job.slice, &cell);
    TERRANE_INDEPENDENT
    for (uint32_t i = run.start; i < run.end; i++)
        put(kind, sloped, &job, g, i);
}

/* The corners of many cells, corner by corner. */
struct many {
    _Alignas(64) float x[4][NOISE_ROW_MAX], y[4][NOISE_ROW_MAX], c[4][NOISE_ROW_MAX];
};

TERRANE_INLINE void add_scattered(enum kernel_kind kind, bool sloped, const struct job *own,
                                  struct run run)
{
    const struct job job = *own;
    const struct kernel_sites sites = *job.sites;
    const struct slice slice = kind_planes(kind) > 1 ? *job.slice : (struct slice){0};
    struct many many;
    for (uint32_t k = 0; k < 4; k++) {
        const uint32_t right = k & 1, below = k >> 1;
        const uint32_t key_x = sites.key[0][KERNEL_KEY_OWN + right];
        const uint32_t key_y = sites.key[1][KERNEL_KEY_OWN + below];
        TERRANE_INDEPENDENT
        for (uint32_t i = run.start; i < run.end; i++) {
            uint32_t line_y[SLICE_PLANES_MAX];
            for (int plane = 0; plane < kind_planes(kind); plane++)
                line_y[plane] = kind_line_y(kind, sites.low[1][i] + below, key_y, &slice, plane);
            const uint32_t line_x = kind_line_x(kind, sites.low[0][i] + right, key_x);
            const struct corner corner = corner_at(kind, line_x, line_y, &slice);
            many.x[k][i] = corner.x;
            many.y[k][i] = corner.y;
            many.c[k][i] = corner.c;
        }
    }
    TERRANE_INDEPENDENT
    for (uint32_t i = run.start; i < run.end; i++) {
        struct corners g;
        for (int k = 0; k < 4; k++) {
            g.x[k] = many.x[k][i];
            g.y[k] = many.y[k][i];
            g.c[k] = many.c[k][i];
        }
        put(kind, sloped, &job, g, i);
    }
}

/* put() for the cells of WINDOW_LANES sites. */
TERRANE_INLINE void put_cells(enum kernel_kind kind, bool sloped, const struct job *job,
                              uint32_t start, const union window_cells *cells)
{
    const float *restrict tx = job->sites->t[0] + start, *restrict ty = job->sites->t[1] + start;
    const float *restrict sx = job->fades->x + start, *restrict sy = job->fades->y + start;
    const float amplitude = job->out->amplitude;
    float *restrict n = job->out->n + start;
    if (!sloped) {
        TERRANE_INDEPENDENT_LANES
        for (uint32_t i = 0; i < WINDOW_LANES; i++)
            n[i] += corners_mix(kind, window_cell(cells, i), amplitude,
                                (struct spot){tx[i], sx[i], ty[i], sy[i]});
        return;
    }
    const float *restrict slope_x = job->fades->slope_x + start;
    const float *restrict slope_y = job->fades->slope_y + start;
    float *restrict x = job->out->x + start, *restrict y = job->out->y + start;
    TERRANE_INDEPENDENT_LANES
    for (uint32_t i = 0; i < WINDOW_LANES; i++) {
        const struct spot at = {tx[i], sx[i], ty[i], sy[i]};
        const struct spot fades = {.sx = slope_x[i], .sy = slope_y[i]};
        const struct slope slope = corners_slope(kind, window_cell(cells, i), amplitude, at, fades);
        n[i] = slope.n;
        x[i] = slope.x;
        y[i] = slope.y;
    }
}

/* Sites of any cells, whose corners the window has. */
TERRANE_INLINE void add_windowed(enum kernel_kind kind, bool sloped, const struct job *own,
                                 struct run run)
{
    const struct job job = *own;
    const uint32_t *restrict x = job.sites->low[0], *restrict y = job.sites->low[1];
    const struct kernel_window window = *job.sites->window;
    uint32_t index[NOISE_ROW_MAX];
    for (uint32_t i = run.start; i < run.end; i++)
        index[i] = window_index(&window, x[i], y[i]);
    for (uint32_t start = run.start; start < run.end; start += WINDOW_LANES) {
        union window_cells cells;
        window_take(&window, index + start, &cells);
        put_cells(kind, sloped, &job, start, &cells);
    }
}

/* Whether the window has all corners of the sites; cells count from the first site's. */
TERRANE_INLINE bool open_window(enum kernel_kind kind, const struct kernel_sites *sites)
{
    const uint32_t *restrict x = sites->low[0], *restrict y = sites->low[1];
    const uint32_t x0 = x[0], y0 = y[0];
    int32_t west = 0, east = 0, north = 0, south = 0;
    for (uint32_t i = 0; i < sites->count; i++) {
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
        .key_x = sites->key[0][KERNEL_KEY_OWN],
        .key_y = sites->key[1][KERNEL_KEY_OWN],
    };
    return kernel_window_cover(kind, sites->window, &box);
}

/* Runs of chunks of NOISE_LANES sites. Where chunks lie in one cell, which is so for all but the
 * finest octaves, its corners are hashed once for the run. */
TERRANE_INLINE void add_lattice(enum kernel_kind kind, bool sloped, struct job *job)
{
    const struct kernel_window *window = job->sites->window;
    const bool can = kind == KERNEL_VALUE2 || kind == KERNEL_PERLIN2;
    job->windowed = can && window && window->points && open_window(kind, job->sites);
    const uint32_t count = job->sites->count;
    const uint32_t *low_x = job->sites->low[0], *low_y = job->sites->low[1];
    for (uint32_t start = 0, end; start < count; start = end) {
        end = start;
        while (end < count && !lanes_outside(low_x + end, low_y + end, low_x[start], low_y[start]))
            end += NOISE_LANES;
        if (end > start) {
            add_shared(kind, sloped, job, (struct run){start, end});
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < count && lanes_outside(low_x + end, low_y + end, low_x[end], low_y[end]));
        if (can && job->windowed)
            add_windowed(kind, sloped, job, (struct run){start, end});
        else
            add_scattered(kind, sloped, job, (struct run){start, end});
    }
}

#define ADD_LATTICE(name, kind)                                                                    \
    TERRANE_CLONES                                                                                 \
    static void name(struct job *job)                                                              \
    {                                                                                              \
        add_lattice(kind, false, job);                                                             \
    }                                                                                              \
    TERRANE_CLONES                                                                                 \
    static void name##_sloped(struct job *job)                                                     \
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

void kernel_add_lattice(enum kernel_kind kind, const struct kernel_sites *sites,
                        const struct slice *slice, const struct kernel_fades *fades,
                        const struct kernel_out *out)
{
    static void (*const adders[][2])(struct job *) = {
        [KERNEL_VALUE2] = {add_value2, add_value2_sloped},
        [KERNEL_PERLIN2] = {add_perlin2, add_perlin2_sloped},
        [KERNEL_PERLIN1] = {add_perlin1, add_perlin1_sloped},
        [KERNEL_VALUE3] = {add_value3, add_value3_sloped},
        [KERNEL_PERLIN3] = {add_perlin3, add_perlin3_sloped},
        [KERNEL_VALUE4] = {add_value4, add_value4_sloped},
        [KERNEL_PERLIN4] = {add_perlin4, add_perlin4_sloped},
        [KERNEL_PERLIN2002] = {add_perlin2002, add_perlin2002_sloped},
    };
    struct job job = {sites, slice, fades, out, false};
    adders[kind][out->x != NULL](&job);
}
