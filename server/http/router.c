#include "server/http/router.h"

#include <stdio.h>
#include <string.h>

#include "server/http/handlers.h"
#include "server/http/response.h"

static const struct route routes[] = {
    {ROUTE_TOP, "", METHOD_GET, "", handle_index},
    {ROUTE_TOP, "viewer/*", METHOD_GET, "", handle_viewer},
    {ROUTE_TOP, "livez", METHOD_GET, "", handle_livez},
    {ROUTE_TOP, "readyz", METHOD_GET, "", handle_readyz},
    {ROUTE_TOP, "metrics", METHOD_GET, "", handle_metrics},
    {ROUTE_TOP, "version", METHOD_GET, "pretty", handle_version},
    {ROUTE_TOP, "openapi.json", METHOD_GET, "pretty", handle_openapi},
    {ROUTE_TOP, "worlds", METHOD_GET, "pretty", handle_worlds},
    {ROUTE_TOP, "worlds/{world}", METHOD_GET, "pretty", handle_world},
    {ROUTE_TOP, "tiles/{z}/{x}/{y}", METHOD_GET, "world style size t interval cols",
     handle_short_tile},
    {ROUTE_WORLD, "tiles/{style}/{z}/{x}/{y}", METHOD_GET, "size t interval cols", handle_tile},
    {ROUTE_WORLD, "tiles/{style}", METHOD_GET, "size format pretty", handle_tilejson},
    {ROUTE_WORLD, "tiles.json", METHOD_GET, "size format pretty", handle_tilejson},
    {ROUTE_WORLD, "style.json", METHOD_GET, "pretty", handle_style},
    {ROUTE_WORLD, "wmts.xml", METHOD_GET, "style service request version SERVICE REQUEST VERSION",
     handle_wmts},
    {ROUTE_WORLD, "gdal.xml", METHOD_GET, "style", handle_gdal},
    {ROUTE_WORLD, "at", METHOD_GET, "x y lon lat z t zoom format pretty", handle_at},
    {ROUTE_WORLD, "heights", METHOD_POST, "pretty", handle_heights},
    {ROUTE_WORLD, "profile", METHOD_GET, "line samples format pretty", handle_question},
    {ROUTE_WORLD, "profile.svg", METHOD_GET, "line samples", handle_question},
    {ROUTE_WORLD, "stats", METHOD_GET, "bbox samples format pretty", handle_question},
    {ROUTE_WORLD, "objects", METHOD_GET, "bbox kind format pretty", handle_question},
    {ROUTE_WORLD, "objects.geojson", METHOD_GET, "bbox kind pretty", handle_question},
    {ROUTE_WORLD, "locate", METHOD_GET, "biome min_height x y lon lat radius format pretty",
     handle_question},
    {ROUTE_WORLD, "spawn", METHOD_GET, "x y lon lat radius format pretty", handle_question},
    {ROUTE_WORLD, "sight", METHOD_GET, "from to format pretty", handle_question},
    {ROUTE_WORLD, "diff", METHOD_GET, "a b bbox samples format pretty", handle_diff},
    {ROUTE_WORLD, "explain", METHOD_GET, "x y lon lat z t zoom format pretty", handle_question},
    {ROUTE_WORLD, "chunks/{x}/{y}", METHOD_GET, "size step apron layers t", handle_chunk},
    {ROUTE_WORLD, "chunks", METHOD_POST, "", handle_chunks},
    {ROUTE_WORLD, "verify", METHOD_GET, "chunk size step apron layers t digest format pretty",
     handle_verify},
    {ROUTE_WORLD, "volumes/{x}/{y}/{z}", METHOD_GET, "layer size step t", handle_volume},
};

enum { ROUTE_COUNT = sizeof routes / sizeof *routes };

const struct route *router_at(size_t index)
{
    return index < ROUTE_COUNT ? &routes[index] : NULL;
}

size_t router_count(void)
{
    return ROUTE_COUNT;
}

size_t router_index(const struct route *route)
{
    return route ? (size_t)(route - routes) : ROUTE_COUNT;
}

static bool segment_equals(const struct request_text *segment, const char *text, size_t length)
{
    return segment->length == length && memcmp(segment->text, text, length) == 0;
}

