/* Sockets from a service manager, by the protocol of sd_listen_fds(3), read by hand: LISTEN_PID is
 * this process, and descriptors 3, 4 … are LISTEN_FDS sockets, named by LISTEN_FDNAMES. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_SOCKET_ACTIVATION_H
#define TERRANE_SERVER_HTTP_CONNECTION_SOCKET_ACTIVATION_H

#include "server/http/connection/listen.h"

bool socket_activation_requested(void);
/* Fills `endpoints`, `*count` of them in any case. False with the one that is no listening stream
 * socket. */
bool socket_activation_take(struct listen_endpoint *endpoints, unsigned loops, unsigned *count,
                            struct error *error);

#endif
