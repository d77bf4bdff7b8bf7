/* PNG files as libpng's reader sees them. */
#include "core/encode/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct source {
    const uint8_t *data;
    size_t left;
};

static void read_bytes(png_structp png, png_bytep out, size_t length)
{
    struct source *source = png_get_io_ptr(png);
    if (length > source->left)
        png_error(png, "the file ends too early");
    memcpy(out, source->data, length);
    source->data += length;
    source->left -= length;
}

struct decoded {
    uint32_t width, height;
    int depth, colour_type, interlace, colours;
    png_color palette[256];
    png_uint_32 extra; /* of the chunks we do not want, those that are there */
    size_t row_bytes;
    uint8_t *pixels;
    size_t left; /* bytes behind the end */
};

/* Rows as libpng gives them with packed indices unpacked; fails the test on any complaint. */
static struct decoded decode(const uint8_t *data, size_t length)
{
    struct source source = {data, length};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, NULL, NULL);
    png_infop info = png_create_info_struct(png);
    assert_non_null(info);
    if (setjmp(png_jmpbuf(png)))
        fail_msg("libpng refuses the file");
    png_set_read_fn(png, &source, read_bytes);
    png_set_crc_action(png, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
    png_set_packing(png);
    png_read_png(png, info, PNG_TRANSFORM_PACKING, NULL);
    struct decoded image = {.left = source.left};
    image.depth = data[24]; /* IHDR's ninth byte; libpng's own word is the depth after unpacking */
    png_get_IHDR(png, info, &image.width, &image.height, NULL, &image.colour_type, &image.interlace,
                 NULL, NULL);
    png_colorp palette;
    if (png_get_PLTE(png, info, &palette, &image.colours))
        memcpy(image.palette, palette, (size_t)image.colours * sizeof *palette);
    image.extra = png_get_valid(png, info,
                                PNG_INFO_gAMA | PNG_INFO_cHRM | PNG_INFO_sRGB | PNG_INFO_iCCP |
                                    PNG_INFO_tIME | PNG_INFO_tRNS | PNG_INFO_pHYs | PNG_INFO_bKGD);
    png_textp text;
    if (png_get_text(png, info, &text, NULL) > 0)
        image.extra |= 1u << 31;
    image.row_bytes = png_get_rowbytes(png, info);
    image.pixels = malloc(image.row_bytes * image.height);
    assert_non_null(image.pixels);
    for (uint32_t y = 0; y < image.height; y++)
        memcpy(image.pixels + y * image.row_bytes, png_get_rows(png, info)[y], image.row_bytes);
    png_destroy_read_struct(&png, &info, NULL);
    return image;
}

static uint32_t random_state = 1;

static uint32_t random_bits(void)
{
    random_state = random_state * 1664525 + 1013904223;
    return random_state >> 8;
}

static size_t pixel_bytes(enum image_format format)
{
    return format == IMAGE_RGB8 ? 3 : format == IMAGE_GREY16 ? 2 : 1;
}

/* `noise` of 256 bytes are random, the others follow a slope. */
static struct image make_image(enum image_format format, uint32_t width, uint32_t height,
                               unsigned noise)
{
    struct image image = {.format = format, .width = width, .height = height};
    size_t bytes = pixel_bytes(format) * width;
    image.stride = bytes + 5;
    /* Nothing may be read behind the last row, so there is nothing. */
    size_t size = image.stride * (height - 1) + bytes;
    image.pixels = malloc(size);
    assert_non_null(image.pixels);
    for (size_t i = 0; i < size; i++)
        image.pixels[i] =
            (uint8_t)(random_bits() % 256 < noise ? random_bits() : i % image.stride + i / 999);
    return image;
}

static void compare_colours(const struct image *image, const struct decoded *decoded)
{
    bool used[256] = {false};
    int colours = 0;
    for (uint32_t y = 0; y < image->height; y++)
        for (uint32_t x = 0; x < image->width; x++) {
            uint8_t index = image->pixels[y * image->stride + x];
            uint8_t stored = decoded->pixels[y * decoded->row_bytes + x];
            assert_true(stored < decoded->colours);
            assert_int_equal(decoded->palette[stored].red, image->palette[3 * index]);
            assert_int_equal(decoded->palette[stored].green, image->palette[3 * index + 1]);
            assert_int_equal(decoded->palette[stored].blue, image->palette[3 * index + 2]);
            colours += !used[index];
            used[index] = true;
        }
    int bits = colours > 16 ? 8 : colours > 4 ? 4 : colours > 2 ? 2 : 1;
    assert_int_equal(decoded->depth, bits);
    assert_int_equal(decoded->colours, bits == 8 ? (int)image->palette_count : colours);
}

