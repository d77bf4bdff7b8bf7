/* BLAKE2b with 256 bits (RFC 7693): for identities that strangers' worlds must not be able to share
 * with others. hash.h is faster, but whoever wants two inputs with the same hash can make them. */
#ifndef TERRANE_BASE_SECURE_HASH_H
#define TERRANE_BASE_SECURE_HASH_H

#include <stddef.h>
#include <stdint.h>

enum { SECURE_HASH_BLOCK = 128, SECURE_HASH_BYTES = 32 };
struct secure_hash {
    uint64_t state[8];
    uint64_t length;                  /* of what was added, in bytes */
    uint8_t block[SECURE_HASH_BLOCK]; /* its last bytes, 1 … 128 of them unless it is empty */
};

struct secure_hash secure_hash_begin(void);
void secure_hash_add(struct secure_hash *hash, const void *bytes, size_t length);
/* Adds words with their lowest byte first, on every machine. */
void secure_hash_add_words(struct secure_hash *hash, const uint32_t *words, size_t count);
/* The hash of all that was added; nothing can be added after it. */
void secure_hash_end(struct secure_hash *hash, uint8_t out[SECURE_HASH_BYTES]);

#endif
