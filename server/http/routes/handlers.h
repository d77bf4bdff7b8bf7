/* The handlers of the routes; which paths and methods they are for stands in route_table.c. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_HANDLERS_H
#define TERRANE_SERVER_HTTP_ROUTES_HANDLERS_H

#include "server/http/jobs/http_request.h"

http_handler handle_index;  /* the viewer for browsers, a guide for the rest */
http_handler handle_viewer; /* the viewer's files */
http_handler handle_livez, handle_readyz, handle_version, handle_openapi, handle_metrics;
http_handler handle_formulas, handle_events;
http_handler handle_worlds, handle_world, handle_world_file, handle_preview;
http_handler handle_tilejson, handle_style; /* for MapLibre */
http_handler handle_wmts, handle_gdal;
http_handler handle_tile;
http_handler handle_tile_by_query; /* world and style from the query */
http_handler handle_chunk, handle_volume;
http_handler handle_chunks, handle_volumes; /* batches */
http_handler handle_digests;
http_handler handle_query; /* the queries that read parameters alone */
http_handler handle_heights, handle_diff, handle_verify;

#endif
