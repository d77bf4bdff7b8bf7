/* An endless drainage network, and the land that it shapes.
 *
 * A network of streams covers the plane. Every stream ends in a larger one, in a sink or in the
 * sea, and its bed falls all the way. The height of a place is the lowest, over all streams, of the
 * stream's bed plus a rise that grows with the distance from it, so water runs down to a stream
 * from everywhere and no place lies in a pit (envelope.c).
 *
 *      level 0        level 1            level 2
 *     o      o       o  .  o  .        o .o. o .o.     o  a node: where a stream begins
 *      \    /         \ . / .           \|. /_/.       \  its way down
 *       \  /         .-\-/-.           '.-\-/--'
 *        \/         .   V   .         .-'--V--.-'      one node in each cell; level k's cells
 *        |              |                  |           are half as wide as those of level k - 1
 *
 * Nodes stand in the cells of square grids, one in each, at a place that is a hash of the cell. A
 * node of level 0 sends its stream to the neighbour towards which the potential falls most; a node
 * of a finer level to the nearest stream of the levels above (branches.c). What a node does depends
 * only on its cell, so a stream is the same from wherever it is looked at, and at every level of
 * detail: finer levels only add to it.
 *
 * The world gives three fields: a potential, which level 0 follows; a target height in metres,
 * which beds and ridges aim at; a relief in metres, from the valleys to the ridges between streams
 * of level 1. Streams read them at nodes and joints, from a lattice (fields.h). The sea is what
 * lies below 0. A fourth field may say which share of long streams have a lake (lakes.h): under
 * water beds do not fall all the way, but the water's surface does, and leads on. And a share of
 * the rivers that reach a shallow sea build a delta there (deltas.h).
 *
 * Places of nodes are exact integers, in units of 2⁻¹⁶ m, and what is computed in floats is
 * computed from differences of them in an order that the cell alone decides: samples are the same
 * bits on every machine, whatever was asked before and however much is kept.
 *
 * The hierarchy, with a height from the network instead of a network from the heights, follows
 * J.-D. Génevaux et al., "Terrain generation using procedural models based on hydrology" (2013). */
#ifndef TERRANE_DRAINAGE_DRAINAGE_H
#define TERRANE_DRAINAGE_DRAINAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/hash.h"
#include "core/base/place.h"
#include "core/base/work_meter.h"

enum {
    DRAINAGE_SPACING_LOG2_MIN = 14, /* of level 0's cells, in metres */
    DRAINAGE_SPACING_LOG2_MAX = 20,
    DRAINAGE_FINEST_LOG2 = 6, /* cells of the finest level are 64 m wide */
    DRAINAGE_LEVELS_MAX = DRAINAGE_SPACING_LOG2_MAX - DRAINAGE_FINEST_LOG2 + 1,
    DRAINAGE_LAKES_LOG2 = 12,  /* of the finest level whose streams have lakes */
    DRAINAGE_FIELDS_LOG2 = 10, /* fields are sampled this far apart, and farther */
};

/* The results for a sample. All are of the stream whose land the place is on:
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

/* The width in metres of a river that drains `flow` square metres, in a humid climate. */
float drainage_river_width(float flow);

/* A world's network: its fields and what places its nodes. `sample` writes count floats for each
 * wanted field at places, with `spacing` metres between samples as the level of detail; false when
 * memory or work is out. Values must be finite; the potential within ±2²⁰, heights and relief
 * within ±2²⁰ metres, lakes 0 … 1. A null output is not wanted. */
struct drainage_fields {
    float *potential, *target, *relief, *lakes;
};
struct drainage_network {
    struct hash128 identity; /* what blocks are kept by: equal if all samples are */
    uint64_t key;            /* hash of the seed */
    unsigned spacing_log2;   /* of level 0, in metres */
    bool lakes;              /* there is such a field */
    float deltas;            /* the share of level 0's rivers that build one at the sea */
    bool (*sample)(void *context, const struct place *places, size_t count, double spacing,
                   const struct drainage_fields *fields);
    void *context;
    struct work_meter *work; /* counts what is done, but `sample`; null: nothing is counted */
};

/* Scratch memory, and streams and land that are kept in what `bytes` leave: of one thread at a
 * time. More is held while one request needs more. */
struct drainage;
struct drainage *drainage_new(size_t bytes); /* null when memory is out */
void drainage_free(struct drainage *drainage);
/* The bytes that are held now. */
size_t drainage_memory(const struct drainage *drainage);

/* The level whose cells samples `metres` apart are looked up in, and log2 of their width in metres.
 */
unsigned drainage_level(unsigned spacing_log2, double metres);
static inline unsigned drainage_cell_log2(unsigned spacing_log2, unsigned level)
{
    return spacing_log2 - level;
}

/* How many segments the streams from nodes 2^width_log2 metres apart have, each with fields of its
 * own: those that are seen from afar bend more. */
static inline unsigned drainage_segments(unsigned width_log2)
{
    return width_log2 >= 14 ? 8 : width_log2 >= 12 ? 4 : width_log2 >= 10 ? 2 : 1;
}

/* Samples in the cells of that level: which cell, by axis, and where in it, 0 … 1. */
struct drainage_samples {
    const int64_t *cell[2];
    const float *t[2];
};
/* Writes `count` samples, `metres` apart for the level of detail (0: full detail), of the outputs
 * that are not null. Cells must be within ±2⁴⁶ m. False when memory is out, or
 * when the work that the network may take is (work_fail()). */
bool drainage_sample(struct drainage *drainage, const struct drainage_network *network,
                     double metres, size_t count, const struct drainage_samples *samples,
                     float *const outputs[DRAINAGE_OUTPUTS]);

#endif
