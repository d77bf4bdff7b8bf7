/* /openapi.json: the OpenAPI 3.1 document.
 *
 * config/openapi.json has what no table knows: the title, the tags, the parameters of paths,
 * headers, responses and schemas. The paths are written from the table of routes (router.h), their
 * parameters from the table of parameters (server/queries/parameters.h), and formats from the
 * formats' tables; so a route or a parameter cannot be forgotten. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_OPENAPI_H
#define TERRANE_SERVER_HTTP_ROUTES_OPENAPI_H

#include "core/base/buffer.h"
#include "core/base/error.h"

/* Appends the document, indented if `pretty`; its server is the path `base_path`: "" or "/terrane".
 * False when memory is out. */
bool openapi_write(const char *base_path, bool pretty, struct buffer *out, struct error *error);

#endif
