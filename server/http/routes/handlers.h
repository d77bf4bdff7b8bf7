/* The functions of the routes; which paths and methods they are for stands in route_table.c. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_HANDLERS_H
#define TERRANE_SERVER_HTTP_ROUTES_HANDLERS_H

#include "server/http/routes/steps.h"

/* The last step of each route: they make the answer. Where that is all, it is answer_job_run(). */
http_handler handle_index;  /* the viewer for browsers, a guide for the rest */
http_handler handle_page;   /* the map page of a place */
http_handler handle_viewer; /* the viewer's files */
http_handler handle_client_script, handle_wasm;
http_handler handle_livez, handle_readyz, handle_version, handle_openapi, handle_metrics;
http_handler handle_formulas, handle_events;
http_handler handle_worlds, handle_world, handle_world_file;
http_handler handle_tilejson, handle_style; /* for MapLibre */
http_handler handle_terrain;                /* for Cesium */
http_handler handle_wmts, handle_gdal;
http_handler gis_respond_capabilities; /* of WMTS by parameters */
http_handler handle_wmts_request;
http_handler handle_batch; /* of chunks or volumes; single ones are products */
http_handler handle_digests, handle_heights;
http_handler handle_query; /* the queries that read parameters alone */
http_handler handle_verify;
http_handler handle_render;

/* The steps before it, of the routes whose answers are made of samples or have a price. */
extern const struct route_steps tile_steps, tile_by_query_steps, wmts_steps;
extern const struct route_steps chunk_steps, volume_steps;
extern const struct route_steps chunks_steps, volumes_steps, digests_steps;
extern const struct route_steps preview_steps, render_steps, page_steps;
extern const struct route_steps query_steps, heights_steps, diff_steps, verify_steps;

#endif
