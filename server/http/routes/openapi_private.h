/* Between the two files that write the OpenAPI document. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_OPENAPI_PRIVATE_H
#define TERRANE_SERVER_HTTP_ROUTES_OPENAPI_PRIVATE_H

#include "core/base/json_writer.h"
#include "server/http/routes/openapi.h"

/* {"$ref":"#/components/…/name"} */
void openapi_write_reference(struct json_writer *json, const char *kind, const char *name);
/* The array of a path's parameters; `in_world` if /worlds/{world} stands in front. */
void openapi_write_parameters(struct json_writer *json, const struct openapi_route *row,
                              bool in_world);
/* {"200":…, …} of the route's GET or POST. */
void openapi_write_responses(struct json_writer *json, const struct openapi_route *row);
/* The same of its HEAD. */
void openapi_write_head_responses(struct json_writer *json, const struct openapi_route *row);
/* "responses" and "headers" that these refer to. */
void openapi_write_components(struct json_writer *json);

#endif
