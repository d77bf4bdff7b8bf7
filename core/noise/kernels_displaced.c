/* Summaries of a row of a displaced grid, made before octaves are added (see kernels_displaced.h):
 * the extremes of the displacement and the cells of the columns, both by chunks of NOISE_LANES. The
 * extremes are the same for all octaves of all noises under one displacement. */
#include "core/base/lanes.h"
#include "core/noise/kernels.h"

_Static_assert((int)KERNEL_CHUNKS_PADDED == 2 * (int)LANES &&
                   (int)KERNEL_CHUNKS_MAX <= (int)KERNEL_CHUNKS_PADDED,
               "the chunks of a row are at most two runs of lanes");

/* The extremes of all chunks. */
TERRANE_INLINE void extremes_of_row(uint32_t chunks, float *restrict low, float *restrict high,
                                    float *row_low, float *row_high)
{
    float halves[2][LANES], unused;
    for (uint32_t i = chunks; i < KERNEL_CHUNKS_PADDED; i++) {
        low[i] = low[0];
        high[i] = high[0];
    }
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < LANES; i++) {
        halves[0][i] = min_float(low[i], low[i + LANES]);
        halves[1][i] = max_float(high[i], high[i + LANES]);
    }
    lanes_min_max(halves[0], row_low, &unused);
    lanes_min_max(halves[1], &unused, row_high);
}

TERRANE_CLONES
void kernel_displacement_bounds(uint32_t count, const float *dx, const float *dy,
                                struct kernel_bounds *bounds)
{
    const uint32_t chunks = count / NOISE_LANES;
    for (uint32_t chunk = 0; chunk < chunks; chunk++) {
        const uint32_t start = chunk * NOISE_LANES;
        lanes_min_max(dx + start, &bounds->dx_low[chunk], &bounds->dx_high[chunk]);
        lanes_min_max(dy + start, &bounds->dy_low[chunk], &bounds->dy_high[chunk]);
    }
    extremes_of_row(chunks, bounds->dx_low, bounds->dx_high, &bounds->row_dx_low,
                    &bounds->row_dx_high);
    extremes_of_row(chunks, bounds->dy_low, bounds->dy_high, &bounds->row_dy_low,
                    &bounds->row_dy_high);
}

void kernel_chunks_prepare(uint32_t count, const uint32_t *base, const float *fraction,
                           struct kernel_chunks *chunks)
{
    for (uint32_t chunk = 0; chunk < count / NOISE_LANES; chunk++) {
        const uint32_t first = chunk * NOISE_LANES, last = first + NOISE_LANES - 1;
        chunks->base[chunk] = base[first];
        chunks->fraction_first[chunk] = fraction[first];
        chunks->fraction_last[chunk] = fraction[last];
        chunks->span[chunk] = (float)(base[last] - base[first]);
    }
    chunks->row_one_base = base[0] == base[count - 1];
    chunks->row_fraction_last = fraction[count - 1];
}
