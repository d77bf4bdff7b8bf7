#include "server/http/routes/router.h"

#include <stdio.h>
#include <string.h>

#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/openapi.h"

static const struct route routes[] = {
    {ROUTE_FIXED, "", METHOD_GET, "", handle_index},
    {ROUTE_FIXED, "viewer/*", METHOD_GET, "", handle_viewer},
    {ROUTE_FIXED, "livez", METHOD_GET, "", handle_livez},
    {ROUTE_FIXED, "readyz", METHOD_GET, "", handle_readyz},
    {ROUTE_FIXED, "metrics", METHOD_GET, "", handle_metrics},
    {ROUTE_FIXED, "version", METHOD_GET, "pretty", handle_version},
    {ROUTE_FIXED, "openapi.json", METHOD_GET, "pretty", handle_openapi},
    {ROUTE_FIXED, "worlds", METHOD_GET, "pretty", handle_worlds},
    {ROUTE_FIXED, "worlds/{world}", METHOD_GET, "pretty", handle_world},
    {ROUTE_FIXED, "tiles/{z}/{x}/{y}", METHOD_GET, "world style size t interval cols",
     handle_tile_by_query},
    {ROUTE_WORLD, "tiles/{style}/{z}/{x}/{y}", METHOD_GET, "size t interval cols", handle_tile},
    {ROUTE_WORLD, "tiles/{style}", METHOD_GET, "size format pretty", handle_tilejson},
    {ROUTE_WORLD, "tiles.json", METHOD_GET, "size format pretty", handle_tilejson},
    {ROUTE_WORLD, "style.json", METHOD_GET, "pretty", handle_style},
    {ROUTE_WORLD, "wmts.xml", METHOD_GET, "style service request version SERVICE REQUEST VERSION",
     handle_wmts},
    {ROUTE_WORLD, "gdal.xml", METHOD_GET, "style", handle_gdal},
    {ROUTE_WORLD, "at", METHOD_GET, "x y lon lat z t zoom format pretty", handle_at},
    {ROUTE_WORLD, "heights", METHOD_POST, "pretty", handle_heights},
    {ROUTE_WORLD, "profile", METHOD_GET, "line samples format pretty", handle_query},
    {ROUTE_WORLD, "profile.svg", METHOD_GET, "line samples", handle_query},
    {ROUTE_WORLD, "stats", METHOD_GET, "bbox samples format pretty", handle_query},
    {ROUTE_WORLD, "objects", METHOD_GET, "bbox kind format pretty", handle_query},
    {ROUTE_WORLD, "objects.geojson", METHOD_GET, "bbox kind pretty", handle_query},
    {ROUTE_WORLD, "locate", METHOD_GET, "biome min_height x y lon lat radius format pretty",
     handle_query},
    {ROUTE_WORLD, "spawn", METHOD_GET, "x y lon lat radius format pretty", handle_query},
    {ROUTE_WORLD, "sight", METHOD_GET, "from to format pretty", handle_query},
    {ROUTE_WORLD, "diff", METHOD_GET, "a b bbox samples format pretty", handle_diff},
    {ROUTE_WORLD, "explain", METHOD_GET, "x y lon lat z t zoom format pretty", handle_query},
    {ROUTE_WORLD, "chunks/{x}/{y}", METHOD_GET, "size step apron layers t", handle_chunk},
    {ROUTE_WORLD, "chunks", METHOD_POST, "", handle_chunks},
    {ROUTE_WORLD, "verify", METHOD_GET, "chunk size step apron layers t digest format pretty",
     handle_verify},
    {ROUTE_WORLD, "volumes/{x}/{y}/{z}", METHOD_GET, "layer size step t", handle_volume},
};

enum { ROUTE_COUNT = sizeof routes / sizeof *routes };

const struct route *router_route_at(size_t index)
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

static bool segment_equals(const struct target_text *segment, const char *text, size_t length)
{
    return segment->length == length && memcmp(segment->text, text, length) == 0;
}

/* Whether the segments are what the pattern says; fills the captures. */
static bool match_pattern(const char *pattern, const struct target_text *segments, unsigned count,
                          const struct target_text **captures)
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

static bool route_matches(const struct route *route, struct http_request *request)
{
    const struct http_target *target = &request->target;
    const struct target_text *segments = target->segments;
    unsigned count = target->segment_count;
    request->world_text = NULL;
    memset(request->captures, 0, sizeof request->captures);
    if (match_pattern(route->pattern, segments, count, request->captures))
        return true;
    if (route->scope != ROUTE_WORLD || count < 3 || !segment_equals(segments, "worlds", 6) ||
        segments[1].length == 0)
        return false;
    request->world_text = &segments[1];
    return match_pattern(route->pattern, segments + 2, count - 2, request->captures);
}

