/* Matching paths and dispatching requests by the table of routes.
 *
 * The rows are tried in order, segment by segment; with some 30 short patterns this takes a
 * fraction of a microsecond, so there is no tree. A path is looked up first and its method checked
 * then: an unknown path is 404, a known one with another method 405. Unknown and repeated
 * parameters are refused before the handler is called, whatever the handler reads. */
#include "server/http/routes/router.h"

#include <stdio.h>
#include <string.h>

#include "server/http/request/parameters.h"
#include "server/http/response/response.h"

static bool segment_equals(const struct target_text *segment, const char *text, size_t length)
{
    return segment->length == length && memcmp(segment->text, text, length) == 0;
}

/* True if the segments match the pattern. Fills the captures. */
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

/* Tries the pattern on the whole path, and for routes of a world on what follows /worlds/{world}.
 * Fills `world_text` and the captures, which point into the target. */
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

static const char *allowed_methods(const struct route *route)
{
    return route->body ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

static bool method_allowed(const struct route *route, enum method method)
{
    return method & (METHOD_OPTIONS | (route->body ? METHOD_POST : METHOD_GET | METHOD_HEAD));
}

bool router_match(struct http_request *request, struct problem *problem)
{
    const struct route *found = NULL;
    if (request->target.asterisk)
        return true;
    for (size_t i = 0; (found = router_route_at(i)) && !route_matches(found, request);)
        i++;
    if (!found) {
        problem_set(problem, PROBLEM_NOT_FOUND,
                    "there is nothing at this path; \"GET /\" tells what there is");
        return false;
    }
    request->route = found;
    if (method_allowed(found, request->method))
        return true;
    problem_set(problem, PROBLEM_METHOD, "this path takes %s", allowed_methods(found));
    problem->allow = allowed_methods(found);
    return false;
}

bool router_read_parameters(const struct http_request *request, struct parameter_values *values,
                            struct problem *problem)
{
    return request_parameters_read(request->route->parameters, &request->target, values, problem);
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
    if (route && !problem->example[0] && is_client_error(problem))
        snprintf(problem->example, sizeof problem->example, "%.*s",
                 (int)strcspn(route->examples, " "), route->examples);
}

enum handler_result router_dispatch(struct http_request *request, struct problem *problem)
{
    const struct route *route = request->route;
    if (request->method == METHOD_OPTIONS)
        return response_options(request,
                                route ? allowed_methods(route) : "GET, HEAD, POST, OPTIONS");
    if (!request_parameters_check(route->parameters, &request->target, problem))
        return HANDLER_FAILED;
    return route->handle(request, problem);
}
