/* The errors and warnings of a world file as JSON. */
#ifndef TERRANE_SERVER_HTTP_REQUEST_WORLD_ERRORS_H
#define TERRANE_SERVER_HTTP_REQUEST_WORLD_ERRORS_H

#include "core/base/json_writer.h"
#include "core/worldfile/diagnostics.h"

/* Writes the member `key`, an array of objects: message; line and column in the text, from 1, where
 * they are known; pointer, the JSON pointer (RFC 6901) of the value that the error is in. */
void world_errors_write(struct json_writer *json, const char *key, const struct error *errors,
                        size_t count);

#endif
