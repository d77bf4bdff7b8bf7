/* The parts of /openapi.json that come from tables of parameters and formats. */
#ifndef TERRANE_SERVER_HTTP_OPENAPI_SCHEMA_H
#define TERRANE_SERVER_HTTP_OPENAPI_SCHEMA_H

#include "core/base/json_writer.h"
#include "server/http/openapi/route.h"

/* The object of a parameter of the URL's query, with its schema and an example. */
void openapi_write_parameter(struct json_writer *json, const struct parameter *parameter);
/* The object of the path's {format}. */
void openapi_write_path_format(struct json_writer *json, enum route_content content);
/* The "content" of a 200: the media types, with the schema of JSON. */
void openapi_write_content(struct json_writer *json, const struct route *route);
/* {"$ref":"#/components/KIND/NAME"} */
void openapi_write_reference(struct json_writer *json, const char *kind, const char *name);
/* A member of a "content": the media type, without its parameters, and its schema or null. */
void openapi_write_media(struct json_writer *json, const char *type, const char *schema);

#endif
