/* The pixel loops. */
#include "core/noise/simd.h"
#include "core/tile/style_private.h"

TERRANE_INLINE float clamp_to(float v, float low, float high)
{
    v = v < low ? low : v;
    return v > high ? high : v;
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

/* The stops' slopes, computed once a row; then every stop is tried for all pixels, branchless. */
TERRANE_CLONES
void paint_ramp(const struct paint_row *row, const struct ramp *ramp, const float *restrict values,
                const float *restrict weight)
{
    float *restrict red = row->red, *restrict green = row->green, *restrict blue = row->blue;
    const uint32_t stops = ramp->count;
    float slope[STYLE_STOPS_MAX];
    for (uint32_t s = 0; s < stops; s++) {
        float width = s + 1 < stops ? ramp->value[s + 1] - ramp->value[s] : 0.0f;
        slope[s] = width > 0.0f ? 1.0f / width : 0.0f;
    }
    for (uint32_t i = 0; i < row->count; i++) {
        float v = values[i], r = ramp->red[0], g = ramp->green[0], b = ramp->blue[0];
        for (uint32_t s = 0; s + 1 < stops; s++) {
            float t = clamp_to((v - ramp->value[s]) * slope[s], 0.0f, 1.0f);
            bool inside = v >= ramp->value[s];
            r = inside ? ramp->red[s] + (ramp->red[s + 1] - ramp->red[s]) * t : r;
            g = inside ? ramp->green[s] + (ramp->green[s + 1] - ramp->green[s]) * t : g;
            b = inside ? ramp->blue[s] + (ramp->blue[s + 1] - ramp->blue[s]) * t : b;
        }
        bool beyond = v >= ramp->value[stops - 1];
        r = beyond ? ramp->red[stops - 1] : r;
        g = beyond ? ramp->green[stops - 1] : g;
        b = beyond ? ramp->blue[stops - 1] : b;
        red[i] += (r - red[i]) * weight[i];
        green[i] += (g - green[i]) * weight[i];
        blue[i] += (b - blue[i]) * weight[i];
    }
}

void paint_palette(const struct paint_row *row, const uint8_t *palette, const float *values,
                   const float *weight)
{
    for (uint32_t i = 0; i < row->count; i++) {
        const uint8_t *colour = palette + 3 * (uint32_t)values[i];
        row->red[i] += ((float)colour[0] - row->red[i]) * weight[i];
        row->green[i] += ((float)colour[1] - row->green[i]) * weight[i];
        row->blue[i] += ((float)colour[2] - row->blue[i]) * weight[i];
    }
}

/* Lambert's law for every light on the normal from central differences. What is brighter than level
 * ground turns towards white, what is darker towards black. */
TERRANE_CLONES
void paint_shade(const struct paint_row *row, const struct shade *shade,
                 const float *restrict values, size_t stride, float slope_scale)
{
    float *restrict red = row->red, *restrict green = row->green, *restrict blue = row->blue;
    const float *restrict north = values - stride, *restrict south = values + stride;
    const float *restrict west = values - 1, *restrict next = values + 1;
    const struct shade s = *shade;
    const float level = 1.0f / s.level;
    for (uint32_t i = 0; i < row->count; i++) {
        float east = (west[i] - next[i]) * slope_scale;
        float down = (north[i] - south[i]) * slope_scale;
        float inverse = 1.0f / __builtin_sqrtf(east * east + down * down + 1.0f);
        float light = 0.0f;
        for (uint32_t k = 0; k < s.light_count; k++) {
            float facing = (s.east[k] * east + s.south[k] * down + s.up[k]) * inverse;
            light += facing < 0.0f ? 0.0f : facing;
        }
        float strength = values[i] < 0.0f ? s.strength * s.water : s.strength;
        float surplus = (light * level - 1.0f) * strength;
        float dark = surplus < 0.0f ? 1.0f + surplus : 1.0f;
        float white = surplus > 0.0f ? clamp_to(surplus * s.highlight, 0.0f, 1.0f) : 0.0f;
        red[i] = red[i] * dark + (255.0f - red[i]) * white;
        green[i] = green[i] * dark + (255.0f - green[i]) * white;
        blue[i] = blue[i] * dark + (255.0f - blue[i]) * white;
    }
}

TERRANE_INLINE uint8_t to_byte(float v)
{
    return (uint8_t)(int32_t)(clamp_to(v, 0.0f, 255.0f) + 0.5f);
}

TERRANE_CLONES
void paint_store_rgb(const struct paint_row *row, uint8_t *restrict pixels)
{
    const float *restrict red = row->red, *restrict green = row->green, *restrict blue = row->blue;
    for (uint32_t i = 0; i < row->count; i++) {
        pixels[3 * i] = to_byte(red[i]);
        pixels[3 * i + 1] = to_byte(green[i]);
        pixels[3 * i + 2] = to_byte(blue[i]);
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
