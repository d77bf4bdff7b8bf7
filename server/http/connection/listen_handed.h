/* Sockets from the server that this one succeeds (server/daemon/handover.h): they listen already,
 * and the other server has them too until it retires. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_LISTEN_HANDED_H
#define TERRANE_SERVER_HTTP_CONNECTION_LISTEN_HANDED_H

#include "server/http/connection/listen.h"

/* How many event loops it takes for each of the sockets to have one: as many as there are on one
 * address. The kernel spreads connections over all of them, so none may be left out. */
unsigned listen_handed_loops(const int *handed, unsigned count);

/* Fills the place's sockets with copies of those on its address (of any port if its own is 0, which
 * it takes over), each at least once, for all loops. True without a socket if there are none; false
 * if they cannot be copied. A file stays the other server's until listen_take_ownership(). */
bool listen_take_handed(struct listen_endpoint *endpoint, const struct listen_options *options,
                        struct error *error);

#endif
