#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <png.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/encode/png_stream.h"

enum { WIDTH = 37, HEIGHT = 23 };

static bool collect(void *context, const uint8_t *bytes, size_t length)
{
    buffer_append(context, bytes, length);
    return true;
}

/* Takes 200 bytes, and no more. */
static bool collect_little(void *context, const uint8_t *bytes, size_t length)
{
    size_t *taken = context;
    (void)bytes;
    *taken += length;
    return *taken <= 200;
}

/* Bytes without a pattern that a filter could make disappear. */
static void fill(uint8_t *pixels, size_t length, unsigned colours)
{
    uint32_t value = 1;
    for (size_t i = 0; i < length; i++) {
        value = value * 1664525u + 1013904223u;
        pixels[i] = (uint8_t)((value >> 24) % colours);
    }
}

/* Writes the rows in bands of 5, the last one shorter. */
static bool write_bands(const struct image *image, png_sink *sink, void *context,
                        struct error *error)
{
    struct png_stream *stream = png_stream_new(image, sink, context, error);
    bool done = stream;
    for (uint32_t row = 0; row < image->height && done; row += 5) {
        struct image band = *image;
        band.pixels += row * image->stride;
        band.height = image->height - row < 5 ? image->height - row : 5;
        done = png_stream_rows(stream, &band, error);
    }
    done = done && png_stream_end(stream, error);
    png_stream_free(stream);
    return done;
}

/* Decodes with libpng's own reader, to `format`. To be freed. */
static uint8_t *decode(const struct buffer *file, uint32_t format)
{
    png_image reader = {.version = PNG_IMAGE_VERSION};
    assert_true(png_image_begin_read_from_memory(&reader, file->data, file->length));
    assert_int_equal(reader.width, WIDTH);
    assert_int_equal(reader.height, HEIGHT);
    reader.format = format;
    uint8_t *pixels = malloc(PNG_IMAGE_SIZE(reader));
    assert_true(png_image_finish_read(&reader, NULL, pixels, 0, NULL));
    return pixels;
}

static void colours_survive(void **state)
{
    (void)state;
    static const enum image_content contents[] = {IMAGE_PICTURE, IMAGE_DATA, IMAGE_SMOOTH};
    enum { STRIDE = 3 * WIDTH + 4 };
    static uint8_t pixels[STRIDE * HEIGHT];
    fill(pixels, sizeof pixels, 256);
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        struct buffer file = {0};
        struct image image = {.format = IMAGE_RGB8,
                              .content = contents[i],
                              .width = WIDTH,
                              .height = HEIGHT,
                              .pixels = pixels,
                              .stride = STRIDE};
        assert_true(write_bands(&image, collect, &file, NULL));
        uint8_t *read = decode(&file, PNG_FORMAT_RGB);
        for (size_t y = 0; y < HEIGHT; y++)
            assert_memory_equal(read + y * 3 * WIDTH, pixels + y * STRIDE, 3 * WIDTH);
        free(read);
        buffer_free(&file);
    }
}

static void greys_survive(void **state)
{
    (void)state;
    static uint8_t pixels[WIDTH * HEIGHT];
    struct buffer file = {0};
    fill(pixels, sizeof pixels, 256);
    struct image image = {.format = IMAGE_GREY8,
                          .content = IMAGE_SMOOTH,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .pixels = pixels,
                          .stride = WIDTH};
    assert_true(write_bands(&image, collect, &file, NULL));
    uint8_t *read = decode(&file, PNG_FORMAT_GRAY);
    assert_memory_equal(read, pixels, sizeof pixels);
    free(read);
    buffer_free(&file);
}

static void palettes_survive_as_colours(void **state)
{
    (void)state;
    static const uint8_t palette[] = {1, 2, 3, 250, 128, 0, 7, 77, 177};
    static uint8_t pixels[WIDTH * HEIGHT];
    struct buffer file = {0};
    fill(pixels, sizeof pixels, 3);
    struct image image = {.format = IMAGE_PALETTE8,
                          .content = IMAGE_AREAS,
                          .width = WIDTH,
                          .height = HEIGHT,
                          .pixels = pixels,
                          .stride = WIDTH,
                          .palette = palette,
                          .palette_count = 3};
    assert_true(write_bands(&image, collect, &file, NULL));
    uint8_t *read = decode(&file, PNG_FORMAT_RGB);
    for (size_t i = 0; i < sizeof pixels; i++)
        assert_memory_equal(read + 3 * i, palette + 3 * pixels[i], 3);
    free(read);
    buffer_free(&file);
}

static void refusing_sink_is_an_error(void **state)
{
    (void)state;
    static uint8_t pixels[WIDTH * HEIGHT];
    struct error error = {0};
    size_t taken = 0;
    fill(pixels, sizeof pixels, 256);
    struct image image = {
        .format = IMAGE_GREY8, .width = WIDTH, .height = HEIGHT, .pixels = pixels, .stride = WIDTH};
    assert_false(write_bands(&image, collect_little, &taken, &error));
    assert_int_equal(error.code, ERROR_IO);
    assert_string_equal(error.message, "PNG: the picture could not be written");
}

static void wrong_sizes_are_errors(void **state)
{
    (void)state;
    static uint8_t pixels[WIDTH * 2];
    struct buffer file = {0};
    struct error error = {0};
    struct image image = {.format = IMAGE_GREY8,
                          .content = IMAGE_AREAS,
                          .width = WIDTH,
                          .height = 0,
                          .pixels = pixels,
                          .stride = WIDTH};
    assert_null(png_stream_new(&image, collect, &file, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    image.height = 1;
    struct png_stream *stream = png_stream_new(&image, collect, &file, &error);
    assert_non_null(stream);
    assert_false(png_stream_end(stream, &error));
    assert_string_equal(error.message, "the picture is incomplete: its last rows are missing");
    image.height = 2;
    assert_false(png_stream_rows(stream, &image, &error));
    assert_string_equal(error.message, "a band of rows does not fit the picture");
    png_stream_free(stream);
    buffer_free(&file);
}

int test_png_stream(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(colours_survive),
        cmocka_unit_test(greys_survive),
        cmocka_unit_test(palettes_survive_as_colours),
        cmocka_unit_test(refusing_sink_is_an_error),
        cmocka_unit_test(wrong_sizes_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
