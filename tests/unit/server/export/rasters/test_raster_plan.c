/* The blocks of rasters and the pixels of overviews, against sizes and means worked out by hand. */
#include "server/export/rasters/raster_plan.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct raster raster_of(uint32_t columns, uint32_t rows)
{
    return (struct raster){.grid = {.step = 65536, .columns = columns, .rows = rows}};
}

static void levels_halve_until_one_tile_holds_them(void **state)
{
    (void)state;
    static const struct {
        uint32_t columns, rows;
        unsigned levels;
        uint32_t last_columns, last_rows;
        uint64_t blocks;
    } cases[] = {
        {1, 1, 1, 1, 1, 1},
        {512, 512, 1, 512, 512, 1},
        {513, 512, 2, 257, 256, 2 + 1},
        {2000, 1734, 3, 500, 434, 16 + 4 + 1},
        {1, 100000, 9, 1, 391, 196 + 98 + 49 + 25 + 13 + 7 + 4 + 2 + 1},
        {1000000, 1000000, 12, 489, 489,
         1954 * 1954 + 977 * 977 + 489 * 489 + 245 * 245 + 123 * 123 + 62 * 62 + 31 * 31 + 16 * 16 +
             8 * 8 + 4 * 4 + 2 * 2 + 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct raster raster = raster_of(cases[i].columns, cases[i].rows);
        struct raster_plan plan;
        raster_plan_tiles(&plan, &raster, COMPRESSION_ZSTD);
        assert_int_equal(plan.level_count, cases[i].levels);
        assert_int_equal(plan.levels[plan.level_count - 1].columns, cases[i].last_columns);
        assert_int_equal(plan.levels[plan.level_count - 1].rows, cases[i].last_rows);
        assert_int_equal(raster_plan_count(&plan), cases[i].blocks);
    }
}

static void assert_block(const struct raster_plan *plan, uint64_t index, struct raster_block wanted)
{
    const struct raster_block block = raster_plan_at(plan, index);
    assert_int_equal(block.level, wanted.level);
    assert_int_equal(block.column, wanted.column);
    assert_int_equal(block.row, wanted.row);
    assert_memory_equal(&block.window, &wanted.window, sizeof block.window);
}

static void blocks_end_at_the_edges(void **state)
{
    (void)state;
    const struct raster raster = raster_of(1100, 600);
    struct raster_plan plan;
    raster_plan_tiles(&plan, &raster, COMPRESSION_ZSTD);
    assert_block(&plan, 0, (struct raster_block){0, 0, 0, {0, 0, 512, 512}});
    assert_block(&plan, 2, (struct raster_block){0, 2, 0, {1024, 0, 76, 512}});
    assert_block(&plan, 5, (struct raster_block){0, 2, 1, {1024, 512, 76, 88}});
    assert_block(&plan, 7, (struct raster_block){1, 1, 0, {512, 0, 38, 300}});
    assert_block(&plan, 8, (struct raster_block){2, 0, 0, {0, 0, 275, 150}});
    /* Bands have 2¹⁸ pixels at most, and whole rows in multiples of 16: 2¹⁸ / 1100 = 238. */
    raster_plan_bands(&plan, &raster, false);
    assert_int_equal(plan.layout.width, 1104);
    assert_int_equal(plan.layout.height, 224);
    assert_block(&plan, 2, (struct raster_block){0, 0, 2, {0, 448, 1100, 152}});
    assert_int_equal(raster_plan_count(&plan), 3);
    raster_plan_bands(&plan, &raster, true);
    assert_block(&plan, 2, (struct raster_block){0, 0, 2, {0, 476, 1100, 124}});
    const struct raster wide = raster_of(1000000, 3);
    raster_plan_bands(&plan, &wide, true);
    assert_block(&plan, 2, (struct raster_block){0, 0, 2, {0, 2, 1000000, 1}});
}

static void padding_repeats_the_edge(void **state)
{
    (void)state;
    const struct tiff_layout layout = {.pixel = RASTER_RGB8, .width = 4, .height = 3};
    uint8_t pixels[36] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const uint8_t wanted[36] = {1, 2, 3, 4,  5,  6,  4,  5,  6,  4,  5,  6,
                                       7, 8, 9, 10, 11, 12, 10, 11, 12, 10, 11, 12,
                                       7, 8, 9, 10, 11, 12, 10, 11, 12, 10, 11, 12};
    raster_spread(&layout, 2, 2, pixels);
    raster_pad(&layout, 2, 2, pixels);
    assert_memory_equal(pixels, wanted, sizeof wanted);
}

static void overviews_have_means_or_the_most_frequent(void **state)
{
    (void)state;
    struct tiff_layout layout = {.pixel = RASTER_FLOAT32, .width = 2, .height = 2};
    static const float floats[] = {1.0f, 2.5f, -3.0f, 3e38f};
    float mean[4] = {0};
    raster_reduce(&layout, floats, 1, 0, mean);
    assert_true(mean[1] == 7.5e37f && mean[0] == 0.0f && mean[2] == 0.0f);
    layout.pixel = RASTER_GREY16;
    static const uint16_t shorts[] = {65535, 65535, 65535, 65533};
    uint16_t of_shorts[4] = {0};
    raster_reduce(&layout, shorts, 0, 1, of_shorts);
    assert_int_equal(of_shorts[2], 65535); /* 65534.5 */
    layout.pixel = RASTER_INDEX8;
    static const uint8_t cases[][5] = {
        {7, 7, 1, 1, 7}, {1, 7, 7, 2, 7}, {1, 2, 3, 3, 3}, {4, 3, 2, 1, 4}, {9, 1, 2, 9, 9}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t index[4] = {0};
        raster_reduce(&layout, cases[i], 0, 0, index);
        assert_int_equal(index[0], cases[i][4]);
    }
    layout.pixel = RASTER_RGB8;
    static const uint8_t colours[] = {0, 10, 255, 0, 20, 255, 0, 30, 255, 1, 42, 255};
    uint8_t colour[12] = {0};
    raster_reduce(&layout, colours, 0, 0, colour);
    assert_memory_equal(colour, ((uint8_t[]){0, 26, 255}), 3);
    layout.is_coded = true;
    raster_reduce(&layout, colours, 0, 0, colour);
    assert_memory_equal(colour, ((uint8_t[]){0, 10, 255}), 3);
}

static void tiles_open_to_the_same_pixels(void **state)
{
    (void)state;
    static const uint16_t compressions[] = {COMPRESSION_ADOBE_DEFLATE, COMPRESSION_ZSTD};
    for (unsigned i = 0; i < 2 * (RASTER_RGB8 + 1); i++) {
        const struct tiff_layout layout = {
            .pixel = i / 2, .compression = compressions[i % 2], .width = 32, .height = 16};
        struct tiff_decoder *decoder = tiff_decoder_new(&layout);
        struct error error = {0};
        uint8_t pixels[32 * 16 * 4], found[sizeof pixels] = {0};
        struct buffer bytes = {0};
        for (size_t at = 0; at < sizeof pixels; at++)
            pixels[at] = (uint8_t)(at * at >> 4);
        assert_non_null(decoder);
        assert_true(tiff_tile_encode(&layout, pixels, &bytes, &error));
        assert_true(tiff_tile_decode(decoder, &bytes, found, &error));
        assert_memory_equal(found, pixels, tiff_layout_bytes(&layout));
        bytes.length /= 2;
        assert_false(tiff_tile_decode(decoder, &bytes, found, &error));
        assert_int_equal(error.code, ERROR_VALUE);
        buffer_free(&bytes);
        tiff_decoder_free(decoder);
    }
}

int test_raster_plan(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(levels_halve_until_one_tile_holds_them),
        cmocka_unit_test(blocks_end_at_the_edges),
        cmocka_unit_test(padding_repeats_the_edge),
        cmocka_unit_test(overviews_have_means_or_the_most_frequent),
        cmocka_unit_test(tiles_open_to_the_same_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
