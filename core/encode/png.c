/* Encodes a PNG in two passes over memory that the encoder keeps: pack palette indices and filter
 * all rows, then deflate them as one stream into the file. libpng's own writer does both row by row
 * with zlib, which takes more than ten times as long. Each kind of content has one filter for all
 * rows and one compressor, chosen by measurement (settings_by_content). */
#include "core/encode/png.h"

#include "core/encode/deflate.h"
#include "core/encode/deflate_literals.h"
#include "core/encode/filter.h"
#include "core/encode/png_layout.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

struct png_encoder {
    struct deflater *deflater;
    struct buffer packed;   /* the row above and the row, of palette images with few colours */
    struct buffer zeros;    /* the row above the first */
    struct buffer filtered; /* all rows */
    struct buffer scratch;  /* of deflate_literals() */
    struct buffer sample;   /* some rows, deflated */
};

enum compressor { LITERALS, IGZIP, LIBDEFLATE };

/* The settings that compress each content best for their time, by tests/bench/bench_encode.c. Areas
 * repeat themselves, so igzip finds more in them than runs of zeros. So do most drawings; see
 * choose_for_drawing(). */
struct encoder_settings {
    enum filter filter;
    enum compressor compressor;
    int level; /* of igzip or libdeflate */
};

static const struct encoder_settings settings_by_content[][2] = {
    [IMAGE_PICTURE] =
        {[PNG_SERVE] = {FILTER_PAETH, LITERALS, 0}, [PNG_EXPORT] = {FILTER_PAETH, LIBDEFLATE, 8}},
    [IMAGE_AREAS] =
        {[PNG_SERVE] = {FILTER_NONE, IGZIP, 1}, [PNG_EXPORT] = {FILTER_NONE, LIBDEFLATE, 10}},
    [IMAGE_DATA] =
        {[PNG_SERVE] = {FILTER_PAETH, LITERALS, 0}, [PNG_EXPORT] = {FILTER_PAETH, LIBDEFLATE, 10}},
    [IMAGE_SMOOTH] =
        {[PNG_SERVE] = {FILTER_PAETH, LITERALS, 0}, [PNG_EXPORT] = {FILTER_PAETH, LIBDEFLATE, 8}},
    [IMAGE_DRAWING] =
        {[PNG_SERVE] = {FILTER_NONE, IGZIP, 1}, [PNG_EXPORT] = {FILTER_PAETH, LIBDEFLATE, 8}},
};

/* True if the three channels of every pixel are equal. */
static bool is_grey(const struct image *image)
{
    for (uint32_t y = 0; y < image->height; y++) {
        const uint8_t *row = image->pixels + y * image->stride;
        unsigned different = 0;
        for (size_t x = 0; x < image->width; x++)
            different |= (row[3 * x] ^ row[3 * x + 1]) | (row[3 * x] ^ row[3 * x + 2]);
        if (different)
            return false;
    }
    return true;
}

struct png_encoder *png_encoder_new(void)
{
    struct png_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return NULL;
    encoder->deflater = deflater_new();
    if (encoder->deflater)
        return encoder;
    png_encoder_free(encoder);
    return NULL;
}

void png_encoder_free(struct png_encoder *encoder)
{
    if (!encoder)
        return;
    deflater_free(encoder->deflater);
    buffer_free(&encoder->packed);
    buffer_free(&encoder->zeros);
    buffer_free(&encoder->filtered);
    buffer_free(&encoder->scratch);
    buffer_free(&encoder->sample);
    free(encoder);
}

static bool filter_rows(struct png_encoder *encoder, const struct image *image,
                        const struct png_layout *layout, enum filter filter)
{
    size_t length = layout->row_bytes;
    buffer_clear(&encoder->filtered);
    buffer_clear(&encoder->packed);
    buffer_clear(&encoder->zeros);
    uint8_t *out = buffer_reserve(&encoder->filtered, (length + 1) * image->height);
    uint8_t *zeros = buffer_reserve(&encoder->zeros, length);
    if (!out || !zeros || !buffer_reserve(&encoder->packed, 2 * length))
        return false;
    memset(zeros, 0, length);
    struct filter_rows rows = {.row = zeros, .length = length, .step = layout->step};
    for (uint32_t y = 0; y < image->height; y++) {
        rows.above = rows.row;
        /* Two packed rows are used in turn, as the filter still needs the one above. */
        rows.row = png_layout_row(layout, image->pixels + y * image->stride, image->width,
                                  encoder->packed.data + (y % 2) * length);
        filter_row(filter, &rows, out + y * (length + 1));
    }
    encoder->filtered.length = (length + 1) * image->height;
    return true;
}

static bool append_deflated(struct png_encoder *encoder, const struct encoder_settings *settings,
                            struct buffer *out)
{
    const struct buffer *rows = &encoder->filtered;
    if (settings->compressor == LITERALS)
        return deflate_literals(rows->data, rows->length, &encoder->scratch, out);
    return (settings->compressor == LIBDEFLATE ? deflate_small : deflate_fast)(
        encoder->deflater, settings->level, rows->data, rows->length, out);
}

