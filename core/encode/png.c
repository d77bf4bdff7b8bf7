/* Encodes a PNG in three passes over memory that the encoder keeps: pack palette indices and filter
 * all rows, deflate them as one stream, write the chunks. libpng's own writer filters and deflates
 * row by row with zlib, which takes several times as long; so libpng only writes chunks with their
 * checksums here. Each kind of content has one filter for
 * all rows, chosen by measurement (settings_by_content). */
#include "core/encode/png.h"

#include "core/encode/deflate.h"
#include "core/encode/filter.h"
#include "core/encode/png_layout.h"

#include <png.h>
#include <stdlib.h>
#include <string.h>

struct png_encoder {
    png_structp png; /* writes chunks only, so one serves for any number of files */
    struct deflater *deflater;
    struct buffer packed;   /* the row above and the row, of palette images with few colours */
    struct buffer zeros;    /* the row above the first */
    struct buffer filtered; /* all rows */
    struct buffer deflated;
};

/* The filter and level that compress each content best for their time, by
 * tests/bench/bench_encode.c. */
struct encoder_settings {
    enum filter filter;
    int level;
};

static const struct encoder_settings settings_by_content[][2] = {
    [IMAGE_PICTURE] = {[PNG_SERVE] = {FILTER_UP, 1}, [PNG_EXPORT] = {FILTER_UP, 12}},
    [IMAGE_AREAS] = {[PNG_SERVE] = {FILTER_NONE, 1}, [PNG_EXPORT] = {FILTER_NONE, 12}},
    [IMAGE_DATA] = {[PNG_SERVE] = {FILTER_PAETH, 1}, [PNG_EXPORT] = {FILTER_PAETH, 12}},
    [IMAGE_SMOOTH] = {[PNG_SERVE] = {FILTER_AVERAGE, 1}, [PNG_EXPORT] = {FILTER_PAETH, 12}},
};

static void on_error(png_structp png, png_const_charp message)
{
    (void)message;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png, (void)message;
}

/* A failure is remembered in the buffer. */
static void on_write(png_structp png, png_bytep bytes, size_t length)
{
    buffer_append(png_get_io_ptr(png), bytes, length);
}

static void on_flush(png_structp png)
{
    (void)png;
}

struct png_encoder *png_encoder_new(void)
{
    struct png_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return NULL;
    encoder->png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    encoder->deflater = deflater_new();
    if (encoder->png && encoder->deflater)
        return encoder;
    png_encoder_free(encoder);
    return NULL;
}

void png_encoder_free(struct png_encoder *encoder)
{
    if (!encoder)
        return;
    png_destroy_write_struct(&encoder->png, NULL);
    deflater_free(encoder->deflater);
    buffer_free(&encoder->packed);
    buffer_free(&encoder->zeros);
    buffer_free(&encoder->filtered);
    buffer_free(&encoder->deflated);
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

static void put_be32(uint8_t *out, uint32_t value)
{
    out[0] = (uint8_t)(value >> 24);
    out[1] = (uint8_t)(value >> 16);
    out[2] = (uint8_t)(value >> 8);
    out[3] = (uint8_t)value;
}

/* On failure libpng leaves this function by a long jump, so the function owns nothing. */
static bool write_file(struct png_encoder *encoder, const struct image *image,
                       const struct png_layout *layout)
{
    uint8_t header[13] = {0};
    put_be32(header, image->width);
    put_be32(header + 4, image->height);
    header[8] = layout->depth;
    header[9] = layout->colour_type;
    if (setjmp(png_jmpbuf(encoder->png)))
        return false;
    png_write_sig(encoder->png);
    png_write_chunk(encoder->png, (png_const_bytep) "IHDR", header, sizeof header);
    if (layout->colours)
        png_write_chunk(encoder->png, (png_const_bytep) "PLTE", layout->palette,
                        (size_t)layout->colours * 3);
    png_write_chunk(encoder->png, (png_const_bytep) "IDAT", encoder->deflated.data,
                    encoder->deflated.length);
    png_write_chunk(encoder->png, (png_const_bytep) "IEND", NULL, 0);
    return true;
}

bool png_encode(struct png_encoder *encoder, const struct image *image, enum png_effort effort,
                struct buffer *out, struct error *error)
{
    struct png_layout layout;
    if (!png_layout_find(&layout, image, error))
        return false;
    const struct encoder_settings *settings = &settings_by_content[image->content][effort];
    if (!filter_rows(encoder, image, &layout, settings->filter))
        return error_memory(error);
    const struct buffer *rows = &encoder->filtered;
    bool deflated = (effort == PNG_EXPORT ? deflate_small : deflate_fast)(
        encoder->deflater, settings->level, rows->data, rows->length, &encoder->deflated);
    if (!deflated)
        return error_memory(error);
    size_t before = out->length;
    enum { FRAME = 8 + 25 + 12 + 3 * PNG_COLOURS_MAX + 12 + 12 };
    bool room = buffer_reserve(out, encoder->deflated.length + FRAME) != NULL;
    png_set_write_fn(encoder->png, out, on_write, on_flush);
    if (room && write_file(encoder, image, &layout) && !out->failed)
        return true;
    out->length = before;
    return error_memory(error);
}
