#include <string.h>

#include "core/tile/address.h"
#include "core/tile/mercator.h"
#include "server/http/arguments.h"
#include "server/http/base.h"
#include "server/http/handlers.h"
#include "server/http/resolve.h"
#include "server/json_writer.h"

static const char type_json[] = "application/json";

static void write_numbers(struct json_writer *json, const char *key, const double *numbers,
                          size_t count)
{
    json_write_key(json, key);
    json_array_open(json);
    for (size_t i = 0; i < count; i++)
        json_write_double(json, numbers[i]);
    json_array_close(json);
}

/* TileJSON 3.0.0. The map is the central square; tiles go on beyond it, which it cannot say. */
static void write_tilejson(struct json_writer *json, const struct catalog_world *world,
                           const struct painter *painter, uint32_t size, struct buffer *tiles)
{
    static const double bounds[] = {-MERCATOR_LONGITUDE_MAX, -MERCATOR_LATITUDE_MAX,
                                    MERCATOR_LONGITUDE_MAX, MERCATOR_LATITUDE_MAX};
    static const double centre[] = {0, 0, 6};
    struct buffer name = {0};
    buffer_format(&name, "%s – %s", world_title(world->world), painter_title(painter));
    json_object_open(json);
    json_member_string(json, "tilejson", "3.0.0");
    json_member_buffer(json, "name", &name);
    if (world_description(world->world)[0])
        json_member_string(json, "description", world_description(world->world));
    if (world_attribution(world->world)[0])
        json_member_string(json, "attribution", world_attribution(world->world));
    json_member_string(json, "scheme", "xyz");
    json_write_key(json, "tiles");
    json_array_open(json);
    json_write_string(json, buffer_string(tiles));
    json_array_close(json);
    json_member_integer(json, "tileSize", size);
    json_member_integer(json, "minzoom", 0);
    json_member_integer(json, "maxzoom", TILE_ZOOM_MAX);
    write_numbers(json, "bounds", bounds, 4);
    write_numbers(json, "center", centre, 3);
    if (painter_encoding(painter))
        json_member_string(json, "encoding", painter_encoding(painter));
    json_object_close(json);
}

/* The style's name of "{style}.json", whose piece of the target is cut in place. */
static bool style_of_document(const struct request_text *piece, struct request_text *style,
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

enum handled handle_tilejson(struct exchange *exchange, struct problem *problem)
{
    const struct request_text *piece = exchange->captures[0];
    struct request_text style;
    struct buffer body = {0}, tiles = {0};
    struct json_writer json;
    uint32_t size = 256;
    bool pretty = false;
    if (!argument_switch(&exchange->request, "pretty", &pretty, problem) ||
        !argument_size(&exchange->request, &size, problem) ||
        (piece && !style_of_document(piece, &style, problem)))
        return FAILED;
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    const struct painter *painter = resolve_style(exchange, piece ? &style : NULL, problem);
    if (!painter || !base_append(exchange, &tiles, problem))
        return FAILED;
    resolve_tiles_path(exchange->world, painter, &tiles);
    buffer_text(&tiles, size == 512 ? "/{z}/{x}/{y}@2x.png" : "/{z}/{x}/{y}.png");
    json_begin(&json, &body, pretty);
    write_tilejson(&json, exchange->world, painter, size, &tiles);
    json_finish(&json);
    body.failed = body.failed || tiles.failed;
    buffer_free(&tiles);
    return base_respond(exchange, &body, type_json);
}