static void compare(const struct image *image, const struct buffer *file, size_t start)
{
    struct decoded decoded = decode(file->data + start, file->length - start);
    assert_int_equal(decoded.left, 0);
    assert_int_equal(decoded.width, image->width);
    assert_int_equal(decoded.height, image->height);
    assert_int_equal(decoded.interlace, PNG_INTERLACE_NONE);
    assert_int_equal(decoded.extra, 0);
    assert_int_equal(decoded.row_bytes, pixel_bytes(image->format) * image->width);
    static const int types[] = {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_PALETTE, PNG_COLOR_TYPE_RGB,
                                PNG_COLOR_TYPE_GRAY};
    assert_int_equal(decoded.colour_type, types[image->format]);
    if (image->format == IMAGE_PALETTE8)
        compare_colours(image, &decoded);
    else
        assert_int_equal(decoded.depth, image->format == IMAGE_GREY16 ? 16 : 8);
    for (uint32_t y = 0; y < image->height && image->format != IMAGE_PALETTE8; y++)
        assert_memory_equal(decoded.pixels + y * decoded.row_bytes,
                            image->pixels + y * image->stride, decoded.row_bytes);
    free(decoded.pixels);
}

static uint8_t palette[768];

static void every_format_size_and_effort(void **state)
{
    struct png_encoder *encoder = *state;
    static const uint32_t sizes[][2] = {{1, 1},   {257, 3}, {3, 257},   {2, 2},
                                        {255, 1}, {1, 300}, {256, 256}, {513, 64}};
    static const unsigned noises[] = {0, 20, 256};
    for (int format = IMAGE_GREY8; format <= IMAGE_GREY16; format++)
        for (int content = IMAGE_PICTURE; content <= IMAGE_DRAWING; content++)
            for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
                for (int variant = 0; variant < 6; variant++) {
                    struct image image = make_image((enum image_format)format, sizes[s][0],
                                                    sizes[s][1], noises[variant / 2]);
                    image.content = (enum image_content)content;
                    image.palette = palette;
                    image.palette_count = 256;
                    struct buffer file = {0};
                    buffer_text(&file, "before");
                    assert_true(
                        png_encode(encoder, &image, (enum png_effort)(variant % 2), &file, NULL));
                    assert_memory_equal(file.data, "before", 6);
                    compare(&image, &file, 6);
                    buffer_free(&file);
                    free(image.pixels);
                }
}

enum { ROW_KINDS = 8 };

static void draw_row(unsigned kind, uint8_t *row, const uint8_t *above, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned noise = random_bits();
        const uint8_t values[ROW_KINDS] = {
            0,
            255,
            (uint8_t)i,
            (uint8_t)(i % 2 ? 255 : 0),
            (uint8_t)noise,
            (uint8_t)(above ? above[i] : 9),
            (uint8_t)((above ? above[i] : 9) + (noise % 40 == 0)),
            (uint8_t)(noise % 3 * 127),
        };
        row[i] = values[kind];
    }
}

/* Each kind of row below each other kind, and in the first row; up to widths with no whole word. */
static void patterns_of_rows_read_back(void **state)
{
    struct png_encoder *encoder = *state;
    static const uint32_t widths[] = {1, 2, 3, 5, 7, 8, 11, 16, 31, 64, 256, 4096};
    for (int format = IMAGE_GREY8; format <= IMAGE_GREY16; format++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++) {
            struct image image =
                make_image((enum image_format)format, widths[w], ROW_KINDS * ROW_KINDS * 2, 0);
            const size_t length = pixel_bytes(image.format) * image.width;
            for (uint32_t y = 0; y < image.height; y++) {
                uint8_t *row = image.pixels + y * image.stride;
                const unsigned pair = y / 2;
                draw_row(y % 2 ? pair % ROW_KINDS : pair / ROW_KINDS, row,
                         y ? row - image.stride : NULL, length);
            }
            image.palette = palette;
            image.palette_count = 256;
            struct buffer file = {0};
            assert_true(png_encode(encoder, &image, PNG_SERVE, &file, NULL));
            compare(&image, &file, 0);
            buffer_free(&file);
            free(image.pixels);
        }
}

/* Colours that are all grey take another compressor. */
static void grey_colours_read_back(void **state)
{
    struct image image = make_image(IMAGE_RGB8, 100, 40, 50);
    for (uint32_t y = 0; y < 40; y++)
        for (size_t x = 0; x < 100; x++)
            memset(image.pixels + y * image.stride + 3 * x, image.pixels[y * image.stride + x], 3);
    for (int variant = 0; variant < 3; variant++) {
        struct buffer file = {0};
        assert_true(png_encode(*state, &image, PNG_SERVE, &file, NULL));
        compare(&image, &file, 0);
        buffer_free(&file);
        image.pixels[39 * image.stride + 297 + (size_t)variant] ^= 1; /* the last pixel is not */
    }
    free(image.pixels);
}

