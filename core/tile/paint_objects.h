/* Paints objects from above: trees, shrubs and rocks as round shapes with a shadow.
 *
 * Which kinds are painted depends on the metres a pixel alone, so all pictures of one zoom agree. A
 * kind shows if its radius is more than `from` pixels, and fully from twice that on. Kinds are left
 * out, beginning with the file's last one, until there are at most PAINT_OBJECTS_DENSITY candidates
 * a pixel. As radii are at most one cell, this bounds the objects of a picture: 65,536 in 256 × 256
 * pixels, besides those that reach into it over its edges. */
#ifndef TERRANE_TILE_PAINT_OBJECTS_H
#define TERRANE_TILE_PAINT_OBJECTS_H

#include "core/terrain/objects.h"
#include "core/tile/style_private.h"
#include "core/worldfile/world.h"

#define PAINT_OBJECTS_DENSITY 1.0f

/* The objects of one band, in memory that is reused. A zeroed struct is empty. */
struct object_scene {
    struct object_list list;
    struct object_shape *shapes; /* in the order of painting */
    uint32_t *starts;            /* of each row, in `entries`; and the end */
    uint32_t *entries;           /* shapes that touch the row, in the order of painting */
    size_t shape_capacity, start_capacity, entry_capacity;
    uint32_t rows; /* 0 if nothing is to be painted */
};
void object_scene_free(struct object_scene *scene);

/* The objects that are painted in a picture. */
struct object_view {
    struct sampler *sampler;
    const struct world *world;
    const struct object_paint *paint;
    const struct sample_grid *grid; /* without apron, at most 512 rows */
};
/* Finds the objects of the view's grid and prepares their shapes. Samples nothing if no kind is
 * visible. False with ERROR_MEMORY, or the errors of objects_find(). */
bool object_scene_make(struct object_scene *scene, const struct object_view *view,
                       struct error *error);

/* Paints the shapes that touch a row of the grid. */
void object_scene_paint(const struct object_scene *scene, const struct object_paint *paint,
                        uint32_t row_number, const struct paint_row *row);

/* The bits of the kinds that are visible at so many metres a pixel; visible[i] is the opacity of
 * kind i, 0 … 1. */
uint64_t object_paint_kinds(const struct world *world, const struct object_paint *paint,
                            float spacing, float visible[WORLD_OBJECTS_MAX]);

#endif
