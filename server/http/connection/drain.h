/* How a server ends without a failed request. From drain_begin() on /readyz says 503, so that load
 * balancers look elsewhere, and every answer closes its connection, so that clients that keep
 * theirs open come back on a new one. For the time to settle all else goes on, accepting included.
 * Then what waits to be accepted is accepted and the listening sockets are closed, clients of the
 * last moment get their answer, and what is being answered ends. Only past the deadline are waiting
 * jobs given up and requests refused. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_DRAIN_H
#define TERRANE_SERVER_HTTP_CONNECTION_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

struct http_server;
struct event_loop;

struct drain {
    /* All atomic. */
    bool begun;
    bool refusing;
    int64_t grace_end, deadline; /* by clock_milliseconds() */
    unsigned loops_ended;        /* loops */
};

bool server_is_draining(const struct http_server *server);
/* Whether what is new is answered 503. */
bool server_is_refusing(const struct http_server *server);
/* What /readyz says. */
bool server_is_ready(const struct http_server *server);
/* A loop's last word. */
void drain_loop_ended(struct http_server *server);

/* On the loop's thread, once: returns when its daemon may be stopped. */
void drain_loop(struct event_loop *loop);

#endif
