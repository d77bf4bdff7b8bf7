#include "server/http/routes/openapi.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "core/world/json.h"
#include "server/base/embed.h"
#include "server/base/version.h"
#include "server/http/routes/openapi_private.h"

enum { PATH_TEXT = 96, ID_TEXT = 48 };

static const char description[] =
    "Endless procedural worlds as map tiles, as chunks for game servers and as answers to "
    "questions. Places are metres, x to the east and y to the south. Paths without /worlds/{world} "
    "are of the default world, which is terra unless it is configured otherwise; the examples are "
    "for terra. Everything that takes GET takes HEAD, too. Unknown and repeated parameters are "
    "400. The format comes from the extension, never from Accept.";

/* Any JSON again, in the writer's form. Its depth is bounded by the parser's. */
static void write_json(struct json_writer *json, const struct json *value)
{
    const enum json_type type = json_type(value);
    double number = 0;
    if (type == JSON_OBJECT || type == JSON_ARRAY) {
        type == JSON_OBJECT ? json_object_open(json) : json_array_open(json);
        for (const struct json *each = json_first(value); each; each = json_next(each)) {
            if (type == JSON_OBJECT)
                json_write_key(json, json_key(each));
            write_json(json, each);
        }
        type == JSON_OBJECT ? json_object_close(json) : json_array_close(json);
    } else if (type == JSON_STRING) {
        json_write_string(json, json_text(value));
    } else if (type == JSON_NUMBER) {
        json_number(value, &number);
        json_write_double(json, number);
    } else if (type == JSON_TRUE || type == JSON_FALSE) {
        json_write_bool(json, type == JSON_TRUE);
    } else {
        json_write_null(json);
    }
}

static void write_info(struct json_writer *json)
{
    json_member_string(json, "openapi", "3.1.0");
    json_write_key(json, "info");
    json_object_open(json);
    json_member_string(json, "title", "Terrane");
    json_member_string(json, "version", TERRANE_VERSION);
    json_member_string(json, "description", description);
    json_write_key(json, "license");
    json_object_open(json);
    json_member_string(json, "name", "MIT");
    json_member_string(json, "identifier", "MIT");
    json_object_close(json);
    json_object_close(json);
    json_write_key(json, "servers");
    json_array_open(json);
    json_object_open(json);
    json_member_string(json, "url", "/");
    json_object_close(json);
    json_array_close(json);
}

/* An id of its own for each operation: "at", "headAt", "worldAt", "headWorldAt". */
static void write_id(struct json_writer *json, const char *method, bool in_world, const char *id)
{
    char text[ID_TEXT];
    const char *const parts[] = {method, in_world ? "world" : "", id};
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t start = used;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s", parts[i]);
        if (start > 0)
            text[start] = (char)toupper((unsigned char)text[start]);
    }
    json_member_string(json, "operationId", text);
}

static void open_operation(struct json_writer *json, const char *method,
                           const struct openapi_route *row)
{
    json_write_key(json, method);
    json_object_open(json);
    json_write_key(json, "tags");
    json_array_open(json);
    json_write_string(json, row->tag);
    json_array_close(json);
}

/* "x-examples": targets that work as they stand, which every example of a parameter is from. */
static void write_targets(struct json_writer *json, const struct openapi_route *row, bool in_world)
{
    json_write_key(json, "x-examples");
    json_array_open(json);
    for (size_t i = 0; i < OPENAPI_EXAMPLES_MAX && row->examples[i]; i++) {
        char target[256];
        snprintf(target, sizeof target, "%s%s", in_world ? "/worlds/terra" : "", row->examples[i]);
        json_write_string(json, target);
    }
    json_array_close(json);
}

static void write_body_example(struct json_writer *json, size_t index, const char *text)
{
    char name[16];
    struct json_document *document = json_parse(text, strlen(text), NULL, NULL);
    snprintf(name, sizeof name, "%zu", index + 1);
    json_write_key(json, name);
    json_object_open(json);
    json_write_key(json, "value");
    write_json(json, json_root(document));
    json_object_close(json);
    json->out->failed = json->out->failed || !document;
    json_free(document);
}

