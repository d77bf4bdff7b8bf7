/* Segments: the pieces that streams consist of, and distances from their chords. How their courses
 * curve between the ends is told by arcs (arc.h). Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_NETWORK_SEGMENT_H
#define TERRANE_DRAINAGE_NETWORK_SEGMENT_H

#include "core/base/lanes.h"
#include "core/drainage/network/nodes.h"

enum {
    SEGMENTS_MAX = 32, /* of a stream */
    END_OFFSET = 2,
    END_SHARES_LOG2 = 12,
    END_SHARES = 1 << END_SHARES_LOG2,
};
#define NO_LAKE (-1e6f)

/* A piece of a stream, from upstream [0] to downstream [1]. What it has besides its course changes
 * evenly along it. */
struct segment {
    struct place ends[2];
    float ux, uy;    /* metres from end to end */
    float inverse;   /* 1 / length², or 0 if it has no length */
    float length;    /* metres: of the chord */
    float lean[2];   /* the tangents of the angles between the chord and the course at both ends */
    float winding;   /* 0: straight; SHAPE_WINDING_RANGES in ranges, 1 in plains: see arc.c */
    float room[2];   /* how far aside it swings at most at both ends, metres; parts, their share */
    float half_wave; /* half the wavelength of its meanders, metres */
    float bend;      /* as of the arc that is all of it */
    float reach;     /* likewise */
    float bed[2];    /* metres, at the ends; rising only in the sea and under a lake */
    float relief[2]; /* metres */
    float target[2]; /* metres */
    float flow[2];   /* m² upstream */
    float lake;      /* the level of the lake that it lies in or leads to, metres, or NO_LAKE */
    uint32_t level : 8;
    uint32_t piece : 6; /* its number in the stream; those of a delta's arms come last (deltas.h) */
    uint32_t last : 1;  /* of its stream, or arm */
    uint32_t delta : 1; /* from the apex of a delta to its tip */
    /* Where the stream ends: on a piece of another one, whose node is so many cells from the
     * ancestor of its own node, plus END_OFFSET. */
    uint32_t end_level : 4;
    uint32_t end_x : 3;
    uint32_t end_y : 3;
    uint32_t end_piece : 6;
    uint16_t end_along; /* where it ends on that piece, in 1 / END_SHARES of it */
};

/* Segments as they are compared, 16 at a time: their chords, in metres from an origin. */
enum segment_row {
    SEGMENT_X, /* its upstream end */
    SEGMENT_Y,
    SEGMENT_END_X, /* the other */
    SEGMENT_END_Y,
    SEGMENT_BED, /* its bed at both */
    SEGMENT_END_BED,
    SEGMENT_REACH, /* the course is nowhere farther from the chord, metres */
    SEGMENT_ROWS
};
struct segment_rows {
    float *values; /* of each run of 16 segments SEGMENT_ROWS rows */
    size_t count;  /* of segments: a multiple of 16 */
};

static inline float *segment_run(struct segment_rows rows, size_t from)
{
    return rows.values + from * SEGMENT_ROWS;
}

/* Lays a segment from one place to another. */
void segment_place(struct segment *segment, const struct place ends[2]);
/* The distance of a place from a segment, squared, in m²; *along becomes the nearest point, 0 … 1.
 * Beyond its ends the distance is that from the end itself, so that segments which share an end are
 * equally far, to the bit. */
float segment_distance(const struct segment *segment, struct place place, float *along);

/* Copies the rows of a segment. */
static inline void segment_copy_row(struct segment_rows to, size_t at, struct segment_rows from,
                                    size_t number)
{
    float *row = segment_run(to, at / LANES * LANES) + at % LANES;
    const float *old = segment_run(from, number / LANES * LANES) + number % LANES;
    for (int i = 0; i < SEGMENT_ROWS; i++)
        row[i * LANES] = old[i * LANES];
}
/* Which segments are near a point: `within` has a word for each 16. On entry it has a bit for each
 * that is wanted, afterwards for those of them whose squared distance is not above `limit`. */
void segments_within(struct segment_rows rows, float x, float y, float limit, uint32_t *within);

/* The nearest points on segments: their squared distances, and where they are, 0 … 1. */
struct segment_points {
    float *squares, *along;
};
/* Writes those to a point; returns the number of the segment that is nearest, of equally near ones
 * the last. */
uint32_t segment_nearest(struct segment_rows rows, float x, float y, struct segment_points points);
/* Land that rises from beds to a point: by `slope` a metre; what a bed is above `target`, metres,
 * counts up to `above` times more, evenly up to a distance of `limit` metres. */
struct segment_rise {
    float slope, target, above, limit;
};
/* The number of the segment from whose bed land rises to the least height at that point, of equally
 * low ones the last: of those that are not farther than the limit, if there is one. */
uint32_t segment_lowest(struct segment_rows rows, const struct segment_rise *rise,
                        struct segment_points points);

/* A way from one point to another, in metres from the rows' origin. */
struct segment_way {
    float x, y, dx, dy;
};
/* The number of the segment that a way crosses first, and where that is on the segment; the number
 * of all if it crosses none. Where the way ends is no crossing. */
uint32_t segment_crossing(struct segment_rows rows, const struct segment_way *way, float *along);

#endif
