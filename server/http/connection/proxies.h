/* Which peers are proxies whose X-Forwarded-* headers are believed: addresses and networks.
 *
 * Pure: texts and socket addresses are handed in. IPv4 addresses are compared as IPv6 maps them, so
 * that a listener on [::] sees the same peers as one on 0.0.0.0. Immutable once made. */
#ifndef TERRANE_SERVER_HTTP_CONNECTION_PROXIES_H
#define TERRANE_SERVER_HTTP_CONNECTION_PROXIES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "core/base/error.h"

struct network {
    uint8_t address[16];
    unsigned bits; /* how many of its leading bits count: 0 … 128 */
};

/* A zeroed struct contains nobody. */
struct proxies {
    struct network *networks; /* owned */
    size_t count;
};

/* From numeric addresses, "127.0.0.1" or "::1", and networks, "10.0.0.0/8" or "fd00::/8", whose
 * further bits do not count. False with the first bad text; `proxies` is to be freed in any case.
 */
bool proxies_parse(struct proxies *proxies, const char *const *texts, size_t count,
                   struct error *error);
void proxies_free(struct proxies *proxies);

/* An address in the form that networks have: the peer's, or one in numbers. False for null and for
 * what is neither IPv4 nor IPv6. */
bool proxies_address(const struct sockaddr *peer, uint8_t address[16]);
bool proxies_parse_address(const char *text, uint8_t address[16]);
bool proxies_contain_address(const struct proxies *proxies, const uint8_t address[16]);
/* False for null and for what is neither IPv4 nor IPv6. */
bool proxies_contain(const struct proxies *proxies, const struct sockaddr *peer);

#endif
