/* TileJSON 3.0.0 of a style, or of a world's vector tiles.
 *
 * The template of the tiles is absolute and pinned to the present world and style, so a map that
 * has read the document never mixes tiles of two versions. Vector tiles are the same in every style
 * and pinned to the world alone. */
#include <string.h>

#include "core/base/json_writer.h"
#include "core/tile/address.h"
#include "core/tile/mercator.h"
#include "server/http/response/base_url.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"

static const char type_json[] = "application/json";

static void write_numbers(struct json_writer *json, const char *key, const double *numbers,
                          size_t count)
{
    json_member_array(json, key);
    for (size_t i = 0; i < count; i++)
        json_write_double(json, numbers[i]);
    json_array_close(json);
}

/* The tiles that a TileJSON describes. */
struct tileset {
    const struct catalog_world *world;
    const struct painter *painter; /* null for the world's vector tiles */
    uint32_t size;
    struct buffer tiles; /* the template of the addresses */
};

/* The layers of vector tiles with the properties of their features. */
static void write_vector_layers(struct json_writer *json)
{
    json_member_array(json, "vector_layers");
    json_object_open(json);
    json_member_string(json, "id", "contour");
    json_member_object(json, "fields");
    json_member_string(json, "height", "Number: metres above the sea");
    json_member_string(json, "index", "Boolean: every fifth");
    json_object_close(json);
    json_object_close(json);
    json_object_open(json);
    json_member_string(json, "id", "water");
    json_member_object(json, "fields");
    json_object_close(json);
    json_object_close(json);
    json_array_close(json);
}

static void write_texts(struct json_writer *json, const struct tileset *set)
{
    const struct world *world = set->world->world;
    struct buffer name = {0};
    buffer_format(&name, "%s – %s", world_title(world),
                  set->painter ? painter_title(set->painter) : "Contours");
    json_member_buffer(json, "name", &name);
    if (world_description(world)[0])
        json_member_string(json, "description", world_description(world));
    if (world_attribution(world)[0])
        json_member_string(json, "attribution", world_attribution(world));
}

/* TileJSON 3.0.0. The bounds are those of the central square; that tiles go on beyond it, TileJSON
 * cannot express. */
static void write_tilejson(struct json_writer *json, struct tileset *set)
{
    static const double bounds[] = {-MERCATOR_LONGITUDE_MAX, -MERCATOR_LATITUDE_MAX,
                                    MERCATOR_LONGITUDE_MAX, MERCATOR_LATITUDE_MAX};
    static const double centre[] = {0, 0, 6};
    json_object_open(json);
    json_member_string(json, "tilejson", "3.0.0");
    write_texts(json, set);
    json_member_string(json, "scheme", "xyz");
    json_member_array(json, "tiles");
    json_write_string(json, buffer_string(&set->tiles));
    json_array_close(json);
    if (set->painter)
        json_member_integer(json, "tileSize", set->size);
    json_member_integer(json, "minzoom", 0);
    json_member_integer(json, "maxzoom", TILE_ZOOM_MAX);
    write_numbers(json, "bounds", bounds, 4);
    write_numbers(json, "center", centre, 3);
    if (set->painter && painter_encoding(set->painter))
        json_member_string(json, "encoding", painter_encoding(set->painter));
    if (!set->painter)
        write_vector_layers(json);
    json_object_close(json);
}

/* The style's name in "{style}.json": the piece of the target without the extension. */
static bool parse_style_document(const struct target_text *piece, struct target_text *style,
                                 struct problem *problem)
{
    static const char extension[] = ".json";
    size_t size = sizeof extension - 1;
    if (piece->raw_length <= size ||
        memcmp(piece->raw + piece->raw_length - size, extension, size) != 0) {
        problem_set(problem, PROBLEM_NOT_FOUND,
                    "a style's document is /tiles/{style}.json, a tile /tiles/{style}/{z}/{x}/{y}"
                    ".png");
        return false;
    }
    *style = *piece;
    style->raw_length -= size;
    style->length -= size;
    return true;
}

/* "/worlds/WORLD@PIN/tiles/STYLE@PIN/{z}/{x}/{y}.png", or the vector tiles of the world. */
static void append_template(const struct tileset *set, struct buffer *out)
{
    if (set->painter) {
        resolve_append_tiles_path(set->world, set->painter, out);
        buffer_text(out, set->size == 512 ? "/{z}/{x}/{y}@2x.png" : "/{z}/{x}/{y}.png");
    } else {
        resolve_append_world_path(set->world, true, out);
        buffer_text(out, "/tiles/contour/{z}/{x}/{y}.mvt");
    }
}

enum handler_result handle_tilejson(struct http_request *request, struct problem *problem)
{
    const struct target_text *piece = request->captures[0];
    struct target_text style;
    struct tileset set = {.world = NULL};
    struct buffer body = {0};
    struct json_writer json;
    struct parameter_values values;
    if (!router_read_parameters(request, &values, problem) ||
        (piece && !parse_style_document(piece, &style, problem)))
        return HANDLER_FAILED;
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    set.world = request->world;
    const struct painter *painter = resolve_style(request, piece ? &style : NULL, problem);
    if (!painter || !base_url_append(request, &set.tiles, problem))
        return HANDLER_FAILED;
    /* Vector tiles are the same in every style. */
    set.painter = values.map_format == MAP_FORMAT_MVT ? NULL : painter;
    set.size = values.map_size == 0 ? 256 : 512;
    append_template(&set, &set.tiles);
    json_begin(&json, &body, values.pretty);
    write_tilejson(&json, &set);
    json_finish(&json);
    body.failed = body.failed || set.tiles.failed;
    buffer_free(&set.tiles);
    return base_url_respond(request, &body, type_json);
}
