/* Segments: the straight pieces that streams consist of, and distances from them. Internal to
 * core/drainage. */
#ifndef TERRANE_DRAINAGE_NETWORK_SEGMENT_H
#define TERRANE_DRAINAGE_NETWORK_SEGMENT_H

#include "core/drainage/network/nodes.h"

enum {
    SEGMENTS_MAX = 8, /* of a stream */
    END_OFFSET = 2,
};
#define NO_LAKE (-1e6f)

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

/* Segments, from the coarsest level to the finest; within a level by block, cell, and downstream:
 * an order that the place alone decides. */
struct segment_list {
    const struct segment *const *segments;
    uint32_t count;
    struct place middle;      /* of the cell */
    struct segment_rows rows; /* from there */
};

/* Lays a segment from one place to another. */
void segment_place(struct segment *segment, const struct place ends[2]);
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

#endif
