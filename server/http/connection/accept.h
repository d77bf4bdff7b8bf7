/* Taking new clients: limits of connections in all and by address, and what happens when there are
 * no file descriptors. All on the loop's thread.
 *
 * At the limit, connections that have waited longest for a request make room; where there are none,
 * and while descriptors are lacking, the loop does not look at its listeners for a moment and new
 * clients wait in the kernel's queue. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_ACCEPT_H
#define TERRANE_SERVER_HTTP_CONNECTION_ACCEPT_H

#include <microhttpd.h>

#include "server/http/connection/event_loop.h"

/* Takes some of the clients that wait at a listener. */
void accept_connections(struct event_loop *loop, struct listener *listener);
/* Milliseconds, at most `max`, until accept_resume() has something to do; calling it is cheap. */
int64_t accept_timeout(const struct event_loop *loop, int64_t max);
void accept_resume(struct event_loop *loop);

/* Of a connection; null before it is known. For the loop's thread, as long as the connection is. */
struct connection *accept_connection_of(struct MHD_Connection *mhd_connection);

/* libmicrohttpd's callback for the beginning and end of connections; `context` is the loop. */
void accept_notify(void *context, struct MHD_Connection *mhd_connection, void **slot,
                   enum MHD_ConnectionNotificationCode code);

/* Raises the process's limit of descriptors so that `connections` fit, as far as it may; how many
 * fit then. */
unsigned accept_raise_descriptor_limit(unsigned connections);

#endif
