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

/* The part of a row from `start` on that lies in one segment. */
TERRANE_INLINE void blend_lanes(const struct paint_row *row, uint32_t start, struct segment s,
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
            blend_lanes(row, start, ramp_segment(ramp, (uint32_t)stop[0]), values + start,
                        weight + start);
            continue;
        }
        for (uint32_t i = start; i < start + LANES; i++)
            blend(row, i, ramp_segment(ramp, (uint32_t)stop[i - start]), values[i], weight[i]);
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

enum { SHADE_RUN = 64, STORE_RUN = 64 };

/* Lambert's law for every light on the normal from central differences, SHADE_RUN pixels at a time.
 */
TERRANE_INLINE void light_run(const struct shade *shade, const float *restrict values,
                              size_t stride, float slope_scale, uint32_t count,
                              float *restrict light)
{
    const float *restrict north = values - stride, *restrict south = values + stride;
    const float *restrict west = values - 1, *restrict next = values + 1;
    float east[SHADE_RUN], down[SHADE_RUN], inverse[SHADE_RUN];
    for (uint32_t i = 0; i < count; i++) {
        east[i] = (west[i] - next[i]) * slope_scale;
        down[i] = (north[i] - south[i]) * slope_scale;
        inverse[i] = 1.0f / __builtin_sqrtf(east[i] * east[i] + down[i] * down[i] + 1.0f);
        light[i] = 0.0f;
    }
    for (uint32_t k = 0; k < shade->light_count; k++) {
        const float to_east = shade->east[k], to_south = shade->south[k], up = shade->up[k];
        for (uint32_t i = 0; i < count; i++) {
            float facing = (to_east * east[i] + to_south * down[i] + up) * inverse[i];
            light[i] += facing < 0.0f ? 0.0f : facing;
        }
    }
}

/* What is brighter than level ground turns towards white, what is darker towards black. */
TERRANE_CLONES
void paint_shade(const struct paint_row *row, const struct shade *shade, const float *values,
                 size_t stride, float slope_scale)
{
    const float strength = shade->strength, water = shade->strength * shade->water;
    const float highlight = shade->highlight, level = 1.0f / shade->level;
    float light[SHADE_RUN];
    for (uint32_t start = 0; start < row->count; start += SHADE_RUN) {
        uint32_t count = row->count - start < SHADE_RUN ? row->count - start : SHADE_RUN;
        const float *restrict height = values + start;
        float *restrict red = row->red + start, *restrict green = row->green + start,
                        *restrict blue = row->blue + start;
        light_run(shade, height, stride, slope_scale, count, light);
        for (uint32_t i = 0; i < count; i++) {
            float share = height[i] < 0.0f ? water : strength;
            float surplus = (light[i] * level - 1.0f) * share;
            float dark = surplus < 0.0f ? 1.0f + surplus : 1.0f;
            float white = clamp_to(surplus * highlight, 0.0f, 1.0f);
            red[i] = red[i] * dark + (255.0f - red[i]) * white;
            green[i] = green[i] * dark + (255.0f - green[i]) * white;
            blue[i] = blue[i] * dark + (255.0f - blue[i]) * white;
        }
    }
}

TERRANE_INLINE uint8_t to_byte(float v)
{
    return (uint8_t)(int32_t)(clamp_to(v, 0.0f, 255.0f) + 0.5f);
}

TERRANE_INLINE void to_bytes(const float *restrict plane, uint32_t count, uint8_t *restrict bytes)
{
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = to_byte(plane[i]);
}

TERRANE_CLONES
void paint_store_rgb(const struct paint_row *row, uint8_t *restrict pixels)
{
    uint8_t red[STORE_RUN], green[STORE_RUN], blue[STORE_RUN];
    for (uint32_t start = 0; start < row->count; start += STORE_RUN) {
        uint32_t count = row->count - start < STORE_RUN ? row->count - start : STORE_RUN;
        to_bytes(row->red + start, count, red);
        to_bytes(row->green + start, count, green);
        to_bytes(row->blue + start, count, blue);
        for (uint32_t i = 0; i < count; i++, pixels += 3) {
            pixels[0] = red[i];
            pixels[1] = green[i];
            pixels[2] = blue[i];
        }
    }
}

TERRANE_CLONES
void paint_store_grey(uint32_t count, const float *restrict values, float low, float scale,
                      uint8_t *restrict pixels)
{
    for (uint32_t i = 0; i < count; i++)
        pixels[i] = to_byte((values[i] - low) * scale);
}

TERRANE_CLONES
void paint_store_indices(uint32_t count, const float *restrict values, uint8_t *restrict pixels)
{
    for (uint32_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)(int32_t)values[i];
}

/* v = round(256·(h + 32768)): red and green the whole metres, blue the 256ths. Never black, which
 * some readers take for "no data". */
TERRANE_CLONES
void paint_store_terrarium(uint32_t count, const float *restrict values, uint8_t *restrict pixels)
{
    for (uint32_t i = 0; i < count; i++) {
        /* h·256 is exact, and the sum below 2²⁴·2 keeps its halves: so this rounds once, halves up.
         */
        float h = clamp_to(values[i], -32768.0f, 32767.99609375f) * 256.0f;
        float whole = __builtin_floorf(h);
        int32_t v = (int32_t)whole + (h - whole >= 0.5f) + 32768 * 256;
        v = v < 1 ? 1 : v > 0xFFFFFF ? 0xFFFFFF : v;
        pixels[3 * i] = (uint8_t)(v >> 16);
        pixels[3 * i + 1] = (uint8_t)(v >> 8);
        pixels[3 * i + 2] = (uint8_t)v;
    }
}
