/* Tiles as text, against texts written by hand. */
#include "core/encode/terminal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HALF "\xe2\x96\x80"
#define HALVES4 HALF HALF HALF HALF
#define END "\x1b[0m\n"

static void expect_picture(const struct image *image, uint32_t columns, const char *expected)
{
    struct buffer out = {0};
    buffer_text(&out, "before");
    assert_true(terminal_write_picture(image, columns, &out, NULL));
    assert_memory_equal(buffer_string(&out), "before", 6);
    assert_string_equal(buffer_string(&out) + 6, expected);
    buffer_free(&out);
}

static void four_pixels_are_four_areas(void **state)
{
    (void)state;
    uint8_t pixels[] = {255, 0, 0, 0, 255, 0, 99, 0, 0, 255, 10, 20, 30, 99};
    const struct image image = {
        .format = IMAGE_RGB8, .width = 2, .height = 2, .pixels = pixels, .stride = 7};
    const char *north =
        "\x1b[38;2;255;0;0;48;2;255;0;0m" HALVES4 "\x1b[38;2;0;255;0;48;2;0;255;0m" HALVES4 END;
    const char *south =
        "\x1b[38;2;0;0;255;48;2;0;0;255m" HALVES4 "\x1b[38;2;10;20;30;48;2;10;20;30m" HALVES4 END;
    char expected[512] = "";
    strcat(strcat(strcat(strcat(expected, north), north), south), south);
    expect_picture(&image, 8, expected);
}

/* Eight by two: a character for each pair of pixels. */
static void only_colours_that_change_are_set(void **state)
{
    (void)state;
    uint8_t pixels[] = {1, 1, 2, 2, 2, 2, 2, 1, 5, 5, 5, 6, 6, 6, 6, 5};
    struct image image = {
        .format = IMAGE_GREY8, .width = 8, .height = 2, .pixels = pixels, .stride = 8};
    expect_picture(&image, 8,
                   "\x1b[38;2;1;1;1;48;2;5;5;5m" HALF HALF "\x1b[38;2;2;2;2m" HALF
                   "\x1b[48;2;6;6;6m" HALVES4 "\x1b[38;2;1;1;1;48;2;5;5;5m" HALF END);
    static const uint8_t palette[] = {9, 8, 7, 1, 2, 3, 4, 5, 6, 7, 7, 7, 8, 8, 8, 10, 20, 30};
    image.format = IMAGE_PALETTE8;
    image.palette = palette;
    image.palette_count = 6; /* so 6 has none */
    expect_picture(&image, 8,
                   "\x1b[38;2;1;2;3;48;2;10;20;30m" HALF HALF "\x1b[38;2;4;5;6m" HALF
                   "\x1b[48;2;0;0;0m" HALVES4 "\x1b[38;2;1;2;3;48;2;10;20;30m" HALF END);
}

/* Twelve pixels on eight columns: two thirds of one and a third of the next, of 255² = 65025 and 0.
 * √(65025 · 2/3) = 208.2, √(65025 / 3) = 147.2. */
static void areas_are_averaged_by_their_squares(void **state)
{
    (void)state;
    uint8_t pixels[24];
    for (size_t i = 0; i < 24; i++)
        pixels[i] = i % 3 == 0 ? 255 : 0;
    const struct image image = {
        .format = IMAGE_GREY8, .width = 12, .height = 2, .pixels = pixels, .stride = 12};
    /* Columns 0, 2 …: pixel 0 and half of 1; columns 1, 3 …: half of 1 and pixel 2. */
    expect_picture(&image, 8,
                   "\x1b[38;2;208;208;208;48;2;208;208;208m" HALF "\x1b[38;2;0;0;0;48;2;0;0;0m" HALF
                   "\x1b[38;2;208;208;208;48;2;208;208;208m" HALF "\x1b[38;2;0;0;0;48;2;0;0;0m" HALF
                   "\x1b[38;2;208;208;208;48;2;208;208;208m" HALF "\x1b[38;2;0;0;0;48;2;0;0;0m" HALF
                   "\x1b[38;2;208;208;208;48;2;208;208;208m" HALF
                   "\x1b[38;2;0;0;0;48;2;0;0;0m" HALF END);
    /* The same downwards: rows of 255, 255, 0 on two halves are 255, and 147.2. */
    uint8_t rows[36] = {0};
    memset(rows, 255, 24);
    const struct image tall = {
        .format = IMAGE_GREY8, .width = 12, .height = 3, .pixels = rows, .stride = 12};
    expect_picture(&tall, 8, "\x1b[38;2;255;255;255;48;2;147;147;147m" HALVES4 HALVES4 END);
}

static size_t count_lines(const struct buffer *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines;
}

