/* The parts that TileJSON and the style for MapLibre have in common. */
#include "server/http/routes/map_document.h"

#include "core/tile/address.h"
#include "core/tile/mercator.h"
#include "server/http/response/base_url.h"
#include "server/http/response/response.h"
#include "server/http/routes/resolve.h"

#define HALF_SQUARE 0x1p24 /* metres from the origin to the edges of the central square */
_Static_assert((int)WORLD_ZOOM_MAX == (int)TILE_ZOOM_MAX, "views have the zooms of tiles");

/* The bounds are those of the central square; that tiles go on beyond it, no document can say. */
void map_write_extent(struct json_writer *json)
{
    json_member_integer(json, "minzoom", 0);
    json_member_integer(json, "maxzoom", TILE_ZOOM_MAX);
    json_member_array(json, "bounds");
    json_write_double(json, -MERCATOR_LONGITUDE_MAX);
    json_write_double(json, -MERCATOR_LATITUDE_MAX);
    json_write_double(json, MERCATOR_LONGITUDE_MAX);
    json_write_double(json, MERCATOR_LATITUDE_MAX);
    json_array_close(json);
}

void map_write_tiles(struct json_writer *json, struct buffer *address)
{
    json_member_array(json, "tiles");
    json_write_string(json, buffer_string(address));
    json_array_close(json);
    json->out->failed = json->out->failed || address->failed;
    buffer_free(address);
}

void map_write_attribution(struct json_writer *json, const struct world *world)
{
    if (world_attribution(world)[0])
        json_member_string(json, "attribution", world_attribution(world));
}

/* Degrees of a coordinate of the view; of one outside the central square, those of its edge. */
static double view_degrees(int64_t coordinate, double (*degrees)(double metres))
{
    const double metres = place_metres(coordinate);
    return degrees(metres < -HALF_SQUARE  ? -HALF_SQUARE
                   : metres > HALF_SQUARE ? HALF_SQUARE
                                          : metres);
}

void map_write_center(struct json_writer *json, struct place centre)
{
    json_member_array(json, "center");
    json_write_double(json, view_degrees(centre.x, mercator_longitude));
    json_write_double(json, view_degrees(centre.y, mercator_latitude));
}

const char *map_choose_format(const struct http_request *request,
                              const struct parameter_values *values, const struct painter *painter,
                              struct problem *problem)
{
    if (!(values->given & (PARAMETER_BIT(MAP_FORMAT) | PARAMETER_BIT(PICTURE_FORMAT))))
        return resolve_tile_format(request, painter);
    if (values->map_format != MAP_FORMAT_WEBP)
        return "png";
    if (!painter_is_16bit(painter))
        return "webp";
    problem_parameter(problem, "format", "png",
                      "the style \"%s\" has 16 bits a pixel, which webp cannot hold",
                      painter_name(painter));
    return NULL;
}

enum handler_result map_respond(struct http_request *request, struct buffer *body)
{
    const enum handler_result result = base_url_respond(request, body, "application/json");
    response_depends_on_accept(request);
    return result;
}
