/* WebP files as libwebp's decoder sees them. */
#include "core/encode/webp.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <webp/decode.h>

#include <cmocka.h>

static uint32_t random_state = 1;

static uint32_t random_bits(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

static uint8_t palette[768];

/* `noise` of 256 bytes are random, the others follow a slope. */
static struct image make_image(enum image_format format, uint32_t width, uint32_t height,
                               unsigned noise)
{
    struct image image = {.format = format, .width = width, .height = height};
    size_t bytes = (format == IMAGE_RGB8 ? 3u : 1u) * width;
    image.stride = bytes + 5;
    /* Nothing may be read behind the last row, so there is nothing. */
    size_t size = image.stride * (height - 1) + bytes;
    image.pixels = malloc(size);
    assert_non_null(image.pixels);
    for (size_t i = 0; i < size; i++)
        image.pixels[i] =
            (uint8_t)(random_bits() % 256 < noise ? random_bits() : i % image.stride + i / 999);
    image.palette = palette;
    image.palette_count = 256;
    return image;
}

static uint8_t channel_of(const struct image *image, uint32_t x, uint32_t y, uint32_t c)
{
    const uint8_t *row = image->pixels + y * image->stride;
    return image->format == IMAGE_RGB8    ? row[3 * x + c]
           : image->format == IMAGE_GREY8 ? row[x]
                                          : palette[3 * row[x] + c];
}

/* The mean of the channels' squared errors; fails the test if the file is not what it should be. */
static double decode_error(const struct image *image, const uint8_t *data, size_t length)
{
    WebPBitstreamFeatures features;
    assert_int_equal(WebPGetFeatures(data, length, &features), VP8_STATUS_OK);
    assert_int_equal(features.has_alpha, 0);
    assert_int_equal(features.has_animation, 0);
    assert_int_equal(features.format, image->content == IMAGE_PICTURE ? 1 : 2);
    int width, height;
    uint8_t *pixels = WebPDecodeRGB(data, length, &width, &height);
    assert_non_null(pixels);
    assert_int_equal(width, image->width);
    assert_int_equal(height, image->height);
    double sum = 0;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++)
            for (uint32_t c = 0; c < 3; c++) {
                int wrong = pixels[3 * (y * image->width + x) + c] - channel_of(image, x, y, c);
                sum += wrong * wrong;
            }
    WebPFree(pixels);
    return sum / (3.0 * image->width * image->height);
}

static void numbers_areas_and_greys_come_back_exactly(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{1, 1},   {257, 3}, {3, 65},   {2, 2},
                                        {255, 1}, {1, 300}, {128, 128}};
    static const unsigned noises[] = {0, 20, 256};
    for (int format = IMAGE_GREY8; format <= IMAGE_RGB8; format++)
        for (int content = IMAGE_AREAS; content <= IMAGE_SMOOTH; content++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int variant = 0; variant < 6; variant++) {
                    struct image image = make_image((enum image_format)format, sizes[s][0],
                                                    sizes[s][1], noises[variant / 2]);
                    image.content = (enum image_content)content;
                    struct buffer file = {0};
                    buffer_text(&file, "before");
                    assert_true(webp_encode(&image, (enum webp_effort)(variant % 2), &file, NULL));
                    assert_memory_equal(file.data, "before", 6);
                    assert_true(decode_error(&image, file.data + 6, file.length - 6) == 0.0);
                    buffer_free(&file);
                    free(image.pixels);
                }
}

/* Hills of colour in steps of pixels, like a shaded relief. */
static struct image make_picture(uint32_t width, uint32_t height)
{
    struct image image = make_image(IMAGE_RGB8, width, height, 0);
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++) {
            double hill = sin(x * 0.11) * cos(y * 0.07 + x * 0.013) + 0.3 * sin(x * 0.5 + y * 0.4);
            uint8_t *pixel = image.pixels + y * image.stride + (size_t)3 * x;
            pixel[0] = (uint8_t)(140 + 70 * hill);
            pixel[1] = (uint8_t)(150 + 50 * hill);
            pixel[2] = (uint8_t)(110 + 40 * hill);
        }
    image.content = IMAGE_PICTURE;
    return image;
}

static void pictures_come_back_nearly(void **state)
{
    (void)state;
    static const uint32_t sizes[][2] = {{256, 256}, {511, 33}, {17, 100}};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int effort = WEBP_SERVE; effort <= WEBP_EXPORT; effort++) {
            struct image image = make_picture(sizes[s][0], sizes[s][1]);
            struct buffer file = {0};
            assert_true(webp_encode(&image, (enum webp_effort)effort, &file, NULL));
            double decibels = 10 * log10(65025 / decode_error(&image, file.data, file.length));
            if (decibels < 38)
                fail_msg("%u x %u, effort %d: %.1f dB", sizes[s][0], sizes[s][1], effort, decibels);
            assert_true(file.length < (size_t)sizes[s][0] * sizes[s][1] / 2);
            buffer_free(&file);
            free(image.pixels);
        }
}

