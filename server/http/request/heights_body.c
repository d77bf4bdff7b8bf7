/* A usual JSON body is read in one pass (place_list_take()). Any other one is read as a tree, and
 * so is one with an error: the tree decides what is wrong. */
#include "server/http/request/heights_body.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/place_order.h"
#include "core/terrain/place_list.h"
#include "core/tile/address.h"
#include "server/http/request/json_body.h"
#include "server/http/request/parameters.h"

static const char *const members[] = {"points", "layer", "layers", "zoom"};

void heights_body_free(struct heights_body *body)
{
    free(body->places);
    free(body->ranks);
    body->places = NULL;
    body->ranks = NULL;
}

/* Makes room for that many points. */
static bool reserve_points(struct heights_body *body, size_t count, struct problem *problem)
{
    if (count > QUERY_POINTS_MAX) {
        problem_set(problem, PROBLEM_TOO_LARGE, "at most %d points at once, not %zu",
                    QUERY_POINTS_MAX, count);
        problem->fits = QUERY_POINTS_MAX;
        return false;
    }
    body->count = count;
    body->places = calloc(count + 1, sizeof *body->places);
    body->ranks = calloc(count + 1, sizeof *body->ranks);
    return (body->places && body->ranks) || problem_out_of_memory(problem);
}

static bool sort_points(struct heights_body *body, struct problem *problem)
{
    return place_order_sort(body->places, body->ranks, body->count) ||
           problem_out_of_memory(problem);
}

static bool parse_points(const struct json *points, struct heights_body *body,
                         struct problem *problem)
{
    struct error error;
    return json_body_expect(points, JSON_ARRAY, "\"points\" must be an array of [x, y]", problem) &&
           reserve_points(body, json_count(points), problem) &&
           (place_list_parse(points, body->places, &error) ||
            problem_from_error(problem, PROBLEM_BODY, &error));
}

/* `place` is where the name stands: the URL or the body, which is what is wrong. */
static bool add_layer(const char *name, enum problem_kind place, const struct world *world,
                      struct heights_body *body, struct problem *problem)
{
    unsigned layer;
    if (body->layer_count == HEIGHTS_LAYERS_MAX)
        return problem_set(problem, place, "at most %d layers at once: \"%s\" is one more",
                           HEIGHTS_LAYERS_MAX, name);
    if (!request_layer_find(name, world, &layer, problem))
        return false;
    for (unsigned i = 0; i < body->layer_count; i++)
        if (body->layers[i] == layer)
            return problem_set(problem, place, "the layer \"%s\" is asked for more than once",
                               name);
    body->layers[body->layer_count++] = layer;
    return true;
}

bool heights_body_set_layers(const char *names, const struct world *world,
                             struct heights_body *body, struct problem *problem)
{
    body->layer_count = 0;
    for (bool more = true; more;) {
        const size_t length = strcspn(names, ",");
        char name[WORLD_NAME_MAX + 1];
        if (length == 0 || length > WORLD_NAME_MAX)
            return problem_set(problem, PROBLEM_PARAMETER,
                               "a layer's name has 1 to %d characters, not %zu", WORLD_NAME_MAX,
                               length);
        memcpy(name, names, length);
        name[length] = '\0';
        if (!add_layer(name, PROBLEM_PARAMETER, world, body, problem))
            return false;
        more = names[length] == ',';
        names += length + more;
    }
    return true;
}

static bool parse_layer(const struct json *value, const struct world *world,
                        struct heights_body *body, struct problem *problem)
{
    if (!value)
        return true;
    body->layer_count = 0;
    body->has_list = false;
    return json_body_expect(value, JSON_STRING, "\"layer\" must be a layer's name", problem) &&
           add_layer(json_text(value), PROBLEM_BODY, world, body, problem);
}

static bool parse_layers(const struct json *value, const struct world *world,
                         struct heights_body *body, struct problem *problem)
{
    static const char rule[] = "\"layers\" must be an array of layers' names";
    if (!value)
        return true;
    if (!json_body_expect(value, JSON_ARRAY, rule, problem))
        return false;
    if (json_count(value) == 0)
        return problem_set(problem, PROBLEM_BODY, "%s, not empty", rule);
    body->layer_count = 0;
    body->has_list = true;
    for (const struct json *name = json_first(value); name; name = json_next(name))
        if (!json_body_expect(name, JSON_STRING, rule, problem) ||
            !add_layer(json_text(name), PROBLEM_BODY, world, body, problem))
            return false;
    return true;
}

