/* The loop of splines.
 *
 * Neighbouring samples mostly lie in one segment, the one of the samples before them. So samples
 * are taken STRIP at a time, and the segments that a strip reaches are found from its least and its
 * greatest sample, walking from the segments of the strip before. If it reaches one only, all
 * samples evaluate one cubic. Otherwise each counts the segments that it reaches and looks up the
 * coefficients of the last one: in registers, if these hold all segments of the strip. */
#include <float.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/program/row_kernels.h"

enum { STRIP = 4 * LANES };

/* Vectors of GNU C with the segments that one instruction can choose from. */
typedef float segment_floats __attribute__((vector_size(4 * SPLINE_GROUP)));
typedef int32_t segment_indices __attribute__((vector_size(4 * SPLINE_GROUP)));

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
    while (s > 0 && v < spline->x[s])
        s--;
    while (s + 1 < spline->count && v >= spline->x[s + 1])
        s++;
    return s;
}

/* The coefficients of a segment. */
struct cubic {
    float x, c0, c1, c2, c3;
};

TERRANE_INLINE struct cubic cubic_of(const struct spline *spline, uint32_t segment)
{
    return (struct cubic){spline->x[segment], spline->c0[segment], spline->c1[segment],
                          spline->c2[segment], spline->c3[segment]};
}

TERRANE_INLINE float cubic_at(struct cubic s, float v)
{
    const float d = v - s.x;
    const float value = ((s.c3 * d + s.c2) * d + s.c1) * d + s.c0;
    return (__builtin_fabsf(value) <= FLT_MAX ? value : 0.0f) + 0.0f;
}

TERRANE_INLINE void one_segment(struct cubic segment, const float *restrict v, float *restrict out)
{
    TERRANE_NO_UNROLL
    for (int i = 0; i < STRIP; i++)
        out[i] = cubic_at(segment, v[i]);
}

/* How many segments after the first of the strip each sample reaches. */
TERRANE_INLINE void count_segments(const struct spline *spline, struct segments segments,
                                   const float *restrict v, int32_t *restrict counts)
{
    memset(counts, 0, STRIP * sizeof *counts);
    for (uint32_t s = segments.first + 1; s <= segments.last; s++) {
        const float begin = spline->x[s];
        TERRANE_NO_UNROLL
        for (int i = 0; i < STRIP; i++)
            counts[i] += v[i] >= begin ? 1 : 0;
    }
}

TERRANE_INLINE void look_up_each(const struct spline *spline, uint32_t first,
                                 const float *restrict v, const int32_t *restrict counts,
                                 float *restrict out)
{
    for (int i = 0; i < STRIP; i++)
        out[i] = cubic_at(cubic_of(spline, first + (uint32_t)counts[i]), v[i]);
}

#if defined(__GNUC__) && !defined(__clang__)
TERRANE_INLINE void choose(bool wide, const float *restrict of_segments,
                           const int32_t *restrict counts, float *restrict chosen)
{
    segment_floats near, far;
    segment_indices index;
    memcpy(&near, of_segments, sizeof near);
    memcpy(&far, of_segments + SPLINE_GROUP, sizeof far);
    memcpy(&index, counts, sizeof index);
    near = wide ? __builtin_shuffle(near, far, index) : __builtin_shuffle(near, index);
    memcpy(chosen, &near, sizeof near);
}

/* look_up_each() for counts below SPLINE_GROUP, or below twice as many if it is wide. */
TERRANE_INLINE void look_up_in_registers(bool wide, const struct spline *spline, uint32_t first,
                                         const float *restrict v, const int32_t *restrict counts,
                                         float *restrict out)
{
    for (int start = 0; start < STRIP; start += SPLINE_GROUP) {
        float x[SPLINE_GROUP], c0[SPLINE_GROUP], c1[SPLINE_GROUP], c2[SPLINE_GROUP],
            c3[SPLINE_GROUP];
        const int32_t *restrict index = counts + start;
        choose(wide, spline->x + first, index, x);
        choose(wide, spline->c0 + first, index, c0);
        choose(wide, spline->c1 + first, index, c1);
        choose(wide, spline->c2 + first, index, c2);
        choose(wide, spline->c3 + first, index, c3);
        TERRANE_NO_UNROLL
        for (int i = 0; i < SPLINE_GROUP; i++)
            out[start + i] =
                cubic_at((struct cubic){x[i], c0[i], c1[i], c2[i], c3[i]}, v[start + i]);
    }
}

