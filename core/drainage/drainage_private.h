/* The scratch memory of a sampler. Internal to this folder. */
#ifndef TERRANE_DRAINAGE_DRAINAGE_PRIVATE_H
#define TERRANE_DRAINAGE_DRAINAGE_PRIVATE_H

#include "core/drainage/bends.h"
#include "core/drainage/draft.h"
#include "core/drainage/envelope.h"
#include "core/drainage/fields.h"
#include "core/drainage/leaf.h"
#include "core/drainage/list_builder.h"

struct delta;
struct trunk_node;

/* The work of steps, in nanoseconds (core/base/work_meter.h): measured, roughly. */
enum {
    LOAD_WORK = 30000,   /* to look up what is near some leaves, */
    NODE_WORK = 600,     /* to make the stream of a node, */
    SEGMENT_WORK = 140,  /* and each of its segments, without the fields; */
    TRUNK_WORK = 40,     /* to look at a node around those of level 0 */
    LEAF_WORK = 3000,    /* to make a leaf, */
    CANDIDATE_WORK = 60, /* and for each segment that may matter there */
    SAMPLE_WORK = 60,    /* of a sample */
};

/* Samples sorted by cell. */
struct sample_groups {
    uint32_t *keys;  /* by sample: quarter of a cell of a leaf */
    uint32_t *order; /* numbers of samples */
    uint32_t *first; /* by key: of its samples in `order` */
    float *values;   /* of one cell */
    size_t key_capacity, order_capacity, first_capacity, value_capacity;
};

struct drainage {
    size_t bytes; /* that may be held */
    struct kept_table blocks, leaves;
    struct level_window levels[DRAINAGE_LEVELS_MAX];
    const struct drainage_network *network; /* of the request */
    bool full_detail;                       /* of the last samples */
    struct field_lattice fields;
    struct place *joints; /* of the drafts */
    size_t joint_capacity;
    struct bend_cells bends;
    struct stream_draft *drafts;
    size_t draft_capacity;
    struct trunk_node *trunk_nodes;
    size_t trunk_capacity;
    struct delta *deltas; /* that the window has */
    size_t delta_count, delta_capacity;
    struct list_builder list;
    struct envelope_cull cull;
    uint16_t *leaf_cells; /* by candidate of a leaf in the making: in which cells it matters */
    size_t leaf_cell_capacity;
    struct sample_groups groups;
};

/* Counts work of the request: false if it must stop. */
static inline bool drainage_add_work(const struct drainage *drainage, uint64_t nanoseconds)
{
    struct work_meter *work = drainage->network->work;
    return !work || work_add(work, nanoseconds);
}

/* Begins a request, or a part of one: gives up what is too much, and loads what leaves need, as
 * window_load() does. */
bool drainage_load(struct drainage *drainage, const struct cell_rect *leaves, unsigned level);

/* Makes the candidates of a leaf from the segments of drainage->list, of which there is one or
 * more: in the rows of drainage->cull, which has room for them. */
void candidates_make(struct drainage *drainage, unsigned level, const struct leaf_view *view);

#endif
