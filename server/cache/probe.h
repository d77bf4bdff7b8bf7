/* Whether a memcached works: its name is looked up, and a value comes back as it was sent. */
#ifndef TERRANE_SERVER_CACHE_PROBE_H
#define TERRANE_SERVER_CACHE_PROBE_H

#include "server/cache/link.h"

struct addrinfo;

enum { PROBE_ADDRESS_TEXT = 64, PROBE_KEY_TEXT = 64 };

struct probe {
    char key[PROBE_KEY_TEXT]; /* no other probe's */
    uint64_t count;
    uint16_t port;
    unsigned timeout; /* milliseconds, of each wait */
};

/* `key` is made from the time and the struct's own address. */
void probe_init(struct probe *probe, uint16_t port, unsigned timeout);

/* For freeaddrinfo(). Null if it is no numeric address, or if memory is out. */
struct addrinfo *probe_numeric(const char *host);
/* Likewise for a name; null if there is none. May take as long as the name servers take. */
struct addrinfo *probe_look_up(const char *host);

/* A connection to the first of the addresses that works, with the address as text; or null. */
struct link *probe_run(struct probe *probe, const struct addrinfo *addresses,
                       char text[PROBE_ADDRESS_TEXT]);

#endif
