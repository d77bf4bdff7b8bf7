/* The loop of splines.
 *
 * Neighbouring samples mostly lie in one segment, the one of the samples before them. So samples
 * are taken STRIP at a time, and the segments that a strip reaches are found from its least and its
 * greatest sample, walking from the segments of the strip before. If it reaches one only, all
 * samples evaluate one cubic. Otherwise each selects the coefficients of its segment by comparisons
 * with the segments that the strip reaches, which vectors do faster than any search or lookup. */
#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/world/row_kernels.h"

enum { STRIP = 4 * LANES };

/* The segments that a strip reaches. */
struct segments {
    uint32_t first, last;
};

TERRANE_INLINE void strip_min_max(const float *restrict v, float *low, float *high)
{
    float lows[LANES], highs[LANES], unused;
    TERRANE_NO_UNROLL
    for (int i = 0; i < LANES; i++) {
        const float a = v[i], b = v[i + LANES], c = v[i + 2 * LANES], d = v[i + 3 * LANES];
        lows[i] = min_float(min_float(a, b), min_float(c, d));
        highs[i] = max_float(max_float(a, b), max_float(c, d));
    }
    lanes_min_max(lows, low, &unused);
    lanes_min_max(highs, &unused, high);
}

/* The segment of v, found from segment s. The first one has no beginning, the last one no end. */
TERRANE_INLINE uint32_t walk_to(const struct spline *spline, uint32_t s, float v)
{
    while (s > 0 && v < spline->segments[s].x)
        s--;
    while (s + 1 < spline->count && v >= spline->segments[s + 1].x)
        s++;
    return s;
}

TERRANE_INLINE float cubic(float v, struct spline_segment s)
{
    const float d = v - s.x;
    const float value = ((s.c3 * d + s.c2) * d + s.c1) * d + s.c0;
    return (__builtin_fabsf(value) <= FLT_MAX ? value : 0.0f) + 0.0f;
}

TERRANE_INLINE void one_segment(struct spline_segment segment, const float *restrict v,
                                float *restrict out)
{
    TERRANE_NO_UNROLL
    for (int i = 0; i < STRIP; i++)
        out[i] = cubic(v[i], segment);
}

/* The segment of each sample of a strip. */
struct strip_segments {
    float x[STRIP], c0[STRIP], c1[STRIP], c2[STRIP], c3[STRIP];
};

TERRANE_INLINE void store_segment(struct strip_segments *strip, int i, struct spline_segment s)
{
    strip->x[i] = s.x;
    strip->c0[i] = s.c0;
    strip->c1[i] = s.c1;
    strip->c2[i] = s.c2;
    strip->c3[i] = s.c3;
}

/* `next` if v reaches it. */
TERRANE_INLINE struct spline_segment select_segment(float v, struct spline_segment segment,
                                                    struct spline_segment next)
{
    const bool reached = v >= next.x;
    return (struct spline_segment){
        reached ? next.x : segment.x,   reached ? next.c0 : segment.c0,
        reached ? next.c1 : segment.c1, reached ? next.c2 : segment.c2,
        reached ? next.c3 : segment.c3,
    };
}

/* Goes on to the next SPLINE_GROUP segments, for the samples that reach them. */
TERRANE_INLINE void select_group(const struct spline_segment next[SPLINE_GROUP],
                                 const float *restrict v, struct strip_segments *restrict strip)
{
    const struct spline_segment next0 = next[0], next1 = next[1], next2 = next[2], next3 = next[3];
    TERRANE_NO_UNROLL
    for (int i = 0; i < STRIP; i++) {
        struct spline_segment s = {strip->x[i], strip->c0[i], strip->c1[i], strip->c2[i],
                                   strip->c3[i]};
        s = select_segment(v[i], s, next0);
        s = select_segment(v[i], s, next1);
        s = select_segment(v[i], s, next2);
        store_segment(strip, i, select_segment(v[i], s, next3));
    }
}

TERRANE_INLINE void several_segments(const struct spline *spline, uint32_t first, uint32_t last,
                                     const float *restrict v, float *restrict out)
{
    struct strip_segments strip;
    TERRANE_NO_UNROLL
    for (int i = 0; i < STRIP; i++)
        store_segment(&strip, i, spline->segments[first]);
    for (uint32_t s = first + 1; s <= last; s += SPLINE_GROUP)
        select_group(&spline->segments[s], v, &strip);
    TERRANE_NO_UNROLL
    for (int i = 0; i < STRIP; i++)
        out[i] = cubic(v[i], (struct spline_segment){strip.x[i], strip.c0[i], strip.c1[i],
                                                     strip.c2[i], strip.c3[i]});
}

/* A strip, clamped to the ends of the spline, where it is flat. *segments are those that the strip
 * before reached, then those of this one. */
TERRANE_INLINE void spline_strip(const struct spline *spline, const float *restrict a,
                                 struct segments *segments, float *restrict out)
{
    const float begin = spline->segments[0].x, end = spline->segments[spline->count - 1].x;
    float v[STRIP], low, high;
    TERRANE_NO_UNROLL
    for (int i = 0; i < STRIP; i++)
        v[i] = min_float(max_float(a[i], begin), end);
    strip_min_max(v, &low, &high);
    segments->first = walk_to(spline, segments->first, low);
    segments->last = walk_to(spline, segments->last, high);
    if (segments->first == segments->last)
        one_segment(spline->segments[segments->first], v, out);
    else
        several_segments(spline, segments->first, segments->last, v, out);
}

TERRANE_CLONES
void row_kernel_spline(size_t count, const float *a, const struct spline *spline, float *out)
{
    struct segments segments = {0, 0};
    size_t start = 0;
    for (; start + STRIP <= count; start += STRIP)
        spline_strip(spline, a + start, &segments, out + start);
    if (start == count)
        return;
    float rest[STRIP], results[STRIP];
    for (size_t i = 0; i < STRIP; i++) /* the last one again, which adds no segments */
        rest[i] = a[start + i < count ? start + i : count - 1];
    spline_strip(spline, rest, &segments, results);
    memcpy(out + start, results, (count - start) * sizeof *out);
}
