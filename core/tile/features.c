/* Builds the geometry of a tile in five arrays: layers, features, properties, paths and points.
 * Each item holds the index of its first child and their number, so a tile takes five allocations
 * that are reused, and a feature is closed by beginning the next one. */
#include "core/tile/features.h"

#include "core/base/array.h"

/* Makes room for one more item at the list's end and counts it; false when memory is out. */
static bool grow(struct features *features, void **memory, struct feature_list *list, size_t size)
{
    void *grown =
        features->failed ? NULL : array_reserve(*memory, list->count, &list->capacity, size);
    features->failed = !grown;
    if (!grown)
        return false;
    *memory = grown;
    list->count++;
    return true;
}

/* Appends an item to one of the lists; `array` and `list` are members of the tile. */
#define APPEND(features, array, list, ...)                                                         \
    do {                                                                                           \
        void *memory = (features)->array;                                                          \
        bool grown = grow((features), &memory, &(features)->list, sizeof *(features)->array);      \
        (features)->array = memory;                                                                \
        if (grown)                                                                                 \
            (features)->array[(features)->list.count - 1] = __VA_ARGS__;                           \
    } while (0)

void features_begin(struct features *features, uint32_t extent)
{
    features->extent = extent;
    features->layer_list.count = 0;
    features->item_list.count = 0;
    features->property_list.count = 0;
    features->path_list.count = 0;
    features->point_list.count = 0;
    features->failed = false;
}

void features_free(struct features *features)
{
    free(features->layers);
    free(features->items);
    free(features->properties);
    free(features->paths);
    free(features->points);
    *features = (struct features){0};
}

void features_add_layer(struct features *features, const char *name)
{
    APPEND(features, layers, layer_list,
           (struct feature_layer){.name = name, .first = features->item_list.count});
}

void features_add(struct features *features, enum feature_geometry geometry)
{
    APPEND(features, items, item_list,
           (struct feature){.geometry = geometry,
                            .first_path = features->path_list.count,
                            .first_property = features->property_list.count});
    if (!features->failed)
        features->layers[features->layer_list.count - 1].count++;
}

void features_set_id(struct features *features, uint64_t id)
{
    if (features->failed)
        return;
    struct feature *last = &features->items[features->item_list.count - 1];
    last->has_id = true;
    last->id = id;
}

static void add_property(struct features *features, const char *key, struct feature_value value)
{
    APPEND(features, properties, property_list, (struct feature_property){key, value});
    if (!features->failed)
        features->items[features->item_list.count - 1].property_count++;
}

void features_add_integer(struct features *features, const char *key, int64_t value)
{
    add_property(features, key, (struct feature_value){FEATURE_INTEGER, {.integer = value}});
}

void features_add_number(struct features *features, const char *key, double value)
{
    add_property(features, key, (struct feature_value){FEATURE_NUMBER, {.number = value}});
}

void features_add_boolean(struct features *features, const char *key, bool value)
{
    add_property(features, key, (struct feature_value){FEATURE_BOOLEAN, {.boolean = value}});
}

void features_add_text(struct features *features, const char *key, const char *value)
{
    add_property(features, key, (struct feature_value){FEATURE_TEXT, {.text = value}});
}

void features_add_path(struct features *features)
{
    APPEND(features, paths, path_list, (struct feature_path){.first = features->point_list.count});
    if (!features->failed)
        features->items[features->item_list.count - 1].path_count++;
}

void features_add_point(struct features *features, int32_t x, int32_t y)
{
    APPEND(features, points, point_list, (struct feature_point){x, y});
    if (!features->failed)
        features->paths[features->path_list.count - 1].count++;
}
