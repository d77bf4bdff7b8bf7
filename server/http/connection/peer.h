/* The number of open connections of each peer, for the limit of connections by address.
 *
 * A peer is an IPv4 address or an IPv6 network of 64 bits (ip_address_clear_host()). */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_PEER_H
#define TERRANE_SERVER_HTTP_CONNECTION_PEER_H

#include <sys/socket.h>

#include "server/base/ip_address.h"

struct peer {
    struct ip_address address; /* all zeros for a peer without an address, that of a unix socket */
};

struct peer peer_of(const struct sockaddr *address);
bool peer_has_address(const struct peer *peer);
bool peer_equals(const struct peer *a, const struct peer *b);
/* The numeric address, "2001:db8:1:2::/64" for a network. */
enum { PEER_TEXT = 64 };
void peer_write(const struct peer *peer, char text[PEER_TEXT]);

/* Counts connections by peer; for all threads, under a lock of its own. */
struct peer_counts;

/* For at most `max` connections at the same time. Null without memory. */
struct peer_counts *peer_counts_new(unsigned max);
/* From now on for so many, if that is more. False without memory, with all as it was. */
bool peer_counts_grow(struct peer_counts *counts, unsigned max);
void peer_counts_free(struct peer_counts *counts); /* null is fine */
/* One more; false, and nothing changed, if the peer has `limit` already. */
bool peer_counts_add(struct peer_counts *counts, const struct peer *peer, unsigned limit);
/* One less, after an add that was true. */
void peer_counts_remove(struct peer_counts *counts, const struct peer *peer);
unsigned peer_counts_get(struct peer_counts *counts, const struct peer *peer);

#endif
