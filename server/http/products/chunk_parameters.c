/* From the path and the parameters of a request to the order of a chunk or volume.
 *
 * The table of parameters checks each value by itself. What is checked here needs more than one of
 * them, or the world: the layers by name, the sizes that a format takes, and the samples of the
 * whole response against the limit of the generation. */
#include "server/http/products/chunk_parameters.h"

#include <stdio.h>
#include <string.h>

#include "server/http/request/parameters.h"
#include "server/http/request/reference.h"
#include "server/render/chunk_format.h"

bool chunk_parse_format(const struct target_text *text, size_t *digits, struct chunk_order *order,
                        struct problem *problem)
{
    const char *dot = strrchr(text->text, '.');
    char names[FORMAT_NAMES_TEXT];
    order->format = dot ? chunk_format_find(dot + 1, order->shape) : NULL;
    if (order->format) {
        *digits = (size_t)(dot - text->text);
        return true;
    }
    chunk_format_names(order->shape, names);
    if (dot)
        problem_set(problem, PROBLEM_NOT_FOUND, "there is no format \"%s\"; %s are %s", dot + 1,
                    chunk_shape_name(order), names);
    else
        problem_set(problem, PROBLEM_NOT_FOUND, "a path of %s ends in the format, such as .r32f",
                    chunk_shape_name(order));
    snprintf(problem->allowed, sizeof problem->allowed, "%s", names);
    return problem_set_parameter(problem, "format");
}

bool chunk_parse_index(const char *text, size_t length, const char *name, int64_t *index,
                       struct problem *problem)
{
    if (number_parse_integer(text, length, INT64_MIN, INT64_MAX, index))
        return true;
    problem_set(problem, PROBLEM_PATH, "%s must be a whole number, not \"%s\"", name, text);
    return problem_set_parameter(problem, name);
}

void chunk_order_set_values(struct chunk_order *order, const struct parameter_values *values)
{
    order->size = (uint32_t)values->size;
    order->step = values->step;
    order->apron = (uint32_t)values->apron;
    order->dx = (uint32_t)values->dx;
    order->dy = (uint32_t)values->dy;
    order->skirt = values->skirt;
    order->t = values->t;
    order->material_group = (unsigned)values->materials;
}

bool chunk_check_applicable(const struct chunk_order *order, const char *name,
                            chunk_format_filter *filter, struct problem *problem)
{
    char formats[FORMAT_NAMES_TEXT];
    if (filter(order->format))
        return true;
    chunk_format_names_of(filter, formats);
    return problem_parameter(problem, name, formats, "%s is for chunks of these formats only: %s",
                             name, formats);
}

/* The parameter that names layers. */
static const char *layers_parameter_name(const struct chunk_order *order)
{
    return order->shape == CHUNK_VOLUME ? "layer" : "layers";
}

static bool fail_layers(const struct chunk_order *order, const char *detail, const char *name,
                        struct problem *problem)
{
    char allowed[96];
    snprintf(allowed, sizeof allowed, "1 … %d names of layers with commas between",
             CHUNK_LAYERS_MAX);
    return problem_parameter(problem, layers_parameter_name(order), allowed, detail, name);
}

static const char materials_name[] = "materials"; /* as a layer: all of them, with a pin or not */

static bool is_materials(const struct chunk_order *order, const char *name)
{
    const size_t length = sizeof materials_name - 1;
    return world_material_count(order->world) > 0 && strncmp(name, materials_name, length) == 0 &&
           (name[length] == '\0' || name[length] == '@');
}

/* The pin behind the name, if there is one: 400 if no pin looks like that, 410 if it is another. */
static bool check_materials_pin(const struct chunk_order *order, const char *name,
                                struct problem *problem)
{
    const char *at = strchr(name, '@'), *current = world_materials_fingerprint(order->world);
    if (!at || strcmp(at + 1, current) == 0)
        return true;
    if (!pin_is_valid(PIN_MATERIALS, at + 1, strlen(at + 1)))
        return fail_layers(order, "behind \"materials@\" stands their fingerprint, %s",
                           pin_form(PIN_MATERIALS), problem);
    reference_refuse_pin("the materials of the world have", at + 1, current, problem);
    return problem_set_parameter(problem, layers_parameter_name(order));
}

static bool find_layer(const struct chunk_order *order, const char *name, unsigned *found,
                       struct problem *problem)
{
    if (strcmp(name, materials_name) == 0 && world_find_layer(order->world, name) < 0)
        return problem_set(problem, PROBLEM_NOT_FOUND, "the world has no materials");
    return request_layer_find(name, order->world, found, problem);
}