static void lines_keep_the_shape(void **state)
{
    (void)state;
    static const uint32_t cases[][4] = {
        /* width, height, columns, lines */
        {256, 256, 80, 40}, {256, 256, 200, 100}, {256, 256, 8, 4},   {256, 256, 9, 5},
        {512, 512, 80, 40}, {300, 100, 60, 10},   {100, 300, 60, 90}, {400, 1, 8, 1},
    };
    static uint8_t pixels[512 * 512];
    static float samples[512 * 512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint32_t *c = cases[i];
        const struct image image = {
            .format = IMAGE_GREY8, .width = c[0], .height = c[1], .pixels = pixels, .stride = c[0]};
        const struct terminal_heights heights = {samples, c[0], c[1], 1, true};
        struct buffer picture = {0}, text = {0};
        assert_true(terminal_write_picture(&image, c[2], &picture, NULL));
        assert_true(terminal_write_heights(&heights, c[2], &text, NULL));
        assert_int_equal(count_lines(&picture), c[3]);
        assert_int_equal(count_lines(&text), c[3]);
        assert_int_equal(text.length, (c[2] + 1) * c[3]);
        buffer_free(&picture);
        buffer_free(&text);
    }
}

static void expect_heights(const float *samples, uint32_t columns, uint32_t rows, bool sea,
                           const char *expected)
{
    const struct terminal_heights heights = {samples, columns, rows, 10, sea};
    struct buffer out = {0};
    buffer_text(&out, "before");
    assert_true(terminal_write_heights(&heights, 8, &out, NULL));
    assert_string_equal(buffer_string(&out) + 6, expected);
    buffer_free(&out);
}

static void fill(float *samples, size_t count, float value)
{
    for (size_t i = 0; i < count; i++)
        samples[i] = value;
}

static void deeper_water_has_fewer_waves(void **state)
{
    (void)state;
    float samples[64];
    fill(samples, 64, -1);
    expect_heights(samples, 8, 8, true, "~~~~~~~~\n~~~~~~~~\n~~~~~~~~\n~~~~~~~~\n");
    fill(samples, 64, -50);
    expect_heights(samples, 8, 8, true, "~ ~ ~ ~ \n ~ ~ ~ ~\n~ ~ ~ ~ \n ~ ~ ~ ~\n");
    fill(samples, 64, -500);
    expect_heights(samples, 8, 8, true, "~       \n        \n    ~   \n        \n");
    expect_heights(samples, 8, 8, false, "........\n........\n........\n........\n");
}

/* Heights 0 … 700 in even steps: level √(i/7) · 8, and the light's 1.8 · s / √(s² + (2·rms)²). The
 * slopes' mean square is (6 + 2/4)/8 of the inner ones', as the outer ones count half: so inner
 * characters get 1.8 / √(1 + 3.25) = 0.873, outer ones 0.9 / √(0.25 + 3.25) = 0.481.
 *   level  0     3.02  4.28  5.24  6.05  6.76  7.41  8
 *   lit    0.48  3.90  5.15  6.11  6.92  7.63  8.28  8.48
 *   dark   0     2.15  3.40  4.36  5.17  5.89  6.53  7.52 */
static void higher_land_has_denser_characters(void **state)
{
    (void)state;
    float east[16], west[16];
    for (size_t i = 0; i < 16; i++) {
        east[i] = (float)(i % 8) * 100;
        west[i] = (float)(7 - i % 8) * 100;
    }
    expect_heights(east, 8, 2, true, ".+*%@^^^\n");
    expect_heights(west, 8, 2, true, "^@%*+=-.\n");
}

/* Flat land is as low as it is high; only the slope from the sea to it is lit, by
 * 1.8 / √2 = 1.27 as the mean square of a quarter's slopes is a quarter. */
static void coasts_are_lit_from_the_north_west(void **state)
{
    (void)state;
    float samples[64];
    for (size_t i = 0; i < 64; i++)
        samples[i] = i % 8 < 4 ? -10 : 100;
    expect_heights(samples, 8, 8, true, "~~~~:...\n~~~~:...\n~~~~:...\n~~~~:...\n");
    for (size_t i = 0; i < 64; i++)
        samples[i] = i % 8 < 4 ? 100 : -10;
    expect_heights(samples, 8, 8, true, "....~~~~\n....~~~~\n....~~~~\n....~~~~\n");
    for (size_t i = 0; i < 64; i++)
        samples[i] = i < 32 ? -10 : 100;
    /* Half of the land's slopes here, so 1.8 / √(1 + 4/2) = 1.04. */
    expect_heights(samples, 8, 8, true, "~~~~~~~~\n~~~~~~~~\n::::::::\n........\n");
}

