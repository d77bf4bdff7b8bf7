/* Parses the body member by member, with the same functions as the parameters of a single chunk, so
 * that both have the same ranges and texts. Errors of a parameter become errors of the body, and
 * lose the example, which is a URL. */
#include "server/http/products/chunk_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/jobs/http_request.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/request/json_body.h"
#include "server/http/request/parameters.h"
#include "server/render/chunk_format.h"

enum { SURFACE_MAX = 1000000 };
#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const chunk_members[] = {"format", "size",   "step",      "apron",   "skirt",
                                            "t",      "layers", "materials", "objects", "chunks"};
static const char *const volume_members[] = {"format", "size",    "step",   "t",
                                             "layer",  "surface", "volumes"};
static const char *const digest_members[] = {"size",   "step",   "apron",  "t",
                                             "layers", "chunks", "against"};

/* The members that are numbers: read as the parameters of a single chunk or volume. */
static parameter_set numbers(const struct chunk_order *order)
{
    const parameter_set both = PARAMETER_BIT(STEP) | PARAMETER_BIT(T);
    return both |
           (order->shape == CHUNK_VOLUME ? PARAMETER_BIT(VOLUME_SIZE)
                                         : PARAMETER_BIT(CHUNK_SIZE) | PARAMETER_BIT(APRON) |
                                               PARAMETER_BIT(SKIRT) | PARAMETER_BIT(MATERIALS));
}

void chunk_batch_free(struct chunk_batch *batch)
{
    free(batch->addresses);
    batch->addresses = NULL;
}

static const char *number_text(const void *root, const char *name)
{
    const struct json *value = json_member(root, name);
    return value ? json_text(value) : NULL;
}

static bool parse_numbers(const struct json *root, struct chunk_order *order,
                          struct problem *problem)
{
    const struct parameter_source source = {root, number_text};
    struct parameter_values values;
    struct error error;
    for (const struct json *value = json_first(root); value; value = json_next(value)) {
        const char *name = json_key(value);
        if (parameter_find(numbers(order), name) == PARAMETER_COUNT ||
            json_type(value) == JSON_NUMBER)
            continue;
        problem_set(problem, PROBLEM_BODY, "\"%s\" must be a number, not %s", name,
                    json_type_name(json_type(value)));
        return problem_set_parameter(problem, name);
    }
    if (!parameters_read(numbers(order), &source, &values, &error))
        return problem_from_parameter(numbers(order), &error, problem);
    chunk_order_set_values(order, &values);
    return !(values.given & PARAMETER_BIT(SKIRT)) ||
           chunk_check_applicable(order, "skirt", chunk_format_has_skirt, problem);
}

static bool parse_format(const struct json *value, struct chunk_order *order,
                         struct problem *problem)
{
    if (value &&
        !json_body_expect(value, JSON_STRING, "\"format\" must be a format's name", problem))
        return false;
    const char *name = value ? json_text(value) : "r32f";
    char names[FORMAT_NAMES_TEXT];
    order->format = chunk_format_find(name, order->shape);
    return order->format ||
           problem_set(problem, PROBLEM_BODY, "there is no format \"%s\"; %s are %s", name,
                       chunk_shape_name(order), chunk_format_names(order->shape, names));
}

static bool parse_layers(const struct json *root, struct chunk_order *order,
                         struct problem *problem)
{
    const struct json *value = json_member(root, "layers");
    if (!value)
        return chunk_add_layer(json_member(root, "materials") ? "materials" : "height", order,
                               problem) &&
               chunk_check_layers(order, problem);
    if (!json_body_expect(value, JSON_ARRAY, "\"layers\" must be an array of layers' names",
                          problem))
        return false;
    if (json_count(value) == 0)
        return problem_set(problem, PROBLEM_BODY,
                           "\"layers\" must be an array of layers' names, not empty");
    for (const struct json *name = json_first(value); name; name = json_next(name)) {
        if (!json_body_expect(name, JSON_STRING, "\"layers\" must be names", problem) ||
            !chunk_add_layer(json_text(name), order, problem))
            return false;
    }
    return chunk_check_layers(order, problem);
}

static bool parse_index(const struct json *value, int64_t *index)
{
    return json_type(value) == JSON_NUMBER &&
           number_parse_integer(json_text(value), strlen(json_text(value)), INT64_MIN, INT64_MAX,
                                index);
}

/* The item of the list at `index`: [cx, cy], of volumes [cx, cy, cz]. */
static bool parse_address(const struct json *value, size_t index, struct chunk_batch *batch,
                          struct problem *problem)
{
    struct chunk_address *address = &batch->addresses[index];
    int64_t *const indices[] = {&address->x, &address->y, &address->z};
    const bool volume = batch->order.shape == CHUNK_VOLUME;
    const size_t axes = volume ? 3 : 2;
    const struct json *item = json_first(value);
    bool done = json_type(value) == JSON_ARRAY && json_count(value) == axes;
    for (size_t i = 0; done && i < axes; i++, item = json_next(item))
        done = parse_index(item, indices[i]);
    return done || problem_set(problem, PROBLEM_BODY, "%s[%zu] must be %s",
                               chunk_shape_name(&batch->order), index,
                               volume ? "three whole numbers, [cx, cy, cz]"
                                      : "two whole numbers, [cx, cy]");
}