bool chunk_add_layer(const char *name, struct chunk_order *order, struct problem *problem)
{
    const bool materials = is_materials(order, name);
    unsigned found;
    if (!*name)
        return fail_layers(order, "a layer's name is empty%s", "", problem);
    if (materials)
        found = world_material_layer(order->world, 0);
    else if (!find_layer(order, name, &found, problem))
        return problem_set_parameter(problem, layers_parameter_name(order));
    for (unsigned i = 0; i < order->layer_count; i++)
        if (order->layers[i] == found)
            return fail_layers(order, "the layer \"%s\" is asked for more than once", name,
                               problem);
    if (chunk_plain_layers(order) + (order->material_count > 0) == CHUNK_LAYERS_MAX)
        return fail_layers(order, "\"%s\" is one layer more than fit into a chunk", name, problem);
    if (materials && !check_materials_pin(order, name, problem))
        return false;
    if (materials)
        chunk_order_add_materials(order);
    else
        order->layers[order->layer_count++] = found;
    return true;
}

/* The rules of the format for the materials of the order. */
static bool check_materials(const struct chunk_order *order, struct problem *problem)
{
    const char *name = order->format->name;
    char formats[FORMAT_NAMES_TEXT];
    chunk_format_names_of(chunk_format_has_materials, formats);
    switch (order->format->materials) {
    case CHUNK_NO_MATERIALS:
        return problem_parameter(problem, "layers", formats, "%s has no materials; these have: %s",
                                 name, formats);
    case CHUNK_MATERIALS_ALONE:
        return chunk_plain_layers(order) == 0 ||
               problem_parameter(problem, "layers", "materials",
                                 "%s has materials or a layer, not both", name);
    case CHUNK_MATERIALS_BESIDE:
        return order->material_first == 1 ||
               problem_parameter(problem, "layers", "height,materials",
                                 "%s has materials behind one layer, which is its ground", name);
    case CHUNK_MATERIAL_PLANES:
        return true;
    }
    return true;
}

bool chunk_check_layers(const struct chunk_order *order, struct problem *problem)
{
    const unsigned plain = chunk_plain_layers(order);
    if (plain <= order->format->layers)
        return order->material_count == 0 || check_materials(order, problem);
    problem_parameter(problem, "layers", "1 name", "%s has one layer, not %u", order->format->name,
                      plain);
    snprintf(problem->example, sizeof problem->example, "/chunks/0/0.r32f?layers=height,biome");
    return false;
}

bool chunk_check_materials(const struct chunk_order *order, struct problem *problem)
{
    char formats[FORMAT_NAMES_TEXT];
    chunk_format_names_of(chunk_format_has_material_groups, formats);
    if (!chunk_format_has_material_groups(order->format))
        return problem_parameter(problem, "materials", formats,
                                 "materials is for chunks of these formats only: %s", formats);
    return order->material_count > 0 ||
           problem_parameter(problem, "materials", "layers=materials",
                             "the layer must be materials, not \"%s\"",
                             world_layer(order->world, order->layers[0])->name);
}

bool chunk_parse_layers(const char *text, struct chunk_order *order, struct problem *problem)
{
    const char *rest = text;
    order->layer_count = order->material_count = 0;
    for (bool more = true; more;) {
        const size_t length = strcspn(rest, ",");
        char name[WORLD_NAME_MAX + 1];
        if (length > WORLD_NAME_MAX)
            return fail_layers(order, "no layer has so long a name%s", "", problem);
        memcpy(name, rest, length);
        name[length] = '\0';
        if (!chunk_add_layer(name, order, problem))
            return false;
        more = rest[length] == ',';
        rest += length + more;
    }
    return chunk_check_layers(order, problem);
}

bool chunk_check_samples(const struct chunk_order *order, size_t count, uint64_t limit,
                         struct problem *problem)
{
    const uint64_t wanted = chunk_samples(order) * count;
    if (wanted <= limit)
        return true;
    problem_set(problem, PROBLEM_TOO_LARGE,
                "an answer may have %llu samples, and these %s would have %llu: %u samples a side, "
                "%u layers, %zu %s",
                (unsigned long long)limit, chunk_shape_name(order), (unsigned long long)wanted,
                (unsigned)chunk_side(order), order->layer_count, count, chunk_shape_name(order));
    snprintf(problem->allowed, sizeof problem->allowed, "%llu samples", (unsigned long long)limit);
    return problem_set_parameter(problem, "size");
}

bool chunk_check_range(const struct chunk_order *order, const struct chunk_address *address,
                       struct problem *problem)
{
    static const char *const names[] = {"cx", "cy", "cz"};
    const int64_t indices[] = {address->x, address->y, address->z};
    const uint32_t shifts[] = {order->dx, order->dy, 0};
    const long long limit = chunk_limit(order);
    unsigned axis = 0;
    char step[NUMBER_TEXT];
    if (chunk_in_range(order, address))
        return true;
    while (axis < 2 && indices[axis] >= -limit && indices[axis] < chunk_end(order, shifts[axis]))
        axis++;
    const long long last = chunk_end(order, shifts[axis]) - 1;
    place_format(order->step, step);
    problem_set(problem, PROBLEM_NOT_FOUND,
                "indices of %s of size %u and step %s%s must be %lld … %lld",
                chunk_shape_name(order), (unsigned)order->size, step,
                shifts[axis] ? ", shifted so far," : "", -limit, last);
    snprintf(problem->allowed, sizeof problem->allowed, "%lld … %lld", -limit, last);
    return problem_set_parameter(problem, names[axis]);
}
