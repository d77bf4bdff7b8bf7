/* A successor's side of a restart in which no connection is lost: it asks the running server, by
 * its admin socket, for copies of the listening sockets, gets ready, asks it to retire, and accepts
 * on them when it has agreed. The sockets never close in between, so those who have connected and
 * wait are accepted by one or the other; and should the successor fail on the way, nobody notices.
 */
#ifndef TERRANE_SERVER_DAEMON_HANDOVER_H
#define TERRANE_SERVER_DAEMON_HANDOVER_H

#include <sys/types.h>

#include "server/daemon/admin.h"

struct handover {
    bool found;   /* whether a server answered, */
    pid_t server; /* and which */
    int sockets[ADMIN_SOCKETS_MAX];
    unsigned count;
};

/* Nobody there is no failure: then nothing was found. False if what answers makes no sense. */
bool handover_ask(const char *path, struct handover *handover, struct error *error);
/* The successor is ready: the predecessor shall go. False if it does not, or if by now another
 * server answers there: the first of two successors. */
bool handover_retire(const char *path, const struct handover *handover, struct error *error);
/* Closes the copies. */
void handover_end(struct handover *handover);

#endif
