#include "digest.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static uint64_t read_low_first(const unsigned char *bytes)
{
    uint64_t number = 0;
    for (unsigned i = 8; i-- > 0;)
        number = number << 8 | bytes[i];
    return number;
}

static uint64_t rotate(uint64_t value, unsigned bits)
{
    return value << bits | value >> (64 - bits);
}

static uint64_t finish(uint64_t k)
{
    k = (k ^ k >> 33) * 0xff51afd7ed558ccd;
    k = (k ^ k >> 33) * 0xc4ceb9fe1a85ec53;
    return k ^ k >> 33;
}

void chunk_digest(const unsigned char *bytes, size_t size, char text[33])
{
    const uint64_t c1 = 0x87c37b91114253d5, c2 = 0x4cf5ad432745937f;
    uint64_t h1 = 0, h2 = 0;
    size_t at = 0;
    for (; at + 16 <= size; at += 16) {
        h1 ^= rotate(read_low_first(bytes + at) * c1, 31) * c2;
        h1 = (rotate(h1, 27) + h2) * 5 + 0x52dce729;
        h2 ^= rotate(read_low_first(bytes + at + 8) * c2, 33) * c1;
        h2 = (rotate(h2, 31) + h1) * 5 + 0x38495ab5;
    }
    unsigned char rest[16] = {0};
    memcpy(rest, bytes + at, size - at);
    h1 ^= rotate(read_low_first(rest) * c1, 31) * c2 ^ size;
    h2 ^= rotate(read_low_first(rest + 8) * c2, 33) * c1 ^ size;
    h1 += h2;
    h2 += h1;
    h1 = finish(h1);
    h2 = finish(h2);
    h1 += h2;
    h2 += h1;
    snprintf(text, 33, "%016" PRIx64 "%016" PRIx64, h1, h2);
}
