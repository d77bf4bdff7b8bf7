/* Painting objects from above: trees, shrubs and rocks as round shapes with a shadow.
 *
 * What is seen depends on the metres a pixel alone, so all pictures of one zoom agree on it: a kind
 * shows where its radius is more than `from` pixels, and wholly from twice that on; and kinds are
 * left out from the file's last on until there are not more than PAINT_OBJECTS_DENSITY candidates
 * a pixel. With radii of at most a cell that bounds the objects a picture can have: 65,536 in one
 * of 256 × 256 pixels, besides those that reach into it over its edges. */
#ifndef TERRANE_TILE_PAINT_OBJECTS_H
#define TERRANE_TILE_PAINT_OBJECTS_H

#include "core/terrain/objects.h"
#include "core/tile/style_private.h"

#define PAINT_OBJECTS_DENSITY 1.0f

/* What is painted into one band: memory that is reused. A zeroed struct is empty. */
struct object_scene {
    struct object_list list;
    struct object_shape *shapes; /* in the order of painting */
    uint32_t *starts;            /* of each row, in `entries`; and the end */
    uint32_t *entries;           /* shapes that touch the row, in the order of painting */
    size_t shape_capacity, start_capacity, entry_capacity;
    uint32_t rows; /* 0 if nothing is to be painted */
};
void object_scene_free(struct object_scene *scene);

/* Finds the objects of a grid (without apron, at most 512 rows) and what they look like. Nothing is
 * sampled where nothing is seen. False with ERROR_MEMORY, or the errors of objects_find(). */
bool object_scene_make(struct object_scene *scene, struct sampler *sampler,
                       const struct world *world, const struct object_paint *paint,
                       const struct sample_grid *grid, struct error *error);

/* Paints a row of the grid's. */
void object_scene_paint(const struct object_scene *scene, const struct object_paint *paint,
                        uint32_t row_number, const struct paint_row *row);

/* The bits of the kinds that are seen at so many metres a pixel, and how much of each, 0 … 1. */
uint64_t object_paint_kinds(const struct world *world, const struct object_paint *paint,
                            float spacing, float visible[WORLD_OBJECTS_MAX]);

#endif
