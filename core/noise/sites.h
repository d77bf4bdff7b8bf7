/* One octave at arbitrary places: what displaced grids and lists of places have in common. Internal
 * to this folder. */
#ifndef TERRANE_NOISE_SITES_H
#define TERRANE_NOISE_SITES_H

#include "core/noise/kernels.h"

struct sites {
    uint32_t count;                  /* a multiple of NOISE_LANES up to NOISE_ROW_MAX */
    const int64_t *cell_x, *cell_y;  /* lattice cells before displacement */
    const uint32_t *base_x, *base_y; /* their low halves */
    const float *fraction_x, *fraction_y;
    const float *dx, *dy; /* metres, or null */
    bool uniform;         /* all cells share the lattice keys of the first, on each axis */
};

/* Whether cells first … last, and all that a displacement can reach from there, have one high half
 * and so one lattice key. Only one place in 2³² cells along an axis has not. */
bool sites_share_key(int64_t first, int64_t last);

/* Adds the octave's noise to out[0 … count). Uses the scratch's low, t and s rows. */
void sites_add(const struct noise *noise, unsigned octave, double spacing,
               const struct sites *sites, struct noise_scratch *scratch, float *out);

#endif
