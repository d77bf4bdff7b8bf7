/* The parts of operations: parameters with their schemas, and responses. */
#include <stdio.h>
#include <string.h>

#include "core/base/number.h"
#include "server/http/routes/openapi_private.h"
#include "server/render/chunk_format.h"
#include "server/render/chunk_maker.h"
#include "server/render/format.h"

enum { EXAMPLE_SIZE = 128, SIZE_2X = 512 };

void openapi_write_reference(struct json_writer *json, const char *kind, const char *name)
{
    char reference[96];
    snprintf(reference, sizeof reference, "#/components/%s/%s", kind, name);
    json_object_open(json);
    json_member_string(json, "$ref", reference);
    json_object_close(json);
}

static bool is_number(const struct openapi_parameter *parameter)
{
    switch (parameter->kind) {
    case OPENAPI_INTEGER:
    case OPENAPI_NUMBER:
    case OPENAPI_EXCLUSIVE_MINIMUM:
    case OPENAPI_CHUNK_STEP:
        return true;
    case OPENAPI_ENUM:
        return parameter->values[0] >= '0' && parameter->values[0] <= '9';
    default:
        return false;
    }
}

static void write_value(struct json_writer *json, const struct openapi_parameter *parameter,
                        const char *text)
{
    double number;
    if (is_number(parameter) && number_parse(text, strlen(text), &number))
        json_write_double(json, number);
    else
        json_write_string(json, text);
}

static void write_choice(struct json_writer *json, const struct openapi_parameter *parameter)
{
    char value[32];
    for (const char *at = parameter->values; *at; at += *at == ' ') {
        const size_t length = strcspn(at, " ");
        snprintf(value, sizeof value, "%.*s", (int)length, at);
        write_value(json, parameter, value);
        at += length;
    }
}

static void write_steps(struct json_writer *json)
{
    for (int64_t step = CHUNK_STEP_MIN; step <= CHUNK_STEP_MAX; step *= 2)
        json_write_place(json, step);
}

static void write_formats(struct json_writer *json, enum openapi_parameter_kind kind)
{
    if (kind == OPENAPI_TILE_FORMAT || kind == OPENAPI_TILE_2X_FORMAT) {
        for (size_t i = 0; format_at(i); i++)
            if (kind == OPENAPI_TILE_FORMAT || format_allows_size(format_at(i), SIZE_2X))
                json_write_string(json, format_at(i)->name);
        return;
    }
    const unsigned shape = kind == OPENAPI_VOLUME_FORMAT ? CHUNK_VOLUME : CHUNK_FLAT;
    for (size_t i = 0; chunk_format_at(i); i++)
        if (chunk_format_at(i)->shapes & shape)
            json_write_string(json, chunk_format_at(i)->name);
}

static void write_values(struct json_writer *json, const struct openapi_parameter *parameter)
{
    json_write_key(json, "enum");
    json_array_open(json);
    if (parameter->kind == OPENAPI_ENUM)
        write_choice(json, parameter);
    else if (parameter->kind == OPENAPI_CHUNK_STEP)
        write_steps(json);
    else
        write_formats(json, parameter->kind);
    json_array_close(json);
}

static void write_range(struct json_writer *json, const struct openapi_parameter *parameter)
{
    const bool exclusive = parameter->kind == OPENAPI_EXCLUSIVE_MINIMUM;
    json_member_double(json, exclusive ? "exclusiveMinimum" : "minimum", parameter->low);
    json_member_double(json, "maximum", parameter->high);
}

static void write_schema(struct json_writer *json, const struct openapi_parameter *parameter)
{
    const enum openapi_parameter_kind kind = parameter->kind;
    const bool is_integer = kind == OPENAPI_INTEGER || kind == OPENAPI_ENUM;
    json_write_key(json, "schema");
    json_object_open(json);
    json_member_string(json, "type",
                       !is_number(parameter) ? "string"
                       : is_integer          ? "integer"
                                             : "number");
    if (kind == OPENAPI_TEXT && parameter->pattern)
        json_member_string(json, "pattern", parameter->pattern);
    else if (kind == OPENAPI_INTEGER || kind == OPENAPI_NUMBER || kind == OPENAPI_EXCLUSIVE_MINIMUM)
        write_range(json, parameter);
    else if (kind != OPENAPI_TEXT)
        write_values(json, parameter);
    if (parameter->default_value) {
        json_write_key(json, "default");
        write_value(json, parameter, parameter->default_value);
    }
    json_object_close(json);
}

/* The parameter's text in the first of the route's examples that has it. The worlds in front of
 * paths are in none, and POST's are bodies. */
static bool find_in_examples(const struct openapi_route *row, const char *name, size_t length,
                             char out[EXAMPLE_SIZE])
{
    for (size_t i = 0; i < OPENAPI_EXAMPLES_MAX && row->examples[i]; i++)
        if (openapi_find_example(row, row->examples[i], name, length, out, EXAMPLE_SIZE))
            return true;
    return false;
}

