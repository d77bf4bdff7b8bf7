/* The pixel loops. */
#include "core/base/simd.h"
#include "core/tile/style_private.h"

/* What is no number, as slopes of heights near the end of a float's range can be, is low. */
TERRANE_INLINE float clamp_to(float v, float low, float high)
{
    v = v > low ? v : low;
    return v < high ? v : high;
}

TERRANE_CLONES
void paint_weigh(uint32_t count, const struct mask *mask, const float *restrict values,
                 float opacity, float *restrict weight)
{
    const float low = mask->low, width = mask->high - mask->low;
    if (!values) {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = opacity;
    } else if (width > 0.0f) {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = opacity * clamp_to((values[i] - low) / width, 0.0f, 1.0f);
    } else {
        for (uint32_t i = 0; i < count; i++)
            weight[i] = values[i] > low ? opacity : 0.0f;
    }
}

enum { LANES = 16 };

/* A stop and the way to the next, for one segment of a ramp. */
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
    float t = clamp_to((value - s.value) * s.slope, 0.0f, 1.0f);
    row->red[i] += (s.red + s.to_red * t - row->red[i]) * weight;
    row->green[i] += (s.green + s.to_green * t - row->green[i]) * weight;
    row->blue[i] += (s.blue + s.to_blue * t - row->blue[i]) * weight;
}

/* Which segment each of LANES values is in: the last stop it has reached, the first if none.
 * Returns whether it is the same one for all. */
TERRANE_INLINE bool find_stops(const struct ramp *ramp, const float *restrict values,
                               int32_t *restrict stop)
{
    int32_t other = 0;
    TERRANE_LANES
    for (int i = 0; i < LANES; i++)
        stop[i] = 0;
    for (uint32_t s = 1; s < ramp->count; s++) {
        const float value = ramp->value[s];
        TERRANE_LANES
        for (int i = 0; i < LANES; i++)
            stop[i] += values[i] >= value;
    }
    TERRANE_LANES
    for (int i = 0; i < LANES; i++)
        other |= stop[i] ^ stop[0];
    return other == 0;
}

/* The segments of LANES values, each value's own. */
struct segments {
    float value[LANES], slope[LANES], red[LANES], green[LANES], blue[LANES], to_red[LANES],
        to_green[LANES], to_blue[LANES];
};

/* One segment where `stop` says so, of `low` to `high` that it names: all lanes take all of them
 * and keep their own, as there are few. */
TERRANE_INLINE void pick_segments(const struct ramp *ramp, const int32_t *restrict stop,
                                  struct segments *restrict own)
{
    int32_t low = stop[0], high = stop[0];
    for (int i = 1; i < LANES; i++) {
        low = stop[i] < low ? stop[i] : low;
        high = stop[i] > high ? stop[i] : high;
    }
    for (int32_t k = low; k <= high; k++) {
        const struct segment s = ramp_segment(ramp, (uint32_t)k);
        TERRANE_LANES
        for (int i = 0; i < LANES; i++) {
            const bool here = stop[i] >= k; /* a later one overwrites it */
            own->value[i] = here ? s.value : own->value[i];
            own->slope[i] = here ? s.slope : own->slope[i];
            own->red[i] = here ? s.red : own->red[i];
            own->green[i] = here ? s.green : own->green[i];
            own->blue[i] = here ? s.blue : own->blue[i];
            own->to_red[i] = here ? s.to_red : own->to_red[i];
            own->to_green[i] = here ? s.to_green : own->to_green[i];
            own->to_blue[i] = here ? s.to_blue : own->to_blue[i];
        }
    }
}

/* LANES pixels of a row from `start` on. */
TERRANE_INLINE void blend_lanes(const struct paint_row *row, uint32_t start,
                                const struct segments *restrict own, const float *restrict values,
                                const float *restrict weight)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    TERRANE_LANES
    for (int i = 0; i < LANES; i++) {
        float t = clamp_to((values[i] - own->value[i]) * own->slope[i], 0.0f, 1.0f);
        red[i] += (own->red[i] + own->to_red[i] * t - red[i]) * weight[i];
        green[i] += (own->green[i] + own->to_green[i] * t - green[i]) * weight[i];
        blue[i] += (own->blue[i] + own->to_blue[i] * t - blue[i]) * weight[i];
    }
}

/* The same where they all lie in one segment. */
TERRANE_INLINE void blend_alike(const struct paint_row *row, uint32_t start, struct segment s,
                                const float *restrict values, const float *restrict weight)
{
    float *restrict red = row->red + start, *restrict green = row->green + start,
                    *restrict blue = row->blue + start;
    TERRANE_LANES
    for (int i = 0; i < LANES; i++) {
        float t = clamp_to((values[i] - s.value) * s.slope, 0.0f, 1.0f);
        red[i] += (s.red + s.to_red * t - red[i]) * weight[i];
        green[i] += (s.green + s.to_green * t - green[i]) * weight[i];
        blue[i] += (s.blue + s.to_blue * t - blue[i]) * weight[i];
    }
}

TERRANE_CLONES
void paint_ramp(const struct paint_row *row, const struct ramp *ramp, const float *values,
                const float *weight)
{
    uint32_t start = 0;
    for (; start + LANES <= row->count; start += LANES) {
        int32_t stop[LANES];
        if (find_stops(ramp, values + start, stop)) {
            blend_alike(row, start, ramp_segment(ramp, (uint32_t)stop[0]), values + start,
                        weight + start);
        } else {
            struct segments own = {0};
            pick_segments(ramp, stop, &own);
            blend_lanes(row, start, &own, values + start, weight + start);
        }
    }
    for (; start < row->count; start++) {
        uint32_t stop = 0;
        while (stop + 1 < ramp->count && values[start] >= ramp->value[stop + 1])
            stop++;
        blend(row, start, ramp_segment(ramp, stop), values[start], weight[start]);
    }
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

/* Runs of pixels of one colour. */
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
