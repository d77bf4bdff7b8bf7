/* Trees on maps: their places, no seams, and no work where none is visible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/terrain/objects.h"
#include "core/tile/address.h"
#include "core/tile/paint_objects.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

#define WHITE "{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#fff\"]]}}"
#define HEIGHT "{\"ramp\":{\"layer\":\"height\",\"stops\":[[-50,\"#369\"],[50,\"#fe8\"]]}}"

static struct canvas *canvas;
static uint64_t state = 31;

static struct world *world_with(const char *objects)
{
    char text[2000];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"seed\":3,\"layers\":{\"height\":\"50 * fbm(90, octaves=4)\"},"
             "\"objects\":{%s}}",
             objects);
    return world_of_text(text);
}

static struct painter *painter_with(struct world *world, const char *steps)
{
    char text[500];
    struct error error = {0};
    snprintf(text, sizeof text, "{\"paint\":[%s]}", steps);
    struct style *style = style_parse("s", text, strlen(text), "s.json", &error);
    if (!style)
        fail_msg("%s: %s: %s", text, error.path, error.message);
    struct painter *painter = painter_new(style, world, &error);
    if (!painter)
        fail_msg("%s: %s", error.path, error.message);
    style_free(style);
    return painter;
}

/* The pixels, three bytes each, in memory that the caller frees. */
static uint8_t *paint(const struct painter *painter, const struct sample_grid *grid)
{
    struct error error = {0};
    struct image image;
    if (!painter_paint(painter, canvas, grid, &image, &error))
        fail_msg("%s", error.message);
    assert_int_equal(image.format, IMAGE_RGB8);
    const size_t size = image.stride * image.height;
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    memcpy(copy, image.pixels, size);
    return copy;
}

/* A part of a larger picture, painted alone, is that part. */
static void assert_cut(const struct painter *painter, const struct sample_grid *grid,
                       const uint8_t *whole, const uint32_t cut[4])
{
    struct sample_grid part = *grid;
    part.x += cut[0] * grid->step;
    part.y += cut[1] * grid->step;
    part.columns = cut[2];
    part.rows = cut[3];
    uint8_t *pixels = paint(painter, &part);
    for (uint32_t row = 0; row < part.rows; row++)
        assert_memory_equal(pixels + (size_t)row * part.columns * 3,
                            whole + ((size_t)(row + cut[1]) * grid->columns + cut[0]) * 3,
                            part.columns * 3);
    free(pixels);
}

static const char woods[] =
    "\"oak\":{\"spacing\":9,\"density\":\"0.8\",\"min_distance\":5,\"radius\":5,\"color\":\"#262\"}"
    ","
    "\"elm\":{\"spacing\":6.7,\"density\":\"0.6 * (height > "
    "0)\",\"radius\":6.7,\"color\":\"#584\"},"
    "\"stone\":{\"spacing\":30,\"density\":\"0.5\",\"min_distance\":100,\"radius\":2}";

static void objects_have_no_seams(void **unused)
{
    (void)unused;
    struct world *world = world_with(woods);
    struct painter *painter = painter_with(world, HEIGHT ",{\"objects\":{}}");
    struct painter *bare = painter_with(world, HEIGHT);
    for (int round = 0; round < 12; round++) {
        const int zoom = 15 + round % 6;
        int64_t low, high;
        tile_index_range(zoom, &low, &high);
        struct tile_address tile = {zoom, random_whole(&state, low, high - 1),
                                    random_whole(&state, low, high - 1)};
        if (round >= 6)
            tile = (struct tile_address){zoom, round % 2 ? low : high - 1, high - 1};
        struct sample_grid grid;
        tile_grid(&tile, 256, 0, &grid);
        grid.columns = grid.rows = 512;
        uint8_t *whole = paint(painter, &grid), *ground = paint(bare, &grid);
        assert_memory_not_equal(whole, ground, 512 * 512 * 3);
        for (uint32_t i = 0; i < 4; i++)
            assert_cut(painter, &grid, whole, (uint32_t[4]){i % 2 * 256, i / 2 * 256, 256, 256});
        for (int i = 0; i < 4; i++) {
            const uint32_t x = (uint32_t)random_whole(&state, 0, 500);
            const uint32_t y = (uint32_t)random_whole(&state, 0, 500);
            assert_cut(painter, &grid, whole,
                       (uint32_t[4]){x, y, (uint32_t)random_whole(&state, 1, 512 - x),
                                     (uint32_t)random_whole(&state, 1, 512 - y)});
        }
        free(whole);
        free(ground);
    }
    painter_free(painter);
    painter_free(bare);
    world_release(world);
}

/* The same for a picture that is wider than a strip of the search and taller than a band. */
static void large_pictures_have_no_seams(void **unused)
{
    (void)unused;
    struct world *world = world_with(woods);
    struct painter *painter = painter_with(world, HEIGHT ",{\"objects\":{}}");
    const struct sample_grid grid = {.x = -777 * PLACE_METRE + 12345,
                                     .y = 1234 * PLACE_METRE + 54321,
                                     .step = PLACE_METRE,
                                     .columns = 900,
                                     .rows = 600,
                                     .spacing = 1.0};
    uint8_t *whole = paint(painter, &grid);
    assert_cut(painter, &grid, whole, (uint32_t[4]){0, 260, 900, 40});
    assert_cut(painter, &grid, whole, (uint32_t[4]){200, 0, 100, 600});
    assert_cut(painter, &grid, whole, (uint32_t[4]){513, 271, 1, 1});
    free(whole);
    painter_free(painter);
    world_release(world);
}

