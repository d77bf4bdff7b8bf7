/* Writing /openapi.json from config/openapi.json and the table of routes.
 *
 * Each route gives a path, and a route of a world a second one below /worlds/{world}. GET comes
 * with HEAD, and everything with OPTIONS. Examples of a GET are listed as "x-examples": targets
 * that work as they stand, and a test requests each one and checks the answer by the schemas. */
#include "server/http/openapi/document.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "server/base/version.h"
#include "server/http/openapi/schema.h"
#include "server/http/response/template.h"
#include "server/worlds/embedded_json.h"

enum { PATH_TEXT = 96, ID_TEXT = 48, TARGET_TEXT = 256 };

/* The parameters of the path's braces, the Range header, those of the query, and the world in
 * front. */
static void write_parameters(struct json_writer *json, const struct route *route, bool in_world)
{
    const char *path = route->path ? route->path : route->pattern;
    char name[32];
    json_member_array(json, "parameters");
    if (in_world)
        openapi_write_reference(json, "parameters", "world");
    for (const char *at = path; (at = strchr(at, '{')); at++) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at + 1, "}"), at + 1);
        if (strcmp(name, "format") == 0)
            openapi_write_path_format(json, route->content);
        else
            openapi_write_reference(json, "parameters", name);
    }
    if (route->traits & ROUTE_RANGES)
        openapi_write_reference(json, "parameters", "range");
    for (parameter_set rest = route->parameters; rest; rest &= rest - 1)
        openapi_write_parameter(json, &parameter_table[parameter_first(rest)]);
    json_array_close(json);
}

/* The headers of a 200 or 201, and the trait of the routes that have them; 0 for all. */
static void write_headers(struct json_writer *json, unsigned traits)
{
    static const struct {
        const char *name;
        unsigned trait;
        bool is_cors;
    } headers[] = {
        {"Cache-Control", 0, false},
        {"Access-Control-Allow-Origin", 0, true},
        {"Location", ROUTE_CREATES, false},
        {"ETag", ROUTE_ETAG, false},
        {"Accept-Ranges", ROUTE_RANGES, false},
        {"Content-Encoding", ROUTE_COMPRESSED, false},
        {"Vary", ROUTE_COMPRESSED, false},
        {"Server-Timing", ROUTE_CACHE_HEADERS, false},
        {"X-Terrane-Cache", ROUTE_CACHE_HEADERS, false},
        {"X-Terrane-World", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Grid", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Origin", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Step", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Layers", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Materials", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Encoding", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Digest", ROUTE_SAMPLE_HEADERS, false},
        {"X-Terrane-Minimum", ROUTE_EXTREMES, false},
        {"X-Terrane-Maximum", ROUTE_EXTREMES, false},
    };
    json_member_object(json, "headers");
    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
        if (headers[i].trait && !(headers[i].trait & traits))
            continue;
        if (headers[i].is_cors && traits & ROUTE_SAME_ORIGIN)
            continue;
        json_write_key(json, headers[i].name);
        openapi_write_reference(json, "headers", headers[i].name);
    }
    json_object_close(json);
}

/* An error of a service of the OGC. */
static void write_exception(struct json_writer *json, const char *status)
{
    json_member_object(json, status);
    json_member_string(json, "description", "an OWS exception report");
    json_member_object(json, "content");
    openapi_write_media(json, "application/xml", NULL);
    json_object_close(json);
    json_object_close(json);
}

/* The statuses besides those. One with a trait is for routes that have it, and one of POST is for
 * those as well; a HEAD has no ranges. */