/* The channels of BT.601 that the format stores: brightness, and two of colour at half the
 * resolution. */
static void add_channels(const uint8_t *pixel, double share, double channels[3])
{
    static const double matrix[3][3] = {
        {0.257, 0.504, 0.098}, {-0.148, -0.291, 0.439}, {0.439, -0.368, -0.071}};
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < 3; i++)
            channels[c] += share * matrix[c][i] * pixel[i];
}

/* The mean squares of how far the decoder's planes of brightness and of colours are off. */
static void plane_errors(const struct image *image, const struct buffer *file, double errors[2])
{
    int width, height, stride, colour_stride;
    uint8_t *u, *v;
    uint8_t *luma =
        WebPDecodeYUV(file->data, file->length, &width, &height, &u, &v, &stride, &colour_stride);
    assert_non_null(luma);
    double sums[2] = {0};
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            double brightness[3] = {16}, colours[3] = {0, 128, 128};
            add_channels(image->pixels + y * image->stride + (size_t)3 * x, 1, brightness);
            sums[0] += pow(luma[y * (uint32_t)stride + x] - brightness[0], 2);
            for (uint32_t i = 0; i < 4; i++)
                add_channels(image->pixels + (y / 2 * 2 + i / 2) * image->stride +
                                 (size_t)3 * (x / 2 * 2 + i % 2),
                             0.25, colours);
            const uint32_t at = y / 2 * (uint32_t)colour_stride + x / 2;
            sums[1] += (pow(u[at] - colours[1], 2) + pow(v[at] - colours[2], 2)) / 2;
        }
    for (int i = 0; i < 2; i++)
        errors[i] = sums[i] / (image->width * image->height);
    WebPFree(luma);
}

static void pictures_keep_brightness_and_colours(void **state)
{
    (void)state;
    struct image image = make_picture(256, 256);
    struct buffer file = {0};
    double errors[2];
    assert_true(webp_encode(&image, WEBP_SERVE, &file, NULL));
    plane_errors(&image, &file, errors);
    for (int i = 0; i < 2; i++)
        if (10 * log10(65025 / errors[i]) < 40)
            fail_msg("%s: %.1f dB", i ? "colours" : "brightness", 10 * log10(65025 / errors[i]));
    buffer_free(&file);
    free(image.pixels);
}

static void one_pixel_pictures_have_their_colour(void **state)
{
    (void)state;
    uint8_t pixel[3] = {200, 120, 40};
    const struct image image = {
        .format = IMAGE_RGB8, .width = 1, .height = 1, .pixels = pixel, .stride = 3};
    struct buffer file = {0};
    assert_true(webp_encode(&image, WEBP_SERVE, &file, NULL));
    assert_true(decode_error(&image, file.data, file.length) < 16);
    buffer_free(&file);
}

/* "RIFF", the length of the rest, "WEBP", and one chunk that is all of it (WebP container
 * specification, simple file format). */
static void only_the_chunk_that_must_be(void **state)
{
    (void)state;
    for (int content = IMAGE_PICTURE; content <= IMAGE_SMOOTH; content++) {
        struct image image = make_image(IMAGE_RGB8, 33, 20, 40);
        image.content = (enum image_content)content;
        struct buffer file = {0};
        assert_true(webp_encode(&image, WEBP_SERVE, &file, NULL));
        const uint8_t *data = file.data;
        assert_memory_equal(data, "RIFF", 4);
        assert_memory_equal(data + 8, content == IMAGE_PICTURE ? "WEBPVP8 " : "WEBPVP8L", 8);
        size_t whole = data[4] | (size_t)data[5] << 8 | (size_t)data[6] << 16;
        size_t chunk = data[16] | (size_t)data[17] << 8 | (size_t)data[18] << 16;
        assert_int_equal(whole, file.length - 8);
        assert_int_equal(chunk + chunk % 2, file.length - 20);
        buffer_free(&file);
        free(image.pixels);
    }
}

static void the_same_image_is_the_same_file(void **state)
{
    (void)state;
    struct image image = make_picture(256, 256), other = make_image(IMAGE_GREY8, 99, 300, 256);
    other.content = IMAGE_DATA;
    for (int effort = WEBP_SERVE; effort <= WEBP_EXPORT; effort++) {
        struct buffer first = {0}, between = {0}, second = {0};
        assert_true(webp_encode(&image, (enum webp_effort)effort, &first, NULL));
        assert_true(webp_encode(&other, (enum webp_effort)effort, &between, NULL));
        assert_true(webp_encode(&image, (enum webp_effort)effort, &second, NULL));
        assert_int_equal(first.length, second.length);
        assert_memory_equal(first.data, second.data, first.length);
        buffer_free(&first);
        buffer_free(&between);
        buffer_free(&second);
    }
    free(image.pixels);
    free(other.pixels);
}

