/* Sockets from a service manager, by the protocol of sd_listen_fds(3), without libsystemd:
 * LISTEN_PID is this process, descriptors 3, 4 … are LISTEN_FDS sockets, and LISTEN_FDNAMES names
 * them. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_SOCKET_ACTIVATION_H
#define TERRANE_SERVER_HTTP_CONNECTION_SOCKET_ACTIVATION_H

#include "server/http/connection/listen.h"

bool socket_activation_requested(void);
/* Fills `endpoints`; `*count` of them are to be closed even after a failure. False with the
 * descriptor that is not a listening stream socket. */
bool socket_activation_take(struct listen_endpoint *endpoints, unsigned loops, unsigned *count,
                            struct error *error);

#endif