static void few_colours_take_few_bits(void **state)
{
    struct png_encoder *encoder = *state;
    static const uint32_t counts[] = {1, 2, 3, 4, 5, 15, 16, 17, 255, 256};
    static const uint32_t widths[] = {1, 3, 7, 8, 9, 256};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t w = 0; w < sizeof widths / sizeof *widths; w++)
            for (int variant = 0; variant < 8; variant++) {
                struct image image = make_image(IMAGE_PALETTE8, widths[w], 5, 256);
                /* The highest indices of a full palette, or the lowest of a short one. */
                uint8_t shift = (uint8_t)(variant / 4 ? 256 - counts[i] : 0);
                for (size_t b = 0; b < image.stride * 4 + widths[w]; b++)
                    image.pixels[b] = (uint8_t)(image.pixels[b] % counts[i] + shift);
                image.content = variant / 2 % 2 ? IMAGE_PICTURE : IMAGE_AREAS;
                image.palette = palette;
                image.palette_count = counts[i] + shift;
                struct buffer file = {0};
                assert_true(
                    png_encode(encoder, &image, (enum png_effort)(variant % 2), &file, NULL));
                compare(&image, &file, 0);
                buffer_free(&file);
                free(image.pixels);
            }
}

static void file_has_only_the_necessary_chunks(void **state)
{
    struct png_encoder *encoder = *state;
    for (int format = IMAGE_GREY8; format <= IMAGE_GREY16; format++) {
        struct image image = make_image((enum image_format)format, 200, 100, 100);
        image.palette = palette;
        image.palette_count = 256;
        struct buffer file = {0};
        assert_true(png_encode(encoder, &image, PNG_SERVE, &file, NULL));
        assert_memory_equal(file.data, "\x89PNG\r\n\x1A\n", 8);
        char names[64] = "";
        size_t at = 8;
        while (at < file.length) {
            const uint8_t *chunk = file.data + at;
            strncat(names, (const char *)chunk + 4, 4);
            at += 12 + ((size_t)chunk[0] << 24 | (size_t)chunk[1] << 16 | (size_t)chunk[2] << 8 |
                        chunk[3]);
        }
        assert_int_equal(at, file.length);
        assert_string_equal(names, format == IMAGE_PALETTE8 ? "IHDRPLTEIDATIEND" : "IHDRIDATIEND");
        buffer_free(&file);
        free(image.pixels);
    }
}

/* The same bytes whatever the encoder did before, and no memory once a size was met. */
static void encoder_keeps_no_state_between_files(void **state)
{
    struct png_encoder *used = *state;
    struct image image = make_image(IMAGE_RGB8, 256, 256, 10);
    struct image other = make_image(IMAGE_GREY16, 256, 384, 256);
    struct buffer first = {0}, second = {0};
    struct png_encoder *fresh = png_encoder_new();
    assert_non_null(fresh);
    for (int effort = PNG_SERVE; effort <= PNG_EXPORT; effort++) {
        buffer_clear(&first);
        buffer_clear(&second);
        assert_true(png_encode(used, &other, (enum png_effort)effort, &first, NULL));
        buffer_clear(&first);
        assert_true(png_encode(used, &image, (enum png_effort)effort, &first, NULL));
        assert_true(png_encode(fresh, &image, (enum png_effort)effort, &second, NULL));
        assert_int_equal(first.length, second.length);
        assert_memory_equal(first.data, second.data, first.length);
    }
    png_encoder_free(fresh);
    png_encoder_free(NULL);
    buffer_free(&first);
    buffer_free(&second);
    free(image.pixels);
    free(other.pixels);
}

/* `--effort small` of exports promises it. Drawings are tested on contours in tests/cli: these dots
 * repeat themselves, for which the coder of served tiles alone tries another filter. */
static void small_files_have_the_same_pixels_in_fewer_bytes(void **state)
{
    struct png_encoder *encoder = *state;
    for (int content = IMAGE_PICTURE; content <= IMAGE_SMOOTH; content++) {
        struct image image = make_image(IMAGE_RGB8, 256, 256, 2);
        struct buffer served = {0}, exported = {0};
        image.content = (enum image_content)content;
        assert_true(png_encode(encoder, &image, PNG_SERVE, &served, NULL));
        assert_true(png_encode(encoder, &image, PNG_EXPORT, &exported, NULL));
        assert_true(exported.length < served.length);
        assert_true(served.length < (size_t)256 * 256 * 3);
        compare(&image, &served, 0);
        compare(&image, &exported, 0);
        buffer_free(&served);
        buffer_free(&exported);
        free(image.pixels);
    }
}

