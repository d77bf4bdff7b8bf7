/* The handlers of the routes; which paths and methods they are for stands in router.c. */
#ifndef TERRANE_SERVER_HTTP_HANDLERS_H
#define TERRANE_SERVER_HTTP_HANDLERS_H

#include "server/http/exchange.h"

/* handle_index.c */
exchange_handler handle_index;  /* the viewer for browsers, a guide for the rest */
exchange_handler handle_viewer; /* the viewer's files */

/* handle_ops.c */
exchange_handler handle_livez;
exchange_handler handle_readyz;
exchange_handler handle_version;
exchange_handler handle_metrics;

/* handle_documents.c */
exchange_handler handle_worlds;
exchange_handler handle_world;

/* handle_maps.c */
exchange_handler handle_tilejson;

/* handle_style.c */
exchange_handler handle_style; /* for MapLibre */

/* handle_services.c */
exchange_handler handle_wmts;
exchange_handler handle_gdal;

/* handle_tiles.c */
exchange_handler handle_tile;
exchange_handler handle_short_tile; /* world and style from the query */

/* handle_questions.c */
exchange_handler handle_at;
exchange_handler handle_heights;

/* handle_question.c: each question of server/question.h */
exchange_handler handle_question;

/* handle_diff.c */
exchange_handler handle_diff;

/* handle_chunks.c */
exchange_handler handle_chunk;
exchange_handler handle_chunks; /* a batch */

/* handle_verify.c */
exchange_handler handle_verify; /* a chunk's digest */

/* handle_openapi.c */
exchange_handler handle_openapi;

/* handle_volumes.c */
exchange_handler handle_volume;

#endif
