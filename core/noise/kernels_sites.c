/* The loops for samples at arbitrary places. */
#include "core/noise/corners.h"

TERRANE_CLONES
void kernel_displace(uint32_t count, const struct kernel_axis *axis, uint32_t *restrict low,
                     float *restrict t)
{
    const uint32_t *restrict base = axis->base;
    const float *restrict fraction = axis->fraction, *restrict metres = axis->metres;
    const float scale = axis->cells_per_metre;
    for (uint32_t i = 0; i < count; i++) {
        float cells = cells_of(metres[i], scale) + fraction[i];
        float whole = __builtin_floorf(cells);
        t[i] = cells - whole;
        low[i] = base[i] + (uint32_t)(int32_t)whole;
    }
}

/* Nonzero unless the lanes from `start` on are all in the cell (x, y). */
TERRANE_INLINE uint32_t lanes_outside(const uint32_t *restrict low_x,
                                      const uint32_t *restrict low_y, uint32_t x, uint32_t y)
{
    uint32_t difference = 0;
    TERRANE_LANES
    for (uint32_t i = 0; i < NOISE_LANES; i++)
        difference |= (low_x[i] ^ x) | (low_y[i] ^ y);
    return difference;
}

/* Runs of chunks of NOISE_LANES sites. Where chunks lie in one cell, which is so for all but the
 * finest octaves, its corners are hashed once for the run. */
TERRANE_INLINE void add_sites(enum noise_basis basis, uint32_t count,
                              const struct kernel_sites *sites, float *restrict out)
{
    const uint32_t *restrict low_x = sites->low_x, *restrict low_y = sites->low_y;
    const float *restrict t_x = sites->t_x, *restrict t_y = sites->t_y;
    const float *restrict s_x = sites->s_x, *restrict s_y = sites->s_y;
    const float amplitude = sites->amplitude;
    for (uint32_t start = 0, end; start < count; start = end) {
        uint32_t x = low_x[start], y = low_y[start];
        end = start;
        while (end < count && !lanes_outside(low_x + end, low_y + end, x, y))
            end += NOISE_LANES;
        if (end > start) {
            const struct corners g = corners_at(basis, sites->key_x, sites->key_y, x, y);
            for (uint32_t i = start; i < end; i++)
                out[i] +=
                    corners_mix(basis, g, amplitude, (struct spot){t_x[i], s_x[i], t_y[i], s_y[i]});
            continue;
        }
        do
            end += NOISE_LANES;
        while (end < count && lanes_outside(low_x + end, low_y + end, low_x[end], low_y[end]));
        for (uint32_t i = start; i < end; i++)
            out[i] += corners_mix(basis,
                                  corners_at(basis, sites->key_x, sites->key_y, low_x[i], low_y[i]),
                                  amplitude, (struct spot){t_x[i], s_x[i], t_y[i], s_y[i]});
    }
}

TERRANE_CLONES
static void add_sites_perlin(uint32_t count, const struct kernel_sites *sites, float *out)
{
    const struct kernel_sites own = *sites;
    add_sites(NOISE_PERLIN, count, &own, out);
}

TERRANE_CLONES
static void add_sites_value(uint32_t count, const struct kernel_sites *sites, float *out)
{
    const struct kernel_sites own = *sites;
    add_sites(NOISE_VALUE, count, &own, out);
}

void kernel_add_sites(enum noise_basis basis, uint32_t count, const struct kernel_sites *sites,
                      float *out)
{
    if (basis == NOISE_PERLIN)
        add_sites_perlin(count, sites, out);
    else
        add_sites_value(count, sites, out);
}

TERRANE_INLINE float lesser(float a, float b)
{
    return a < b ? a : b;
}

TERRANE_INLINE float greater(float a, float b)
{
    return a > b ? a : b;
}