static void write_body(struct json_writer *json, const struct openapi_route *row)
{
    json_write_key(json, "requestBody");
    json_object_open(json);
    json_member_bool(json, "required", true);
    json_write_key(json, "content");
    json_object_open(json);
    json_write_key(json, "application/json");
    json_object_open(json);
    json_write_key(json, "schema");
    openapi_write_reference(json, "schemas", row->request_schema);
    json_write_key(json, "examples");
    json_object_open(json);
    for (size_t i = 0; i < OPENAPI_EXAMPLES_MAX && row->examples[i]; i++)
        write_body_example(json, i, row->examples[i]);
    json_object_close(json);
    json_object_close(json);
    json_object_close(json);
    json_object_close(json);
}

static void write_get(struct json_writer *json, const struct openapi_route *row, bool in_world)
{
    open_operation(json, "get", row);
    write_id(json, "", in_world, row->id);
    json_member_string(json, "summary", row->summary);
    write_targets(json, row, in_world);
    openapi_write_responses(json, row);
    json_object_close(json);
    open_operation(json, "head", row);
    write_id(json, "head", in_world, row->id);
    json_member_string(json, "summary", "the headers of GET alone");
    openapi_write_head_responses(json, row);
    json_object_close(json);
}

static void write_post(struct json_writer *json, const struct openapi_route *row, bool in_world)
{
    open_operation(json, "post", row);
    write_id(json, "", in_world, row->id);
    json_member_string(json, "summary", row->summary);
    write_body(json, row);
    openapi_write_responses(json, row);
    json_object_close(json);
}

static void write_options(struct json_writer *json, const struct openapi_route *row, bool in_world)
{
    open_operation(json, "options", row);
    write_id(json, "options", in_world, row->id);
    json_member_string(json, "summary", "the methods, and what a browser asks before others");
    json_write_key(json, "responses");
    json_object_open(json);
    json_write_key(json, "204");
    openapi_write_reference(json, "responses", "Options");
    json_object_close(json);
    json_object_close(json);
}

static void write_path(struct json_writer *json, const struct openapi_route *row, bool in_world)
{
    char path[PATH_TEXT];
    snprintf(path, sizeof path, "%s/%s", in_world ? "/worlds/{world}" : "", row->path);
    json_write_key(json, path);
    json_object_open(json);
    openapi_write_parameters(json, row, in_world);
    if (row->request_schema)
        write_post(json, row, in_world);
    else
        write_get(json, row, in_world);
    write_options(json, row, in_world);
    json_object_close(json);
}

static void write_paths(struct json_writer *json)
{
    json_write_key(json, "paths");
    json_object_open(json);
    for (size_t i = 0; openapi_route_at(i); i++) {
        const struct openapi_route *row = openapi_route_at(i);
        const struct route *route = openapi_find_route(row);
        if (!route)
            continue;
        write_path(json, row, false);
        if (route->scope == ROUTE_WORLD)
            write_path(json, row, true);
    }
    json_object_close(json);
}

static void write_tags(struct json_writer *json)
{
    static const char *const tags[][2] = {
        {"worlds", "What there is"},
        {"tiles", "Pictures and numbers of map tiles"},
        {"maps", "Documents that map programs open"},
        {"chunks", "Samples for game servers"},
        {"questions", "Questions about places and areas"},
        {"ops", "The server itself"},
    };
    json_write_key(json, "tags");
    json_array_open(json);
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        json_object_open(json);
        json_member_string(json, "name", tags[i][0]);
        json_member_string(json, "description", tags[i][1]);
        json_object_close(json);
    }
    json_array_close(json);
}

static void write_document(struct json_writer *json, const struct json *schemas)
{
    json_object_open(json);
    write_info(json);
    write_tags(json);
    write_paths(json);
    json_write_key(json, "components");
    json_object_open(json);
    openapi_write_components(json);
    json_write_key(json, "schemas");
    write_json(json, schemas);
    json_object_close(json);
    json_object_close(json);
    json_finish(json);
}

bool openapi_write(bool pretty, struct buffer *out, struct error *error)
{
    static const char file[] = "openapi-schemas.json";
    const struct embedded_file *embedded = embed_find(file);
    struct json_writer json;
    if (!embedded)
        return error_set(error, ERROR_UNKNOWN, "%s is not built in", file);
    struct json_document *schemas =
        json_parse((const char *)embedded->data, embedded->length, NULL, error);
    if (!schemas)
        return error_in_file(error, file);
    json_begin(&json, out, pretty);
    write_document(&json, json_root(schemas));
    json_free(schemas);
    return !out->failed || error_memory(error);
}
