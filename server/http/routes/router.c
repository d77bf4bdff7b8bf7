/* Matching paths and dispatching requests by the table of routes.
 *
 * The rows are tried in order, segment by segment; with some 30 short patterns this takes a
 * fraction of a microsecond, so there is no tree. A path is looked up first and its method checked
 * then: an unknown path is 404, a known one with another method 405. What follows stands in
 * steps.c. */
#include "server/http/routes/router.h"

#include <stdio.h>
#include <string.h>

#include "server/http/response/response.h"
#include "server/http/routes/guess.h"

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

bool router_matches(const struct route *route, const struct target_text *segments, unsigned count,
                    struct route_match *match)
{
    *match = (struct route_match){0};
    if (match_pattern(route->pattern, segments, count, match->captures)) {
        match->world_text = route->scope == ROUTE_OF_WORLD ? match->captures[0] : NULL;
        return true;
    }
    if (route->scope != ROUTE_WORLD || count < 3 || !segment_equals(segments, "worlds", 6) ||
        segments[1].length == 0)
        return false;
    match->world_text = &segments[1];
    return match_pattern(route->pattern, segments + 2, count - 2, match->captures);
}

static const char *allowed_methods(const struct route *route)
{
    return route->body ? "POST, OPTIONS" : "GET, HEAD, OPTIONS";
}

static bool method_allowed(const struct route *route, enum method method)
{
    return method & (METHOD_OPTIONS | (route->body ? METHOD_POST : METHOD_GET | METHOD_HEAD));
}

/* The example is the same request at the path that was meant. */
static bool fail_with_guess(const struct http_request *request, struct problem *problem)
{
    struct buffer target = {0};
    const enum guess guess = guess_path(request, &target);
    if (guess == GUESS_NONE || target.failed)
        return problem_set(problem, PROBLEM_NOT_FOUND,
                           "there is nothing at this path; \"GET /\" tells what there is");
    problem_set(problem, PROBLEM_NOT_FOUND,
                "there is nothing at this path; did you mean \"%.200s\"?%s", buffer_string(&target),
                guess == GUESS_PREFIX
                    ? " A proxy must leave out its own prefix and the slash behind it."
                    : "");
    guess_set_example(problem, &target);
    return false;
}

bool router_match(struct http_request *request, struct problem *problem)
{
    const struct http_target *target = &request->target;
    const struct route *found = NULL;
    struct route_match match;
    if (target->asterisk)
        return true;
    for (size_t i = 0; (found = router_route_at(i)) &&
                       !router_matches(found, target->segments, target->segment_count, &match);)
        i++;
    if (!found)
        return fail_with_guess(request, problem);
    request->route = found;
    request->world_text = match.world_text;
    memcpy(request->captures, match.captures, sizeof request->captures);
    if (method_allowed(found, request->method))
        return true;
    problem_set(problem, PROBLEM_METHOD, "this path takes %s", allowed_methods(found));
    problem->allow = allowed_methods(found);
    return false;
}

/* For these an example of a request that works is of use. */
static bool is_client_error(const struct problem *problem)
{
    return problem->kind == PROBLEM_PATH || problem->kind == PROBLEM_PARAMETER ||
           problem->kind == PROBLEM_BODY || problem->kind == PROBLEM_NOT_FOUND ||
           problem->kind == PROBLEM_GONE || problem->kind == PROBLEM_TOO_LARGE;
}

/* True if an example, which ends at a space, has the parameter of that name. */
static bool has_parameter(const char *example, const char *name)
{
    const size_t length = strlen(name);
    for (size_t i = strcspn(example, "? "); example[i] == '?' || example[i] == '&';
         i += 1 + strcspn(example + i + 1, "& "))
        if (strncmp(example + i + 1, name, length) == 0 && example[i + 1 + length] == '=')
            return true;
    return false;
}

/* How many of a request's parameters an example has. */
static unsigned count_shared(const struct http_target *target, const char *example)
{
    unsigned count = 0;
    for (unsigned i = 0; i < target->parameter_count; i++)
        count += has_parameter(example, target->parameters[i].name.text);
    return count;
}

void router_add_example(const struct http_request *request, struct problem *problem)
{
    if (!request->route || problem->example[0] || !is_client_error(problem))
        return;
    const char *best = request->route->examples;
    unsigned most = count_shared(&request->target, best);
    for (const char *next = strchr(best, ' '); next; next = strchr(next + 1, ' ')) {
        const unsigned count = count_shared(&request->target, next + 1);
        best = count > most ? next + 1 : best;
        most = count > most ? count : most;
    }
    snprintf(problem->example, sizeof problem->example, "%.*s", (int)strcspn(best, " "), best);
}

enum handler_result router_dispatch(struct http_request *request, struct problem *problem)
{
    const struct route *route = request->route;
    if (request->method == METHOD_OPTIONS)
        return response_options(request,
                                route ? allowed_methods(route) : "GET, HEAD, POST, OPTIONS");
    return steps_take(request, problem);
}
