/* The nodes of coarse(): operations of a program sampled at whole multiples of a spacing, kept from
 * call to call (node_store.h).
 *
 * Nodes that are missing are sampled by a sampler of their own, in calls as large as possible: all
 * fields of a group together, the missing nodes of many places as one list, those of a rectangle as
 * a grid. Which way is taken may depend on speed alone, as all give the same bits. */
#ifndef TERRANE_SAMPLING_COARSE_NODES_H
#define TERRANE_SAMPLING_COARSE_NODES_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"
#include "core/program/program.h"
#include "core/sampling/node_store.h"

enum { NODE_GROUP_FIELDS_MAX = 64 };

/* Fields that are sampled together. */
struct node_group {
    uint32_t spacing_log2; /* of metres */
    int64_t z, t;          /* of the nodes, 2⁻¹⁶ m and s */
    uint32_t count;
    int32_t operations[NODE_GROUP_FIELDS_MAX];
    struct node_field fields[NODE_GROUP_FIELDS_MAX];
};

/* Nodes x … x + columns − 1, y … y + rows − 1, numbered from the origin. */
struct node_rect {
    int64_t x, y;
    uint32_t columns, rows;
};

struct sampler_kept;
struct node_reader;

/* A reader of a sampler, with the store that it keeps. Null when memory is out. */
struct node_reader *node_reader_new(struct sampler_kept *kept);
void node_reader_free(struct node_reader *reader);

/* Writes the nodes of a rectangle, row by row: those of field i from out[i × stride] on. All values
 * are within ±COARSE_NODE_MAX. False when memory is out. */
bool node_reader_rect(struct node_reader *reader, const struct program *program,
                      const struct node_group *group, const struct node_rect *rect, float *out,
                      size_t stride);
/* Writes the 4 × 4 nodes around each of `count` cells: those of cell i at out[16 × i]. */
bool node_reader_cells(struct node_reader *reader, const struct program *program,
                       const struct node_group *group, const struct place *cells, size_t count,
                       float *out, size_t stride);

#endif