static void write_parameter(struct json_writer *json, const struct openapi_route *row,
                            const char *name, size_t length, const char *in)
{
    const struct openapi_parameter *parameter = openapi_parameter_find(row, name, length);
    char example[EXAMPLE_SIZE];
    if (!parameter)
        return;
    const bool in_path = strcmp(in, "path") == 0;
    if (!find_in_examples(row, name, length, example))
        snprintf(example, sizeof example, "%s",
                 parameter->default_value ? parameter->default_value : "terra");
    json_object_open(json);
    json_member_string(json, "name", parameter->name);
    json_member_string(json, "in", in);
    json_member_string(json, "description", parameter->description);
    if (in_path || parameter->required)
        json_member_bool(json, "required", true);
    write_schema(json, parameter);
    json_write_key(json, "example");
    write_value(json, parameter, example);
    json_object_close(json);
}

void openapi_write_parameters(struct json_writer *json, const struct openapi_route *row,
                              bool in_world)
{
    const struct route *route = openapi_find_route(row);
    json_write_key(json, "parameters");
    json_array_open(json);
    if (in_world)
        write_parameter(json, row, "world", 5, "path");
    for (const char *at = row->path; (at = strchr(at, '{'));) {
        const size_t length = strcspn(++at, "}");
        write_parameter(json, row, at, length, "path");
        at += length;
    }
    for (const char *at = route->parameters; *at; at += *at == ' ') {
        const size_t length = strcspn(at, " ");
        if (!openapi_has_word(row->excluded_parameters, at, length))
            write_parameter(json, row, at, length, "query");
        at += length;
    }
    json_array_close(json);
}

static void write_media(struct json_writer *json, const char *type, const char *schema)
{
    char bare[64];
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(type, ";"), type);
    json_write_key(json, bare);
    json_object_open(json);
    if (schema) {
        json_write_key(json, "schema");
        openapi_write_reference(json, "schemas", schema);
    }
    json_object_close(json);
}

/* The types of the tiles' formats that allow the size, or of all for 0; each once. */
static void write_tile_types(struct json_writer *json, uint32_t size)
{
    for (size_t i = 0; format_at(i); i++) {
        bool seen = size && !format_allows_size(format_at(i), size);
        for (size_t k = 0; k < i; k++)
            seen = seen || strcmp(format_at(k)->content_type, format_at(i)->content_type) == 0;
        if (!seen)
            write_media(json, format_at(i)->content_type, NULL);
    }
}

static void write_chunk_types(struct json_writer *json, unsigned shape)
{
    for (size_t i = 0; chunk_format_at(i); i++) {
        const struct chunk_format *format = chunk_format_at(i);
        bool seen = !(format->shapes & shape);
        for (size_t k = 0; k < i; k++)
            seen = seen || ((chunk_format_at(k)->shapes & shape) &&
                            strcmp(chunk_format_at(k)->content_type, format->content_type) == 0);
        if (!seen)
            write_media(json, format->content_type,
                        strcmp(format->name, "json") == 0 ? "Samples" : NULL);
    }
}

static void write_content(struct json_writer *json, const struct openapi_route *row)
{
    json_write_key(json, "content");
    json_object_open(json);
    switch (row->response_content) {
    case OPENAPI_TILES:
    case OPENAPI_TILES_2X:
        write_tile_types(json, row->response_content == OPENAPI_TILES_2X ? SIZE_2X : 0);
        break;
    case OPENAPI_CHUNKS:
    case OPENAPI_VOLUMES:
        write_chunk_types(json,
                          row->response_content == OPENAPI_CHUNKS ? CHUNK_FLAT : CHUNK_VOLUME);
        break;
    case OPENAPI_JSON_OR_TEXT:
        write_media(json, "text/plain", NULL);
        write_media(json, row->type, row->schema);
        break;
    case OPENAPI_SINGLE_TYPE:
        write_media(json, row->type, row->schema);
        break;
    }
    json_object_close(json);
}

/* The headers, and the traits whose answers have one of them; 0 for all. Those that begin with "if"
 * are there sometimes. */
static const struct {
    const char *name;
    unsigned traits;
    const char *description;
} headers[] = {
    {"Cache-Control", 0,
     "no-store, no-cache, or of a pinned world public, max-age=31536000, immutable"},
    {"Access-Control-Allow-Origin", 0, "*"},
    {"ETag", OPENAPI_ETAG, "strong, of everything that makes the answer; for If-None-Match"},
    {"Content-Encoding", OPENAPI_COMPRESSED,
     "if the client takes it and it makes the answer smaller: zstd, or gzip"},
    {"Vary", OPENAPI_COMPRESSED,
     "if the answer may be compressed: Accept-Encoding, and what else counts"},
    {"Server-Timing", OPENAPI_CACHE_HEADERS,
     "if it was made for this request: milliseconds of rendering, of encoding, and in the queue"},
    {"X-Terrane-Cache", OPENAPI_CACHE_HEADERS, "memory, disk, shared, or render"},
    {"X-Terrane-World", OPENAPI_SAMPLE_HEADERS, "the world's fingerprint"},
    {"X-Terrane-Grid", OPENAPI_SAMPLE_HEADERS, "samples along each axis, such as 65x65"},
    {"X-Terrane-Origin", OPENAPI_SAMPLE_HEADERS, "the first sample's place, metres"},
    {"X-Terrane-Step", OPENAPI_SAMPLE_HEADERS, "metres between samples"},
    {"X-Terrane-Layers", OPENAPI_SAMPLE_HEADERS, "the layers, with commas between"},
    {"X-Terrane-Encoding", OPENAPI_SAMPLE_HEADERS, "how the bytes are read"},
    {"X-Terrane-Digest", OPENAPI_SAMPLE_HEADERS,
     "a hash of the float32 samples, the same in every format and encoding"},
};

