/* What a cached answer is the answer to: the whole recipe, not only its hash, so that two recipes
 * with one hash never give each other's answers. */
#ifndef TERRANE_SERVER_CACHE_KEY_H
#define TERRANE_SERVER_CACHE_KEY_H

#include "core/base/hash.h"

enum {
    CACHE_KEY_BYTES = 112,
    CACHE_KEY_WORLD = 40, /* of them, in front: the world's fingerprint as text, then zeros */
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
