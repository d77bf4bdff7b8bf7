/* One memcached server of a shared cache: its idle connections, its breaker, and a thread that
 * probes it.
 *
 * The thread looks the name up, connects, and closes the breaker when a value comes back as it was
 * sent. So a request never waits for a name server, and no request is spent on a server that may
 * not work. All functions may be called by many threads. */
#ifndef TERRANE_SERVER_CACHE_SHARED_SERVER_H
#define TERRANE_SERVER_CACHE_SHARED_SERVER_H

#include "server/base/server_list.h"
#include "server/cache/memcached_connection.h"

struct shared_server;

/* `timeout`: milliseconds of a whole exchange. `clock`: the breaker's, in milliseconds, only
 * forward. The address is copied. Null on failure. */
struct shared_server *shared_server_start(const struct server_address *address, unsigned timeout,
                                          int64_t (*clock)(void), struct error *error);
/* From now on no request waits for the server: those that wait fail at once. */
void shared_server_cancel(struct shared_server *server);
/* No request may be running. Waits neither for a server nor for a name server. Null is allowed. */
void shared_server_stop(struct shared_server *server);

/* Waits until the first probe has ended, at most until the clock says `deadline`. */
void shared_server_wait_for_probe(struct shared_server *server, int64_t deadline);

/* False if a request would fail at once. Takes no lock. */
bool shared_server_allows(const struct shared_server *server);
/* Takes the timeout at most. MEMCACHED_FAILED at once while the breaker allows no request. */
enum memcached_outcome shared_server_run(struct shared_server *server,
                                         const struct memcached_request *request);

#endif
