/* Which handler answers a path: the table of routes. */
#ifndef TERRANE_SERVER_HTTP_ROUTER_H
#define TERRANE_SERVER_HTTP_ROUTER_H

#include "server/http/exchange.h"

enum route_scope {
    ROUTE_TOP,   /* the pattern is the whole path */
    ROUTE_WORLD, /* so it is, for the default world; or /worlds/{world}/ stands in front */
};

struct route {
    enum route_scope scope;
    const char *pattern;    /* segments; "{…}" captures one, a last "*" stands for one or more */
    unsigned methods;       /* METHOD_GET (HEAD comes with it) or METHOD_POST */
    const char *parameters; /* names in the query that it takes, with single spaces */
    exchange_handler *handle;
};

/* The table's rows in the order in which they are tried; null behind the last. */
const struct route *router_at(size_t index);
size_t router_count(void);
/* The row's index; their number for null. */
size_t router_index(const struct route *route);

/* Sets the exchange's route and captures; false with 404 or 405. */
bool router_find(struct exchange *exchange, struct problem *problem);
/* Checks the names in the query and calls the handler; answers OPTIONS. */
enum handled router_run(struct exchange *exchange, struct problem *problem);

#endif
