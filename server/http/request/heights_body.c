/* The points stay JSON numbers as text until place_parse() turns them into positions, which are
 * exact in 2^-16 m: a double on the way would round them. Every error names the index of the point.
 */
#include "server/http/request/heights_body.h"

#include <stdlib.h>
#include <string.h>

#include "core/terrain/place_order.h"
#include "core/tile/address.h"
#include "core/world/json.h"
#include "server/http/request/json_body.h"
#include "server/http/request/parameters.h"

static const char *const members[] = {"points", "layer", "zoom"};

void heights_body_free(struct heights_body *body)
{
    free(body->places);
    free(body->order);
    body->places = NULL;
    body->order = NULL;
}

static bool parse_coordinate(const struct json *value, size_t index, const char *axis, int64_t *out,
                             struct problem *problem)
{
    struct error error;
    if (json_type(value) != JSON_NUMBER)
        return problem_set(problem, PROBLEM_BODY, "points[%zu]: %s must be a number, not %s", index,
                           axis, json_type_name(json_type(value)));
    const char *text = json_text(value);
    if (place_parse(text, strlen(text), out, &error))
        return true;
    return problem_set(problem, PROBLEM_BODY, "points[%zu]: %s: %s", index, axis, error.message);
}

static bool parse_point(const struct json *point, size_t index, struct place *place,
                        struct problem *problem)
{
    if (json_type(point) != JSON_ARRAY || json_count(point) != 2)
        return problem_set(problem, PROBLEM_BODY,
                           "points[%zu] must be two numbers in metres, [x, y]", index);
    const struct json *x = json_first(point);
    return parse_coordinate(x, index, "x", &place->x, problem) &&
           parse_coordinate(json_next(x), index, "y", &place->y, problem);
}

static bool parse_points(const struct json *points, struct heights_body *body,
                         struct problem *problem)
{
    if (!json_body_expect(points, JSON_ARRAY, "\"points\" must be an array of [x, y]", problem))
        return false;
    body->count = json_count(points);
    if (body->count > QUERY_POINTS_MAX)
        return problem_set(problem, PROBLEM_TOO_LARGE, "at most %d points at once, not %zu",
                           QUERY_POINTS_MAX, body->count);
    body->places = calloc(body->count + 1, sizeof *body->places);
    body->order = calloc(body->count + 1, sizeof *body->order);
    if (!body->places || !body->order)
        return problem_out_of_memory(problem);
    size_t index = 0;
    for (const struct json *point = json_first(points); point; point = json_next(point), index++)
        if (!parse_point(point, index, &body->places[index], problem))
            return false;
    return place_order_sort(body->places, body->order, body->count) ||
           problem_out_of_memory(problem);
}

static bool parse_layer(const struct json *value, const struct world *world, unsigned *layer,
                        struct problem *problem)
{
    *layer = world_height_layer(world);
    return !value ||
           (json_body_expect(value, JSON_STRING, "\"layer\" must be a layer's name", problem) &&
            request_layer_find(json_text(value), world, layer, problem));
}

static bool parse_zoom(const struct json *value, int *zoom, struct problem *problem)
{
    int64_t zoom_number;
    *zoom = -1;
    if (!value)
        return true;
    const char *text = json_type(value) == JSON_NUMBER ? json_text(value) : "";
    if (!number_parse_integer(text, strlen(text), 0, TILE_ZOOM_MAX, &zoom_number))
        return problem_set(problem, PROBLEM_BODY, "\"zoom\" must be a whole number from 0 to %d",
                           TILE_ZOOM_MAX);
    *zoom = (int)zoom_number;
    return true;
}

static bool parse_root(const struct json *root, const struct world *world,
                       struct heights_body *body, struct problem *problem)
{
    if (!json_body_check(root, members, sizeof members / sizeof *members, problem))
        return false;
    if (!parse_layer(json_member(root, "layer"), world, &body->layer, problem))
        return problem_set_parameter(problem, "layer");
    if (!parse_zoom(json_member(root, "zoom"), &body->zoom, problem))
        return problem_set_parameter(problem, "zoom");
    return parse_points(json_member(root, "points"), body, problem) ||
           problem_set_parameter(problem, "points");
}

bool heights_body_parse(const char *text, size_t length, const struct world *world,
                        struct heights_body *body, struct problem *problem)
{
    body->places = NULL;
    body->order = NULL;
    struct json_document *document = json_body_parse(text, length, HEIGHTS_DEPTH_MAX, problem);
    if (!document)
        return false;
    bool done = parse_root(json_root(document), world, body, problem);
    json_free(document);
    if (!done)
        heights_body_free(body);
    return done;
}
