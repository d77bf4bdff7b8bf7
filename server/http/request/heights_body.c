/* Points become positions that are exact in 2⁻¹⁶ m: from JSON numbers as text, because a double on
 * the way would round them, or from the numbers of a binary body. Every error names the index of
 * the point.
 *
 * A usual JSON body is read in one pass (json_points.h). Any other one is read as a tree, and so is
 * one with an error: the tree decides what is wrong. */
#include "server/http/request/heights_body.h"

#include <stdlib.h>
#include <string.h>

#include "core/terrain/place_order.h"
#include "core/tile/address.h"
#include "core/worldfile/json.h"
#include "server/http/request/json_body.h"
#include "server/http/request/json_points.h"
#include "server/http/request/parameters.h"

enum { NUMBER_BYTES = 8, POINT_BYTES = 2 * NUMBER_BYTES };

static const char *const members[] = {"points", "layer", "zoom"};
static const char *const axes[] = {"x", "y"};

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
    return parse_coordinate(x, index, axes[0], &place->x, problem) &&
           parse_coordinate(json_next(x), index, axes[1], &place->y, problem);
}

static bool parse_points(const struct json *points, struct heights_body *body,
                         struct problem *problem)
{
    size_t index = 0;
    if (!json_body_expect(points, JSON_ARRAY, "\"points\" must be an array of [x, y]", problem) ||
        !reserve_points(body, json_count(points), problem))
        return false;
    for (const struct json *point = json_first(points); point; point = json_next(point), index++)
        if (!parse_point(point, index, &body->places[index], problem))
            return false;
    return true;
}

static bool parse_layer(const struct json *value, const struct world *world, unsigned *layer,
                        struct problem *problem)
{
    return !value ||
           (json_body_expect(value, JSON_STRING, "\"layer\" must be a layer's name", problem) &&
            request_layer_find(json_text(value), world, layer, problem));
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
    if (!parse_layer(json_member(root, "layer"), world, &body->layer, problem))
        return problem_set_parameter(problem, "layer");
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
        json_points_take(text, length, body->places, &body->count, &rest) && !rest.failed &&
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

static uint64_t read_number(const uint8_t *bytes)
{
    uint64_t number = 0;
    for (unsigned i = 0; i < NUMBER_BYTES; i++)
        number |= (uint64_t)bytes[i] << 8 * i;
    return number;
}

/* The product is exact, and what is left of a fraction is rounded to even. */
static bool read_metres(uint64_t bits, size_t index, const char *axis, int64_t *coordinate,
                        struct problem *problem)
{
    const double limit = (double)PLACE_LIMIT / (double)PLACE_METRE;
    double metres;
    memcpy(&metres, &bits, sizeof metres);
    if (metres >= -limit && metres <= limit) {
        *coordinate = (int64_t)__builtin_rint(metres * (double)PLACE_METRE);
        return true;
    }
    if (!__builtin_isfinite(metres))
        return problem_set(problem, PROBLEM_BODY, "points[%zu]: %s must be metres, not %s", index,
                           axis, __builtin_isnan(metres) ? "NaN" : "infinity");
    char text[NUMBER_TEXT];
    number_format_double(metres, text);
    return problem_set(problem, PROBLEM_BODY,
                       "points[%zu]: %s: %s m is beyond the world's edge: allowed is "
                       "-1099511627776 to 1099511627776",
                       index, axis, text);
}

static bool read_units(uint64_t bits, size_t index, const char *axis, int64_t *coordinate,
                       struct problem *problem)
{
    *coordinate = (int64_t)bits;
    if (*coordinate >= -PLACE_LIMIT && *coordinate <= PLACE_LIMIT)
        return true;
    return problem_set(problem, PROBLEM_BODY,
                       "points[%zu]: %s: %lld units of 2^-16 m are beyond the world's edge: "
                       "allowed is -72057594037927936 to 72057594037927936",
                       index, axis, (long long)*coordinate);
}

static bool read_points(const uint8_t *bytes, enum coordinate_type type, struct heights_body *body,
                        struct problem *problem)
{
    for (size_t i = 0; i < body->count; i++) {
        int64_t *const point[] = {&body->places[i].x, &body->places[i].y};
        for (unsigned axis = 0; axis < 2; axis++, bytes += NUMBER_BYTES) {
            const uint64_t bits = read_number(bytes);
            const bool done = type == COORDINATE_FLOAT64
                                  ? read_metres(bits, i, axes[axis], point[axis], problem)
                                  : read_units(bits, i, axes[axis], point[axis], problem);
            if (!done)
                return false;
        }
    }
    return true;
}

bool heights_body_read(const uint8_t *bytes, size_t length, enum coordinate_type type,
                       struct heights_body *body, struct problem *problem)
{
    body->places = NULL;
    body->ranks = NULL;
    if (length % POINT_BYTES != 0) {
        problem_set(problem, PROBLEM_BODY,
                    "the body has %zu bytes, which are no whole number of points: a point is %d "
                    "bytes, x and y",
                    length, POINT_BYTES);
        return problem_set_parameter(problem, "body");
    }
    const bool done = reserve_points(body, length / POINT_BYTES, problem) &&
                      read_points(bytes, type, body, problem) && sort_points(body, problem);
    if (!done) {
        heights_body_free(body);
        problem_set_parameter(problem, "points");
    }
    return done;
}
