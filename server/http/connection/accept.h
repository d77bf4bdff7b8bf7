/* Accepting clients: the limits of connections in all and by address, and lack of file descriptors.
 * Everything runs on the loop's thread.
 *
 * At the limit, connections that have waited longest for a request make room. Where there are none,
 * and while descriptors are lacking, the loop does not watch its listeners for a moment, and new
 * clients wait in the kernel's queue. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_ACCEPT_H
#define TERRANE_SERVER_HTTP_CONNECTION_ACCEPT_H

#include <microhttpd.h>

#include "server/http/connection/event_loop.h"

/* Accepts some of the clients that wait at a listener. */
void accept_connections(struct event_loop *loop, struct listener *listener);
/* Milliseconds, at most `max`, until accept_resume() has something to do; calling it is cheap. */
int64_t accept_timeout(const struct event_loop *loop, int64_t max);
void accept_resume(struct event_loop *loop);

/* Null before the connection is known. For the loop's thread, while the connection exists. */
struct connection *accept_connection_of(struct MHD_Connection *mhd_connection);

/* libmicrohttpd's callback for the beginning and end of connections; `context` is the loop. */
void accept_notify(void *context, struct MHD_Connection *mhd_connection, void **slot,
                   enum MHD_ConnectionNotificationCode code);

/* Raises the process's limit of descriptors for `connections`, as far as the system allows. Returns
 * how many connections fit. */
unsigned accept_raise_descriptor_limit(unsigned connections);

#endif
