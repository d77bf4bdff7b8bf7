/* See segment.h. Segments are compared 16 at a time, from rows of their ends. Of equal ones it is
 * the last that is taken: the place alone decides their order. */
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

/* The nearest points on 16 segments. */
TERRANE_INLINE void points_of_run(const float *restrict run, float x, float y,
                                  float *restrict squares, float *restrict along)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (size_t i = 0; i < LANES; i++) {
        const float dx = x - run[SEGMENT_X * LANES + i];
        const float dy = y - run[SEGMENT_Y * LANES + i];
        const float end_x = x - run[SEGMENT_END_X * LANES + i];
        const float end_y = y - run[SEGMENT_END_Y * LANES + i];
        const float ux = dx - end_x, uy = dy - end_y;
        /* The addend is for segments without length. */
        const float t = (dx * ux + dy * uy) / (ux * ux + uy * uy + 1e-12f);
        const float u = max_float(t, 0.0f);
        const float aside_x = dx - u * ux, aside_y = dy - u * uy;
        const float to_x = t >= 1.0f ? end_x : aside_x, to_y = t >= 1.0f ? end_y : aside_y;
        squares[i] = to_x * to_x + to_y * to_y;
        along[i] = min_float(u, 1.0f);
    }
}

TERRANE_CLONES
void segments_within(struct segment_rows rows, float x, float y, float limit,
                     uint32_t *restrict within)
{
    float squares[LANES], along[LANES];
    for (size_t from = 0; from < rows.count; from += LANES) {
        if (within[from / LANES] == 0)
            continue;
        const float *restrict run = segment_run(rows, from);
        points_of_run(run, x, y, squares, along);
        uint32_t bits = 0;
        TERRANE_NO_UNROLL
        for (uint32_t i = 0; i < LANES; i++) {
            const float most = limit + run[SEGMENT_REACH * LANES + i];
            bits |= squares[i] <= most * most ? 1u << i : 0u;
        }
        within[from / LANES] &= bits;
    }
}

/* The least values so far in each lane, and the runs that they are of. */
struct least {
    float value[LANES];
    uint32_t run[LANES];
};

TERRANE_INLINE void least_begin(struct least *least, uint32_t run)
{
    for (uint32_t i = 0; i < LANES; i++) {
        least->value[i] = 1e30f;
        least->run[i] = run;
    }
}

/* Takes values of a run that are not above those before. */
TERRANE_INLINE void least_take(struct least *restrict least, uint32_t from,
                               const float *restrict values)
{
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < LANES; i++) {
        least->run[i] = values[i] <= least->value[i] ? from : least->run[i];
        least->value[i] = min_float(values[i], least->value[i]);
    }
}

/* The number of the least of all: of equal ones the last. */
TERRANE_INLINE uint32_t least_number(const struct least *least)
{
    float low, high;
    uint32_t number = 0;
    lanes_min_max(least->value, &low, &high);
    for (uint32_t i = 0; i < LANES; i++)
        number = least->value[i] == low && least->run[i] + i > number ? least->run[i] + i : number;
    return number;
}

TERRANE_CLONES
uint32_t segment_nearest(struct segment_rows rows, float x, float y, struct segment_points points)
{
    struct least least;
    least_begin(&least, 0);
    for (uint32_t from = 0; from < rows.count; from += LANES) {
        float *squares = points.squares + from;
        points_of_run(segment_run(rows, from), x, y, squares, points.along + from);
        least_take(&least, from, squares);
    }
    return least_number(&least);
}

TERRANE_CLONES
uint32_t segment_lowest(struct segment_rows rows, const struct segment_rise *rise,
                        struct segment_points points)
{
    const struct segment_rise by = *rise;
    const float above = by.above / by.limit; /* a metre of the distance */
    struct least least;
    least_begin(&least, 0);
    for (uint32_t from = 0; from < rows.count; from += LANES) {
        const float *restrict run = segment_run(rows, from);
        const float *restrict squares = points.squares + from;
        const float *restrict along = points.along + from;
        float heights[LANES];
        TERRANE_INDEPENDENT_NO_UNROLL
        for (uint32_t i = 0; i < LANES; i++) {
            const float bed = run[SEGMENT_BED * LANES + i];
            const float change = run[SEGMENT_END_BED * LANES + i] - bed;
            const float low = bed + change * along[i];
            const float slope = by.slope + above * not_below_zero(low - by.target);
            const float height = low + slope * __builtin_sqrtf(squares[i]);
            heights[i] = squares[i] <= by.limit * by.limit ? height : 1e30f;
        }
        least_take(&least, from, heights);
    }
    return least_number(&least);
}

/* What meets a way behind this share of it is what it leads to. */
static const float WAY_END = 0.9999f;

/* Where a way crosses 16 segments: shares of it, large where it does not, and of the segments. */
TERRANE_INLINE void crossings_of_run(const float *restrict run, const struct segment_way *way,
                                     float *restrict shares, float *restrict along)
{
    const float x = way->x, y = way->y, dx = way->dx, dy = way->dy;
    TERRANE_INDEPENDENT_NO_UNROLL
    for (uint32_t i = 0; i < LANES; i++) {
        const float line_x = run[SEGMENT_X * LANES + i] - x;
        const float line_y = run[SEGMENT_Y * LANES + i] - y;
        const float ux = run[SEGMENT_END_X * LANES + i] - x - line_x;
        const float uy = run[SEGMENT_END_Y * LANES + i] - y - line_y;
        const float side = line_x * dy - line_y * dx;
        const float area = dx * uy - dy * ux; /* 0 if they are parallel */
        const float inverse = 1.0f / (area == 0.0f ? 1e-30f : area);
        const float share = (line_x * uy - line_y * ux) * inverse, on = side * inverse;
        const int meets = (int)(area != 0.0f) & (int)(share > 0.0f) & (int)(share < WAY_END) &
                          (int)(on >= 0.0f) & (int)(on <= 1.0f);
        shares[i] = meets ? share : 1e30f;
        along[i] = on;
    }
}

TERRANE_CLONES
uint32_t segment_crossing(struct segment_rows rows, const struct segment_way *way, float *along)
{
    struct least least;
    float shares[LANES], on[LANES];
    least_begin(&least, (uint32_t)rows.count);
    for (uint32_t from = 0; from < rows.count; from += LANES) {
        crossings_of_run(segment_run(rows, from), way, shares, on);
        least_take(&least, from, shares);
    }
    const uint32_t first = least_number(&least);
    if (first >= rows.count || least.value[first % LANES] >= 1e30f)
        return (uint32_t)rows.count;
    crossings_of_run(segment_run(rows, first / LANES * LANES), way, shares, on);
    *along = on[first % LANES];
    return first;
}