static const char *allowed_methods(unsigned methods)
{
    return methods & METHOD_POST ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

static bool method_allowed(const struct route *route, enum method method)
{
    if (method == METHOD_OPTIONS)
        return true;
    return route->methods & (unsigned)(method == METHOD_HEAD ? METHOD_GET : method);
}

bool router_match(struct http_request *request, struct problem *problem)
{
    const struct route *found = NULL;
    if (request->target.asterisk)
        return true;
    for (size_t i = 0; i < ROUTE_COUNT && !found; i++)
        if (route_matches(&routes[i], request))
            found = &routes[i];
    if (!found) {
        problem_set(problem, PROBLEM_NOT_FOUND,
                    "there is nothing at this path; \"GET /\" tells what there is");
        return false;
    }
    request->route = found;
    if (method_allowed(found, request->method))
        return true;
    problem_set(problem, PROBLEM_METHOD, "this path takes %s", allowed_methods(found->methods));
    problem->allow = allowed_methods(found->methods);
    return false;
}

enum { PARAMETERS_MAX = 16, PARAMETERS_TEXT_SIZE = 128 };

/* The route's parameters: as an array, whose number it returns, and as a list to read. */
static size_t split_parameter_names(const char *parameters, char text[PARAMETERS_TEXT_SIZE],
                                    const char **names, char list[2 * PARAMETERS_TEXT_SIZE])
{
    size_t count = 0, used = 0;
    snprintf(text, PARAMETERS_TEXT_SIZE, "%s", parameters);
    list[0] = '\0';
    char *rest = text;
    for (char *name; count < PARAMETERS_MAX && (name = strsep(&rest, " "));) {
        if (!*name)
            continue;
        used += (size_t)snprintf(list + used, 2 * PARAMETERS_TEXT_SIZE - used, "%s%s",
                                 count ? ", " : "", name);
        names[count++] = name;
    }
    return count;
}

static bool fail_unknown_parameter(const struct route *route, const char *name,
                                   struct problem *problem)
{
    char text[PARAMETERS_TEXT_SIZE], list[2 * PARAMETERS_TEXT_SIZE];
    const char *names[PARAMETERS_MAX];
    size_t count = split_parameter_names(route->parameters, text, names, list);
    if (count == 0)
        return problem_parameter(problem, name, "", "this path takes no parameters, not \"%s\"",
                                 name);
    const char *near = error_suggest(name, names, count);
    if (near)
        return problem_parameter(problem, name, list,
                                 "unknown parameter \"%s\" (did you mean \"%s\"?)", name, near);
    return problem_parameter(problem, name, list, "unknown parameter \"%s\"", name);
}

static bool is_parameter(const char *parameters, const struct target_text *name)
{
    for (const char *at = parameters; *at;) {
        size_t length = strcspn(at, " ");
        if (segment_equals(name, at, length))
            return true;
        at += length + (at[length] == ' ');
    }
    return false;
}

static bool check_parameters(const struct route *route, const struct http_target *target,
                             struct problem *problem)
{
    for (unsigned i = 0; i < target->parameter_count; i++) {
        const struct target_text *name = &target->parameters[i].name;
        if (!is_parameter(route->parameters, name))
            return fail_unknown_parameter(route, name->text, problem);
        if (target_find(target, name->text) != &target->parameters[i])
            return problem_parameter(problem, name->text, "", "\"%s\" is given more than once",
                                     name->text);
    }
    return true;
}

enum handler_result router_dispatch(struct http_request *request, struct problem *problem)
{
    const struct route *route = request->route;
    if (request->method == METHOD_OPTIONS)
        return response_options(request, route ? allowed_methods(route->methods)
                                               : "GET, HEAD, POST, OPTIONS");
    if (!check_parameters(route, &request->target, problem))
        return HANDLER_FAILED;
    return route->handle(request, problem);
}

/* For these an example of a request that works is of use. */
static bool is_client_error(const struct problem *problem)
{
    return problem->kind == PROBLEM_PATH || problem->kind == PROBLEM_PARAMETER ||
           problem->kind == PROBLEM_BODY || problem->kind == PROBLEM_NOT_FOUND ||
           problem->kind == PROBLEM_GONE || problem->kind == PROBLEM_TOO_LARGE;
}

void router_add_example(const struct route *route, struct problem *problem)
{
    const struct openapi_route *row;
    if (!route || problem->example[0] || !is_client_error(problem))
        return;
    for (size_t i = 0; (row = openapi_route_at(i)); i++)
        if (strcmp(row->pattern, route->pattern) == 0) {
            snprintf(problem->example, sizeof problem->example, "%s", row->examples[0]);
            return;
        }
}
