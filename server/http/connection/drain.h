/* The drain: a server ends without a failed request.
 *
 * During the grace period /readyz says 503, so that load balancers send new clients elsewhere, and
 * every response closes its connection, so that clients with open connections come back on a new
 * one; all else goes on, accepting included. Then each loop accepts what waits on its listeners and
 * closes them, answers requests that cross with the end of their connection, and finishes what has
 * begun. At the deadline waiting jobs are cancelled and new requests refused with 503. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_DRAIN_H
#define TERRANE_SERVER_HTTP_CONNECTION_DRAIN_H

#include <stdbool.h>
#include <stdint.h>

struct event_loop;
struct event_loops;

/* All atomic. */
struct drain {
    bool begun;
    bool refusing;               /* the deadline has passed: new requests are answered 503 */
    int64_t grace_end, deadline; /* by clock_milliseconds() */
    unsigned loops_ended;
};

/* From any thread. */
bool drain_has_begun(const struct drain *drain);
bool drain_is_refusing(const struct drain *drain);
/* A loop's thread is about to end. */
void drain_loop_ended(struct event_loops *group);

/* On the loop's thread, once: returns when the loop's daemons may be stopped. */
void drain_loop(struct event_loop *loop);

#endif
