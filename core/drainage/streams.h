/* Streams and the blocks that they are kept in. Internal to this folder. */
#ifndef TERRANE_DRAINAGE_STREAMS_H
#define TERRANE_DRAINAGE_STREAMS_H

#include "core/drainage/drainage.h"
#include "core/drainage/kept.h"

enum {
    BLOCK_LOG2 = 2,
    BLOCK_SIDE = 1 << BLOCK_LOG2, /* cells */
    BLOCK_NODES = BLOCK_SIDE * BLOCK_SIDE,
    SEGMENTS_MAX = 8, /* of a stream */
    END_OFFSET = 2,
};
#define NO_LAKE (-1e6f)
#define SEA_FROM (-4.0f)   /* target heights below this are sea, metres */
#define FALL_LEAST (4e-5f) /* of beds, metres a metre: no water stands */

/* A straight piece of a stream, from upstream [0] to downstream [1]. */
struct segment {
    struct place ends[2];
    float ux, uy;    /* metres from end to end */
    float inverse;   /* 1 / length², or 0 if it has no length */
    float length;    /* metres */
    float bed[2];    /* metres, at the ends; rising only in the sea and under a lake */
    float relief[2]; /* metres */
    float target[2]; /* metres */
    float flow[2];   /* m² upstream */
    float lake;      /* the level of the lake that it lies in or leads to, metres, or NO_LAKE */
    uint32_t level : 8;
    uint32_t piece : 4; /* its number in the stream; those of a delta's arms come last (deltas.h) */
    uint32_t last : 1;  /* of its stream, or arm */
    uint32_t delta : 1; /* from the apex of a delta to its tip */
    /* Where the stream ends: on a piece of another one, whose node is so many cells from the
     * ancestor of its own node, plus END_OFFSET. */
    uint32_t end_level : 4;
    uint32_t end_x : 3;
    uint32_t end_y : 3;
    uint32_t end_piece : 4;
};

/* The streams from nodes of 4 × 4 cells: from those that a request has needed. */
struct stream_block {
    struct kept kept;    /* its place is in blocks of its level */
    uint32_t made;       /* a bit for each node whose stream is there */
    unsigned per_stream; /* segments that are kept for each stream */
    /* By node, row by row, from upstream to downstream; then their rows. */
    struct segment segments[];
};

/* Segments as distances are computed from, field by field, in metres from an origin. */
enum segment_row {
    SEGMENT_X, /* its upstream end */
    SEGMENT_Y,
    SEGMENT_END_X, /* the other */
    SEGMENT_END_Y,
    SEGMENT_ROWS
};
struct segment_rows {
    float *values; /* SEGMENT_ROWS rows */
    size_t stride; /* of a row: a multiple of 16 */
};

static inline const struct segment *block_stream(const struct stream_block *block, unsigned node)
{
    return block->segments + (size_t)node * block->per_stream;
}

/* The rows of a block's segments, from its north-west corner. */
static inline struct segment_rows block_rows(struct stream_block *block)
{
    const size_t count = (size_t)BLOCK_NODES * block->per_stream;
    return (struct segment_rows){(float *)(void *)(block->segments + count), count};
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

/* How many segments streams of a level have. */
static inline unsigned segments_of_level(const struct drainage_network *network, unsigned level)
{
    return drainage_segments(network->spacing_log2 - level);
}

/* A 16-bit fraction of a hash, 0 … 1. */
static inline float hash_fraction(uint64_t hash, unsigned bit)
{
    return (float)(hash >> bit & 0xffff) * 0x1p-16f;
}

/* The hash of a cell, and the place of its node. */
uint64_t node_hash(const struct drainage_network *network, unsigned level, int64_t x, int64_t y);
struct place node_place(const struct drainage_network *network, unsigned level, int64_t x,
                        int64_t y);

/* The distance of a place from a segment, squared, in m²; *along becomes the nearest point, 0 … 1.
 * Beyond its ends the distance is that from the end itself, so that segments which share an end are
 * equally far, to the bit. */
float segment_distance(const struct segment *segment, struct place place, float *along);

/* Writes a segment to rows; null: one that is far from everything. */
void segment_write(struct segment_rows rows, size_t at, const struct segment *segment,
                   struct place origin);
/* Writes the squared distances, as those of segment_distance(), of segments from a point. `within`
 * has a word for each 16 segments: on entry a bit for each that is wanted, afterwards for those of
 * them whose square is not above `limit`. Where none of 16 is wanted, no squares are written. */
void segment_squares(struct segment_rows rows, float x, float y, float limit, float *squares,
                     uint32_t *within);
/* Writes the squares of 16 segments, from number `from` on. */
void segment_run_squares(struct segment_rows rows, size_t from, float x, float y, float *squares);
/* The number of the segment that is nearest to a point: of equally near ones the last. */
uint32_t segment_nearest(struct segment_rows rows, float x, float y);
/* A rectangle. Which of 16 segments from number `from` on may reach into it: a bit for each. */
struct segment_box {
    float west, east, north, south;
};
uint32_t segments_in_box(struct segment_rows rows, size_t from, const struct segment_box *box);

/* The share of the relief that streams of a level cut: 0.62^(level − 1). */
float relief_share(unsigned level);
/* How far beds of a level are below the target height, where the relief is `relief` metres: what
 * finer streams will cut. */
float bed_depth(unsigned level, float relief);
/* The slope of the land beside streams of a level, where the relief is `relief` metres: it rises as
 * steeply as the relief that they cut over the width of a cell, but not as cliffs. `share` is that
 * over that width, for a relief of 1. */
static inline float slope_share(const struct drainage_network *network, unsigned level)
{
    return relief_share(level) * (float)((uint32_t)1 << level) /
           (float)((uint32_t)1 << network->spacing_log2);
}
static inline float slope_of_relief(float relief, float share)
{
    const float s = relief * share;
    return s / (1.0f + 1.15f * s);
}
static inline float slope_beside(const struct drainage_network *network, unsigned level,
                                 float relief)
{
    return slope_of_relief(relief, slope_share(network, level));
}

#endif
