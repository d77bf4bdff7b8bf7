/* Documents with a fixed part, which is a JSON file in config/ that is built in (embedded_json.h):
 * the handler copies the file's members to its output and writes those that it knows better itself.
 */
#ifndef TERRANE_SERVER_HTTP_RESPONSE_TEMPLATE_H
#define TERRANE_SERVER_HTTP_RESPONSE_TEMPLATE_H

#include "core/base/json_writer.h"
#include "core/worldfile/json.h"

/* Writes a value of a document that was parsed. */
void template_write(struct json_writer *json, const struct json *value);
/* Writes the members of an object with their keys; none for null. */
void template_write_member(struct json_writer *json, const struct json *member);
void template_write_members(struct json_writer *json, const struct json *object);

#endif
