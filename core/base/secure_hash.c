/* The hash as RFC 7693 has it, without a key. Each block of 128 bytes, 16 words, is mixed into the
 * state in 12 rounds, which take the words in an order of their own. The last block is mixed in by
 * secure_hash_end() alone, as it is marked: so a full block waits for more bytes. It was chosen
 * because it is short and, in plain C on 64 bits, faster than SHA-256. */
#include "core/base/secure_hash.h"

#include <stdbool.h>
#include <string.h>

enum { ROUNDS = 12, ORDERS = 10, WORDS = 16 };

/* The first 64 bits of the fractions of the square roots of the first 8 primes. */
static const uint64_t START[8] = {0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b,
                                  0xa54ff53a5f1d36f1, 0x510e527fade682d1, 0x9b05688c2b3e6c1f,
                                  0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

static const uint8_t order[ORDERS][WORDS] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
    {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
    {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
    {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
    {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static uint64_t turn(uint64_t x, int bits)
{
    return x >> bits | x << (64 - bits);
}

static uint64_t read_half(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Mixes two words into four of the state: a column of it, or a diagonal. */
static inline void mix(uint64_t *a, uint64_t *b, uint64_t *c, uint64_t *d, uint64_t first,
                       uint64_t second)
{
    *a += *b + first;
    *d = turn(*d ^ *a, 32);
    *c += *d;
    *b = turn(*b ^ *c, 24);
    *a += *b + second;
    *d = turn(*d ^ *a, 16);
    *c += *d;
    *b = turn(*b ^ *c, 63);
}

static void mix_round(uint64_t v[WORDS], const uint64_t words[WORDS], const uint8_t *at)
{
    mix(&v[0], &v[4], &v[8], &v[12], words[at[0]], words[at[1]]);
    mix(&v[1], &v[5], &v[9], &v[13], words[at[2]], words[at[3]]);
    mix(&v[2], &v[6], &v[10], &v[14], words[at[4]], words[at[5]]);
    mix(&v[3], &v[7], &v[11], &v[15], words[at[6]], words[at[7]]);
    mix(&v[0], &v[5], &v[10], &v[15], words[at[8]], words[at[9]]);
    mix(&v[1], &v[6], &v[11], &v[12], words[at[10]], words[at[11]]);
    mix(&v[2], &v[7], &v[8], &v[13], words[at[12]], words[at[13]]);
    mix(&v[3], &v[4], &v[9], &v[14], words[at[14]], words[at[15]]);
}

static void mix_block(struct secure_hash *hash, bool last)
{
    uint64_t v[WORDS], words[WORDS];
    memcpy(v, hash->state, sizeof hash->state);
    memcpy(v + 8, START, sizeof START);
    v[12] ^= hash->length;
    v[14] = last ? ~v[14] : v[14];
    for (size_t i = 0; i < WORDS; i++)
        words[i] = read_half(hash->block + 8 * i) | read_half(hash->block + 8 * i + 4) << 32;
    for (int round = 0; round < ROUNDS; round++)
        mix_round(v, words, order[round % ORDERS]);
    for (int i = 0; i < 8; i++)
        hash->state[i] ^= v[i] ^ v[i + 8];
}

struct secure_hash secure_hash_begin(void)
{
    struct secure_hash hash = {.length = 0};
    memcpy(hash.state, START, sizeof START);
    hash.state[0] ^= 0x01010000 ^ SECURE_HASH_BYTES; /* no key, one leaf, and the length */
    return hash;
}

/* How many bytes of the block are taken. */
static size_t held_of(const struct secure_hash *hash)
{
    return hash->length == 0 ? 0 : (hash->length - 1) % SECURE_HASH_BLOCK + 1;
}

void secure_hash_add(struct secure_hash *hash, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    while (length > 0) {
        size_t held = held_of(hash);
        if (held == SECURE_HASH_BLOCK) {
            mix_block(hash, false);
            held = 0;
        }
        const size_t room = SECURE_HASH_BLOCK - held, some = length < room ? length : room;
        memcpy(hash->block + held, at, some);
        hash->length += some;
        at += some;
        length -= some;
    }
}

/* A word whose bytes in memory begin with the lowest. */
static uint32_t lowest_first(uint32_t word)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap32(word) : word;
}

void secure_hash_add_words(struct secure_hash *hash, const uint32_t *words, size_t count)
{
    enum { SOME = 64 };
    uint32_t ordered[SOME];
    for (size_t first = 0; first < count; first += SOME) {
        const size_t some = count - first < SOME ? count - first : SOME;
        for (size_t i = 0; i < some; i++)
            ordered[i] = lowest_first(words[first + i]);
        secure_hash_add(hash, ordered, some * sizeof *words);
    }
}

void secure_hash_end(struct secure_hash *hash, uint8_t out[SECURE_HASH_BYTES])
{
    const size_t held = held_of(hash);
    memset(hash->block + held, 0, SECURE_HASH_BLOCK - held);
    mix_block(hash, true);
    for (size_t i = 0; i < SECURE_HASH_BYTES; i++)
        out[i] = (uint8_t)(hash->state[i / 8] >> 8 * (i % 8));
}
