/* The loops over a row of pixels that blend colours: weights, ramps and palettes.
 *
 * A ramp takes LANES pixels at a time. Most of such groups lie in one segment of the ramp, and in
 * the same one as the group to their west. Else the least and greatest value choose the segment
 * once for all lanes, or the group passes through all segments between those two, and each lane
 * adds the part of every segment that it has covered: without a branch for each pixel. */
#include <float.h>

#include "core/base/lanes.h"
#include "core/tile/style_private.h"

TERRANE_CLONES
static bool any_above(uint32_t count, const float *restrict values, float low)
{
    uint32_t above = 0;
    for (uint32_t i = 0; i < count; i++)
        above |= values[i] > low;
    return above != 0;
}

TERRANE_CLONES
static bool any_below(uint32_t count, const float *restrict values, float high)
{
    uint32_t below = 0;
    for (uint32_t i = 0; i < count; i++)
        below |= values[i] < high;
    return below != 0;
}

/* True if the step shows at a sample: on the side of `low` that `high` is on. Most rows show it by
 * their ends. */
static bool any_shows(uint32_t count, const struct mask *mask, const float *values)
{
    const float first = values[0], last = values[count - 1];
    if (mask->high < mask->low)
        return first < mask->low || last < mask->low || any_below(count, values, mask->low);
    return first > mask->low || last > mask->low || any_above(count, values, mask->low);
}

TERRANE_CLONES
static void fill_weights(uint32_t count, const struct mask *mask, const float *restrict values,
                         float opacity, float *restrict weight)
{
    const float low = mask->low, width = mask->high - mask->low, scale = 1.0f / width;
    if (!values) {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = opacity;
    } else if (width != 0.0f) {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = opacity * clamp_unit((values[i] - low) * scale);
    } else {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = values[i] > low ? opacity : 0.0f;
    }
}

bool paint_weights(uint32_t count, const struct mask *mask, const float *values, float opacity,
                   float *weight)
{
    if (opacity <= 0.0f || (values && !any_shows(count, mask, values)))
        return false;
    fill_weights(count, mask, values, opacity, weight);
    return true;
}

/* One segment of a ramp: a stop, and the difference to the next stop. */
struct segment {
    float value, slope, red, green, blue, to_red, to_green, to_blue;
};

TERRANE_INLINE struct segment ramp_segment(const struct ramp *ramp, uint32_t s)
{
    uint32_t next = s + 1 < ramp->count ? s + 1 : s;
    float width = ramp->value[next] - ramp->value[s];
    return (struct segment){
        ramp->value[s],
        width > 0.0f ? 1.0f / width : 0.0f,
        ramp->red[s],
        ramp->green[s],
        ramp->blue[s],
        ramp->red[next] - ramp->red[s],
        ramp->green[next] - ramp->green[s],
        ramp->blue[next] - ramp->blue[s],
    };
}

TERRANE_INLINE void blend(const struct paint_row *row, uint32_t i, struct segment s, float value,
                          float weight)
{
    float t = clamp_unit((value - s.value) * s.slope);
    row->red[i] += (s.red + s.to_red * t - row->red[i]) * weight;
    row->green[i] += (s.green + s.to_green * t - row->green[i]) * weight;
    row->blue[i] += (s.blue + s.to_blue * t - row->blue[i]) * weight;
}

/* The segment of a value: the last stop that it reaches, or the first. */
TERRANE_INLINE uint32_t find_stop(const struct ramp *ramp, float value)
{
    uint32_t stop = 0;
    while (stop + 1 < ramp->count && value >= ramp->value[stop + 1])
        stop++;
    return stop;
}

/* Blends LANES pixels from `start` on whose values lie in the segments range[0] to range[1]: a lane
 * adds up all segments before its own. The stops' colours are whole numbers, so the sum is exactly
 * the colour at the beginning of its own segment. */
