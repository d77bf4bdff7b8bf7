/* A tile of geometry: layers of points, lines and polygons with properties, in whole units of the
 * tile's grid. A vector tile before it is encoded.
 *
 * It is built in order: features_begin(), then for each layer features_add_layer(), for each of its
 * features features_add(), then that feature's properties, paths and points. A failed allocation
 * sets `failed` and later calls do nothing, so a caller checks once at the end.
 *
 * Keys, names and texts are not copied: they must live as long as the tile is used. A zeroed struct
 * is empty; a struct that is used again keeps its memory. For one thread. */
#ifndef TERRANE_TILE_FEATURES_H
#define TERRANE_TILE_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FEATURES_EXTENT = 4096 }; /* units of a tile's side */

enum feature_geometry {
    FEATURE_POINTS,   /* each path is one point */
    FEATURE_LINES,    /* each path is a line of 2 points or more; a ring repeats its first */
    FEATURE_POLYGONS, /* each path is a ring of 3 points or more, the first not repeated: first an
                         exterior one, clockwise on the map, then its holes, anticlockwise */
};

/* Units from the tile's north-west corner: x to the east, y to the south. 0 … extent is the tile,
 * points beyond are in its buffer. */
struct feature_point {
    int32_t x, y;
};

struct feature_path {
    size_t first, count; /* of its points */
};

enum feature_type { FEATURE_INTEGER, FEATURE_NUMBER, FEATURE_BOOLEAN, FEATURE_TEXT };

struct feature_value {
    enum feature_type type;
    union {
        int64_t integer;
        double number;
        bool boolean;
        const char *text; /* UTF-8 */
    };
};

struct feature_property {
    const char *key;
    struct feature_value value;
};

struct feature {
    enum feature_geometry geometry;
    bool has_id;
    uint64_t id; /* unique in its layer */
    size_t first_path, path_count, first_property, property_count;
};

struct feature_layer {
    const char *name;
    size_t first, count; /* of its features */
};

/* The length and capacity of one of the arrays below. */
struct feature_list {
    size_t count, capacity;
};

struct features {
    uint32_t extent;
    struct feature_layer *layers;
    struct feature *items;
    struct feature_property *properties;
    struct feature_path *paths;
    struct feature_point *points;
    struct feature_list layer_list, item_list, property_list, path_list, point_list;
    bool failed; /* memory was out */
};

/* Empties the tile and keeps its memory. */
void features_begin(struct features *features, uint32_t extent);
void features_free(struct features *features);

void features_add_layer(struct features *features, const char *name);
/* A feature of the last layer, without an id. */
void features_add(struct features *features, enum feature_geometry geometry);
/* The id and the properties of the last feature. */
void features_set_id(struct features *features, uint64_t id);
void features_add_integer(struct features *features, const char *key, int64_t value);
void features_add_number(struct features *features, const char *key, double value);
void features_add_boolean(struct features *features, const char *key, bool value);
void features_add_text(struct features *features, const char *key, const char *value);
/* A path of the last feature, and a point of its last path. */
void features_add_path(struct features *features);
void features_add_point(struct features *features, int32_t x, int32_t y);

#endif
