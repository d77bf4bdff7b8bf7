/* Requests to a sampler: where to sample, and what. */
#ifndef TERRANE_SAMPLING_SAMPLE_REQUEST_H
#define TERRANE_SAMPLING_SAMPLE_REQUEST_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/place.h"

struct sample_grid {
    int64_t x, y;           /* the first sample, the north-west one (2⁻¹⁶ m) */
    int64_t step;           /* from a sample to its neighbour, east and south (2⁻¹⁶ m, > 0) */
    uint32_t columns, rows; /* at least 1 */
    double spacing;         /* level of detail: metres between samples; 0 is full detail */
    int64_t z, t; /* z and t of the formulas (2⁻¹⁶ m and 2⁻¹⁶ s), within ±2⁵⁷ */
};

struct sample_points {
    const struct place *places;
    size_t count;
    double spacing; /* as above */
    int64_t z, t;
};

enum { SAMPLER_LAYERS_MAX = 273 }; /* as many as a world has (core/worldfile/world.c) */

/* The layers to sample, and where the samples go: outputs[i] receives columns × rows (row-major,
 * north to south) or count floats of layer layers[i]. At most SAMPLER_LAYERS_MAX. */
struct sample_request {
    const unsigned *layers;
    float *const *outputs;
    unsigned count;
};

#endif