static size_t size_as(struct png_encoder *encoder, struct image *image, enum image_content content)
{
    struct buffer file = {0};
    image->content = content;
    assert_true(png_encode(encoder, image, PNG_SERVE, &file, NULL));
    compare(image, &file, 0);
    const size_t size = file.length;
    buffer_free(&file);
    return size;
}

/* Shades are written as those of a picture, and dots of four colours, which repeat, are smaller. */
static void drawings_by_what_they_show(void **state)
{
    struct image image = make_image(IMAGE_RGB8, 256, 256, 0);
    for (uint32_t y = 0; y < 256; y++)
        for (uint32_t i = 0; i < 768; i++)
            image.pixels[y * image.stride + i] = (uint8_t)(y / 2 + i / 9 + random_bits() % 5);
    assert_int_equal(size_as(*state, &image, IMAGE_DRAWING),
                     size_as(*state, &image, IMAGE_PICTURE));
    for (uint32_t y = 0; y < 256; y++)
        for (uint32_t x = 0; x < 256; x++)
            memcpy(image.pixels + y * image.stride + 3 * (size_t)x,
                   palette + 3 * (random_bits() % 4), 3);
    assert_true(size_as(*state, &image, IMAGE_DRAWING) <
                size_as(*state, &image, IMAGE_PICTURE) / 2);
    free(image.pixels);
}

static void bad_images_are_refused(void **state)
{
    struct png_encoder *encoder = *state;
    uint8_t pixel[3] = {0};
    struct image good = {.format = IMAGE_PALETTE8,
                         .width = 1,
                         .height = 1,
                         .pixels = pixel,
                         .stride = 3,
                         .palette = palette,
                         .palette_count = 1};
    struct image bad[9];
    for (size_t i = 0; i < 9; i++)
        bad[i] = good;
    bad[0].width = 0;
    bad[1].height = 0;
    bad[2].width = 65536;
    bad[3].height = 65536;
    bad[4].palette_count = 0;
    bad[5].palette_count = 257;
    bad[6].palette = NULL;
    bad[7].format = IMAGE_RGB8;
    bad[7].width = bad[7].height = 65535;
    uint8_t beyond[3] = {1, 0, 0};
    bad[8].pixels = beyond;
    for (size_t i = 0; i < 9; i++) {
        struct buffer file = {0};
        struct error error = {0};
        assert_false(png_encode(encoder, &bad[i], PNG_SERVE, &file, &error));
        assert_int_equal(error.code, (i >= 4 && i <= 6) || i == 8 ? ERROR_VALUE : ERROR_LIMIT);
        assert_int_equal(file.length, 0);
        buffer_free(&file);
    }
    struct error error;
    png_encode(encoder, &bad[2], PNG_SERVE, NULL, &error);
    assert_string_equal(error.message,
                        "a PNG of 65536 x 1 pixels: allowed are 1 to 65535 pixels a side");
    struct buffer file = {0};
    assert_true(png_encode(encoder, &good, PNG_SERVE, &file, &error));
    buffer_free(&file);
}

static void failed_buffer_fails_the_file(void **state)
{
    struct png_encoder *encoder = *state;
    struct image image = make_image(IMAGE_GREY8, 20, 20, 256);
    struct buffer file = {0};
    buffer_text(&file, "kept");
    file.failed = true;
    struct error error = {0};
    assert_false(png_encode(encoder, &image, PNG_SERVE, &file, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_int_equal(file.length, 4);
    buffer_clear(&file);
    assert_true(png_encode(encoder, &image, PNG_SERVE, &file, &error));
    compare(&image, &file, 0);
    buffer_free(&file);
    free(image.pixels);
}

static int make_encoder(void **state)
{
    for (size_t i = 0; i < sizeof palette; i++)
        palette[i] = (uint8_t)random_bits();
    *state = png_encoder_new();
    return *state ? 0 : -1;
}

static int free_encoder(void **state)
{
    png_encoder_free(*state);
    return 0;
}

int test_png(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_format_size_and_effort),
        cmocka_unit_test(patterns_of_rows_read_back),
        cmocka_unit_test(grey_colours_read_back),
        cmocka_unit_test(few_colours_take_few_bits),
        cmocka_unit_test(file_has_only_the_necessary_chunks),
        cmocka_unit_test(encoder_keeps_no_state_between_files),
        cmocka_unit_test(small_files_have_the_same_pixels_in_fewer_bytes),
        cmocka_unit_test(drawings_by_what_they_show),
        cmocka_unit_test(bad_images_are_refused),
        cmocka_unit_test(failed_buffer_fails_the_file),
    };
    return cmocka_run_group_tests(tests, make_encoder, free_encoder);
}