/* A picture 0.25 m a pixel whose pixel (100, 100) is the centre of the world's first tree. */
static struct sample_grid grid_about_tree(const struct world *world, float *radius)
{
    struct sampler *sampler = sampler_new();
    assert_non_null(sampler);
    struct object_list list = {0};
    const struct object_search search = {
        .low = {0, 0},
        .high = {1000 * PLACE_METRE, 1000 * PLACE_METRE},
        .kinds = 1,
        .limit = 1000,
    };
    assert_true(objects_find(sampler, world, &search, &list, NULL));
    assert_true(list.count > 0);
    const struct object tree = list.objects[0];
    object_list_free(&list);
    sampler_free(sampler);
    *radius = world_object(world, tree.kind)->radius * tree.scale * 4.0f;
    return (struct sample_grid){.x = tree.place.x - 100 * PLACE_METRE / 4,
                                .y = tree.place.y - 100 * PLACE_METRE / 4,
                                .step = PLACE_METRE / 4,
                                .columns = 200,
                                .rows = 200,
                                .spacing = 0.25};
}

/* The pixel of that picture so many radii to the south-east of the tree. */
static const uint8_t *beside(const uint8_t *pixels, float radius, float radii)
{
    const int at = (int)(100.5f + radius * radii);
    return pixels + (at * 200 + at) * 3;
}

/* A red tree on white ground: red where it is, dark to the south-east, white elsewhere. */
static void tree_is_painted_at_its_place(void **unused)
{
    (void)unused;
    struct world *world = world_with("\"red\":{\"spacing\":200,\"density\":\"1\","
                                     "\"min_distance\":60,\"radius\":5,\"color\":\"#f00\"}");
    struct painter *painter = painter_with(world, WHITE ",{\"objects\":{}}");
    float radius;
    const struct sample_grid grid = grid_about_tree(world, &radius);
    uint8_t *pixels = paint(painter, &grid);
    static const float inside[] = {-0.5f, -0.25f, 0.0f, 0.25f, 0.5f};
    for (int i = 0; i < 5; i++) {
        const uint8_t *pixel = beside(pixels, radius, inside[i]);
        assert_true(pixel[0] > 40 && pixel[1] == 0 && pixel[2] == 0);
    }
    /* The light is in the north-west. */
    assert_true(beside(pixels, radius, -0.5f)[0] > beside(pixels, radius, 0.5f)[0] + 40);
    const uint8_t *shadow = beside(pixels, radius, 1.0f); /* √2 radii away */
    assert_true(shadow[0] < 230 && shadow[0] == shadow[1] && shadow[1] == shadow[2]);
    assert_int_equal(beside(pixels, radius, -1.0f)[1], 255);
    assert_int_equal(beside(pixels, radius, 1.5f)[1], 255);
    free(pixels);
    painter_free(painter);
    world_release(world);
}

/* Half of a step's opacity is half of the way from the ground to the tree; no shadow, no dark. */
static void opacity_and_shadow(void **unused)
{
    (void)unused;
    struct world *world = world_with("\"red\":{\"spacing\":200,\"density\":\"1\","
                                     "\"min_distance\":60,\"radius\":5,\"color\":\"#f00\"}");
    struct painter *full = painter_with(world, WHITE ",{\"objects\":{\"shadow\":0}}");
    struct painter *half =
        painter_with(world, WHITE ",{\"objects\":{\"shadow\":0,\"opacity\":0.5}}");
    float radius;
    const struct sample_grid grid = grid_about_tree(world, &radius);
    uint8_t *whole = paint(full, &grid), *thin = paint(half, &grid);
    for (int i = 0; i < 200 * 200 * 3; i++)
        assert_in_range(thin[i], (255 + whole[i]) / 2, (255 + whole[i]) / 2 + 1);
    assert_int_equal(beside(whole, radius, 1.0f)[0], 255);
    free(whole);
    free(thin);
    painter_free(full);
    painter_free(half);
    world_release(world);
}

