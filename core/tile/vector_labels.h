/* Labels as features of a vector tile: the layer "labels", with points that have a `class`. So far
 * that is "peak": the summits of terrain/summits.h, with their height in whole metres as `ele`. A
 * tile has the peaks whose place is in it, from zoom VECTOR_LABELS_ZOOM on; they rise by half the
 * zoom's interval of contours. The feature's id is that of the summit. */
#ifndef TERRANE_TILE_VECTOR_LABELS_H
#define TERRANE_TILE_VECTOR_LABELS_H

#include "core/terrain/summits.h"
#include "core/tile/features.h"
#include "core/tile/vector_source.h"

enum {
    VECTOR_LABELS_ZOOM = 6,  /* tiles of lesser zooms have none */
    VECTOR_LABELS_SIDE = 64, /* steps of the search in a tile: 4 pixels each */
};

/* Adds the layer, if there are peaks; `list` is scratch memory. Errors are those of summits_find().
 */
bool vector_labels_add(struct summit_list *list, const struct vector_source *source,
                       struct features *out, struct error *error);

#endif
