/* Whether a memcached works: its name is looked up, and a value comes back as it was sent. */
#ifndef TERRANE_SERVER_CACHE_MEMCACHED_PROBE_H
#define TERRANE_SERVER_CACHE_MEMCACHED_PROBE_H

#include "server/cache/memcached_connection.h"

struct addrinfo;

enum { MEMCACHED_ADDRESS_TEXT = 64, MEMCACHED_PROBE_KEY_TEXT = 64 };

struct memcached_probe {
    char key[MEMCACHED_PROBE_KEY_TEXT]; /* no other probe's */
    uint64_t count;
    uint16_t port;
    unsigned timeout; /* milliseconds, of each wait */
};

/* `key` is made from the time and the struct's own address. */
void memcached_probe_init(struct memcached_probe *probe, uint16_t port, unsigned timeout);

/* For freeaddrinfo(). Null if it is no numeric address, or if memory is out. */
struct addrinfo *memcached_parse_address(const char *host);
/* Likewise for a name; null if there is none. May take as long as the name servers take. */
struct addrinfo *memcached_resolve_name(const char *host);

/* A connection to the first of the addresses that works, with the address as text; or null. */
struct memcached_connection *memcached_probe_run(struct memcached_probe *probe,
                                                 const struct addrinfo *addresses,
                                                 char text[MEMCACHED_ADDRESS_TEXT]);

#endif
