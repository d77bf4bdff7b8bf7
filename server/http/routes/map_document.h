/* The parts that TileJSON and the style for MapLibre have in common. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_MAP_DOCUMENT_H
#define TERRANE_SERVER_HTTP_ROUTES_MAP_DOCUMENT_H

#include "core/base/json_writer.h"
#include "core/worldfile/world.h"
#include "server/http/routes/handlers.h"
#include "server/queries/parameters.h"

struct painter;

/* "minzoom", "maxzoom" and "bounds". */
void map_write_extent(struct json_writer *json);
/* The address of tiles as the member "tiles", an array of one; frees the buffer. */
void map_write_tiles(struct json_writer *json, struct buffer *address);
/* "attribution", if the world has one. */
void map_write_attribution(struct json_writer *json, const struct world *world);
/* Begins the array "center" with the longitude and latitude where a map of the world begins. */
void map_write_center(struct json_writer *json, struct place centre);
/* The format of a style's tiles: that of format=, else what the client accepts. Null with 400 if it
 * cannot hold them. */
const char *map_choose_format(const struct http_request *request,
                              const struct parameter_values *values, const struct painter *painter,
                              struct problem *problem);
/* Responds with the document; frees it. */
enum handler_result map_respond(struct http_request *request, struct buffer *body);

#endif
