/* What the layers of a world cost, and where the octaves of an expensive one come from. */
#ifndef TERRANE_WORLDFILE_LAYER_COSTS_H
#define TERRANE_WORLDFILE_LAYER_COSTS_H

#include "core/worldfile/world.h"

/* Of a sample at full detail: with all layers that the formula names. Octaves are those of noise in
 * two dimensions, as --world-cost counts them. */
struct layer_cost {
    uint32_t operations;
    uint32_t octaves;
    uint32_t own;    /* octaves of the noises that the layer's own formula calls, and no other */
    uint32_t places; /* that its first noise is sampled at: by slope(), warp() and the like */
};

/* The cost of a layer or a material's weight, by its number; of "biome", own and places are 0. */
struct layer_cost layer_cost_find(const struct world *world, unsigned layer);

/* Writes the three most expensive formulas among all that an operation of the program depends on,
 * "hills 500 (65 %), …", into a text that ends with a 0 and is cut to size. Empty if no noise is
 * needed. The program may be unfinished. */
void layer_costs_explain(const struct world *world, int32_t value, char *text, size_t size);

#endif
