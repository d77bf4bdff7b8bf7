/* The key of a cached response: the whole recipe, not only its hash, so two recipes with the same
 * hash are never confused. */
#ifndef TERRANE_SERVER_CACHE_KEY_H
#define TERRANE_SERVER_CACHE_KEY_H

#include "core/base/hash.h"

enum {
    CACHE_KEY_BYTES = 112,
    CACHE_KEY_WORLD = 40, /* the leading bytes: the world's fingerprint as text, then zeros */
};

/* Fill all of `bytes`, the same way on every machine, then call cache_key_seal(). */
struct cache_key {
    uint8_t bytes[CACHE_KEY_BYTES];
    struct hash128 hash; /* of the bytes */
};

static inline void cache_key_seal(struct cache_key *key)
{
    key->hash = hash_bytes(key->bytes, CACHE_KEY_BYTES, 0);
}

#endif
