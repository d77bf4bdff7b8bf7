/* Labels as features of a vector tile: the layer "labels". Each has a `class`, and those with a
 * name its `name` and `rank`, the least zoom at which it shows (labels/labels.h).
 *
 * - Points of class "peak": the summits of terrain/summits.h, with their height in whole metres as
 *   `ele`, from zoom VECTOR_LABELS_ZOOM on; they rise by half the zoom's interval of contours. The
 *   most prominent of them have a name where no other label lies.
 * - Points of the class of their kind, "sea" or "forest": all other labels, with their `size` in
 *   square metres; if the text follows an axis, with its `angle`, degrees clockwise from level.
 * - Lines of class "river" or "stream": the rivers of the tile that have a name there, with
 *   the land upstream as `size`, without the bends that letters cannot follow (name_line.h).
 *
 * The names are those of the next zoom, as programs show vector tiles 512 pixels wide. A tile has
 * the points whose place is in it: tiles side by side have each once. The id of a feature is that
 * of the summit, label or river. Points have no rivers: their lines say their names.
 */
#ifndef TERRANE_TILE_VECTOR_LABELS_H
#define TERRANE_TILE_VECTOR_LABELS_H

#include "core/labels/labels.h"
#include "core/tile/features.h"
#include "core/tile/name_line.h"
#include "core/tile/vector_rivers.h"
#include "core/tile/vector_source.h"

enum {
    VECTOR_LABELS_ZOOM = LABEL_SUMMITS_ZOOM,         /* tiles of lesser zooms have no peaks */
    VECTOR_LABELS_SIDE = 256 / LABEL_SUMMITS_PIXELS, /* steps of that search in a tile */
};

/* Memory that is reused: what is found, and the texts that features point to. Zeroed it is empty.
 */
struct vector_labels {
    struct summit_list summits;
    struct label_list labels;
    struct label *rivers; /* of the tile's lines: their names */
    size_t capacity;
    struct name_line line;
};
void vector_labels_free(struct vector_labels *labels);

/* Adds the layer, if there are labels; `rivers` are those of the tile, which vector_rivers_add()
 * has added. The features live as long as `labels` is not used again. Errors are those of
 * summits_find() and labels_find(). */
bool vector_labels_add(struct vector_labels *labels, const struct vector_source *source,
                       const struct vector_rivers *rivers, struct features *out,
                       struct error *error);

#endif
