/* The table of routes, whose rows server/http/openapi/route.h describes, and which of them answers
 * a path. The queries of server/queries/query.h add rows of their own. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_ROUTER_H
#define TERRANE_SERVER_HTTP_ROUTES_ROUTER_H

#include "server/http/openapi/route.h"
#include "server/http/routes/steps.h"

/* The rows in the order in which they are tried. */
struct route_table router_table(void);
/* One of them; null behind the last. */
const struct route *router_route_at(size_t index);
size_t router_count(void);
/* The row's index; their number for null. */
size_t router_index(const struct route *route);

/* What a path has in place of the braces of a pattern: segments of it. */
struct route_match {
    const struct target_text *world_text; /* of "/worlds/{world}" in front, else null */
    const struct target_text *captures[HTTP_REQUEST_CAPTURES_MAX];
};
/* Tries the pattern on the whole path, and for routes of a world on what follows /worlds/{world}.
 */
bool router_matches(const struct route *route, const struct target_text *segments, unsigned count,
                    struct route_match *match);

/* Appends the template of the address below the world: "/at?x={x}&y={y}". */
void router_append_url(const struct route *route, struct buffer *out);

/* Sets the request's route and captures; false with 404 or 405. */
bool router_match(struct http_request *request, struct problem *problem);
/* Takes the steps of the request's route; answers OPTIONS. */
enum handler_result router_dispatch(struct http_request *request, struct problem *problem);
/* Adds an example of the route to the problem, if it has none and one is of use: that which shares
 * most parameters with the request. */
void router_add_example(const struct http_request *request, struct problem *problem);

#endif