/* By hand: visible is radius / (metres a pixel × from) − 1, within 0 … 1. */
static void kinds_fade_in(void **unused)
{
    (void)unused;
    struct world *world = world_with("\"a\":{\"spacing\":8,\"density\":\"1\",\"radius\":3},"
                                     "\"b\":{\"spacing\":8,\"density\":\"1\",\"radius\":6}");
    static const struct {
        float from, spacing;
        uint64_t kinds;
        float visible[2];
    } cases[] = {
        {1, 0.5f, 3, {1, 1}}, {1, 1.5f, 3, {1, 1}}, {1, 2, 3, {0.5f, 1}}, {1, 3, 2, {0, 1}},
        {1, 4, 2, {0, 0.5f}}, {1, 6, 0, {0, 0}},    {1, 100, 0, {0, 0}},  {2, 1, 3, {0.5f, 1}},
        {2, 1.5f, 2, {0, 1}}, {1.5f, 2, 2, {0, 1}}, {1.5f, 4, 0, {0, 0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float visible[WORLD_OBJECTS_MAX];
        const struct object_paint step = {.from = cases[i].from};
        assert_true(object_paint_kinds(world, &step, cases[i].spacing, visible) == cases[i].kinds);
        assert_true(visible[0] == cases[i].visible[0] && visible[1] == cases[i].visible[1]);
    }
    world_release(world);
    /* At 1 m a pixel 0.69, 0.16 and 0.25 candidates a pixel: the third is one too many. */
    world = world_with("\"a\":{\"spacing\":1.2,\"density\":\"1\",\"radius\":1.2},"
                       "\"b\":{\"spacing\":2.5,\"density\":\"1\",\"radius\":2},"
                       "\"c\":{\"spacing\":2,\"density\":\"1\",\"radius\":2},"
                       "\"d\":{\"spacing\":50,\"density\":\"1\",\"radius\":2}");
    float visible[WORLD_OBJECTS_MAX];
    const struct object_paint step = {.from = 1.0f};
    assert_true(object_paint_kinds(world, &step, 1.0f, visible) == 3);
    assert_true(object_paint_kinds(world, &step, 0.5f, visible) == 15);
    world_release(world);
}

/* Where trees are too small the picture is the ground's. */
static void invisible_objects_change_no_pixel(void **unused)
{
    (void)unused;
    struct world *world = world_with(woods);
    struct painter *painter = painter_with(world, HEIGHT ",{\"objects\":{}}");
    struct painter *bare = painter_with(world, HEIGHT);
    for (int zoom = 0; zoom < 15; zoom++) {
        struct sample_grid grid;
        const struct tile_address tile = tile_at(zoom, (struct place){5, 5});
        tile_grid(&tile, 256, 0, &grid);
        uint8_t *pixels = paint(painter, &grid), *ground = paint(bare, &grid);
        assert_memory_equal(pixels, ground, 256 * 256 * 3);
        free(pixels);
        free(ground);
    }
    painter_free(painter);
    painter_free(bare);
    world_release(world);
}

static void fingerprint_of(const char *objects, const char *step, char out[2][64])
{
    struct world *world = world_with(objects);
    struct painter *painter = painter_with(world, step);
    strcpy(out[0], world_fingerprint(world));
    strcpy(out[1], painter_fingerprint(painter));
    painter_free(painter);
    world_release(world);
}

/* Colours and radii are in the style's fingerprint, as they are not in the world's. */
static void fingerprint_covers_looks_of_objects(void **unused)
{
    (void)unused;
    static const char *const looks[] = {
        "\"a\":{\"spacing\":8,\"density\":\"1\",\"radius\":3,\"color\":\"#123456\"}",
        "\"a\":{\"spacing\":8,\"density\":\"1\",\"radius\":3,\"color\":\"#123457\"}",
        "\"a\":{\"spacing\":8,\"density\":\"1\",\"radius\":4,\"color\":\"#123456\"}",
    };
    char first[2][64], other[2][64];
    fingerprint_of(looks[0], "{\"objects\":{}}", first);
    for (int i = 1; i < 3; i++) {
        fingerprint_of(looks[i], "{\"objects\":{}}", other);
        assert_string_equal(first[0], other[0]);
        assert_string_not_equal(first[1], other[1]);
    }
    fingerprint_of(looks[0], WHITE, first);
    fingerprint_of(looks[1], WHITE, other);
    assert_string_equal(first[1], other[1]);
}

static void worlds_without_objects(void **unused)
{
    (void)unused;
    struct world *world = world_of("x");
    struct error error = {0};
    const char *text = "{\"paint\":[{\"objects\":{}}]}";
    struct style *style = style_parse("s", text, strlen(text), "s.json", &error);
    assert_null(painter_new(style, world, &error));
    assert_int_equal(error.code, ERROR_UNKNOWN);
    assert_string_equal(error.path, "paint[0].objects");
    assert_non_null(strstr(error.message, "the world has no objects"));
    style_free(style);
    painter_free(painter_with(world, WHITE ",{\"objects\":{\"optional\":true}}"));
    world_release(world);
}

static int open_canvas(void **unused)
{
    (void)unused;
    canvas = canvas_new();
    return canvas ? 0 : -1;
}

static int close_canvas(void **unused)
{
    (void)unused;
    canvas_free(canvas);
    return 0;
}

int test_paint_objects(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_have_no_seams),
        cmocka_unit_test(large_pictures_have_no_seams),
        cmocka_unit_test(tree_is_painted_at_its_place),
        cmocka_unit_test(opacity_and_shadow),
        cmocka_unit_test(kinds_fade_in),
        cmocka_unit_test(invisible_objects_change_no_pixel),
        cmocka_unit_test(fingerprint_covers_looks_of_objects),
        cmocka_unit_test(worlds_without_objects),
    };
    return cmocka_run_group_tests(tests, open_canvas, close_canvas);
}
