#include <stdio.h>
#include <string.h>

#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/render.h"
#include "server/http/resolve.h"
#include "server/http/tile.h"

static const char example[] = "/tiles/3/4/2.png";

static bool bad_address(struct problem *problem, const char *name, const char *text)
{
    problem_set(problem, PROBLEM_PATH, "%s must be a whole number, not \"%s\"", name, text);
    snprintf(problem->parameter, sizeof problem->parameter, "%s", name);
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}

static bool parse_index(const char *text, size_t length, const char *name, int64_t *value,
                        struct problem *problem)
{
    if (number_parse_integer(text, length, INT64_MIN, INT64_MAX, value))
        return true;
    return bad_address(problem, name, text);
}

static bool bad_format(struct problem *problem, const char *format)
{
    if (format)
        problem_set(problem, PROBLEM_NOT_FOUND, "there is no format \"%s\"; tiles are png", format);
    else
        problem_set(problem, PROBLEM_NOT_FOUND, "a tile's path ends in its format: .png");
    snprintf(problem->allowed, sizeof problem->allowed, "png");
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}

/* "2.png", "2@2x.png": the length of the number in front, and the size if it says one. */
static bool parse_row(const struct request_text *text, size_t *digits, uint32_t *size,
                      struct problem *problem)
{
    const char *dot = strrchr(text->text, '.');
    if (!dot || strcmp(dot, ".png") != 0)
        return bad_format(problem, dot ? dot + 1 : NULL);
    *digits = (size_t)(dot - text->text);
    if (*digits > 3 && memcmp(dot - 3, "@2x", 3) == 0) {
        *digits -= 3;
        *size = 512;
    }
    return true;
}

/* {z}/{x}/{y}[@2x].png and ?size=. */
static bool parse_tile(const struct request *request, const struct request_text *const *path,
                       struct recipe *recipe, struct problem *problem)
{
    int64_t zoom;
    size_t digits;
    uint32_t doubled = 0;
    if (!parse_row(path[2], &digits, &doubled, problem) ||
        !parse_index(path[0]->text, path[0]->length, "z", &zoom, problem) ||
        !parse_index(path[1]->text, path[1]->length, "x", &recipe->address.x, problem) ||
        !parse_index(path[2]->text, digits, "y", &recipe->address.y, problem))
        return false;
    recipe->size = doubled ? doubled : 256;
    if (!argument_size(request, &recipe->size, problem))
        return false;
    if (doubled && recipe->size != doubled)
        return problem_parameter(problem, "size", "512", "\"@2x\" in the path is size=512");
    recipe->address.zoom = zoom < 0 || zoom > TILE_ZOOM_MAX ? -1 : (int)zoom;
    if (recipe->address.zoom >= 0)
        return argument_moment(request, "t", &recipe->t, problem);
    problem_set(problem, PROBLEM_NOT_FOUND, "zoom must be 0 … %d, not %s", TILE_ZOOM_MAX,
                path[0]->text);
    snprintf(problem->allowed, sizeof problem->allowed, "0 … %d", TILE_ZOOM_MAX);
    return false;
}

static bool check_range(const struct tile_address *address, struct problem *problem)
{
    struct error error;
    return tile_check(address, &error) || problem_from_error(problem, PROBLEM_NOT_FOUND, &error);
}

/* The contract: under a pinned world for ever. Colours and ranges are in no world's fingerprint, so
 * whoever wants to see a style's edits pins the style as well, as every document does. */
static enum cache_policy tile_policy(const struct exchange *exchange)
{
    return exchange->world_pinned ? CACHE_FOR_EVER : CACHE_REVALIDATE;
}

static enum handled tile_rendered(struct exchange *exchange, struct problem *problem)
{
    (void)problem; /* the flight filled the exchange's, which it is */
    if (!exchange->tile)
        return FAILED;
    return tile_answer(exchange, exchange->rendered, tile_policy(exchange));
}

/* From the cache, or 304 from the recipe alone, or by rendering. */
static enum handled find_tile(struct exchange *exchange, const struct recipe *recipe)
{
    struct cache_key key;
    char etag[ETAG_TEXT];
    recipe_key(recipe, &key);
    exchange->tile = tile_of_value(memory_cache_get(exchange->loop->server->cache, &key));
    if (exchange->tile)
        return tile_answer(exchange, false, tile_policy(exchange));
    etag_write(key.hash, etag);
    if (headers_match(&exchange->headers, etag))
        return response_not_modified(exchange, etag, tile_policy(exchange));
    return render_tile(exchange, recipe, &key, tile_rendered);
}

static enum handled serve_tile(struct exchange *exchange, const struct request_text *world,
                               const struct request_text *style, unsigned first,
                               struct problem *problem)
{
    struct recipe recipe = {.t = 0};
    if (!parse_tile(&exchange->request, &exchange->captures[first], &recipe, problem) ||
        !check_range(&recipe.address, problem))
        return FAILED;
    enum handled resolved = resolve_world(exchange, world, problem);
    if (resolved != HANDLED)
        return resolved;
    recipe.world = exchange->world;
    recipe.painter = resolve_style(exchange, style, problem);
    return recipe.painter ? find_tile(exchange, &recipe) : FAILED;
}

enum handled handle_tile(struct exchange *exchange, struct problem *problem)
{
    return serve_tile(exchange, exchange->world_text, exchange->captures[0], 1, problem);
}

enum handled handle_short_tile(struct exchange *exchange, struct problem *problem)
{
    const struct request_argument *world = request_find(&exchange->request, "world");
    const struct request_argument *style = request_find(&exchange->request, "style");
    return serve_tile(exchange, world ? &world->value : NULL, style ? &style->value : NULL, 0,
                      problem);
}