/* The least and greatest of NOISE_LANES values, by halving. */
TERRANE_INLINE void lanes_bound(const float *restrict v, float *low, float *high)
{
    float low8[8], high8[8], low4[4], high4[4];
    TERRANE_LANES
    for (int i = 0; i < 8; i++) {
        low8[i] = lesser(v[i], v[i + 8]);
        high8[i] = greater(v[i], v[i + 8]);
    }
    TERRANE_LANES
    for (int i = 0; i < 4; i++) {
        low4[i] = lesser(low8[i], low8[i + 4]);
        high4[i] = greater(high8[i], high8[i + 4]);
    }
    *low = lesser(lesser(low4[0], low4[1]), lesser(low4[2], low4[3]));
    *high = greater(greater(high4[0], high4[1]), greater(high4[2], high4[3]));
}

TERRANE_CLONES
void kernel_bound(uint32_t count, const float *dx, const float *dy, struct kernel_bounds *bounds)
{
    for (uint32_t chunk = 0; chunk < count / NOISE_LANES; chunk++) {
        const uint32_t start = chunk * NOISE_LANES;
        lanes_bound(dx + start, &bounds->dx_low[chunk], &bounds->dx_high[chunk]);
        lanes_bound(dy + start, &bounds->dy_low[chunk], &bounds->dy_high[chunk]);
    }
}

/* Which cell a whole chunk lies in. Rounding is monotonic, so the extremes of a displacement lead
 * to the extremes of the places. */
struct chunk_cell {
    float whole_x, whole_y; /* cells to go from the base */
    uint32_t low_x, low_y;
    bool shared;
};

TERRANE_INLINE struct chunk_cell chunk_cell(const struct kernel_row *row,
                                            const struct kernel_bounds *bounds, uint32_t start)
{
    const uint32_t chunk = start / NOISE_LANES, last = start + NOISE_LANES - 1;
    const float scale = row->cells_per_metre;
    float west = cells_of(bounds->dx_low[chunk], scale) + row->fraction_x[start];
    float east = cells_of(bounds->dx_high[chunk], scale) + row->fraction_x[last];
    float north = cells_of(bounds->dy_low[chunk], scale) + row->fraction_y;
    float south = cells_of(bounds->dy_high[chunk], scale) + row->fraction_y;
    struct chunk_cell cell = {.whole_x = __builtin_floorf(west),
                              .whole_y = __builtin_floorf(north)};
    /* Within this reach cells_of() clamps nothing, so add_shared() can do without. */
    cell.shared = west > -KERNEL_CELLS_MAX && north > -KERNEL_CELLS_MAX &&
                  east < KERNEL_CELLS_MAX && south < KERNEL_CELLS_MAX &&
                  row->base_x[start] == row->base_x[last] &&
                  cell.whole_x == __builtin_floorf(east) && cell.whole_y == __builtin_floorf(south);
    cell.low_x = row->base_x[start] + (uint32_t)(int32_t)cell.whole_x;
    cell.low_y = row->base_y + (uint32_t)(int32_t)cell.whole_y;
    return cell;
}

/* Samples start … end, which share a cell. */
TERRANE_INLINE void add_shared(enum noise_basis basis, enum noise_interpolation interpolation,
                               const struct kernel_row *row, struct chunk_cell cell, uint32_t start,
                               uint32_t end, float *restrict out)
{
    const struct corners g = corners_at(basis, row->key_x, row->key_y, cell.low_x, cell.low_y);
    const float *restrict dx = row->dx, *restrict dy = row->dy;
    const float *restrict fraction_x = row->fraction_x;
    const float scale = row->cells_per_metre, amplitude = row->amplitude;
    const float fraction_y = row->fraction_y;
    for (uint32_t i = start; i < end; i++) {
        struct spot at;
        at.tx = (dx[i] * scale + fraction_x[i]) - cell.whole_x;
        at.ty = (dy[i] * scale + fraction_y) - cell.whole_y;
        at.sx = fade_of(interpolation, at.tx);
        at.sy = fade_of(interpolation, at.ty);
        out[i] += corners_mix(basis, g, amplitude, at);
    }
}

