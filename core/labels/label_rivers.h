/* Names of rivers and lakes, from the streams of the world's drainage network.
 *
 * A stream has a label in the middle of its way, and its own name; so a river is named anew where a
 * larger one takes it up. Streams of the coarsest level, which follow each other from node to node,
 * have the name of the last one that their water reaches without joining a larger stream, within
 * LABEL_RIVER_STEPS: that of their outlet, followed upstream by the greatest flow. Of streams whose
 * flows are equal, that with the least id goes on.
 *
 * A lake is a reach of a stream under level water, and has a label in its middle. */
#ifndef TERRANE_LABELS_LABEL_RIVERS_H
#define TERRANE_LABELS_LABEL_RIVERS_H

#include "core/labels/label.h"
#include "core/terrain/rivers.h"

enum {
    LABEL_RIVER_STEPS = 64,
    LABEL_RIVER_PIXELS = 256, /* a river has a label at zooms at which its land is so wide, */
    LABEL_RIVER_CLOSE = 16,   /* from this zoom on half of it, as there is little else */
    LABEL_RIVER_LEVELS = 4,   /* levels of streams that have labels at a zoom */
    LABEL_LAKE_PIXELS = 32,   /* the length of a lake with a label, at least */
};

/* The least zoom with labels of rivers: there the coarsest cells of the network are half as wide as
 * the land of a river. Only in worlds with a network. */
int label_rivers_zoom(const struct world *world);
/* The least flow of rivers whose rank is the zoom, m². */
float label_river_flow(int zoom);
/* The rank of a river of such a flow at its lower end. */
int label_river_rank(float flow);

/* What decides the name of a stream. */
struct label_river {
    enum name_kind kind; /* NAME_RIVER or NAME_STREAM */
    uint64_t id;
    struct place place; /* in the network's plane */
};
/* Finds it for the stream of a node that has such a flow at its lower end. Errors are those of
 * network_follow(). */
bool label_river_of(const struct label_source *source, const struct drainage_node *node, float flow,
                    struct label_river *river, struct error *error);

/* Adds the labels of rivers and lakes whose place is in the box, and that show at the zoom. Errors
 * are those of rivers_visit(). */
bool label_rivers_find(const struct label_source *source, const struct label_box *box, int zoom,
                       struct label_list *list, struct error *error);

#endif