/* Looks all up in registers, if these hold the segments for counts up to `reached`; else false. */
TERRANE_INLINE bool look_up_together(uint32_t reached, const struct spline *spline, uint32_t first,
                                     const float *restrict v, const int32_t *restrict counts,
                                     float *restrict out)
{
    if (reached < SPLINE_GROUP)
        look_up_in_registers(false, spline, first, v, counts, out);
    else if (reached < 2 * SPLINE_GROUP)
        look_up_in_registers(true, spline, first, v, counts, out);
    return reached < 2 * SPLINE_GROUP;
}
#else
#define look_up_together(...) false
#endif

/* A strip, clamped to the ends of the spline, where it is flat. *segments are those that the strip
 * before reached, then those of this one. */
TERRANE_INLINE void spline_strip(bool permutes, const struct spline *spline,
                                 const float *restrict a, struct segments *segments,
                                 float *restrict out)
{
    const float begin = spline->x[0], end = spline->x[spline->count - 1];
    float v[STRIP], low, high;
    int32_t counts[STRIP];
    TERRANE_NO_UNROLL
    for (int i = 0; i < STRIP; i++)
        v[i] = min_float(max_float(a[i], begin), end);
    strip_min_max(v, &low, &high);
    segments->first = walk_to(spline, segments->first, low);
    segments->last = walk_to(spline, segments->last, high);
    if (segments->first == segments->last) {
        one_segment(cubic_of(spline, segments->first), v, out);
        return;
    }
    count_segments(spline, *segments, v, counts);
    if (!permutes || !look_up_together(segments->last - segments->first, spline, segments->first, v,
                                       counts, out))
        look_up_each(spline, segments->first, v, counts, out);
}

TERRANE_INLINE void spline_row(bool permutes, size_t count, const float *a,
                               const struct spline *spline, float *out)
{
    struct segments segments = {0, 0};
    size_t start = 0;
    for (; start + STRIP <= count; start += STRIP)
        spline_strip(permutes, spline, a + start, &segments, out + start);
    if (start == count)
        return;
    float rest[STRIP], results[STRIP];
    for (size_t i = 0; i < STRIP; i++) /* the last one again, which adds no segments */
        rest[i] = a[start + i < count ? start + i : count - 1];
    spline_strip(permutes, spline, rest, &segments, results);
    memcpy(out + start, results, (count - start) * sizeof *out);
}

#define SPLINE_ROW(target_set, name, permutes)                                                     \
    target_set void name(size_t count, const float *a, const struct spline *spline, float *out)    \
    {                                                                                              \
        spline_row(permutes, count, a, spline, out);                                               \
    }
#ifdef TERRANE_HAS_CLONES
SPLINE_ROW(static __attribute__((target("avx512f"))), spline_row_avx512, true)
SPLINE_ROW(static __attribute__((target("avx2"))), spline_row_avx2, true)
SPLINE_ROW(static, spline_row_baseline, false)
void row_kernel_spline(size_t count, const float *a, const struct spline *spline, float *out)
{
    if (__builtin_cpu_supports("avx512f"))
        spline_row_avx512(count, a, spline, out);
    else if (__builtin_cpu_supports("avx2"))
        spline_row_avx2(count, a, spline, out);
    else
        spline_row_baseline(count, a, spline, out);
}
#elif defined(__AVX2__)
SPLINE_ROW(, row_kernel_spline, true)
#else
SPLINE_ROW(, row_kernel_spline, false)
#endif
