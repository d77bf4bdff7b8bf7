/* The number of open connections of each peer, for the limit of connections by address.
 *
 * A peer is an IPv4 address or an IPv6 network of 64 bits (ip_address_clear_host()); all zeros
 * stand for a peer without an address, that of a unix socket. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_PEER_H
#define TERRANE_SERVER_HTTP_CONNECTION_PEER_H

#include <sys/socket.h>

#include "server/base/ip_address.h"

struct ip_address peer_of(const struct sockaddr *address);
/* "192.0.2.1", "2001:db8:1:2::/64" or "a unix socket". */
enum { PEER_TEXT = 64 };
void peer_write(const struct ip_address *peer, char text[PEER_TEXT]);

/* Counts of connections by peer. For all threads; has a lock. */
struct peer_counts;

/* For at most `max` connections at the same time. Null without memory. */
struct peer_counts *peer_counts_new(unsigned max);
/* Makes room for `max` connections, if that is more than before. False, and unchanged, without
 * memory. */
bool peer_counts_grow(struct peer_counts *counts, unsigned max);
void peer_counts_free(struct peer_counts *counts); /* null is allowed */
/* Counts one more. False, and unchanged, if the peer has `limit` already. */
bool peer_counts_add(struct peer_counts *counts, const struct ip_address *peer, unsigned limit);
/* Counts one less, after peer_counts_add() was true. */
void peer_counts_remove(struct peer_counts *counts, const struct ip_address *peer);

#endif