static bool parse_addresses(const struct json *chunks, struct chunk_batch *batch,
                            struct problem *problem)
{
    if (!json_body_expect(chunks, JSON_ARRAY,
                          batch->order.shape == CHUNK_VOLUME
                              ? "\"volumes\" must be an array of [cx, cy, cz]"
                              : "\"chunks\" must be an array of [cx, cy]",
                          problem))
        return false;
    batch->count = json_count(chunks);
    if (batch->count > CHUNK_BATCH_MAX)
        return problem_set(problem, PROBLEM_TOO_LARGE, "at most %d %s at once, not %zu",
                           CHUNK_BATCH_MAX, chunk_shape_name(&batch->order), batch->count);
    batch->addresses = calloc(batch->count + 1, sizeof *batch->addresses);
    if (!batch->addresses)
        return problem_out_of_memory(problem);
    size_t index = 0;
    for (const struct json *chunk = json_first(chunks); chunk; chunk = json_next(chunk), index++)
        if (!parse_address(chunk, index, batch, problem))
            return false;
    return true;
}

static bool parse_layer(const struct json *value, struct chunk_order *order,
                        struct problem *problem)
{
    return (!value ||
            json_body_expect(value, JSON_STRING, "\"layer\" must be a layer's name", problem)) &&
           chunk_add_layer(value ? json_text(value) : "density", order, problem);
}

static bool parse_surface(const struct json *value, struct chunk_batch *batch,
                          struct problem *problem)
{
    if (!value)
        return true;
    batch->has_surface = true;
    if (json_body_expect(value, JSON_NUMBER, "\"surface\" must be a number", problem) &&
        ((number_parse(json_text(value), strlen(json_text(value)), &batch->surface) &&
          fabs(batch->surface) <= SURFACE_MAX) ||
         problem_set(problem, PROBLEM_BODY, "\"surface\" must be a number from -%d to %d, not %s",
                     SURFACE_MAX, SURFACE_MAX, json_text(value))))
        return true;
    return problem_set_parameter(problem, "surface");
}

static bool parse_objects(const struct json *value, struct chunk_batch *batch,
                          struct problem *problem)
{
    if (!value)
        return true;
    batch->has_objects = json_type(value) == JSON_TRUE;
    if (batch->has_objects || json_type(value) == JSON_FALSE)
        return true;
    problem_set(problem, PROBLEM_BODY, "\"objects\" must be true or false, not %s",
                json_type_name(json_type(value)));
    return problem_set_parameter(problem, "objects");
}

/* The layers of chunks; the layer of volumes and the surface in it. */
static bool parse_content(const struct json *root, struct chunk_batch *batch,
                          struct problem *problem)
{
    const bool volume = batch->order.shape == CHUNK_VOLUME;
    const char *name = volume ? "layer" : "layers";
    const struct json *value = json_member(root, name);
    if (!(volume ? parse_layer(value, &batch->order, problem)
                 : parse_layers(root, &batch->order, problem)))
        return problem_set_parameter(problem, name);
    if (volume)
        return parse_surface(json_member(root, "surface"), batch, problem);
    return (!json_member(root, "materials") || chunk_check_materials(&batch->order, problem)) &&
           parse_objects(json_member(root, "objects"), batch, problem);
}

/* The name may be of a world that does not exist. */
static bool parse_against(const struct json *value, struct reference *against,
                          struct problem *problem)
{
    static const char rule[] = "\"against\" must be the name of a world, NAME[~SEED][@FINGERPRINT]";
    against->name[0] = '\0';
    if (!value)
        return true;
    if (!json_body_expect(value, JSON_STRING, rule, problem))
        return false;
    const char *text = json_text(value);
    if (!reference_parse(text, strlen(text), REFERENCE_WORLD, against, problem))
        return false;
    return against->name[0] || problem_set(problem, PROBLEM_BODY, "%s, not empty", rule);
}

static bool check_members(const struct json *root, const struct chunk_batch *batch,
                          struct problem *problem)
{
    if (batch->order.shape == CHUNK_VOLUME)
        return json_body_check(root, volume_members, COUNT(volume_members), problem);
    return batch->is_of_digests
               ? json_body_check(root, digest_members, COUNT(digest_members), problem)
               : json_body_check(root, chunk_members, COUNT(chunk_members), problem);
}

static bool parse_root(const struct json *root, uint64_t limit, struct chunk_batch *batch,
                       struct problem *problem)
{
    const char *list = chunk_shape_name(&batch->order);
    if (!check_members(root, batch, problem))
        return false;
    if (!parse_format(json_member(root, "format"), &batch->order, problem))
        return problem_set_parameter(problem, "format");
    if (!parse_numbers(root, &batch->order, problem))
        return false;
    if (!parse_content(root, batch, problem))
        return false;
    if (!parse_addresses(json_member(root, list), batch, problem))
        return problem_set_parameter(problem, list);
    if (!parse_against(json_member(root, "against"), &batch->against, problem))
        return problem_set_parameter(problem, "against");
    return chunk_check_samples(&batch->order, batch->count, limit, problem);
}

bool chunk_batch_parse(const char *text, size_t length, uint64_t limit, struct chunk_batch *batch,
                       struct problem *problem)
{
    struct json_document *document = json_body_parse(text, length, CHUNK_BODY_DEPTH_MAX, problem);
    if (!document)
        return false;
    const bool done = parse_root(json_root(document), limit, batch, problem);
    json_free(document);
    if (done)
        return true;
    chunk_batch_free(batch);
    if (problem->kind == PROBLEM_PARAMETER || problem->kind == PROBLEM_PATH)
        problem->kind = PROBLEM_BODY;
    problem->example[0] = '\0'; /* of an address, not of a body */
    return false;
}

bool chunk_batch_read(const struct http_request *request, struct chunk_batch *batch,
                      struct problem *problem)
{
    batch->order.world = request->worlds[0].base->world;
    return chunk_batch_parse(http_request_body(request), request->body.length,
                             request->generation->chunk_samples, batch, problem);
}
