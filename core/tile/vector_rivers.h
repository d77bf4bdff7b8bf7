/* Rivers as features of a vector tile: the layer "rivers", a feature of lines for each, with its
 * id, and `id` and `downstream` as text (JavaScript's numbers end at 2⁵³; a river that joins none
 * has no `downstream`), `flow`, `width` and `order`: see terrain/rivers.h. A tile has the rivers
 * whose flow is seen at its zoom; their lines run downstream, and meet those of neighbouring tiles
 * as contours do. */
#ifndef TERRANE_TILE_VECTOR_RIVERS_H
#define TERRANE_TILE_VECTOR_RIVERS_H

#include "core/terrain/contour.h"
#include "core/terrain/rivers.h"
#include "core/tile/features.h"
#include "core/tile/vector_source.h"

enum {
    VECTOR_RIVERS_ZOOM = 3,  /* tiles of lesser zooms have none */
    VECTOR_RIVERS_CELL = 32, /* pixels across the cells of the finest streams, at least */
    VECTOR_RIVERS_APART = 4, /* pixels between vertices, at most */
    VECTOR_RIVERS_ID = 21,   /* bytes of an id as text, terminated */
};

/* Memory that is reused. Zeroed it is empty. */
struct vector_rivers {
    struct river_list list;
    struct contours work[3];
    char (*texts)[2][VECTOR_RIVERS_ID]; /* by river: its id, and that downstream */
    size_t capacity;
};
void vector_rivers_free(struct vector_rivers *rivers);

/* The least flow of rivers in tiles of a zoom, m². */
float vector_rivers_min_flow(int zoom);

/* Adds the layer, if there are rivers. The features live as long as `rivers` is not used again.
 * Errors are those of rivers_find(). */
bool vector_rivers_add(struct vector_rivers *rivers, const struct vector_source *source,
                       struct features *out, struct error *error);

#endif
