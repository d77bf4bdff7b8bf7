/* Parses the body member by member, with the same functions as the parameters of a single chunk, so
 * that both have the same ranges and texts. Errors of a parameter become errors of the body, and
 * lose the example, which is a URL. */
#include "server/http/products/chunk_batch.h"

#include <stdlib.h>
#include <string.h>

#include "server/http/products/chunk_parameters.h"
#include "server/http/request/json_body.h"
#include "server/http/request/parameters.h"

static const char *const members[] = {"format", "size", "step",   "apron",
                                      "skirt",  "t",    "layers", "chunks"};
/* The members that are numbers: read as the parameters of a single chunk. */
#define NUMBERS                                                                                    \
    (PARAMETER_BIT(CHUNK_SIZE) | PARAMETER_BIT(STEP) | PARAMETER_BIT(APRON) |                      \
     PARAMETER_BIT(SKIRT) | PARAMETER_BIT(T))

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
        if (parameter_find(NUMBERS, name) == PARAMETER_COUNT || json_type(value) == JSON_NUMBER)
            continue;
        problem_set(problem, PROBLEM_BODY, "\"%s\" must be a number, not %s", name,
                    json_type_name(json_type(value)));
        return problem_set_parameter(problem, name);
    }
    if (!parameters_read(NUMBERS, &source, &values, &error))
        return problem_from_parameter(NUMBERS, &error, problem);
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
           problem_set(problem, PROBLEM_BODY, "there is no format \"%s\"; chunks are %s", name,
                       chunk_format_names(order->shape, names));
}

static bool parse_layers(const struct json *value, struct chunk_order *order,
                         struct problem *problem)
{
    if (!value)
        return chunk_add_layer("height", order, problem);
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

static bool parse_address(const struct json *value, size_t index, struct chunk_address *address,
                          struct problem *problem)
{
    const struct json *x = json_first(value);
    return (json_type(value) == JSON_ARRAY && json_count(value) == 2 &&
            parse_index(x, &address->x) && parse_index(json_next(x), &address->y)) ||
           problem_set(problem, PROBLEM_BODY, "chunks[%zu] must be two whole numbers, [cx, cy]",
                       index);
}

static bool parse_addresses(const struct json *chunks, struct chunk_batch *batch,
                            struct problem *problem)
{
    if (!json_body_expect(chunks, JSON_ARRAY, "\"chunks\" must be an array of [cx, cy]", problem))
        return false;
    batch->count = json_count(chunks);
    if (batch->count > CHUNK_BATCH_MAX)
        return problem_set(problem, PROBLEM_TOO_LARGE, "at most %d chunks at once, not %zu",
                           CHUNK_BATCH_MAX, batch->count);
    batch->addresses = calloc(batch->count + 1, sizeof *batch->addresses);
    if (!batch->addresses)
        return problem_out_of_memory(problem);
    size_t index = 0;
    for (const struct json *chunk = json_first(chunks); chunk; chunk = json_next(chunk), index++)
        if (!parse_address(chunk, index, &batch->addresses[index], problem))
            return false;
    return true;
}

static bool parse_root(const struct json *root, uint64_t limit, struct chunk_batch *batch,
                       struct problem *problem)
{
    if (!json_body_check(root, members, sizeof members / sizeof *members, problem))
        return false;
    if (!parse_format(json_member(root, "format"), &batch->order, problem))
        return problem_set_parameter(problem, "format");
    if (!parse_numbers(root, &batch->order, problem))
        return false;
    if (!parse_layers(json_member(root, "layers"), &batch->order, problem))
        return problem_set_parameter(problem, "layers");
    if (!parse_addresses(json_member(root, "chunks"), batch, problem))
        return problem_set_parameter(problem, "chunks");
    return chunk_check_samples(&batch->order, batch->count, limit, problem);
}

bool chunk_batch_parse(const char *text, size_t length, const struct world *world, uint64_t limit,
                       struct chunk_batch *batch, struct problem *problem)
{
    batch->addresses = NULL;
    batch->order = (struct chunk_order){.world = world, .shape = CHUNK_FLAT};
    struct json_document *document = json_body_parse(text, length, CHUNK_BODY_DEPTH_MAX, problem);
    if (!document)
        return false;
    const bool done = parse_root(json_root(document), limit, batch, problem);
    json_free(document);
    if (done)
        return true;
    chunk_batch_free(batch);
    if (problem->kind == PROBLEM_PARAMETER)
        problem->kind = PROBLEM_BODY;
    problem->example[0] = '\0'; /* of an address, not of a body */
    return false;
}
