/* The JSON body of a POST request. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_JSON_BODY_H
#define TERRANE_SERVER_HTTP_REQUEST_JSON_BODY_H

#include <stddef.h>

#include "core/worldfile/json.h"
#include "server/http/request/problem.h"

/* Parses a body nested up to `depth` levels. Null with 400; to be freed with json_free(). */
struct json_document *json_body_parse(const char *text, size_t length, unsigned depth,
                                      struct problem *problem);
/* True if the value, which may be null, has that type; else false with 400. The problem says the
 * rule, such as "\"points\" must be an array of [x, y]", and what the value is. */
bool json_body_expect(const struct json *value, enum json_type type, const char *rule,
                      struct problem *problem);
/* True if the root is an object that has no other members than these; else false with 400. */
bool json_body_check(const struct json *root, const char *const *members, size_t count,
                     struct problem *problem);

#endif
