/* Writes samples as numbers of fixed width or as JSON. Scaled formats share one rule: compute in
 * double, add 0.5, clamp, truncate; so numbers are rounded to the nearest, halves up. The loops
 * write into memory that is reserved once. */
#include "core/encode/samples.h"

#include <float.h>
#include <string.h>

/* Extends the content by `count` numbers of `size` bytes and returns their place; null on failure.
 */
static uint8_t *reserve_numbers(struct buffer *out, size_t count, size_t size)
{
    uint8_t *bytes = NULL;
    if (count > SIZE_MAX / 4)
        out->failed = true;
    else
        bytes = buffer_reserve(out, count * size);
    if (bytes)
        out->length += count * size;
    return bytes;
}

void samples_write_r32f(const float *samples, size_t count, struct buffer *out)
{
    uint8_t *bytes = reserve_numbers(out, count, 4);
    for (size_t i = 0; bytes && i < count; i++) {
        uint32_t bits;
        memcpy(&bits, samples + i, sizeof bits);
        bytes[4 * i] = (uint8_t)bits;
        bytes[4 * i + 1] = (uint8_t)(bits >> 8);
        bytes[4 * i + 2] = (uint8_t)(bits >> 16);
        bytes[4 * i + 3] = (uint8_t)(bits >> 24);
    }
}

/* The number of a sample is its position between `zero` and `zero + width` in `steps`, rounded to
 * the nearest (halves up) and clamped to 16 bits. */
struct scale {
    double zero, width, steps;
};

/* In doubles, which are exact for r16. The value is clamped before its conversion, which is
 * undefined beyond the range. */
static uint32_t scale_sample(const struct scale *scale, float sample)
{
    double value = ((double)sample - scale->zero) / scale->width * scale->steps + 0.5;
    value = value > 0.0 ? value : 0.0;
    value = value < 65535.0 ? value : 65535.0;
    return (uint32_t)value;
}

static const struct scale r16_scale = {-4096.0, 8192.0, 65536.0};

static void write_16(const struct scale *scale, const float *samples, size_t count,
                     struct buffer *out)
{
    uint8_t *bytes = reserve_numbers(out, count, 2);
    for (size_t i = 0; bytes && i < count; i++) {
        uint32_t number = scale_sample(scale, samples[i]);
        bytes[2 * i] = (uint8_t)number;
        bytes[2 * i + 1] = (uint8_t)(number >> 8);
    }
}

void samples_write_r16(const float *samples, size_t count, struct buffer *out)
{
    write_16(&r16_scale, samples, count, out);
}

void samples_write_steps16(const float *samples, size_t count, double zero, double step,
                           struct buffer *out)
{
    write_16(&(struct scale){zero, step, 1.0}, samples, count, out);
}

void samples_write_grey16(const float *samples, size_t count, struct buffer *out)
{
    uint8_t *bytes = reserve_numbers(out, count, 2);
    for (size_t i = 0; bytes && i < count; i++) {
        uint32_t number = scale_sample(&r16_scale, samples[i]);
        bytes[2 * i] = (uint8_t)(number >> 8);
        bytes[2 * i + 1] = (uint8_t)number;
    }
}

void samples_write_r8_range(const float *samples, size_t count, float low, float high,
                            struct buffer *out)
{
    /* Without a width, every sample above `low` is far above the range. */
    const double width = (double)high - (double)low;
    const struct scale scale = {(double)low, width > 0.0 ? width : DBL_MIN, 255.0};
    uint8_t *bytes = reserve_numbers(out, count, 1);
    for (size_t i = 0; bytes && i < count; i++) {
        const uint32_t number = scale_sample(&scale, samples[i]);
        bytes[i] = (uint8_t)(number < 255 ? number : 255);
    }
}

static void write_string(const char *text, struct buffer *out)
{
    buffer_byte(out, '"');
    for (const char *c = text; *c; c++) {
        if (*c == '"' || *c == '\\')
            buffer_byte(out, '\\');
        if ((unsigned char)*c < 0x20)
            buffer_format(out, "\\u%04x", (unsigned)(unsigned char)*c);
        else
            buffer_byte(out, (uint8_t)*c);
    }
    buffer_byte(out, '"');
}

static void write_metres(int64_t coordinate, struct buffer *out)
{
    char text[NUMBER_TEXT];
    place_format(coordinate, text);
    buffer_text(out, text);
}

static void write_row(const float *samples, uint32_t columns, struct buffer *out)
{
    char text[NUMBER_TEXT];
    buffer_byte(out, '[');
    for (uint32_t i = 0; i < columns; i++) {
        if (i > 0)
            buffer_byte(out, ',');
        buffer_append(out, text, number_format_float(samples[i], text));
    }
    buffer_byte(out, ']');
}

void samples_write_json(const struct sample_raster *grid, struct buffer *out)
{
    buffer_text(out, "{\"layer\":");
    write_string(grid->layer, out);
    if (grid->unit && grid->unit[0]) {
        buffer_text(out, ",\"unit\":");
        write_string(grid->unit, out);
    }
    buffer_format(out, ",\"size\":[%u,%u],\"step\":", (unsigned)grid->columns,
                  (unsigned)grid->rows);
    write_metres(grid->step, out);
    buffer_text(out, ",\"origin\":[");
    write_metres(grid->origin.x, out);
    buffer_byte(out, ',');
    write_metres(grid->origin.y, out);
    buffer_text(out, "],\"samples\":[");
    for (uint32_t y = 0; y < grid->rows; y++) {
        if (y > 0)
            buffer_byte(out, ',');
        write_row(grid->samples + (size_t)y * grid->columns, grid->columns, out);
    }
    buffer_text(out, "]}\n");
}
