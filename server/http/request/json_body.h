/* The JSON bodies of POST requests. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_JSON_BODY_H
#define TERRANE_SERVER_HTTP_REQUEST_JSON_BODY_H

#include <stddef.h>

#include "core/world/json.h"
#include "server/http/request/problem.h"

/* Whether the root is an object with these members alone; else false with 400. */
bool json_body_check(const struct json *root, const char *const *members, size_t count,
                     struct problem *problem);

#endif
