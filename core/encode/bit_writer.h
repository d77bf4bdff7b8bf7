/* Writes bits into memory as deflate does: each byte is filled from its lowest bit on. */
#ifndef TERRANE_ENCODE_BIT_WRITER_H
#define TERRANE_ENCODE_BIT_WRITER_H

#include <stdint.h>
#include <string.h>

#include "core/base/simd.h"

struct bit_writer {
    uint8_t *out;
    uint64_t bits;
    unsigned count; /* of `bits`; at most 7 after bit_writer_flush() */
};

/* The bits above `count` are 0; at most 64 may wait. */
TERRANE_INLINE void bit_writer_put(struct bit_writer *writer, uint64_t bits, unsigned count)
{
    writer->bits |= bits << writer->count;
    writer->count += count;
}

/* Writes all whole bytes, of which at most seven may wait; up to eight bytes behind them are
 * overwritten. */
TERRANE_INLINE void bit_writer_flush(struct bit_writer *writer)
{
    uint64_t bits = writer->bits;
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        bits = __builtin_bswap64(bits);
    memcpy(writer->out, &bits, sizeof bits);
    writer->out += writer->count >> 3;
    writer->bits >>= writer->count & 56;
    writer->count &= 7;
}

/* Fills the last byte with zeros and writes it. */
TERRANE_INLINE void bit_writer_end(struct bit_writer *writer)
{
    writer->count = (writer->count + 7) & ~7u;
    bit_writer_flush(writer);
}

#endif
