/* Parameters, schemas and media types of /openapi.json.
 *
 * The kind of a parameter gives the JSON type and the constraints: a range, an enumeration or a
 * pattern. Formats and tile sizes are read from the tables of the encoders, so a new format is in
 * the document without a change here. */
#include "server/http/openapi/schema.h"

#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "server/render/chunk_format.h"
#include "server/render/chunk_maker.h"
#include "server/render/format.h"

#define NUMBER "-?[0-9]+(\\.[0-9]+)?([eE][+-]?[0-9]+)?"

enum { TILE_SIZE_MAX = 512 };

void openapi_write_reference(struct json_writer *json, const char *kind, const char *name)
{
    char reference[96];
    snprintf(reference, sizeof reference, "#/components/%s/%s", kind, name);
    json_object_open(json);
    json_member_string(json, "$ref", reference);
    json_object_close(json);
}

/* The JSON type of a value; choices are numbers if the first one is. */
static const char *schema_type(const struct parameter *parameter)
{
    switch (parameter->kind) {
    case PARAMETER_KIND_INTEGER:
    case PARAMETER_KIND_BOOL:
    case PARAMETER_KIND_TILE_SIZE:
        return "integer";
    case PARAMETER_KIND_NUMBER:
    case PARAMETER_KIND_ABOVE:
    case PARAMETER_KIND_FIXED:
    case PARAMETER_KIND_COORDINATE:
    case PARAMETER_KIND_STEP:
        return "number";
    case PARAMETER_KIND_CHOICE:
        return parameter->choices[0] >= '0' && parameter->choices[0] <= '9' ? "integer" : "string";
    default:
        return "string";
    }
}

/* A regular expression for texts with a structure, or null. */
static const char *schema_pattern(const struct parameter *parameter)
{
    switch (parameter->kind) {
    case PARAMETER_KIND_BBOX:
        return "^" NUMBER "(," NUMBER "){3}$";
    case PARAMETER_KIND_POINT:
        return "^" NUMBER "(," NUMBER "){2}$";
    case PARAMETER_KIND_LINE:
        return "^" NUMBER "," NUMBER "(;" NUMBER "," NUMBER "){1,63}$";
    default:
        return parameter->pattern;
    }
}

/* A text as a value of the parameter's type. */
static void write_value(struct json_writer *json, const struct parameter *parameter,
                        const char *text, size_t length)
{
    char copy[64];
    double number;
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    if (strcmp(schema_type(parameter), "string") != 0 && number_parse(text, length, &number))
        json_write_double(json, number);
    else
        json_write_string(json, copy);
}

static void write_choices(struct json_writer *json, const struct parameter *parameter,
                          const char *choices)
{
    while (*choices) {
        const size_t length = strcspn(choices, " ");
        write_value(json, parameter, choices, length);
        choices += length + (choices[length] == ' ');
    }
}

/* The sizes that any format of tiles has. */
static void write_tile_sizes(struct json_writer *json)
{
    for (uint32_t size = TILE_SIZE_MAX; size > 0; size /= 2)
        for (size_t i = 0; format_at(i); i++)
            if (format_allows_size(format_at(i), size)) {
                json_write_integer(json, size);
                break;
            }
}

/* The values of a choice, of a step (powers of two) or of a size. */
static void write_enum(struct json_writer *json, const struct parameter *parameter)
{
    json_member_array(json, "enum");
    if (parameter->kind == PARAMETER_KIND_STEP)
        for (int64_t step = CHUNK_STEP_MIN; step <= CHUNK_STEP_MAX; step *= 2)
            json_write_place(json, step);
    else if (parameter->kind == PARAMETER_KIND_TILE_SIZE)
        write_tile_sizes(json);
    else
        write_choices(json, parameter, parameter->choices ? parameter->choices : "0 1");
    json_array_close(json);
}

/* A range, a pattern or an enumeration, whichever the kind has, and the default. */
static void write_schema(struct json_writer *json, const struct parameter *parameter)
{
    const char *pattern = schema_pattern(parameter);
    json_member_object(json, "schema");
    json_member_string(json, "type", schema_type(parameter));
    if (parameter->high > parameter->low) {
        json_member_double(json,
                           parameter->kind == PARAMETER_KIND_ABOVE ? "exclusiveMinimum" : "minimum",
                           parameter->low);
        json_member_double(json, "maximum", parameter->high);
    } else if (pattern) {
        json_member_string(json, "pattern", pattern);
    } else if (parameter->kind != PARAMETER_KIND_TEXT) {
        write_enum(json, parameter);
    }
    if (parameter->fallback) {
        json_write_key(json, "default");
        write_value(json, parameter, parameter->fallback, strlen(parameter->fallback));
    }
    json_object_close(json);
}

