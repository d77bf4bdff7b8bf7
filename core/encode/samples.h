/* Samples of a layer as bytes, for programs that need numbers instead of a picture: the same bytes
 * on every machine.
 *
 * Samples are finite floats, row-major, north to south and west to east. All functions append to
 * `out`, which remembers if memory ran out. */
#ifndef TERRANE_ENCODE_SAMPLES_H
#define TERRANE_ENCODE_SAMPLES_H

#include "core/base/buffer.h"
#include "core/base/place.h"

enum {
    SAMPLES_VERSION = 1
}; /* changes when the bytes for the same samples do: part of every ETag */

/* Each float32, low byte first. */
void samples_write_r32f(const float *samples, size_t count, struct buffer *out);

/* Heights in metres as uint16, low byte first: 32768 + 8·h rounded to the nearest, halves up, and
 * clamped to 0 … 65535. So steps of 0.125 m from −4096 to 4095.875 m, and from −4096 to 4095.9375 m
 * an error of at most 0.0625 m. */
void samples_write_r16(const float *samples, size_t count, struct buffer *out);

/* The same with the numbers in steps of `step` metres above `zero`: r16 has −4096 and 0.125. */
void samples_write_steps16(const float *samples, size_t count, double zero, double step,
                           struct buffer *out);

/* The numbers of samples_write_r16() high byte first, as the pixels of an IMAGE_GREY16 have
 * them. */
void samples_write_grey16(const float *samples, size_t count, struct buffer *out);

/* One byte each: `low` and below is 0, `high` and above 255, and values between are in proportion,
 * rounded to the nearest, halves up. So in a range from −h to h, samples that are not negative are
 * 128 and above. If `high` is not above `low`, every sample above `low` is 255. */
void samples_write_r8_range(const float *samples, size_t count, float low, float high,
                            struct buffer *out);

struct sample_raster {
    const char *layer, *unit; /* UTF-8; a null or empty unit is left out */
    const float *samples;     /* columns × rows */
    uint32_t columns, rows;
    int64_t step;        /* between neighbours, 2⁻¹⁶ m */
    struct place origin; /* of the first sample, the north-west one */
};

/* One line of JSON:
 *   {"layer":"height","unit":"m","size":[2,1],"step":4,"origin":[-2,-2],"samples":[[3.5,-7]]}
 * `size` is columns and rows, `step` and `origin` are exact metres, and `samples` has a list for
 * each row. Every number reads back to the same float. */
void samples_write_json(const struct sample_raster *grid, struct buffer *out);

#endif
