/* Listening sockets. */
#ifndef TERRANE_SERVER_HTTP_LISTEN_H
#define TERRANE_SERVER_HTTP_LISTEN_H

#include "core/base/error.h"

/* Opens `count` sockets on one address and port (0 takes a free one); the kernel spreads
 * connections over them. Refuses a port that somebody listens on already, another server of ours
 * included. False with all closed again. */
bool listen_open(const char *host, uint16_t *port, int *sockets, unsigned count,
                 struct error *error);

#endif
