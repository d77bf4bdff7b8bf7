/* /openapi.json: the OpenAPI 3.1 document.
 *
 * config/openapi.json has what no table knows: the title, the tags, the parameters of paths,
 * headers, responses and schemas. The paths are written from the table of routes that the caller
 * hands in, their parameters from the table of parameters (server/queries/parameters.h), and
 * formats from the formats' tables; so a route or a parameter cannot be forgotten. */
#ifndef TERRANE_SERVER_HTTP_OPENAPI_DOCUMENT_H
#define TERRANE_SERVER_HTTP_OPENAPI_DOCUMENT_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/http/openapi/route.h"

/* Appends the document of the routes, indented if `pretty`; its server is the path `base_path`: ""
 * or "/terrane". May run on any thread. False when memory is out. */
bool openapi_write(const struct route_table *routes, const char *base_path, bool pretty,
                   struct buffer *out, struct error *error);

#endif
