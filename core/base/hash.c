/* MurmurHash3 reads blocks of 16 bytes, little-endian on every machine, into two 64-bit lanes,
 * mixes the last 1 to 15 bytes in as one more block, and finishes with the length. The streamed
 * form is the same computation with its state kept between parts; only the last part may end within
 * a block.
 *
 * It was chosen because it is short, fast without vector instructions, and published with test
 * vectors, so clients can reimplement it to verify digests. It does not resist crafted collisions.
 */
#include "core/base/hash.h"

#include <string.h>

uint64_t hash_number(uint64_t hash, double number)
{
    const double value = number == 0.0 ? 0.0 : number;
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_mix(hash + bits);
}

static const uint64_t C1 = 0x87C37B91114253D5u, C2 = 0x4CF5AD432745937Fu;

static uint64_t rotate_left(uint64_t value, int bits)
{
    return value << bits | value >> (64 - bits);
}

/* Up to 8 bytes, the first one lowest. */
static uint64_t read_le(const uint8_t *bytes, size_t count)
{
    uint64_t value = 0;
    for (size_t i = count; i-- > 0;)
        value = value << 8 | bytes[i];
    return value;
}

/* Reads 8 bytes, the first one lowest, in a form that compilers turn into one load. */
static inline uint64_t read_le64(const uint8_t *b)
{
    return (uint64_t)b[0] | (uint64_t)b[1] << 8 | (uint64_t)b[2] << 16 | (uint64_t)b[3] << 24 |
           (uint64_t)b[4] << 32 | (uint64_t)b[5] << 40 | (uint64_t)b[6] << 48 |
           (uint64_t)b[7] << 56;
}

/* MurmurHash3's fmix64. */
static uint64_t final_mix(uint64_t value)
{
    value = (value ^ (value >> 33)) * 0xFF51AFD7ED558CCDu;
    value = (value ^ (value >> 33)) * 0xC4CEB9FE1A85EC53u;
    return value ^ (value >> 33);
}

struct hash_stream hash_begin(uint64_t seed)
{
    return (struct hash_stream){.state = {.high = seed, .low = seed}};
}

void hash_blocks(struct hash_stream *stream, const void *bytes, size_t length)
{
    const uint8_t *at = bytes;
    uint64_t h1 = stream->state.high, h2 = stream->state.low;
    for (size_t left = length; left >= 16; left -= 16, at += 16) {
        h1 ^= rotate_left(read_le64(at) * C1, 31) * C2;
        h1 = (rotate_left(h1, 27) + h2) * 5 + 0x52DCE729;
        h2 ^= rotate_left(read_le64(at + 8) * C2, 33) * C1;
        h2 = (rotate_left(h2, 31) + h1) * 5 + 0x38495AB5;
    }
    stream->state = (struct hash128){.high = h1, .low = h2};
    stream->length += length;
}

struct hash128 hash_end(struct hash_stream *stream, const void *bytes, size_t length)
{
    size_t left = length % 16;
    hash_blocks(stream, bytes, length - left);
    const uint8_t *at = (const uint8_t *)bytes + (length - left);
    uint64_t h1 = stream->state.high, h2 = stream->state.low;
    /* A missing half would be 0, which leaves h1 or h2 as it is. */
    if (left > 8)
        h2 ^= rotate_left(read_le(at + 8, left - 8) * C2, 33) * C1;
    if (left > 0)
        h1 ^= rotate_left(read_le(at, left < 8 ? left : 8) * C1, 31) * C2;
    h1 ^= stream->length + left;
    h2 ^= stream->length + left;
    h1 += h2;
    h2 += h1;
    h1 = final_mix(h1);
    h2 = final_mix(h2);
    h1 += h2;
    return (struct hash128){.high = h1, .low = h2 + h1};
}

struct hash128 hash_bytes(const void *bytes, size_t length, uint64_t seed)
{
    struct hash_stream stream = hash_begin(seed);
    return hash_end(&stream, bytes, length);
}

void hash_hex(struct hash128 hash, char out[33])
{
    for (int i = 0; i < 16; i++) {
        out[i] = "0123456789abcdef"[hash.high >> (60 - 4 * i) & 15];
        out[16 + i] = "0123456789abcdef"[hash.low >> (60 - 4 * i) & 15];
    }
    out[32] = '\0';
}
