/* Which handler answers a path: the table of routes. */
#ifndef TERRANE_SERVER_HTTP_ROUTES_ROUTER_H
#define TERRANE_SERVER_HTTP_ROUTES_ROUTER_H

#include "server/http/jobs/http_request.h"

enum route_scope {
    ROUTE_FIXED, /* the pattern is the whole path */
    ROUTE_WORLD, /* so it is, for the default world; or /worlds/{world}/ stands in front */
};

struct route {
    enum route_scope scope;
    const char *pattern;    /* segments; "{…}" captures one, a last "*" stands for one or more */
    unsigned methods;       /* METHOD_GET (HEAD comes with it) or METHOD_POST */
    const char *parameters; /* names in the query that it takes, with single spaces */
    http_handler *handle;
};

/* The table's rows in the order in which they are tried; null behind the last. */
const struct route *router_route_at(size_t index);
size_t router_count(void);
/* The row's index; their number for null. */
size_t router_index(const struct route *route);

/* Sets the exchange's route and captures; false with 404 or 405. */
bool router_match(struct http_request *request, struct problem *problem);
/* Checks the names in the query and calls the handler; answers OPTIONS. */
enum handler_result router_dispatch(struct http_request *request, struct problem *problem);
/* Adds the route's example of a request that works to an error of the client that has none. */
void router_add_example(const struct route *route, struct problem *problem);

#endif