/* The bytes that some rows in the middle take; 0 when memory is out. */
static size_t sample_size(struct png_encoder *encoder, const struct image *image,
                          const struct png_layout *layout, const struct encoder_settings *settings)
{
    enum { SAMPLE_ROWS = 16 };
    struct image rows = *image;
    rows.height = image->height < SAMPLE_ROWS ? image->height : SAMPLE_ROWS;
    rows.pixels += (image->height - rows.height) / 2 * image->stride;
    buffer_clear(&encoder->sample);
    const bool done = filter_rows(encoder, &rows, layout, settings->filter) &&
                      append_deflated(encoder, settings, &encoder->sample);
    return done ? encoder->sample.length : 0;
}

/* Lines and plain colours repeat themselves, shades do not. Which of them a drawing has more of,
 * some rows show in a tenth of the time for all. In few rows igzip finds less that repeats than in
 * all. Null when memory is out. */
static const struct encoder_settings *choose_for_drawing(struct png_encoder *encoder,
                                                         const struct image *image,
                                                         const struct png_layout *layout)
{
    static const struct encoder_settings repeating = {FILTER_NONE, IGZIP, 1};
    static const struct encoder_settings shaded = {FILTER_PAETH, LITERALS, 0};
    const size_t as_repeating = sample_size(encoder, image, layout, &repeating);
    const size_t as_shaded = sample_size(encoder, image, layout, &shaded);
    if (as_repeating == 0 || as_shaded == 0)
        return NULL;
    return as_shaded < as_repeating - as_repeating / 32 ? &shaded : &repeating;
}

/* Colours that are all grey, as hillshade's, are bytes that repeat twice, which igzip finds. Null
 * when memory is out. */
static const struct encoder_settings *choose_settings(struct png_encoder *encoder,
                                                      const struct image *image,
                                                      const struct png_layout *layout,
                                                      enum png_effort effort)
{
    static const struct encoder_settings grey = {FILTER_PAETH, IGZIP, 1};
    if (image->content == IMAGE_DRAWING && effort == PNG_SERVE)
        return choose_for_drawing(encoder, image, layout);
    const struct encoder_settings *settings = &settings_by_content[image->content][effort];
    const bool colours = settings->compressor == LITERALS && image->format == IMAGE_RGB8;
    return colours && is_grey(image) ? &grey : settings;
}

static void append_be32(struct buffer *out, uint32_t value)
{
    for (int shift = 24; shift >= 0; shift -= 8)
        buffer_byte(out, (uint8_t)(value >> shift));
}

/* Begins a chunk; its length follows when it ends. Returns the place of its type, where its
 * checksum begins. */
static size_t begin_chunk(struct buffer *out, const char type[4])
{
    append_be32(out, 0);
    buffer_append(out, type, 4);
    return out->length - 4;
}

static void end_chunk(struct buffer *out, size_t start)
{
    if (out->failed)
        return;
    const size_t length = out->length - start;
    append_be32(out, libdeflate_crc32(0, out->data + start, length));
    for (int i = 0; i < 4; i++)
        out->data[start - 4 + (size_t)i] = (uint8_t)((length - 4) >> (24 - 8 * i));
}

static void append_chunk(struct buffer *out, const char type[4], const void *bytes, size_t length)
{
    const size_t start = begin_chunk(out, type);
    buffer_append(out, bytes, length);
    end_chunk(out, start);
}

static void append_header(struct buffer *out, const struct image *image,
                          const struct png_layout *layout)
{
    enum { DEFLATE = 0, ADAPTIVE = 0, NOT_INTERLACED = 0 };
    const size_t start = begin_chunk(out, "IHDR");
    append_be32(out, image->width);
    append_be32(out, image->height);
    const uint8_t rest[] = {layout->depth, layout->colour_type, DEFLATE, ADAPTIVE, NOT_INTERLACED};
    buffer_append(out, rest, sizeof rest);
    end_chunk(out, start);
}

static bool append_file(struct png_encoder *encoder, const struct image *image,
                        const struct png_layout *layout, const struct encoder_settings *settings,
                        struct buffer *out)
{
    buffer_append(out, "\x89PNG\r\n\x1a\n", 8);
    append_header(out, image, layout);
    if (layout->colours)
        append_chunk(out, "PLTE", layout->palette, (size_t)layout->colours * 3);
    const size_t data = begin_chunk(out, "IDAT");
    if (!append_deflated(encoder, settings, out))
        return false;
    end_chunk(out, data);
    append_chunk(out, "IEND", NULL, 0);
    return !out->failed;
}

bool png_encode(struct png_encoder *encoder, const struct image *image, enum png_effort effort,
                struct buffer *out, struct error *error)
{
    struct png_layout layout;
    if (!png_layout_find(&layout, image, error))
        return false;
    const struct encoder_settings *settings = choose_settings(encoder, image, &layout, effort);
    const size_t before = out->length;
    if (settings && filter_rows(encoder, image, &layout, settings->filter) &&
        append_file(encoder, image, &layout, settings, out))
        return true;
    out->length = before;
    return error_memory(error);
}