void openapi_write_parameter(struct json_writer *json, const struct parameter *parameter)
{
    json_object_open(json);
    json_member_string(json, "name", parameter->name);
    json_member_string(json, "in", "query");
    json_member_string(json, "description", parameter->text);
    if (parameter->required)
        json_member_bool(json, "required", true);
    write_schema(json, parameter);
    json_write_key(json, "example");
    write_value(json, parameter, parameter->example, strlen(parameter->example));
    json_object_close(json);
}

/* A format of tiles, pictures, chunks or volumes: its name and type; false behind the last. `*name`
 * is null for a format of tiles that pictures lack, or of chunks of the other shape. */
static bool format_row(enum route_content content, size_t index, const char **name,
                       const char **type)
{
    const bool tiles = content == ROUTE_TILES || content == ROUTE_PICTURES;
    const struct format *tile = tiles ? format_at(index) : NULL;
    const struct chunk_format *chunk = tiles ? NULL : chunk_format_at(index);
    const unsigned shape = content == ROUTE_CHUNKS ? CHUNK_FLAT : CHUNK_VOLUME;
    if (!tile && !chunk)
        return false;
    if (tile)
        *name = content == ROUTE_TILES || format_supports_rectangles(tile) ? tile->name : NULL;
    else
        *name = chunk->shapes & shape ? chunk->name : NULL;
    *type = tile ? tile->content_type : chunk->content_type;
    return true;
}

void openapi_write_path_format(struct json_writer *json, enum route_content content)
{
    const char *name, *type;
    json_object_open(json);
    json_member_string(json, "name", "format");
    json_member_string(json, "in", "path");
    json_member_bool(json, "required", true);
    json_member_string(json, "description", "the format of the answer");
    json_member_object(json, "schema");
    json_member_string(json, "type", "string");
    json_member_array(json, "enum");
    for (size_t i = 0; format_row(content, i, &name, &type); i++)
        if (name)
            json_write_string(json, name);
    json_array_close(json);
    json_object_close(json);
    json_member_string(json, "example", content == ROUTE_TILES ? "png" : "r32f");
    json_object_close(json);
}

void openapi_write_media(struct json_writer *json, const char *type, const char *schema)
{
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(type, ";"), type);
    json_member_object(json, bare);
    if (schema) {
        json_write_key(json, "schema");
        openapi_write_reference(json, "schemas", schema);
    }
    json_object_close(json);
}

/* The types of the formats, each once. */
static void write_format_types(struct json_writer *json, enum route_content content)
{
    const char *name, *type, *other_name = NULL, *other_type = NULL;
    for (size_t i = 0; format_row(content, i, &name, &type); i++) {
        bool seen = !name;
        for (size_t k = 0; k < i && !seen; k++) {
            format_row(content, k, &other_name, &other_type);
            seen = other_name && strcmp(type, other_type) == 0;
        }
        const bool samples = content != ROUTE_TILES && content != ROUTE_PICTURES && name &&
                             strcmp(name, "json") == 0;
        if (!seen)
            openapi_write_media(json, type, samples ? "Samples" : NULL);
    }
}

/* The types that are the choices of a parameter. */
static void write_choice_types(struct json_writer *json, const char *choices)
{
    char type[64];
    for (; *choices; choices += strcspn(choices, " "), choices += *choices == ' ') {
        snprintf(type, sizeof type, "%.*s", (int)strcspn(choices, " "), choices);
        openapi_write_media(json, type, NULL);
    }
}

/* A query with format= answers JSON or text under the same path. */
void openapi_write_content(struct json_writer *json, const struct route *route)
{
    json_member_object(json, "content");
    if (route->content != ROUTE_SINGLE_TYPE)
        write_format_types(json, route->content);
    else
        openapi_write_media(json, route->type, route->schema);
    if (route->parameters & PARAMETER_BIT(FORMAT))
        openapi_write_media(json, query_forms[QUERY_TEXT].content_type, NULL);
    if (route->parameters & PARAMETER_BIT(WMTS_FORMAT))
        write_choice_types(json, parameter_table[PARAMETER_WMTS_FORMAT].choices);
    if (route->traits & ROUTE_BINARY) {
        openapi_write_media(json, HTTP_BINARY, NULL);
        openapi_write_media(json, FORMAT_NPY_TYPE, NULL);
    }
    json_object_close(json);
}
