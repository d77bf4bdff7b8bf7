/* Sets of the chunks of a row, NOISE_LANES samples each: a bit for each chunk. Inline, for kernels
 * of displaced and turned rows. Internal to this folder. */
#ifndef TERRANE_NOISE_CHUNK_SETS_H
#define TERRANE_NOISE_CHUNK_SETS_H

#include "core/noise/kernels_lookup.h"

/* 1 << chunk, as a table: SSE2 cannot shift each lane by a number of its own. */
static const uint32_t chunk_bits[] = {
    1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,
    1u << 8,  1u << 9,  1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15,
    1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21, 1u << 22, 1u << 23,
    1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
};
_Static_assert(sizeof chunk_bits / sizeof *chunk_bits == KERNEL_CHUNKS_PADDED, "a bit for each");

/* All chunks of a row of so many samples. */
TERRANE_INLINE uint32_t all_chunks(uint32_t count)
{
    return (1u << count / NOISE_LANES) - 1;
}

/* The entries of arrays that loops over the chunks of a row go through: whole vectors. */
TERRANE_INLINE uint32_t padded_chunks(uint32_t count)
{
    return count > KERNEL_CHUNKS_PADDED / 2 * NOISE_LANES ? KERNEL_CHUNKS_PADDED
                                                          : KERNEL_CHUNKS_PADDED / 2;
}

/* Takes the first of a set of chunks. */
TERRANE_INLINE uint32_t next_chunk(uint32_t *chunks)
{
    const uint32_t first = (uint32_t)__builtin_ctz(*chunks);
    *chunks &= *chunks - 1;
    return first;
}

#endif
