/* Objects as point features. A tile has the objects whose place is in it, found as in any other box
 * (terrain/objects.h). A kind whose cells are too many for a tile is left out, as a whole: which
 * kinds a tile has depends on its zoom alone, so that neighbouring tiles agree. */
#include "core/tile/vector_objects.h"

#include <stdio.h>
#include <stdlib.h>

void vector_objects_free(struct vector_objects *objects)
{
    object_list_free(&objects->list);
    free(objects->ids);
    *objects = (struct vector_objects){0};
}

/* The bits of the kinds that have few enough cells in a tile of this span. */
static uint64_t kinds_shown(const struct world *world, int64_t span)
{
    uint64_t kinds = 0;
    double all = 0.0;
    for (unsigned i = 0; i < world_object_count(world); i++) {
        const double side = (double)span / (double)world_object(world, i)->spacing;
        const double cells = side * side;
        if (cells > VECTOR_OBJECTS_CELLS || all + cells > VECTOR_OBJECTS_ALL)
            continue;
        all += cells;
        kinds |= (uint64_t)1 << i;
    }
    return kinds;
}

static bool reserve_ids(struct vector_objects *objects)
{
    const uint32_t count = objects->list.count;
    if (count <= objects->capacity)
        return true;
    free(objects->ids);
    objects->ids = malloc(count * sizeof *objects->ids);
    objects->capacity = objects->ids ? count : 0;
    return objects->ids != NULL;
}

static void add_object(const struct object *object, const struct world *world,
                       const struct sample_grid *tile, const char *id, struct features *out)
{
    const int64_t span = tile->step;
    features_add(out, FEATURE_POINTS);
    features_set_id(out, object->id);
    features_add_text(out, "kind", world_object(world, object->kind)->name);
    features_add_text(out, "id", id);
    features_add_number(out, "scale", (double)object->scale);
    features_add_number(out, "rotation", (double)object->rotation);
    features_add_path(out);
    /* A span is at most 2⁴¹ units of place, so the products fit. */
    features_add_point(out, (int32_t)((object->place.x - tile->x) * FEATURES_EXTENT / span),
                       (int32_t)((object->place.y - tile->y) * FEATURES_EXTENT / span));
}

bool vector_objects_add(struct vector_objects *objects, const struct vector_source *source,
                        struct features *out, struct error *error)
{
    const struct sample_grid square = tile_square(&source->tile);
    const int64_t span = square.step;
    const struct object_search search = {
        .low = {square.x, square.y},
        .high = {square.x + span, square.y + span},
        .kinds = kinds_shown(source->world, span),
        .limit = UINT32_MAX,
    };
    if (search.kinds == 0)
        return true;
    objects->list.count = 0;
    if (!objects_find(source->sampler, source->world, &search, &objects->list, error))
        return false;
    if (!reserve_ids(objects))
        return error_memory(error);
    if (objects->list.count > 0)
        features_add_layer(out, "objects");
    for (uint32_t i = 0; i < objects->list.count; i++) {
        const struct object *object = &objects->list.objects[i];
        snprintf(objects->ids[i], VECTOR_OBJECTS_ID, "%llu", (unsigned long long)object->id);
        add_object(object, source->world, &square, objects->ids[i], out);
    }
    return true;
}