static void write_headers(struct json_writer *json, unsigned traits)
{
    json_write_key(json, "headers");
    json_object_open(json);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (headers[i].traits && !(headers[i].traits & traits))
            continue;
        json_write_key(json, headers[i].name);
        openapi_write_reference(json, "headers", headers[i].name);
    }
    json_object_close(json);
}

/* What else may be answered; `traits` as above, `post_only` of POST alone. */
static const struct {
    const char *status, *name, *description;
    unsigned traits;
    bool post_only;
} error_responses[] = {
    {"400", "BadRequest", "a parameter, path, body or header that does not parse", 0, false},
    {"404", "NotFound", "a name or an index that there is not", OPENAPI_NOT_FOUND, false},
    {"405", "MethodNotAllowed", "the path takes other methods: see Allow", 0, false},
    {"410", "Gone", "a pin that matches no more; `current` is what would", OPENAPI_NOT_FOUND,
     false},
    {"413", "TooLarge", "more than one answer may hold or cost, or a body of more than 1 MiB",
     OPENAPI_COST_LIMIT, true},
    {"414", "TooLong", "a target of more than 2000 bytes", 0, false},
    {"415", "UnsupportedEncoding", "a body that is compressed", 0, true},
    {"421", "UnknownHost", "a Host that no absolute address may be made of", OPENAPI_ABSOLUTE_URLS,
     false},
    {"429", "TooManyRequests", "more than one client may ask for: see Retry-After", 0, false},
    {"500", "InternalError", "a fault of the server's", 0, false},
    {"503", "Unavailable", "too busy, or stopping: see Retry-After", 0, false},
};

enum { ERROR_RESPONSE_COUNT = sizeof error_responses / sizeof *error_responses };

static bool may_return(size_t index, const struct openapi_route *row)
{
    const unsigned traits = error_responses[index].traits;
    if (error_responses[index].post_only && row->request_schema)
        return true;
    return traits ? (traits & row->traits) != 0 : !error_responses[index].post_only;
}

static void write_error_responses(struct json_writer *json, const struct openapi_route *row)
{
    for (size_t i = 0; i < ERROR_RESPONSE_COUNT; i++) {
        if (!may_return(i, row))
            continue;
        json_write_key(json, error_responses[i].status);
        openapi_write_reference(json, "responses", error_responses[i].name);
    }
}

static void write_success(struct json_writer *json, const struct openapi_route *row, bool content)
{
    json_write_key(json, "200");
    json_object_open(json);
    json_member_string(json, "description", row->summary);
    write_headers(json, row->traits);
    if (content)
        write_content(json, row);
    json_object_close(json);
    if (!(row->traits & OPENAPI_ETAG))
        return;
    json_write_key(json, "304");
    openapi_write_reference(json, "responses", "NotModified");
}

void openapi_write_responses(struct json_writer *json, const struct openapi_route *row)
{
    json_write_key(json, "responses");
    json_object_open(json);
    write_success(json, row, true);
    write_error_responses(json, row);
    json_object_close(json);
}

void openapi_write_head_responses(struct json_writer *json, const struct openapi_route *row)
{
    json_write_key(json, "responses");
    json_object_open(json);
    write_success(json, row, false);
    write_error_responses(json, row);
    json_object_close(json);
}

static void write_described(struct json_writer *json, const char *name, const char *description)
{
    json_write_key(json, name);
    json_object_open(json);
    json_member_string(json, "description", description);
}

void openapi_write_components(struct json_writer *json)
{
    json_write_key(json, "headers");
    json_object_open(json);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        write_described(json, headers[i].name, headers[i].description);
        json_member_bool(json, "required", strncmp(headers[i].description, "if ", 3) != 0);
        json_write_key(json, "schema");
        json_object_open(json);
        json_member_string(json, "type", "string");
        json_object_close(json);
        json_object_close(json);
    }
    json_object_close(json);
    json_write_key(json, "responses");
    json_object_open(json);
    write_described(json, "NotModified", "what If-None-Match names is still what there is");
    write_headers(json, OPENAPI_ETAG);
    json_object_close(json);
    write_described(json, "Options", "Allow says the methods; nothing is rendered");
    json_object_close(json);
    for (size_t i = 0; i < ERROR_RESPONSE_COUNT; i++) {
        write_described(json, error_responses[i].name, error_responses[i].description);
        json_write_key(json, "content");
        json_object_open(json);
        write_media(json, "application/problem+json", "Problem");
        json_object_close(json);
        json_object_close(json);
    }
    json_object_close(json);
}
