/* The document by which Cesium finds the tiles of a terrain: layer.json, beside the tiles of a
 * style (https://github.com/CesiumGS/quantized-mesh). Its format has no other way to say which
 * tiles there are than a list of ranges for each zoom: those of the whole globe. */
#include "core/encode/quantized_mesh.h"
#include "core/tile/address.h"
#include "server/http/response/base_url.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/map_document.h"
#include "server/http/routes/resolve.h"

/* Every tile of the zoom, as an array of one range. */
static void write_range(struct json_writer *json, int zoom)
{
    const int64_t last = ((int64_t)1 << zoom) - 1;
    json_array_open(json);
    json_object_open(json);
    json_member_integer(json, "startX", 0);
    json_member_integer(json, "startY", 0);
    json_member_integer(json, "endX", last);
    json_member_integer(json, "endY", last);
    json_object_close(json);
    json_array_close(json);
}

static void write_layer(struct json_writer *json, const struct world *world,
                        const struct painter *painter, struct buffer *tiles)
{
    struct buffer name = {0};
    buffer_format(&name, "%s – %s", world_title(world), painter_title(painter));
    json_member_string(json, "tilejson", "2.1.0");
    json_member_buffer(json, "name", &name);
    if (world_description(world)[0])
        json_member_string(json, "description", world_description(world));
    map_write_attribution(json, world);
    json_member_string(json, "version", "1.0.0");
    json_member_string(json, "format", "quantized-mesh-1.0");
    json_member_string(json, "projection", "EPSG:3857");
    json_member_string(json, "scheme", "slippyMap");
    json_member_array(json, "extensions");
    json_write_string(json, QUANTIZED_MESH_NORMALS);
    json_array_close(json);
    map_write_tiles(json, tiles);
    map_write_extent(json);
    json_member_array(json, "available");
    for (int zoom = 0; zoom <= TILE_ZOOM_MAX; zoom++)
        write_range(json, zoom);
    json_array_close(json);
}

enum handler_result handle_terrain(struct http_request *request, struct problem *problem)
{
    const struct target_text *style = request->captures[0];
    const struct resolved_world *world = &request->worlds[0];
    struct buffer body = {0}, tiles = {0};
    struct json_writer json;
    const struct painter *painter = resolve_style(request, style->text, style->length, problem);
    if (!painter || !base_url_append(request, &tiles, problem))
        return HANDLER_FAILED;
    resolve_append_tiles(&world->identity, painter, "/{z}/{x}/{y}", "terrain", &tiles);
    json_begin_object(&json, &body, request->values->pretty);
    write_layer(&json, world->base->world, painter, &tiles);
    json_finish_object(&json);
    return base_url_respond(request, &body, "application/json");
}