static void exports_are_smaller(void **state)
{
    (void)state;
    for (int content = IMAGE_PICTURE; content <= IMAGE_DATA; content++) {
        struct image image = content == IMAGE_AREAS ? make_image(IMAGE_PALETTE8, 256, 256, 4)
                                                    : make_picture(256, 256);
        image.content = (enum image_content)content;
        struct buffer served = {0}, exported = {0};
        assert_true(webp_encode(&image, WEBP_SERVE, &served, NULL));
        assert_true(webp_encode(&image, WEBP_EXPORT, &exported, NULL));
        assert_true(exported.length < served.length);
        buffer_free(&served);
        buffer_free(&exported);
        free(image.pixels);
    }
}

static void bad_images_are_refused(void **state)
{
    (void)state;
    uint8_t pixel[3] = {1, 0, 0};
    const struct image good = {.format = IMAGE_PALETTE8,
                               .content = IMAGE_AREAS,
                               .width = 1,
                               .height = 1,
                               .pixels = pixel,
                               .stride = 3,
                               .palette = palette,
                               .palette_count = 2};
    struct {
        struct image image;
        enum error_code code;
        const char *message;
    } cases[9] = {
        {good, ERROR_LIMIT, "a WebP of 0 x 1 pixels: allowed are 1 to 16383 pixels a side"},
        {good, ERROR_LIMIT, "a WebP of 1 x 0 pixels: allowed are 1 to 16383 pixels a side"},
        {good, ERROR_LIMIT, "a WebP of 16384 x 1 pixels: allowed are 1 to 16383 pixels a side"},
        {good, ERROR_LIMIT, "a WebP of 1 x 16384 pixels: allowed are 1 to 16383 pixels a side"},
        {good, ERROR_VALUE, "a palette has 1 to 256 colours, not 0"},
        {good, ERROR_VALUE, "a palette has 1 to 256 colours, not 257"},
        {good, ERROR_VALUE, "a palette has 1 to 256 colours, not 0"},
        {good, ERROR_VALUE, "pixel 0, 0 has colour 1 of a palette of 1"},
        {good, ERROR_VALUE, "WebP has 8 bits a channel: 16-bit grey is for PNG alone"},
    };
    cases[0].image.width = 0;
    cases[1].image.height = 0;
    cases[2].image.width = 16384;
    cases[3].image.height = 16384;
    cases[4].image.palette_count = 0;
    cases[5].image.palette_count = 257;
    cases[6].image.palette = NULL;
    cases[7].image.palette_count = 1;
    cases[8].image.format = IMAGE_GREY16;
    struct buffer file = {0};
    for (size_t i = 0; i < 9; i++) {
        struct error error = {0};
        assert_false(webp_encode(&cases[i].image, WEBP_SERVE, &file, &error));
        assert_int_equal(error.code, cases[i].code);
        assert_string_equal(error.message, cases[i].message);
        assert_int_equal(file.length, 0);
    }
    assert_true(webp_encode(&good, WEBP_SERVE, &file, NULL));
    buffer_free(&file);
}

static void failed_buffer_fails_the_file(void **state)
{
    (void)state;
    for (int content = IMAGE_PICTURE; content <= IMAGE_AREAS; content++) {
        struct image image = make_image(IMAGE_GREY8, 20, 20, 256);
        image.content = (enum image_content)content;
        struct buffer file = {0};
        buffer_text(&file, "kept");
        file.failed = true;
        struct error error = {0};
        assert_false(webp_encode(&image, WEBP_SERVE, &file, &error));
        assert_int_equal(error.code, ERROR_MEMORY);
        assert_int_equal(file.length, 4);
        buffer_free(&file);
        free(image.pixels);
    }
}

int test_webp(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_areas_and_greys_come_back_exactly),
        cmocka_unit_test(pictures_come_back_nearly),
        cmocka_unit_test(pictures_keep_brightness_and_colours),
        cmocka_unit_test(one_pixel_pictures_have_their_colour),
        cmocka_unit_test(only_the_chunk_that_must_be),
        cmocka_unit_test(the_same_image_is_the_same_file),
        cmocka_unit_test(exports_are_smaller),
        cmocka_unit_test(bad_images_are_refused),
        cmocka_unit_test(failed_buffer_fails_the_file),
    };
    for (size_t i = 0; i < sizeof palette; i++)
        palette[i] = (uint8_t)random_bits();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
