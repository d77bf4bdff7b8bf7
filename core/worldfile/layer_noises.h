/* The noises in the formula of a layer, and what of them is seen at a level of detail. */
#ifndef TERRANE_WORLDFILE_LAYER_NOISES_H
#define TERRANE_WORLDFILE_LAYER_NOISES_H

#include "core/worldfile/world.h"

/* A noise or fractal in a layer's formula. */
struct layer_noise {
    double wavelength; /* metres, of its first octave */
    unsigned octaves;
    unsigned active_octaves; /* octaves that are not faded out at the spacing */
};

enum { LAYER_NOISES_MAX = 64 };

/* The noises of a layer's own formula or conditions; noises of layers that it names are left out.
 */
struct layer_noises {
    unsigned layer; /* to look at */
    double spacing; /* metres between samples */
    unsigned count; /* filled in: of `noises`, at most LAYER_NOISES_MAX */
    struct layer_noise noises[LAYER_NOISES_MAX];
};

/* Fills in count and noises. */
void layer_noises_find(const struct world *world, struct layer_noises *found);

#endif
