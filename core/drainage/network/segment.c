/* See segment.h. Segments are compared 16 at a time, from rows of their ends. */
#include "core/drainage/network/segment.h"

#include "core/base/lanes.h"

void segment_place(struct segment *segment, const struct place ends[2])
{
    segment->ends[0] = ends[0];
    segment->ends[1] = ends[1];
    segment->ux = units_to_metres(ends[1].x - ends[0].x);
    segment->uy = units_to_metres(ends[1].y - ends[0].y);
    const float squared = segment->ux * segment->ux + segment->uy * segment->uy;
    segment->inverse = squared > 0.0f ? 1.0f / squared : 0.0f;
    segment->length = __builtin_sqrtf(squared);
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