static void write_other_responses(struct json_writer *json, const struct route *route, bool head)
{
    static const struct {
        const char *status;
        unsigned trait;
        bool of_post;
    } statuses[] = {
        {"206", ROUTE_RANGES, false},
        {"304", ROUTE_ETAG, false},
        {"400", 0, false},
        {"403", ROUTE_SAME_ORIGIN, false},
        {"404", ROUTE_NAMES, false},
        {"405", 0, false},
        {"410", ROUTE_NAMES, false},
        {"413", ROUTE_WORK_LIMIT, true},
        {"414", 0, false},
        {"415", 0, true},
        {"416", ROUTE_RANGES, false},
        {"421", ROUTE_ABSOLUTE_URLS, false},
        {"422", ROUTE_CREATES | ROUTE_CACHE_HEADERS, false}, /* what worlds are sampled for */
        {"429", 0, false},
        {"500", 0, false},
        {"503", 0, false},
    };
    const unsigned traits = route->traits & ~(head ? (unsigned)ROUTE_RANGES : 0U);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        const bool posted = route->body && statuses[i].of_post;
        const bool always = !statuses[i].trait && !statuses[i].of_post;
        if (!posted && !always && !(statuses[i].trait & traits))
            continue;
        if (route->traits & ROUTE_OWS && statuses[i].status[0] >= '4')
            write_exception(json, statuses[i].status);
        else {
            json_write_key(json, statuses[i].status);
            openapi_write_reference(json, "responses", statuses[i].status);
        }
    }
}

/* 200 or 201 with the summary as its description, and what else may be answered; a HEAD has no
 * content. */
static void write_responses(struct json_writer *json, const struct route *route, bool with_content)
{
    json_member_object(json, "responses");
    json_member_object(json, route->traits & ROUTE_CREATES ? "201" : "200");
    json_member_string(json, "description", route->summary);
    write_headers(json, route->traits);
    if (with_content)
        openapi_write_content(json, route);
    json_object_close(json);
    write_other_responses(json, route, !with_content);
    json_object_close(json);
}

/* The examples of a GET as targets that work; in a world, below it. */
static void write_targets(struct json_writer *json, const char *examples, bool in_world)
{
    json_member_array(json, "x-examples");
    while (*examples) {
        const size_t length = strcspn(examples, " ");
        char target[TARGET_TEXT];
        snprintf(target, sizeof target, "%s%.*s", in_world ? "/worlds/terra" : "", (int)length,
                 examples);
        json_write_string(json, target);
        examples += length + (examples[length] == ' ');
    }
    json_array_close(json);
}

/* The examples of a POST, which are bodies. */
static void write_bodies(struct json_writer *json, const char *examples)
{
    json_member_object(json, "examples");
    for (int number = 1; *examples; number++) {
        const size_t length = strcspn(examples, " ");
        char name[16];
        struct json_document *document = json_parse(examples, length, NULL, NULL);
        snprintf(name, sizeof name, "%d", number);
        json_member_object(json, name);
        json_write_key(json, "value");
        template_write(json, json_root(document));
        json_object_close(json);
        json->out->failed = json->out->failed || !document;
        json_free(document);
        examples += length + (examples[length] == ' ');
    }
    json_object_close(json);
}

/* The body of a POST: JSON, and of some routes bytes, which OpenAPI 3.1 describes without a schema.
 */
static void write_body(struct json_writer *json, const struct route *route)
{
    json_member_object(json, "requestBody");
    json_member_bool(json, "required", true);
    json_member_object(json, "content");
    json_member_object(json, "application/json");
    json_write_key(json, "schema");
    openapi_write_reference(json, "schemas", route->body);
    write_bodies(json, route->examples);
    json_object_close(json);
    if (route->traits & ROUTE_BINARY)
        openapi_write_media(json, HTTP_BINARY, NULL);
    json_object_close(json);
    json_object_close(json);
}

/* Opens an operation with an id of its own: "at", "headAt", "worldAt", "headWorldAt". */
static void open_operation(struct json_writer *json, const struct route *route, const char *method,
                           bool in_world)
{
    const bool main_method = strcmp(method, "get") == 0 || strcmp(method, "post") == 0;
    const char *const parts[] = {main_method ? "" : method, in_world ? "world" : "", route->id};
    char id[ID_TEXT];
    size_t used = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const size_t start = used;
        used += (size_t)snprintf(id + used, sizeof id - used, "%s", parts[i]);
        if (start > 0)
            id[start] = (char)toupper((unsigned char)id[start]);
    }
    json_member_object(json, method);
    json_member_array(json, "tags");
    json_write_string(json, route->tag);
    json_array_close(json);
    json_member_string(json, "operationId", id);
}

