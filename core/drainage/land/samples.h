/* Samples of the land that a network shapes: where they are, and their outputs. */
#ifndef TERRANE_DRAINAGE_LAND_SAMPLES_H
#define TERRANE_DRAINAGE_LAND_SAMPLES_H

#include "core/drainage/network/network.h"

/* The outputs of a sample. All are of the stream whose land the place is on:
 *
 * height    metres
 * distance  metres to the stream's line
 * bed       metres: of the stream at its nearest point
 * water     metres: the level of its river or lake, or below the ground
 * river     0 … 1: how much of the sample its river covers, as a map draws it
 * flow      square metres of land upstream of there
 * order     1 for streams of the finest level, 1 more for each coarser one
 * valley    1 at the stream, 0 on the ridge to the next one; less where the stream drains less land
 *           than that of 1024 samples
 *
 * A row is a constant DRAINAGE_…, the name in formulas, and the range that formulas see. */
#define DRAINAGE_OUTPUT_ROWS(ROW)                                                                  \
    ROW(HEIGHT, "height", -0x1p22f, 0x1p22f)                                                       \
    ROW(DISTANCE, "distance", 0.0f, 0x1p22f)                                                       \
    ROW(BED, "bed", -0x1p22f, 0x1p22f)                                                             \
    ROW(WATER, "water", -0x1p22f, 0x1p22f)                                                         \
    ROW(RIVER, "river", 0.0f, 1.0f)                                                                \
    ROW(FLOW, "flow", 0.0f, 0x1p60f)                                                               \
    ROW(ORDER, "order", 0.0f, (float)DRAINAGE_LEVELS_MAX)                                          \
    ROW(VALLEY, "valley", 0.0f, 1.0f)
#define DRAINAGE_OUTPUT_CONSTANT(id, name, least, most) DRAINAGE_##id,
enum drainage_output { DRAINAGE_OUTPUT_ROWS(DRAINAGE_OUTPUT_CONSTANT) DRAINAGE_OUTPUTS };

/* Samples in the cells of drainage_level(): which cell, by axis, and where in it, 0 … 1; and how
 * far south of them, in metres, others will be asked for next: what these need is loaded at once.
 * It changes no sample. */
struct drainage_samples {
    const int64_t *cell[2];
    const float *t[2];
    double metres_after;
};

#endif
