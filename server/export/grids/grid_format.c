/* Writers of bare numbers. Those of 16 bits are linear between two heights, which the user may
 * choose: the number n is low + n · (high − low) / 65535 metres. */
#include "server/export/grids/grid_format.h"

#include <float.h>
#include <string.h>

#include "core/encode/samples.h"

static const double numbers = 65535.0;

double grid_scale_step(const struct grid_scale *scale)
{
    return (scale->high - scale->low) / numbers;
}

bool grid_scale_holds(const struct grid_scale *scale, float height)
{
    const double half = grid_scale_step(scale) / 2;
    return (double)height >= scale->low - half && (double)height <= scale->high + half;
}

static void write_scaled(const struct grid_scale *scale, const float *samples, size_t count,
                         struct buffer *out)
{
    samples_write_steps16(samples, count, scale->low, grid_scale_step(scale), out);
}

static void write_floats(const struct grid_scale *scale, const float *samples, size_t count,
                         struct buffer *out)
{
    (void)scale;
    samples_write_r32f(samples, count, out);
}

static void write_shares(const struct grid_scale *scale, const float *samples, size_t count,
                         struct buffer *out)
{
    (void)scale;
    samples_write_r8_range(samples, count, 0.0F, 255.0F, out);
}

static float read_16(const uint8_t *number)
{
    return (float)(number[0] | number[1] << 8);
}

static float read_float(const uint8_t *number)
{
    const uint32_t bits = (uint32_t)number[0] | (uint32_t)number[1] << 8 |
                          (uint32_t)number[2] << 16 | (uint32_t)number[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static float read_8(const uint8_t *number)
{
    return *number;
}

static const struct grid_format formats[] = {
    {"r16", "uint16, low byte first", 2, true, write_scaled, read_16},
    {"raw", "uint16, low byte first", 2, true, write_scaled, read_16},
    {"r32f", "float32, low byte first", 4, false, write_floats, read_float},
};
enum { FORMATS = sizeof formats / sizeof *formats };

const struct grid_format grid_share_format = {"r8", "uint8", 1, false, write_shares, read_8};

const struct grid_format *grid_format_find(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

const char *grid_format_names(char text[FORMAT_NAMES_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (size_t i = 0; i < FORMATS; i++)
        names_add(text, &length, formats[i].name);
    return text;
}

const struct grid_extremes grid_no_extremes = {FLT_MAX, -FLT_MAX};

void grid_format_extremes(const struct grid_format *format, const uint8_t *bytes, size_t length,
                          struct grid_extremes *extremes)
{
    for (size_t i = 0; i + format->bytes <= length; i += format->bytes) {
        const float number = format->read(bytes + i);
        extremes->low = number < extremes->low ? number : extremes->low;
        extremes->high = number > extremes->high ? number : extremes->high;
    }
}
