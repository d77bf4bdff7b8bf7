/* Summaries of a row of a displaced grid, made before octaves are added (see kernels_displaced.h):
 * the extremes of the displacement and the cells of the columns, both by chunks of NOISE_LANES. The
 * extremes are the same for all octaves of all noises under one displacement. */
#include "core/base/lanes.h"
#include "core/noise/kernels.h"

TERRANE_CLONES
void kernel_displacement_bounds(uint32_t count, const float *dx, const float *dy,
                                struct kernel_bounds *bounds)
{
    for (uint32_t chunk = 0; chunk < count / NOISE_LANES; chunk++) {
        const uint32_t start = chunk * NOISE_LANES;
        lanes_min_max(dx + start, &bounds->dx_low[chunk], &bounds->dx_high[chunk]);
        lanes_min_max(dy + start, &bounds->dy_low[chunk], &bounds->dy_high[chunk]);
    }
    bounds->row_dx_low = bounds->dx_low[0];
    bounds->row_dx_high = bounds->dx_high[0];
    bounds->row_dy_low = bounds->dy_low[0];
    bounds->row_dy_high = bounds->dy_high[0];
    for (uint32_t chunk = 1; chunk < count / NOISE_LANES; chunk++) {
        bounds->row_dx_low = min_float(bounds->row_dx_low, bounds->dx_low[chunk]);
        bounds->row_dx_high = max_float(bounds->row_dx_high, bounds->dx_high[chunk]);
        bounds->row_dy_low = min_float(bounds->row_dy_low, bounds->dy_low[chunk]);
        bounds->row_dy_high = max_float(bounds->row_dy_high, bounds->dy_high[chunk]);
    }
}

void kernel_chunks_prepare(uint32_t count, const uint32_t *base, const float *fraction,
                           struct kernel_chunks *chunks)
{
    for (uint32_t chunk = 0; chunk < count / NOISE_LANES; chunk++) {
        const uint32_t first = chunk * NOISE_LANES, last = first + NOISE_LANES - 1;
        chunks->base[chunk] = base[first];
        chunks->fraction_first[chunk] = fraction[first];
        chunks->fraction_last[chunk] = fraction[last];
        chunks->one_base[chunk] = base[first] == base[last];
    }
    chunks->row_one_base = base[0] == base[count - 1];
    chunks->row_fraction_last = fraction[count - 1];
}
