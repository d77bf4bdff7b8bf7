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
            const struct corners g = corners_of_cell(basis, sites->key_x, sites->key_y, x, y);
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
