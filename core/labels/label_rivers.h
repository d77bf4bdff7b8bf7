/* Labels of rivers, lakes and mouths, from the streams of the world's drainage network. A stream
 * has one in the middle of its way, with the name that label_outlets.h gives it. A lake is a reach
 * of a stream under level water, and has a label in its middle. A mouth is where a river that ends
 * in the sea first comes to the shore: it has the river's name, two zooms later. To find it takes
 * one line of the stream, of some 128 places, and 64 of those parts where it meets the shore. */
#ifndef TERRANE_LABELS_LABEL_RIVERS_H
#define TERRANE_LABELS_LABEL_RIVERS_H

#include "core/labels/label_outlets.h"
#include "core/terrain/rivers.h"

enum {
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

/* Adds the labels of rivers, lakes and mouths whose place is in the box, and that show at the zoom.
 * Errors are those of network_streams(). */
bool label_rivers_find(const struct label_source *source, const struct label_box *box, int zoom,
                       struct label_list *list, struct error *error);

#endif
