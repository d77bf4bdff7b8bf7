/* What all streams share: where nodes are, and the shape of the land between them. */
#include "core/drainage/streams.h"

#include "core/base/lanes.h"

enum {
    /* How far a node may be from the middle of its cell, in 1/256 of the cell's width. */
    TRUNK_JITTER = 77, /* level 0: nodes keep apart, so that streams do not meet at acute angles */
    BRANCH_JITTER = 107,
};

uint64_t node_hash(const struct drainage_network *network, unsigned level, int64_t x, int64_t y)
{
    const uint64_t column = hash_mix(network->key + (uint64_t)x * 0x9E3779B97F4A7C15u);
    return hash_mix(column ^ hash_mix((uint64_t)y * 0xC2B2AE3D27D4EB4Fu + level));
}

struct place node_place(const struct drainage_network *network, unsigned level, int64_t x,
                        int64_t y)
{
    const unsigned shift = cell_shift(network, level);
    const uint64_t hash = node_hash(network, level, x, y);
    const int64_t jitter = level == 0 ? TRUNK_JITTER : BRANCH_JITTER;
    const int64_t width = (int64_t)1 << shift, unit = width >> 8;
    const int64_t dx = (int64_t)(hash & 0xffff) - 0x8000;
    const int64_t dy = (int64_t)(hash >> 16 & 0xffff) - 0x8000;
    return (struct place){x * width + width / 2 + dx * jitter * unit / 0x8000,
                          y * width + width / 2 + dy * jitter * unit / 0x8000};
}

float segment_distance(const struct segment *segment, struct place place, float *along)
{
    float dx = units_to_metres(place.x - segment->ends[0].x);
    float dy = units_to_metres(place.y - segment->ends[0].y);
    const float t = (dx * segment->ux + dy * segment->uy) * segment->inverse;
    if (t >= 1.0f) {
        dx = units_to_metres(place.x - segment->ends[1].x);
        dy = units_to_metres(place.y - segment->ends[1].y);
        *along = 1.0f;
    } else if (t > 0.0f) {
        dx -= t * segment->ux;
        dy -= t * segment->uy;
        *along = t;
    } else {
        *along = 0.0f;
    }
    return dx * dx + dy * dy;
}

void segment_write(struct segment_rows rows, size_t at, const struct segment *segment,
                   struct place origin)
{
    float *row = rows.values + at;
    row[SEGMENT_X * rows.stride] = segment ? units_to_metres(segment->ends[0].x - origin.x) : 1e15f;
    row[SEGMENT_Y * rows.stride] = segment ? units_to_metres(segment->ends[0].y - origin.y) : 0.0f;
    row[SEGMENT_END_X * rows.stride] =
        segment ? units_to_metres(segment->ends[1].x - origin.x) : 1e15f;
    row[SEGMENT_END_Y * rows.stride] =
        segment ? units_to_metres(segment->ends[1].y - origin.y) : 0.0f;
}

/* The squared distances of 16 segments, from number `from` on. */
TERRANE_INLINE void squares_of_run(struct segment_rows rows, size_t from, float x, float y,
                                   float *restrict squares)
{
    const float *restrict row = rows.values + from;
    const size_t stride = rows.stride;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (size_t i = 0; i < LANES; i++) {
        const float dx = x - row[SEGMENT_X * stride + i];
        const float dy = y - row[SEGMENT_Y * stride + i];
        const float end_x = x - row[SEGMENT_END_X * stride + i];
        const float end_y = y - row[SEGMENT_END_Y * stride + i];
        const float ux = dx - end_x, uy = dy - end_y;
        /* The addend is for segments without length. */
        const float t = (dx * ux + dy * uy) / (ux * ux + uy * uy + 1e-12f);
        const float u = max_float(t, 0.0f);
        const float aside_x = dx - u * ux, aside_y = dy - u * uy;
        const float to_x = t >= 1.0f ? end_x : aside_x, to_y = t >= 1.0f ? end_y : aside_y;
        squares[i] = to_x * to_x + to_y * to_y;
    }
}

TERRANE_CLONES
void segment_run_squares(struct segment_rows rows, size_t from, float x, float y,
                         float *restrict squares)
{
    squares_of_run(rows, from, x, y, squares);
}

TERRANE_CLONES
void segment_squares(struct segment_rows rows, float x, float y, float limit,
                     float *restrict squares, uint32_t *restrict within)
{
    for (size_t from = 0; from < rows.stride; from += LANES) {
        if (within[from / LANES] == 0)
            continue;
        squares_of_run(rows, from, x, y, squares + from);
        uint32_t bits = 0;
        TERRANE_NO_UNROLL
        for (uint32_t i = 0; i < LANES; i++)
            bits |= squares[from + i] <= limit ? 1u << i : 0u;
        within[from / LANES] &= bits;
    }
}

TERRANE_CLONES
uint32_t segment_nearest(struct segment_rows rows, float x, float y)
{
    float least[LANES], squares[LANES];
    uint32_t run[LANES] = {0}, nearest = 0;
    for (uint32_t i = 0; i < LANES; i++)
        least[i] = 1e30f;
    for (uint32_t from = 0; from < rows.stride; from += LANES) {
        squares_of_run(rows, from, x, y, squares);
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < LANES; i++) {
            run[i] = squares[i] <= least[i] ? from : run[i];
            least[i] = min_float(squares[i], least[i]);
        }
    }
    float low, high;
    lanes_min_max(least, &low, &high);
    for (uint32_t i = 0; i < LANES; i++)
        nearest = least[i] == low && run[i] + i > nearest ? run[i] + i : nearest;
    return nearest;
}

TERRANE_CLONES
uint32_t segments_in_box(struct segment_rows rows, size_t from, const struct segment_box *box)
{
    const float *restrict row = rows.values + from;
    const size_t stride = rows.stride;
    uint32_t bits = 0;
    TERRANE_NO_UNROLL
    for (uint32_t i = 0; i < LANES; i++) {
        const float x = row[SEGMENT_X * stride + i], end_x = row[SEGMENT_END_X * stride + i];
        const float y = row[SEGMENT_Y * stride + i], end_y = row[SEGMENT_END_Y * stride + i];
        const int meets =
            (int)(max_float(x, end_x) >= box->west) & (int)(min_float(x, end_x) <= box->east) &
            (int)(max_float(y, end_y) >= box->north) & (int)(min_float(y, end_y) <= box->south);
        bits |= meets ? 1u << i : 0u;
    }
    return bits;
}

float relief_share(unsigned level)
{
    /* 0.62^(level − 1); level 0 counts as 1. */
    static const float shares[DRAINAGE_LEVELS_MAX + 2] = {
        1.0f,
        1.0f,
        0.620000005f,
        0.38440001f,
        0.23832801f,
        0.147763371f,
        0.0916132927f,
        0.0568002425f,
        0.0352161489f,
        0.0218340121f,
        0.0135370875f,
        0.00839299429f,
        0.00520365639f,
        0.00322626694f,
        0.00200028555f,
        0.00124017708f,
        0.000768909813f,
    };
    return shares[level];
}

float bed_depth(unsigned level, float relief)
{
    if (level == 0)
        return 0.3f * relief + 5.0f;
    return 0.62f * relief * relief_share(level + 1) + 1.5f;
}