TERRANE_INLINE void blend_across_segments(const struct paint_row *row, uint32_t start,
                                          const struct segment *segments, const uint32_t range[2],
                                          const float *restrict values,
                                          const float *restrict weight)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    float r[LANES], g[LANES], b[LANES];
    TERRANE_NO_UNROLL
    for (int i = 0; i < LANES; i++) {
        r[i] = segments[range[0]].red;
        g[i] = segments[range[0]].green;
        b[i] = segments[range[0]].blue;
    }
    for (uint32_t k = range[0]; k <= range[1]; k++) {
        const struct segment s = segments[k];
        const float edge = s.slope > 0.0f ? 0.0f : 1.0f;
        TERRANE_NO_UNROLL
        for (int i = 0; i < LANES; i++) {
            float t = clamp_unit((values[i] - s.value) * s.slope);
            t = values[i] >= s.value ? t + edge : 0.0f;
            r[i] += s.to_red * t;
            g[i] += s.to_green * t;
            b[i] += s.to_blue * t;
        }
    }
    TERRANE_NO_UNROLL
    for (int i = 0; i < LANES; i++) {
        red[i] += (r[i] - red[i]) * weight[i];
        green[i] += (g[i] - green[i]) * weight[i];
        blue[i] += (b[i] - blue[i]) * weight[i];
    }
}

/* blend_across_segments() for values that all lie in one segment. */
TERRANE_INLINE void blend_in_segment(const struct paint_row *row, uint32_t start, struct segment s,
                                     const float *restrict values, const float *restrict weight)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    TERRANE_NO_UNROLL
    for (int i = 0; i < LANES; i++) {
        float t = clamp_unit((values[i] - s.value) * s.slope);
        red[i] += (s.red + s.to_red * t - red[i]) * weight[i];
        green[i] += (s.green + s.to_green * t - green[i]) * weight[i];
        blue[i] += (s.blue + s.to_blue * t - blue[i]) * weight[i];
    }
}

/* True if all of LANES values lie in a segment: the guess is that of the pixels to the west. */
TERRANE_INLINE bool all_in_segment(const struct ramp *ramp, uint32_t s,
                                   const float *restrict values)
{
    const float low = s > 0 ? ramp->value[s] : -FLT_MAX;
    const float high = s + 1 < ramp->count ? ramp->value[s + 1] : FLT_MAX;
    int32_t outside = 0;
    TERRANE_NO_UNROLL
    for (int i = 0; i < LANES; i++)
        outside |= (values[i] < low) | (values[i] >= high);
    return outside == 0;
}

TERRANE_INLINE bool all_zero(const float *restrict weight)
{
    int32_t any = 0;
    TERRANE_NO_UNROLL
    for (int i = 0; i < LANES; i++)
        any |= weight[i] != 0.0f;
    return any == 0;
}

TERRANE_CLONES
void paint_ramp(const struct paint_row *row, const struct ramp *ramp, const float *values,
                const float *weight)
{
    struct segment segments[STYLE_STOPS_MAX];
    uint32_t start = 0;
    for (uint32_t s = 0; s < ramp->count; s++)
        segments[s] = ramp_segment(ramp, s);
    for (uint32_t s = 0; start + LANES <= row->count; start += LANES) {
        float low, high;
        if (all_zero(weight + start))
            continue;
        if (all_in_segment(ramp, s, values + start)) {
            blend_in_segment(row, start, segments[s], values + start, weight + start);
            continue;
        }
        lanes_min_max(values + start, &low, &high);
        const uint32_t range[] = {find_stop(ramp, low), find_stop(ramp, high)};
        s = range[1];
        if (range[0] == range[1])
            blend_in_segment(row, start, segments[range[0]], values + start, weight + start);
        else
            blend_across_segments(row, start, segments, range, values + start, weight + start);
    }
    for (; start < row->count; start++)
        blend(row, start, segments[find_stop(ramp, values[start])], values[start], weight[start]);
}

TERRANE_INLINE void blend_colour(const struct paint_row *row, uint32_t start, uint32_t count,
                                 const uint8_t *colour, const float *restrict weight)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    const float r = (float)colour[0], g = (float)colour[1], b = (float)colour[2];
    for (uint32_t i = 0; i < count; i++) {
        red[i] += (r - red[i]) * weight[i];
        green[i] += (g - green[i]) * weight[i];
        blue[i] += (b - blue[i]) * weight[i];
    }
}

/* Blends runs of pixels that have one colour. */
TERRANE_CLONES
void paint_palette(const struct paint_row *row, const uint8_t *palette, const float *values,
                   const float *weight)
{
    for (uint32_t start = 0, end; start < row->count; start = end) {
        const float value = values[start];
        for (end = start + 1; end < row->count && values[end] == value; end++)
            ;
        blend_colour(row, start, end - start, palette + 3 * (uint32_t)value, weight + start);
    }
}
