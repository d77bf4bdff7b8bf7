/* Hashes for identity: fingerprints, ETags, cache keys, seeds. Not for secrets. */
#ifndef TERRANE_BASE_HASH_H
#define TERRANE_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

struct hash128 {
    uint64_t high, low;
};

/* A bijection of 64 bits in which every input bit affects every output bit: the finaliser of
 * SplitMix64 (Steele, Lea, Flood 2014; constants by David Stafford, variant 13). */
static inline uint64_t hash_mix(uint64_t value)
{
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}
/* Mixes a number into a hash: numbers that are equal, as 0 and -0 are, alike. */
uint64_t hash_number(uint64_t hash, double number);

/* MurmurHash3 x64 128 (Austin Appleby, public domain algorithm), little-endian on every machine. */
struct hash128 hash_bytes(const void *bytes, size_t length, uint64_t seed);

/* hash_bytes() in parts: any number of parts of whole 16-byte blocks, then one of any length. */
struct hash_stream {
    struct hash128 state;
    uint64_t length;
};
struct hash_stream hash_begin(uint64_t seed);
void hash_blocks(struct hash_stream *stream, const void *bytes, size_t length);
struct hash128 hash_end(struct hash_stream *stream, const void *bytes, size_t length);

/* 32 lower-case hex digits, terminated. */
void hash_hex(struct hash128 hash, char out[33]);

#endif
