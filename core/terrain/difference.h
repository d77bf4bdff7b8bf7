/* The differences between two worlds over the same rectangle: heights, coasts and biomes. */
#ifndef TERRANE_TERRAIN_DIFFERENCE_H
#define TERRANE_TERRAIN_DIFFERENCE_H

#include "core/terrain/area.h"

struct difference {
    /* Set by the caller: */
    const struct world *a, *b;
    struct sample_grid grid; /* such as area_grid() gives */
    /* Filled in: */
    uint64_t samples;
    uint64_t changed;   /* samples with different heights */
    uint64_t biomes;    /* samples whose biome has another name; 0 unless both worlds have biomes */
    bool has_biomes;    /* both worlds have biomes */
    double mean;        /* metres: the mean absolute difference over all samples */
    float largest;      /* metres: the largest absolute difference */
    struct place where; /* the first place with it; the first sample if nothing changed */
    uint64_t became_water, became_land; /* samples that were land (0 m or higher) in `a` and are not
                                           in `b`, and vice versa */
};

/* Errors are those of the sampler. */
bool difference_measure(struct sampler *sampler, struct difference *difference,
                        struct error *error);

#endif
