/* What decides the names of streams.
 *
 * A stream has its own name; so a river is named anew where a larger one takes it up. Streams of
 * the coarsest level, which follow each other from node to node, have the name of the last one that
 * their water reaches without joining a larger stream, within LABEL_RIVER_STEPS: that of their
 * outlet, followed upstream by the greatest flow. Of streams whose flows are equal, that with the
 * least id goes on. */
#ifndef TERRANE_LABELS_LABEL_OUTLETS_H
#define TERRANE_LABELS_LABEL_OUTLETS_H

#include "core/labels/label.h"
#include "core/sampling/network.h"

enum { LABEL_RIVER_STEPS = 64 };
#define LABEL_STREAM_FLOW 4e7f /* m²: a river with less land upstream is a stream */

/* The middle of a node's cell, in the network's plane. */
struct place label_node_middle(const struct world *world, const struct drainage_node *node);
/* The id of the stream from a node, without the arms of its delta. */
uint64_t label_node_id(const struct world *world, const struct drainage_node *node);

struct label_river {
    enum name_kind kind; /* NAME_RIVER or NAME_STREAM */
    uint64_t id;
    struct place place; /* in the network's plane */
};
/* Finds it for the stream of a node that has such a flow at its lower end. Errors are those of
 * network_follow(). */
bool label_river_of(const struct label_source *source, const struct drainage_node *node, float flow,
                    struct label_river *river, struct error *error);

#endif