static bool parse_zoom(const struct json *value, int *zoom, struct problem *problem)
{
    int64_t zoom_number;
    if (!value)
        return true;
    const char *text = json_type(value) == JSON_NUMBER ? json_text(value) : "";
    if (!number_parse_integer(text, strlen(text), 0, TILE_ZOOM_MAX, &zoom_number))
        return problem_set(problem, PROBLEM_BODY, "\"zoom\" must be a whole number from 0 to %d",
                           TILE_ZOOM_MAX);
    *zoom = (int)zoom_number;
    return true;
}

/* Everything but the points. */
static bool parse_options(const struct json *root, const struct world *world,
                          struct heights_body *body, struct problem *problem)
{
    if (!json_body_check(root, members, sizeof members / sizeof *members, problem))
        return false;
    const struct json *layer = json_member(root, "layer"), *layers = json_member(root, "layers");
    if (layer && layers)
        return problem_set(problem, PROBLEM_BODY,
                           "\"layer\" and \"layers\" are both there: give one");
    if (!parse_layer(layer, world, body, problem))
        return problem_set_parameter(problem, "layer");
    if (!parse_layers(layers, world, body, problem))
        return problem_set_parameter(problem, "layers");
    return parse_zoom(json_member(root, "zoom"), &body->zoom, problem) ||
           problem_set_parameter(problem, "zoom");
}

/* Parses the text as a tree; without points if they have been taken out of it. */
static bool parse_tree(const char *text, size_t length, const struct world *world, bool with_points,
                       struct heights_body *body, struct problem *problem)
{
    struct json_document *document = json_body_parse(text, length, HEIGHTS_DEPTH_MAX, problem);
    if (!document)
        return false;
    const struct json *root = json_root(document);
    const struct json *points = json_member(root, "points");
    bool done = parse_options(root, world, body, problem);
    if (done && with_points)
        done = parse_points(points, body, problem) || problem_set_parameter(problem, "points");
    else
        done = done && json_type(points) == JSON_ARRAY && json_count(points) == 0;
    json_free(document);
    return done;
}

/* False, with or without a problem, if the text is better read as a tree. */
static bool parse_in_one_pass(const char *text, size_t length, const struct world *world,
                              struct heights_body *body, struct problem *problem)
{
    const size_t most = length / (sizeof "[0,0]" - 1);
    struct buffer rest = {0};
    const bool done =
        reserve_points(body, most < QUERY_POINTS_MAX ? most : QUERY_POINTS_MAX, problem) &&
        place_list_take(text, length, body->places, body->count, &body->count, &rest) &&
        !rest.failed &&
        parse_tree((const char *)rest.data, rest.length, world, false, body, problem);
    buffer_free(&rest);
    return done;
}

bool heights_body_parse(const char *text, size_t length, const struct world *world,
                        struct heights_body *body, struct problem *problem)
{
    body->places = NULL;
    body->ranks = NULL;
    bool done = parse_in_one_pass(text, length, world, body, problem);
    if (!done) {
        heights_body_free(body);
        done = parse_tree(text, length, world, true, body, problem);
    }
    done = done && sort_points(body, problem);
    if (!done)
        heights_body_free(body);
    return done;
}

static bool read_points(const uint8_t *bytes, enum coordinate_type type, struct heights_body *body,
                        struct problem *problem)
{
    struct error error;
    return (type == COORDINATE_FLOAT64
                ? place_list_read_metres(bytes, body->count, body->places, &error)
                : place_list_read_units(bytes, body->count, body->places, &error)) ||
           problem_from_error(problem, PROBLEM_BODY, &error);
}

bool heights_body_read(const uint8_t *bytes, size_t length, enum coordinate_type type,
                       struct heights_body *body, struct problem *problem)
{
    body->places = NULL;
    body->ranks = NULL;
    if (length % PLACE_LIST_BYTES != 0) {
        problem_set(problem, PROBLEM_BODY,
                    "the body has %zu bytes, which are no whole number of points: a point is %d "
                    "bytes, x and y",
                    length, PLACE_LIST_BYTES);
        return problem_set_parameter(problem, "body");
    }
    const bool done = reserve_points(body, length / PLACE_LIST_BYTES, problem) &&
                      read_points(bytes, type, body, problem) && sort_points(body, problem);
    if (!done) {
        heights_body_free(body);
        problem_set_parameter(problem, "points");
    }
    return done;
}