/* Characters of two by four samples. */
static void the_larger_part_decides(void **state)
{
    (void)state;
    float samples[64];
    fill(samples, 64, -600);
    for (size_t x = 0; x < 16; x += 2)
        samples[x] = samples[x + 1] = samples[16 + x] = 1000;
    expect_heights(samples, 16, 4, true, "~       \n"); /* 3 of 8 are land; the rest is deep */
    for (size_t x = 0; x < 16; x += 2)
        samples[17 + x] = 1000;
    expect_heights(samples, 16, 4, true, "........\n"); /* the half is */
    fill(samples, 64, -10);
    for (size_t x = 0; x < 16; x++)
        samples[x] = 3000;
    expect_heights(samples, 16, 4, true, "~~~~~~~~\n"); /* shallow whatever the land's height */
}

static void extreme_heights_do_no_harm(void **state)
{
    (void)state;
    float samples[64];
    for (size_t i = 0; i < 64; i++)
        samples[i] = i % 3 == 0 ? 3e38f : i % 3 == 1 ? -3e38f : 1e-40f;
    const struct terminal_heights heights = {samples, 8, 8, 1e-3f, true};
    struct buffer out = {0};
    assert_true(terminal_write_heights(&heights, 8, &out, NULL));
    assert_int_equal(out.length, 36);
    for (size_t i = 0; i < out.length; i++)
        assert_non_null(strchr(" ~.:-=+*%@^\n", out.data[i]));
    buffer_free(&out);
}

static void bad_input_is_refused(void **state)
{
    (void)state;
    uint8_t pixels[2002] = {0};
    float samples[2002] = {0};
    static const struct {
        uint32_t width, height, columns;
        const char *message;
    } cases[] = {
        {1, 1, 7, "7 columns of text: allowed are 8 to 200"},
        {1, 1, 201, "201 columns of text: allowed are 8 to 200"},
        {0, 1, 80, "0 x 1 pixels as text: at least 1 x 1 are needed"},
        {1, 0, 80, "1 x 0 pixels as text: at least 1 x 1 are needed"},
        {1, 251, 8, "1 x 251 pixels as text of 8 columns: more than the 1000 lines allowed"},
    };
    struct buffer out = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image image = {
            .width = cases[i].width, .height = cases[i].height, .pixels = pixels, .stride = 1};
        struct terminal_heights heights = {samples, cases[i].width, cases[i].height, 1, true};
        struct error error = {0};
        assert_false(terminal_write_picture(&image, cases[i].columns, &out, &error));
        assert_int_equal(error.code, ERROR_LIMIT);
        assert_string_equal(error.message, cases[i].message);
        error = (struct error){0};
        assert_false(terminal_write_heights(&heights, cases[i].columns, &out, &error));
        assert_int_equal(error.code, ERROR_LIMIT);
        assert_string_equal(error.message, cases[i].message);
    }
    struct image grey = {
        .format = IMAGE_GREY16, .width = 1, .height = 1, .pixels = pixels, .stride = 2};
    struct error error = {0};
    assert_false(terminal_write_picture(&grey, 80, &out, &error));
    assert_int_equal(error.code, ERROR_VALUE);
    assert_string_equal(error.message,
                        "a terminal has 8 bits a channel: 16-bit grey is for PNG alone");
    assert_int_equal(out.length, 0);
    buffer_free(&out);
}

static void a_failed_buffer_fails_the_text(void **state)
{
    (void)state;
    uint8_t pixel = 0;
    float sample = 0;
    const struct image image = {
        .format = IMAGE_GREY8, .width = 1, .height = 1, .pixels = &pixel, .stride = 1};
    const struct terminal_heights heights = {&sample, 1, 1, 1, true};
    struct buffer out = {0};
    buffer_text(&out, "kept");
    out.failed = true;
    struct error error = {0};
    assert_false(terminal_write_picture(&image, 8, &out, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    error = (struct error){0};
    assert_false(terminal_write_heights(&heights, 8, &out, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_int_equal(out.length, 4);
    buffer_free(&out);
}

int test_terminal(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_pixels_are_four_areas),
        cmocka_unit_test(only_colours_that_change_are_set),
        cmocka_unit_test(areas_are_averaged_by_their_squares),
        cmocka_unit_test(lines_keep_the_shape),
        cmocka_unit_test(deeper_water_has_fewer_waves),
        cmocka_unit_test(higher_land_has_denser_characters),
        cmocka_unit_test(coasts_are_lit_from_the_north_west),
        cmocka_unit_test(the_larger_part_decides),
        cmocka_unit_test(extreme_heights_do_no_harm),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(a_failed_buffer_fails_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