static void write_get(struct json_writer *json, const struct route *route, bool in_world)
{
    open_operation(json, route, "get", in_world);
    json_member_string(json, "summary", route->summary);
    write_targets(json, route->examples, in_world);
    write_responses(json, route, true);
    json_object_close(json);
    open_operation(json, route, "head", in_world);
    json_member_string(json, "summary", "the headers of GET alone");
    write_responses(json, route, false);
    json_object_close(json);
}

static void write_post(struct json_writer *json, const struct route *route, bool in_world)
{
    open_operation(json, route, "post", in_world);
    json_member_string(json, "summary", route->summary);
    write_body(json, route);
    write_responses(json, route, true);
    json_object_close(json);
}

/* Browsers send OPTIONS before a POST from another site; the answer is the same for every path, and
 * an error only for a target that is too long. */
static void write_options(struct json_writer *json, const struct route *route, bool in_world)
{
    open_operation(json, route, "options", in_world);
    json_member_string(json, "summary", "the methods of the path, as a browser asks for them");
    json_member_object(json, "responses");
    static const char *const codes[] = {"204", "414"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        json_write_key(json, codes[i]);
        openapi_write_reference(json, "responses", codes[i]);
    }
    json_object_close(json);
    json_object_close(json);
}

/* One path with its parameters and operations; `in_world` for the one below /worlds/{world}. */
static void write_path(struct json_writer *json, const struct route *route, bool in_world)
{
    char path[PATH_TEXT];
    snprintf(path, sizeof path, "%s/%s", in_world ? "/worlds/{world}" : "",
             route->path ? route->path : route->pattern);
    json_member_object(json, path);
    write_parameters(json, route, in_world);
    if (route->body)
        write_post(json, route, in_world);
    else
        write_get(json, route, in_world);
    write_options(json, route, in_world);
    json_object_close(json);
}

static void write_paths(struct json_writer *json, const struct route_table *routes)
{
    json_member_object(json, "paths");
    for (size_t i = 0; i < routes->count; i++) {
        write_path(json, &routes->rows[i], false);
        if (routes->rows[i].scope == ROUTE_WORLD)
            write_path(json, &routes->rows[i], true);
    }
    json_object_close(json);
}

/* Clients resolve the URL against that of the document, so the path alone is right for every host.
 */
static void write_servers(struct json_writer *json, const char *base_path)
{
    json_member_array(json, "servers");
    json_object_open(json);
    json_member_string(json, "url", base_path[0] ? base_path : "/");
    json_object_close(json);
    json_array_close(json);
}

/* The file's members, the servers and paths before the components and the program's version in
 * `info`. */
static void write_document(struct json_writer *json, const struct json *root,
                           const struct route_table *routes, const char *base_path)
{
    for (const struct json *member = json_first(root); member; member = json_next(member)) {
        if (strcmp(json_key(member), "components") == 0)
            write_paths(json, routes);
        if (strcmp(json_key(member), "tags") == 0)
            write_servers(json, base_path);
        if (strcmp(json_key(member), "info") != 0) {
            template_write_member(json, member);
            continue;
        }
        json_member_object(json, "info");
        json_member_string(json, "version", TERRANE_VERSION);
        template_write_members(json, member);
        json_object_close(json);
    }
}

bool openapi_write(const struct route_table *routes, const char *base_path, bool pretty,
                   struct buffer *out, struct error *error)
{
    struct json_document *document = embedded_json_open("openapi.json", error);
    struct json_writer json;
    if (!document)
        return false;
    json_begin_object(&json, out, pretty);
    write_document(&json, json_root(document), routes, base_path);
    json_finish_object(&json);
    json_free(document);
    return !out->failed || error_memory(error);
}
