/* A drainage network, as the world describes it: its key, its fields, and how finely it is divided.
 *
 * All that a network is follows from this description. Functions of network/ are pure: they compute
 * from their arguments and keep nothing. */
#ifndef TERRANE_DRAINAGE_NETWORK_NETWORK_H
#define TERRANE_DRAINAGE_NETWORK_NETWORK_H

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
    DRAINAGE_DELTAS_LEVEL = 2, /* views without this level have no deltas: at most 4 samples long */
};

/* A world's network: its fields and what places its nodes. `sample` writes count floats for each
 * wanted field at places, with `spacing` metres between samples as the level of detail; false when
 * memory or work is out. Values must be finite; the potential within ±2²⁰, heights and relief
 * within ±2²⁰ metres, lakes 0 … 1. A null output is not wanted. */
struct drainage_fields {
    float *potential, *target, *relief, *lakes;
};
struct drainage_network {
    struct hash128 identity; /* equal only if all samples are: what is kept is found by it */
    uint64_t key;            /* hash of the seed */
    unsigned spacing_log2;   /* of level 0, in metres */
    bool lakes;              /* there is such a field */
    float deltas;            /* the share of level 0's rivers that build one at the sea */
    bool (*sample)(void *context, const struct place *places, size_t count, double spacing,
                   const struct drainage_fields *fields);
    void *context;
    struct work_meter *work; /* counts what is done, but `sample`; null: nothing is counted */
};

/* The level whose cells samples `metres` apart are looked up in, and log2 of their width in metres.
 */
unsigned drainage_level(unsigned spacing_log2, double metres);
static inline unsigned drainage_cell_log2(unsigned spacing_log2, unsigned level)
{
    return spacing_log2 - level;
}

/* How many segments the streams from nodes 2^width_log2 metres apart have, each with fields of its
 * own: those that are seen from afar bend more. */
unsigned drainage_segments(unsigned width_log2);
/* The same of streams of a level in a view of samples `metres` apart: those of levels whose cells
 * have few samples there have fewer, and in views of very wide cells all have. */
unsigned drainage_segments_in_view(unsigned spacing_log2, double metres, unsigned level);
/* The most land upstream that a stream of a level has anywhere, m². */
float drainage_flow_most(unsigned spacing_log2, unsigned level);
/* How exactly land of samples `metres` apart (0: full detail) has the courses of streams of a
 * level, in metres. */
double drainage_exactness(unsigned spacing_log2, double metres, unsigned level);
/* True for views whose finest cells have less than SHAPE_CELL_SAMPLES samples (shape.h). */
bool drainage_view_is_coarse(unsigned spacing_log2, double metres);

/* The node that a stream begins at: its level and its cell there, 2^drainage_cell_log2() metres
 * wide. */
struct drainage_node {
    unsigned level;
    int64_t x, y;
};

#endif
