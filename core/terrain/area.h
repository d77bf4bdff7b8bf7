/* A rectangle of the world, and a grid of samples over it. */
#ifndef TERRANE_TERRAIN_AREA_H
#define TERRANE_TERRAIN_AREA_H

#include "core/sampling/sampler.h"

struct area {
    struct place low, high; /* north-west and south-east corner; low < high on both axes */
};

/* A grid with square cells, one sample in the middle of each: `samples` along the longer side, in
 * proportion along the shorter one, at least 1. The cells are centred in the rectangle, and less
 * than a cell is left over on a side. The spacing is 0, full detail, for the caller to set. */
struct sample_grid area_grid(const struct area *area, uint32_t samples);

#endif
