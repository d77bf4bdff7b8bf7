/* Objects as features of a vector tile: the layer "objects", a feature for each, with its id, and
 * `kind`, `id` (the same as text: JavaScript's numbers end at 2⁵³), `scale` and `rotation`. A tile
 * has the objects whose place is in it, so that neighbours never share one. */
#ifndef TERRANE_TILE_VECTOR_OBJECTS_H
#define TERRANE_TILE_VECTOR_OBJECTS_H

#include "core/terrain/objects.h"
#include "core/tile/features.h"
#include "core/tile/vector_source.h"

enum {
    VECTOR_OBJECTS_CELLS = 1 << 14, /* a kind is left out of tiles with more candidates */
    VECTOR_OBJECTS_ALL = 1 << 17,   /* a kind is left out if all kinds so far have more with it */
    VECTOR_OBJECTS_ID = 21,         /* bytes of an id as text, terminated */
};

/* Memory that is reused: the objects, and the texts that features point to. Zeroed it is empty. */
struct vector_objects {
    struct object_list list;
    char (*ids)[VECTOR_OBJECTS_ID];
    uint32_t capacity;
};
void vector_objects_free(struct vector_objects *objects);

/* Adds the layer if a kind is fine enough for the tile. The features live as long as `objects` is
 * not used again. Errors are those of objects_find(). */
bool vector_objects_add(struct vector_objects *objects, const struct vector_source *source,
                        struct features *out, struct error *error);

#endif
