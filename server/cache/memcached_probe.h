/* Finds an address at which a memcached works: the host's addresses are tried in turn, and at each
 * a value is stored and read back. */
#ifndef TERRANE_SERVER_CACHE_MEMCACHED_PROBE_H
#define TERRANE_SERVER_CACHE_MEMCACHED_PROBE_H

#include "server/base/server_list.h"
#include "server/cache/memcached_connection.h"

enum { MEMCACHED_PROBE_KEY_TEXT = 64 };

struct memcached_probe {
    char key[MEMCACHED_PROBE_KEY_TEXT]; /* differs from every other probe's */
    uint64_t count;
};

/* The key is made from the time and the address of `probe`. */
void memcached_probe_init(struct memcached_probe *probe);

/* A connection to the first address that works, with that address; or -1. Looking a name up takes
 * as long as the name servers take; then each address has `timeout` milliseconds, or less if
 * `cancel` (server/base/wait.h) becomes readable. */
int memcached_probe_run(struct memcached_probe *probe, const struct server_address *server,
                        unsigned timeout, int cancel, struct memcached_address *address);

#endif
