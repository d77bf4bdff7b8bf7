/* How far the ground of two worlds differs over the same rectangle. */
#ifndef TERRANE_TERRAIN_DIFFERENCE_H
#define TERRANE_TERRAIN_DIFFERENCE_H

#include "core/terrain/area.h"

struct difference {
    /* What is asked for: */
    const struct world *a, *b;
    struct sample_grid grid; /* as of area_grid() */
    /* The answer: */
    uint64_t samples;
    uint64_t changed;   /* whose heights are not the same */
    uint64_t biomes;    /* whose biome has another name; 0 unless both worlds have biomes */
    bool has_biomes;    /* both */
    double mean;        /* metres, of the heights' distances without sign, over all samples */
    float largest;      /* metres */
    struct place where; /* of the first of the largest; of the first sample if nothing changed */
    uint64_t became_water,
        became_land; /* that were land (at least 0 m) and are not, and the other way round */
};

/* Errors are those of the sampler. */
bool difference_measure(struct sampler *sampler, struct difference *difference,
                        struct error *error);

#endif
