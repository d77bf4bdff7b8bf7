/* Writes rows of finished pixels: rounded colours, grey in 8 and 16 bits, palette indices, heights
 * in the two encodings that map clients read (Terrarium, Mapbox Terrain-RGB), and normals. Every
 * rounding is to the nearest number, halves up, as in the formats of samples. */
#include "core/base/simd.h"
#include "core/tile/style_private.h"

enum { STORE_RUN = 64 };

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
void paint_store_grey(const struct step_row *row, uint8_t *restrict pixels)
{
    const float *restrict values = row->ground.samples;
    const float low = row->painter->grey_low, scale = 255.0f / (row->painter->grey_high - low);
    const uint32_t count = row->colours.count;
    for (uint32_t i = 0; i < count; i++)
        pixels[i] = to_byte((values[i] - low) * scale);
}

TERRANE_CLONES
void paint_store_indices(uint32_t count, const float *restrict values, uint8_t *restrict pixels)
{
    for (uint32_t i = 0; i < count; i++)
        pixels[i] = (uint8_t)(int32_t)values[i];
}

/* Terrarium (Mapzen): v = round(256·(h + 32768)); red and green are the whole metres, blue the
 * 256ths. Never black, which some readers take for "no data". */
TERRANE_CLONES
void paint_store_terrarium(const struct step_row *row, uint8_t *restrict pixels)
{
    const float *restrict values = row->ground.samples;
    const uint32_t count = row->colours.count;
    for (uint32_t i = 0; i < count; i++) {
        /* h·256 is exact, so this rounds once. */
        float h = clamp_to(values[i], -32768.0f, 32767.99609375f) * 256.0f;
        float whole = __builtin_floorf(h);
        int32_t v = (int32_t)whole + (h - whole >= 0.5f) + 32768 * 256;
        v = v < 1 ? 1 : v > 0xFFFFFF ? 0xFFFFFF : v;
        pixels[3 * i] = (uint8_t)(v >> 16);
        pixels[3 * i + 1] = (uint8_t)(v >> 8);
        pixels[3 * i + 2] = (uint8_t)v;
    }
}

/* Mapbox Terrain-RGB: v = round(10·(h + 10000)),
 * https://docs.mapbox.com/data/tilesets/reference/mapbox-terrain-rgb-v1/. In doubles, which are
 * exact here but for heights below 2⁻²⁷ m. */
TERRANE_CLONES
void paint_store_mapbox(const struct step_row *row, uint8_t *restrict pixels)
{
    const float *restrict values = row->ground.samples;
    const uint32_t count = row->colours.count;
    for (uint32_t i = 0; i < count; i++) {
        float h = clamp_to(values[i], -10000.0f, 1667721.5f);
        int32_t v = (int32_t)((double)h * 10.0 + 100000.5);
        pixels[3 * i] = (uint8_t)(v >> 16);
        pixels[3 * i + 1] = (uint8_t)(v >> 8);
        pixels[3 * i + 2] = (uint8_t)v;
    }
}

/* The range from `low` to `high` in proportion, high byte first. */
TERRANE_CLONES
void paint_store_grey16(const struct step_row *row, uint8_t *restrict pixels)
{
    const float *restrict values = row->ground.samples;
    const float low = row->painter->grey_low, high = row->painter->grey_high;
    const uint32_t count = row->colours.count;
    const double zero = (double)low, width = (double)high - (double)low;
    for (uint32_t i = 0; i < count; i++) {
        double v = ((double)clamp_to(values[i], low, high) - zero) / width * 65535.0 + 0.5;
        int32_t number = (int32_t)v;
        pixels[2 * i] = (uint8_t)(number >> 8);
        pixels[2 * i + 1] = (uint8_t)number;
    }
}

/* The ground's normal, a unit vector: east in red, north in green, up in blue, each mapped from
 * −1 … 1 to 0 … 255. */
TERRANE_INLINE void normal_run(const float *restrict values, size_t stride, float scale,
                               uint32_t count, float (*restrict planes)[STORE_RUN])
{
    const float *restrict north = values - stride, *restrict south = values + stride;
    const float *restrict west = values - 1, *restrict next = values + 1;
    for (uint32_t i = 0; i < count; i++) {
        float x = (west[i] - next[i]) * scale, y = (south[i] - north[i]) * scale;
        float half = 127.5f / __builtin_sqrtf(x * x + y * y + 1.0f);
        planes[0][i] = x * half + 127.5f;
        planes[1][i] = y * half + 127.5f;
        planes[2][i] = half + 127.5f;
    }
}

TERRANE_CLONES
void paint_store_normal(const struct step_row *row, uint8_t *restrict pixels)
{
    const struct ground_row *ground = &row->ground;
    const uint32_t count = row->colours.count;
    float planes[3][STORE_RUN];
    uint8_t bytes[3][STORE_RUN];
    for (uint32_t start = 0; start < count; start += STORE_RUN) {
        uint32_t length = count - start < STORE_RUN ? count - start : STORE_RUN;
        normal_run(ground->samples + start, ground->stride, 0.5f / ground->spacing, length, planes);
        for (int k = 0; k < 3; k++)
            to_bytes(planes[k], length, bytes[k]);
        for (uint32_t i = 0; i < length; i++, pixels += 3) {
            pixels[0] = bytes[0][i];
            pixels[1] = bytes[1][i];
            pixels[2] = bytes[2][i];
        }
    }
}
