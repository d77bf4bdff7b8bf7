/* A successor's side of a restart in which no connection is lost: it asks the running server, by
 * its admin socket, for copies of the listening sockets, accepts on them, and then lets it retire.
 * The sockets never close in between, so those who have connected and wait are accepted by one or
 * the other. */
#ifndef TERRANE_SERVER_HANDOVER_H
#define TERRANE_SERVER_HANDOVER_H

#include "server/admin.h"

struct handover {
    bool found; /* whether a server answered */
    int sockets[ADMIN_SOCKETS_MAX];
    unsigned count;
};

/* Nobody there is no failure: then nothing was found. False if what answers makes no sense. */
bool handover_ask(const char *path, struct handover *handover, struct error *error);
/* The successor is ready: the predecessor may go. */
bool handover_retire(const char *path, struct error *error);
/* Closes the copies. */
void handover_end(struct handover *handover);

#endif