/* Whether the segments are what the pattern says; fills the captures. */
static bool match(const char *pattern, const struct request_text *segments, unsigned count,
                  const struct request_text **captures)
{
    unsigned at = 0, captured = 0;
    while (*pattern) {
        size_t length = strcspn(pattern, "/");
        if (at == count)
            return false;
        if (pattern[0] == '*')
            return true;
        if (pattern[0] == '{' && segments[at].length > 0)
            captures[captured++] = &segments[at];
        else if (!segment_equals(&segments[at], pattern, length))
            return false;
        at++;
        pattern += length + (pattern[length] == '/');
    }
    return at == count;
}

static bool route_matches(const struct route *route, struct exchange *exchange)
{
    const struct request *request = &exchange->request;
    const struct request_text *segments = request->segments;
    unsigned count = request->segment_count;
    exchange->world_text = NULL;
    memset(exchange->captures, 0, sizeof exchange->captures);
    if (match(route->pattern, segments, count, exchange->captures))
        return true;
    if (route->scope != ROUTE_WORLD || count < 3 || !segment_equals(segments, "worlds", 6) ||
        segments[1].length == 0)
        return false;
    exchange->world_text = &segments[1];
    return match(route->pattern, segments + 2, count - 2, exchange->captures);
}

static const char *allow_text(unsigned methods)
{
    return methods & METHOD_POST ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

static bool method_allowed(const struct route *route, enum method method)
{
    if (method == METHOD_OPTIONS)
        return true;
    return route->methods & (unsigned)(method == METHOD_HEAD ? METHOD_GET : method);
}

bool router_find(struct exchange *exchange, struct problem *problem)
{
    const struct route *found = NULL;
    if (exchange->request.asterisk)
        return true;
    for (size_t i = 0; i < ROUTE_COUNT && !found; i++)
        if (route_matches(&routes[i], exchange))
            found = &routes[i];
    if (!found) {
        problem_set(problem, PROBLEM_NOT_FOUND,
                    "there is nothing at this path; \"GET /\" tells what there is");
        return false;
    }
    exchange->route = found;
    if (method_allowed(found, exchange->method))
        return true;
    problem_set(problem, PROBLEM_METHOD, "this path takes %s", allow_text(found->methods));
    problem->allow = allow_text(found->methods);
    return false;
}

enum { NAMES_MAX = 16, NAMES_TEXT = 128 };

/* The route's parameters: as an array, whose number it returns, and as a list to read. */
static size_t split_names(const char *parameters, char text[NAMES_TEXT], const char **names,
                          char list[2 * NAMES_TEXT])
{
    size_t count = 0, used = 0;
    snprintf(text, NAMES_TEXT, "%s", parameters);
    list[0] = '\0';
    char *rest = text;
    for (char *name; count < NAMES_MAX && (name = strsep(&rest, " "));) {
        if (!*name)
            continue;
        used +=
            (size_t)snprintf(list + used, 2 * NAMES_TEXT - used, "%s%s", count ? ", " : "", name);
        names[count++] = name;
    }
    return count;
}

static bool unknown_parameter(const struct route *route, const char *name, struct problem *problem)
{
    char text[NAMES_TEXT], list[2 * NAMES_TEXT];
    const char *names[NAMES_MAX];
    size_t count = split_names(route->parameters, text, names, list);
    if (count == 0)
        return problem_parameter(problem, name, "", "this path takes no parameters, not \"%s\"",
                                 name);
    const char *near = error_suggest(name, names, count);
    if (near)
        return problem_parameter(problem, name, list,
                                 "unknown parameter \"%s\" (did you mean \"%s\"?)", name, near);
    return problem_parameter(problem, name, list, "unknown parameter \"%s\"", name);
}

static bool is_parameter(const char *parameters, const struct request_text *name)
{
    for (const char *at = parameters; *at;) {
        size_t length = strcspn(at, " ");
        if (segment_equals(name, at, length))
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool check_parameters(const struct route *route, const struct request *request,
                             struct problem *problem)
{
    for (unsigned i = 0; i < request->argument_count; i++) {
        const struct request_text *name = &request->arguments[i].name;
        if (!is_parameter(route->parameters, name))
            return unknown_parameter(route, name->text, problem);
        if (request_find(request, name->text) != &request->arguments[i])
            return problem_parameter(problem, name->text, "", "\"%s\" is given more than once",
                                     name->text);
    }
    return true;
}

enum handled router_run(struct exchange *exchange, struct problem *problem)
{
    const struct route *route = exchange->route;
    if (exchange->method == METHOD_OPTIONS)
        return response_options(exchange,
                                route ? allow_text(route->methods) : "GET, HEAD, POST, OPTIONS");
    if (!check_parameters(route, &exchange->request, problem))
        return FAILED;
    return route->handle(exchange, problem);
}
