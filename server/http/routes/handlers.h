/* The handlers of the routes; which paths and methods they are for stands in router.c. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_HANDLERS_H
#define TERRANE_SERVER_HTTP_ROUTES_HANDLERS_H

#include "server/http/jobs/http_request.h"

/* handle_index.c */
http_handler handle_index;  /* the viewer for browsers, a guide for the rest */
http_handler handle_viewer; /* the viewer's files */

/* handle_operations.c */
http_handler handle_livez;
http_handler handle_readyz;
http_handler handle_version;
http_handler handle_metrics;

/* handle_worlds.c */
http_handler handle_worlds;
http_handler handle_world;

/* handle_tilejson.c */
http_handler handle_tilejson;

/* handle_maplibre_style.c */
http_handler handle_style; /* for MapLibre */

/* handle_gis.c */
http_handler handle_wmts;
http_handler handle_gdal;

/* handle_tiles.c */
http_handler handle_tile;
http_handler handle_tile_by_query; /* world and style from the query */

/* handle_heights.c */
http_handler handle_heights;

/* handle_query.c: the queries of server/queries/query.h that read parameters alone */
http_handler handle_query;

/* handle_diff.c */
http_handler handle_diff;

/* handle_chunks.c */
http_handler handle_chunk;
http_handler handle_chunks; /* a batch */

/* handle_verify.c */
http_handler handle_verify; /* a chunk's digest */

/* handle_openapi.c */
http_handler handle_openapi;

/* handle_volumes.c */
http_handler handle_volume;

#endif
