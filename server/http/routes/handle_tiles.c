/* Tiles: /tiles/{style}/{z}/{x}/{y}.{format}, and the same with world and style as parameters.
 *
 * The path and the parameters become the struct tile_order of a recipe, checked completely before
 * anything is looked up; products/ then finds the tile in the caches or has it made. The size is
 * checked here and not by its row, because which sizes are allowed depends on the format. */
#include <stdio.h>
#include <string.h>

#include "core/encode/quantized_mesh.h"
#include "server/http/products/respond.h"
#include "server/http/routes/guess.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/queries/parameters.h"
#include "server/render/format.h"

enum { FORMATS_MAX = 32 };

static const char example[] = "/tiles/3/4/2.png";

/* A column or row: any integer here, because tiles go on beyond the central square. */
static bool parse_index(const char *text, size_t length, const char *name, int64_t *value,
                        struct problem *problem)
{
    if (number_parse_integer(text, length, INT64_MIN, INT64_MAX, value))
        return true;
    problem_set(problem, PROBLEM_PATH, "%s must be a whole number, not \"%s\"", name, text);
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return problem_set_parameter(problem, name);
}

/* The example is the same tile in the nearest format. */
static bool fail_format(const struct http_request *request, const char *format,
                        struct problem *problem)
{
    char names[FORMAT_NAMES_TEXT];
    const char *candidates[FORMATS_MAX];
    size_t count = 0;
    struct buffer target = {0};
    format_names(NULL, names);
    for (; format_at(count) && count < FORMATS_MAX; count++)
        candidates[count] = format_at(count)->name;
    const char *near = error_suggest(format, candidates, count);
    if (format)
        problem_set(problem, PROBLEM_NOT_FOUND, "there is no format \"%s\"; tiles are %s", format,
                    names);
    else
        problem_set(problem, PROBLEM_NOT_FOUND, "a tile's path ends in its format, such as .png");
    snprintf(problem->allowed, sizeof problem->allowed, "%s", names);
    guess_extension(request, near ? near : "png", &target);
    guess_set_example(problem, &target);
    return false;
}

/* Parses the last piece, "2.png" or "2@2x.webp": the length of the number, the format, and the
 * size of "@2x"; else the size stays 0. */
static bool parse_row(const struct http_request *request, const struct target_text *text,
                      size_t *digits, struct tile_order *order, struct problem *problem)
{
    const char *dot = strrchr(text->text, '.');
    order->format = dot ? format_find(dot + 1, strlen(dot + 1)) : NULL;
    if (!order->format)
        return fail_format(request, dot ? dot + 1 : NULL, problem);
    *digits = (size_t)(dot - text->text);
    if (*digits > 3 && memcmp(dot - 3, "@2x", 3) == 0) {
        *digits -= 3;
        order->size = 512;
    }
    return true;
}

/* The size: size=, or that of "@2x", or the format's own. */
static bool set_size(const char *text, struct tile_order *order, struct problem *problem)
{
    const struct format *format = order->format;
    const uint32_t size_2x = order->size;
    int64_t size = size_2x ? size_2x : format->size;
    if (text && !number_parse_integer(text, strlen(text), 1, 512, &size))
        size = 0;
    order->size = (uint32_t)size;
    if (!format_allows_size(format, order->size)) {
        char allowed[FORMAT_NAMES_TEXT];
        format_size_names(format, allowed);
        return problem_parameter(problem, "size", allowed,
                                 "a %s tile's size must be one of %s, not \"%s\"", format->name,
                                 allowed, text ? text : "@2x");
    }
    if (size_2x && order->size != size_2x)
        return problem_parameter(problem, "size", "512", "\"@2x\" in the path is size=512");
    return true;
}

/* Refuses a parameter that only the formats have of which the filter is true. */
static bool check_applicable(bool given, const char *name, const struct format *format,
                             format_filter *filter, struct problem *problem)
{
    char formats[FORMAT_NAMES_TEXT];
    if (filter(format) || !given)
        return true;
    format_names(filter, formats);
    return problem_parameter(problem, name, formats, "%s is for tiles of these formats only: %s",
                             name, formats);
}