/* Samples start … end of any cells. */
static void add_scattered(const struct noise_settings *settings, const struct kernel_row *row,
                          uint32_t start, uint32_t end, struct noise_scratch *scratch, float *out)
{
    uint32_t count = end - start;
    for (uint32_t i = 0; i < count; i++) {
        scratch->base_y[i] = row->base_y;
        scratch->fraction_y[i] = row->fraction_y;
    }
    const struct kernel_axis axis_x = {row->base_x + start, row->fraction_x + start,
                                       row->dx + start, row->cells_per_metre};
    const struct kernel_axis axis_y = {scratch->base_y, scratch->fraction_y, row->dy + start,
                                       row->cells_per_metre};
    kernel_displace(count, &axis_x, scratch->low_x, scratch->t_x);
    kernel_displace(count, &axis_y, scratch->low_y, scratch->t_y);
    kernel_fade(settings->interpolation, count, scratch->t_x, scratch->s_x);
    kernel_fade(settings->interpolation, count, scratch->t_y, scratch->s_y);
    const struct kernel_sites sites = {
        scratch->low_x,
        scratch->low_y,
        scratch->t_x,
        scratch->t_y,
        scratch->s_x,
        scratch->s_y,
        {row->key_x[0], row->key_x[1]},
        {row->key_y[0], row->key_y[1]},
        row->amplitude,
    };
    kernel_add_sites(settings->basis, count, &sites, out + start);
}

/* What kernel_add_displaced() was called with. */
struct kernel_job {
    const struct noise_settings *settings;
    uint32_t count;
    const struct kernel_row *row;
    const struct kernel_bounds *bounds;
    struct noise_scratch *scratch;
    float *out;
};

static bool same_cell(const struct chunk_cell *a, const struct chunk_cell *b)
{
    return a->shared == b->shared &&
           (!a->shared || (a->low_x == b->low_x && a->low_y == b->low_y &&
                           a->whole_x == b->whole_x && a->whole_y == b->whole_y));
}

TERRANE_INLINE void add_displaced(enum noise_basis basis, enum noise_interpolation interpolation,
                                  const struct kernel_job *job)
{
    struct chunk_cell next = chunk_cell(job->row, job->bounds, 0);
    for (uint32_t start = 0, end; start < job->count; start = end) {
        const struct chunk_cell cell = next;
        for (end = start + NOISE_LANES; end < job->count; end += NOISE_LANES) {
            next = chunk_cell(job->row, job->bounds, end);
            if (!same_cell(&cell, &next))
                break;
        }
        if (cell.shared)
            add_shared(basis, interpolation, job->row, cell, start, end, job->out);
        else
            add_scattered(job->settings, job->row, start, end, job->scratch, job->out);
    }
}

#define ADD_DISPLACED(name, basis)                                                                 \
    TERRANE_CLONES                                                                                 \
    static void name(const struct kernel_job *job)                                                 \
    {                                                                                              \
        switch (job->settings->interpolation) {                                                    \
        case NOISE_LINEAR:                                                                         \
            add_displaced(basis, NOISE_LINEAR, job);                                               \
            break;                                                                                 \
        case NOISE_COSINE:                                                                         \
            add_displaced(basis, NOISE_COSINE, job);                                               \
            break;                                                                                 \
        case NOISE_CUBIC:                                                                          \
            add_displaced(basis, NOISE_CUBIC, job);                                                \
            break;                                                                                 \
        case NOISE_QUINTIC:                                                                        \
            add_displaced(basis, NOISE_QUINTIC, job);                                              \
            break;                                                                                 \
        }                                                                                          \
    }
ADD_DISPLACED(add_displaced_value, NOISE_VALUE)
ADD_DISPLACED(add_displaced_perlin, NOISE_PERLIN)

void kernel_add_displaced(const struct noise_settings *settings, uint32_t count,
                          const struct kernel_row *row, const struct kernel_bounds *bounds,
                          struct noise_scratch *scratch, float *out)
{
    const struct kernel_job job = {settings, count, row, bounds, scratch, out};
    if (settings->basis == NOISE_PERLIN)
        add_displaced_perlin(&job);
    else
        add_displaced_value(&job);
}
