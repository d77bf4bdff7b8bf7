/* Sockets from a service manager, by the protocol of sd_listen_fds(3), read by hand: LISTEN_PID is
 * this process, and descriptors 3, 4 … are LISTEN_FDS sockets, named by LISTEN_FDNAMES. */
#ifndef TERRANE_SERVER_HTTP_LISTEN_INHERITED_H
#define TERRANE_SERVER_HTTP_LISTEN_INHERITED_H

#include "server/http/listen.h"

bool listen_is_inherited(void);
/* Fills `places`, `*count` of them in any case. False with the one that is no listening stream
 * socket. */
bool listen_inherit(struct listen_place *places, unsigned loops, unsigned *count,
                    struct error *error);

#endif
