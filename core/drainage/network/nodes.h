/* Cells of a network, and the nodes in them: where they are, and the hashes that decide all that is
 * random about them. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_NETWORK_NODES_H
#define TERRANE_DRAINAGE_NETWORK_NODES_H

#include "core/drainage/network/network.h"
#include "core/drainage/network/shape.h"

/* Counts work of the request: false if it must stop. */
static inline bool network_add_work(const struct drainage_network *network, uint64_t nanoseconds)
{
    return !network->work || work_add(network->work, nanoseconds);
}

/* log2 of the width of a level's cells in units of 2⁻¹⁶ m. */
static inline unsigned cell_shift(const struct drainage_network *network, unsigned level)
{
    return PLACE_BITS + network->spacing_log2 - level;
}
/* The middle of the square (x, y) of squares that are 2^shift units wide. */
static inline struct place square_middle(unsigned shift, int64_t x, int64_t y)
{
    const int64_t width = (int64_t)1 << shift;
    return (struct place){x * width + width / 2, y * width + width / 2};
}
/* The width in metres. */
static inline float cell_width(const struct drainage_network *network, unsigned level)
{
    return (float)((uint32_t)1 << (network->spacing_log2 - level));
}
static inline float units_to_metres(int64_t units)
{
    return (float)((double)units * 0x1p-16);
}
/* The nearest number of units, for metres within ±2²³: no branch, which would be as good as random
 * from place to place. */
static inline int64_t metres_to_units(float metres)
{
    return (int64_t)((double)metres * (double)PLACE_METRE + (0x1p40 + 0.5)) - ((int64_t)1 << 40);
}

/* drainage_segments() where it is asked for each stream; and for the width of a level's cells. */
static inline unsigned segments_of_width(unsigned width_log2)
{
    return width_log2 >= SHAPE_PIECES_32_LOG2   ? 32
           : width_log2 >= SHAPE_PIECES_16_LOG2 ? 16
           : width_log2 >= SHAPE_PIECES_8_LOG2  ? 8
           : width_log2 >= SHAPE_PIECES_4_LOG2  ? 4
           : width_log2 >= SHAPE_PIECES_2_LOG2  ? 2
                                                : 1;
}
static inline unsigned segments_of_level(const struct drainage_network *network, unsigned level)
{
    return segments_of_width(network->spacing_log2 - level);
}

/* A 16-bit fraction of a hash, 0 … 1. */
static inline float hash_fraction(uint64_t hash, unsigned bit)
{
    return (float)(hash >> bit & 0xffff) * 0x1p-16f;
}

/* The sides of valleys in a view of a level, for samples so many metres apart. */
struct shape_sides drainage_sides(const struct drainage_network *network, unsigned level,
                                  double metres);

/* The hash of a cell, and the place of its node. */
uint64_t node_hash(const struct drainage_network *network, unsigned level, int64_t x, int64_t y);
struct place node_place(const struct drainage_network *network, unsigned level, int64_t x,
                        int64_t y);

#endif