static bool set_values(const struct http_request *request, struct tile_order *order,
                       struct problem *problem)
{
    const struct parameter_values *values = request->values;
    const struct format *format = order->format;
    order->columns = (uint32_t)values->columns;
    order->interval = values->interval;
    order->labels = values->labels;
    order->t = values->t;
    order->normals =
        format->globe &&
        headers_accept_extension(&request->headers, format->content_type, QUANTIZED_MESH_NORMALS);
    return check_applicable(values->given & PARAMETER_BIT(COLS), "cols", format, format_has_columns,
                            problem) &&
           check_applicable(values->given & PARAMETER_BIT(INTERVAL), "interval", format,
                            format_has_interval, problem) &&
           check_applicable(values->given & PARAMETER_BIT(LABELS), "labels", format,
                            format_has_interval, problem) &&
           set_size(values->tile_size, order, problem);
}

/* Parses {z}/{x}/{y}[@2x].{format} and takes the parameters. */
static bool parse_tile(const struct http_request *request, const struct target_text *const *path,
                       struct tile_order *order, struct problem *problem)
{
    int64_t zoom;
    size_t digits = 0;
    if (!parse_row(request, path[2], &digits, order, problem) ||
        !parse_index(path[0]->text, path[0]->length, "z", &zoom, problem) ||
        !parse_index(path[1]->text, path[1]->length, "x", &order->address.x, problem) ||
        !parse_index(path[2]->text, digits, "y", &order->address.y, problem) ||
        !set_values(request, order, problem))
        return false;
    order->address.zoom = zoom < 0 || zoom > TILE_ZOOM_MAX ? -1 : (int)zoom;
    if (order->address.zoom >= 0)
        return true;
    problem_set(problem, PROBLEM_NOT_FOUND, "zoom must be 0 … %d, not %s", TILE_ZOOM_MAX,
                path[0]->text);
    snprintf(problem->allowed, sizeof problem->allowed, "0 … %d", TILE_ZOOM_MAX);
    return false;
}

/* Not every format holds pictures of 16 bits a pixel. */
static bool check_depth(const struct tile_order *order, struct problem *problem)
{
    if (!painter_is_16bit(order->painter) || order->format->supports_16bit)
        return true;
    char names[FORMAT_NAMES_TEXT];
    format_names(format_supports_16bit, names);
    problem_set(problem, PROBLEM_NOT_FOUND,
                "the style \"%s\" has 16 bits a pixel, which %s cannot hold; its tiles are %s",
                painter_name(order->painter), order->format->name, names);
    snprintf(problem->allowed, sizeof problem->allowed, "%s", names);
    snprintf(problem->example, sizeof problem->example, "/tiles/%s/3/4/2.png",
             painter_name(order->painter));
    return false;
}

static bool check_range(const struct tile_order *order, struct problem *problem)
{
    struct error error;
    return (order->format->globe ? tile_check_globe : tile_check)(&order->address, &error) ||
           problem_from_error(problem, PROBLEM_NOT_FOUND, &error);
}

/* Begins with the tile whose path begins at the capture `first`. */
static bool read_tile(struct http_request *request, unsigned first, struct problem *problem)
{
    struct recipe *recipe = product_begin(request, PRODUCT_TILE, problem);
    return recipe && parse_tile(request, &request->captures[first], &recipe->order, problem) &&
           check_range(&recipe->order, problem);
}

/* Completes the recipe with the style of that name. */
static bool order_tile(struct http_request *request, const char *style, struct problem *problem)
{
    struct tile_order *order = &product_recipe(request)->order;
    order->world = request->worlds[0].base->world;
    order->painter = resolve_style(request, style, style ? strlen(style) : 0, problem);
    order->coding = headers_select_coding(&request->headers, order->format->codings);
    return order->painter && check_depth(order, problem);
}

static bool read_path(struct http_request *request, struct problem *problem)
{
    return read_tile(request, 1, problem);
}

static bool order_style_of_path(struct http_request *request, struct problem *problem)
{
    return order_tile(request, request->captures[0]->text, problem);
}

const struct route_steps tile_steps = {
    .read = read_path,
    .order = order_style_of_path,
    .find = product_find,
    .charge = product_charge,
};

static bool read_short_path(struct http_request *request, struct problem *problem)
{
    return read_tile(request, 0, problem);
}

static bool order_style_of_query(struct http_request *request, struct problem *problem)
{
    return order_tile(request, request->values->style, problem);
}

const struct route_steps tile_by_query_steps = {
    .read = read_short_path,
    .order = order_style_of_query,
    .find = product_find,
    .charge = product_charge,
};
