/* No seams: a tile's pixels are those of any larger picture of the same place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/tile/address.h"
#include "core/tile/style.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

static struct canvas *canvas;
static uint64_t state = 21;

static char *read_text(const char *path, size_t *length)
{
    static char text[1 << 16];
    FILE *file = fopen(path, "rb");
    if (!file)
        fail_msg("%s cannot be opened; run the tests from the project's folder", path);
    *length = fread(text, 1, sizeof text, file);
    fclose(file);
    return text;
}

static struct painter *painter_of_file(struct world *world, const char *style_path)
{
    size_t length;
    struct error error = {0};
    const char *text = read_text(style_path, &length);
    struct style *style = style_parse("style", text, length, style_path, &error);
    assert_non_null(style);
    struct painter *painter = painter_new(style, world, &error);
    assert_non_null(painter);
    style_free(style);
    return painter;
}

static struct painter *painter_of_files(const char *world_path, const char *style_path)
{
    size_t length;
    struct error error = {0};
    const char *text = read_text(world_path, &length);
    struct world *world = world_parse(text, length, world_path, NULL, &error);
    assert_non_null(world);
    struct painter *painter = painter_of_file(world, style_path);
    world_release(world);
    return painter;
}

/* The picture's bytes, in memory that the caller frees. */
static uint8_t *paint(const struct painter *painter, const struct sample_grid *grid, size_t *stride)
{
    struct error error = {0};
    struct image image;
    if (!painter_paint(painter, canvas, grid, &image, &error))
        fail_msg("%s", error.message);
    uint8_t *copy = malloc(image.stride * image.height);
    assert_non_null(copy);
    memcpy(copy, image.pixels, image.stride * image.height);
    *stride = image.stride;
    return copy;
}

/* The part of `whole` that begins at a row and byte, and is as large as `part`. */
static void assert_part(const uint8_t *whole, size_t whole_stride, const uint8_t *part,
                        size_t part_stride, uint32_t rows)
{
    for (uint32_t row = 0; row < rows; row++)
        assert_memory_equal(whole + row * whole_stride, part + row * part_stride, part_stride);
}

static void four_tiles_are_one_picture(const struct painter *painter,
                                       const struct tile_address *corner)
{
    struct sample_grid grid;
    size_t whole_stride, stride;
    tile_grid(corner, 256, 0, &grid);
    grid.columns = grid.rows = 512;
    uint8_t *whole = paint(painter, &grid, &whole_stride);
    for (int i = 0; i < 4; i++) {
        const struct tile_address tile = {corner->zoom, corner->x + i % 2, corner->y + i / 2};
        tile_grid(&tile, 256, 0, &grid);
        uint8_t *part = paint(painter, &grid, &stride);
        assert_int_equal(whole_stride, 2 * stride);
        assert_part(whole + (size_t)(i / 2) * 256 * whole_stride + (size_t)(i % 2) * stride,
                    whole_stride, part, stride, 256);
        free(part);
    }
    free(whole);
}

static struct tile_address random_tile(int zoom, bool edge)
{
    int64_t low, high;
    tile_index_range(zoom, &low, &high);
    if (edge)
        return (struct tile_address){zoom, high - 1, low};
    return tile_at(zoom, (struct place){random_whole(&state, -1000000, 1000000) * PLACE_METRE,
                                        random_whole(&state, -1000000, 1000000) * PLACE_METRE});
}

static void tiles_have_no_seams(void **unused)
{
    (void)unused;
    static const char *const styles[] = {"config/styles/relief.json", "config/styles/biome.json",
                                         "config/styles/height.json",
                                         "config/styles/terrarium.json"};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct painter *painter = painter_of_files("config/worlds/terra.json", styles[i]);
        for (int zoom = (int)i; zoom <= TILE_ZOOM_MAX; zoom += i == 0 ? 4 : 9) {
            struct tile_address tile = random_tile(zoom, zoom % 8 == 4);
            four_tiles_are_one_picture(painter, &tile);
        }
        painter_free(painter);
    }
}

/* All steps that read a pixel's neighbours, at 50 places of all zooms, every fifth of them at the
 * end of the world. Water that slopes, as rivers do. */
static void slopes_have_no_seams(void **unused)
{
    (void)unused;
    static const char world_text[] =
        "{\"generator\":1,\"layers\":{"
        "\"height\":\"900 * fbm(wavelength=300000, octaves=20) + 3 * fbm(wavelength=64, "
        "octaves=6)\","
        "\"water_level\":\"90 * perlin(wavelength=100000) + 2 * perlin(wavelength=90)\"},"
        "\"biomes\":[{\"name\":\"land\",\"color\":\"#7a5\"}]}";
    static const char *const styles[] = {"config/styles/hillshade.json", "config/styles/slope.json",
                                         "config/styles/normal.json", "config/styles/contour.json",
                                         "config/styles/relief.json"};
    enum { STYLES = sizeof styles / sizeof *styles, PLACES = 50 };
    struct world *world = world_of_text(world_text);
    struct painter *painters[STYLES];
    for (int i = 0; i < STYLES; i++)
        painters[i] = painter_of_file(world, styles[i]);
    for (int place = 0; place < PLACES; place++) {
        struct tile_address tile = random_tile(place % (TILE_ZOOM_MAX + 1), place % 5 == 4);
        for (int i = 0; i < STYLES; i++)
            four_tiles_are_one_picture(painters[i], &tile);
    }
    for (int i = 0; i < STYLES; i++)
        painter_free(painters[i]);
    world_release(world);
}

/* A picture taller than the bands it is painted in, and wider than a row of the noises, against
 * strips of it. */
static void bands_have_no_seams(void **unused)
{
    (void)unused;
    struct painter *painter =
        painter_of_files("config/worlds/terra.json", "config/styles/relief.json");
    struct sample_grid grid = {.x = 1234567 * PLACE_METRE,
                               .y = -765432 * PLACE_METRE,
                               .step = 64 * PLACE_METRE,
                               .columns = 300,
                               .rows = 700,
                               .spacing = 64.0};
    size_t stride, strip_stride;
    uint8_t *whole = paint(painter, &grid, &stride);
    struct sample_grid strip = grid;
    for (uint32_t row = 0; row < grid.rows; row += strip.rows) {
        strip.rows = (uint32_t)random_whole(&state, 1, 99);
        strip.rows = strip.rows < grid.rows - row ? strip.rows : grid.rows - row;
        strip.y = grid.y + row * grid.step;
        uint8_t *part = paint(painter, &strip, &strip_stride);
        assert_int_equal(stride, strip_stride);
        assert_part(whole + row * stride, stride, part, strip_stride, strip.rows);
        free(part);
    }
    free(whole);
    painter_free(painter);
}

/* Two canvases paint the rows above and below a border into one image, as two threads would. */
static void assert_rows_make_picture(const struct painter *painter, const struct sample_grid *grid,
                                     uint32_t border)
{
    struct error error = {0};
    struct image image;
    size_t stride;
    struct canvas *other = canvas_new();
    uint8_t *whole = paint(painter, grid, &stride);
    painter_shape(painter, grid, &image);
    assert_int_equal(image.stride, stride);
    image.pixels = malloc(stride * image.height);
    assert_true(other && image.pixels);
    memset(image.pixels, 0xA5, stride * image.height);
    const struct picture_rows lower = {grid, &image, border, grid->rows - border};
    const struct picture_rows upper = {grid, &image, 0, border};
    assert_true(painter_paint_rows(painter, other, &lower, &error));
    for (size_t i = 0; i < border * stride; i++) /* not its rows */
        assert_int_equal(image.pixels[i], 0xA5);
    assert_true(painter_paint_rows(painter, canvas, &upper, &error));
    assert_memory_equal(image.pixels, whole, stride * image.height);
    free(image.pixels);
    free(whole);
    canvas_free(other);
}

static void rows_painted_apart_are_one_picture(void **unused)
{
    (void)unused;
    static const char *const styles[] = {"config/styles/biome.json", "config/styles/grey16.json",
                                         "config/styles/height.json", "config/styles/normal.json",
                                         "config/styles/relief.json"};
    for (size_t i = 0; i < sizeof styles / sizeof *styles; i++) {
        struct painter *painter = painter_of_files("config/worlds/terra.json", styles[i]);
        for (int zoom = 2; zoom <= 17; zoom += 5) { /* trees at 17 */
            const struct tile_address tile = random_tile(zoom, zoom == 7);
            struct sample_grid grid;
            tile_grid(&tile, 256, 0, &grid);
            grid.columns = zoom == 12 ? 320 : 256;
            grid.rows = 48;
            assert_rows_make_picture(painter, &grid, (uint32_t)random_whole(&state, 0, grid.rows));
        }
        painter_free(painter);
    }
}

/* A channel of the style of normals, by its definition: east, north and up. */
static float normal_channel(const struct sample_grid *grid, const float *at, int channel)
{
    const float scale = 0.5f / (float)grid->spacing;
    const float east = (at[-1] - at[1]) * scale;
    const float north = (at[grid->columns] - *(at - grid->columns)) * scale;
    const float normal[] = {east, north, 1.0f};
    return normal[channel] / __builtin_sqrtf(east * east + north * north + 1.0f) * 127.5f + 127.5f;
}

/* Every pixel comes from its own sample and that sample's neighbours, in pictures of any size: the
 * grid is sampled at once here, and in blocks and bands by the painter. */
static void pixels_follow_samples(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][2] = {{1, 1}, {286, 9}, {287, 31}, {600, 280}};
    static float heights[602 * 282], *outputs[] = {heights};
    const unsigned layer = 0;
    struct world *world = world_of_text("{\"generator\":1,\"layers\":{\"height\":"
                                        "\"900 * white(wavelength=7)\"}}");
    struct painter *normal = painter_of_file(world, "config/styles/normal.json");
    struct painter *terrarium = painter_of_file(world, "config/styles/terrarium.json");
    struct sampler *sampler = sampler_new();
    assert_non_null(sampler);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct error error = {0};
        struct sample_grid grid = {.step = 7 * PLACE_METRE, .spacing = 7.0};
        size_t stride;
        grid.columns = sizes[i][0] + 2;
        grid.rows = sizes[i][1] + 2;
        grid.spacing = 0.5; /* all of the noise's detail */
        assert_true(sampler_grid(sampler, world_program(world), &grid,
                                 &(struct sample_request){&layer, outputs, 1}, &error));
        const struct sample_grid picture = {.x = grid.step,
                                            .y = grid.step,
                                            .step = grid.step,
                                            .columns = sizes[i][0],
                                            .rows = sizes[i][1],
                                            .spacing = grid.spacing};
        grid.spacing = 7.0; /* of the ground */
        uint8_t *normals = paint(normal, &picture, &stride);
        uint8_t *numbers = paint(terrarium, &picture, &stride);
        for (size_t k = 0; k < (size_t)picture.columns * picture.rows; k++) {
            const float *at =
                heights + (k / picture.columns + 1) * grid.columns + k % picture.columns + 1;
            const uint8_t *number = numbers + 3 * k;
            const float height = (float)(number[0] * 256 + number[1]) + number[2] / 256.0f - 32768;
            assert_float_equal(height, *at, 1.0f / 512);
            for (int channel = 0; channel < 3; channel++)
                assert_float_equal(normals[3 * k + (size_t)channel],
                                   normal_channel(&grid, at, channel), 0.51f);
        }
        free(normals);
        free(numbers);
    }
    sampler_free(sampler);
    painter_free(normal);
    painter_free(terrarium);
    world_release(world);
}

/* A canvas that has painted something else, larger or smaller, paints the same. */
static void canvases_keep_no_pixels(void **unused)
{
    (void)unused;
    struct painter *painter =
        painter_of_files("config/worlds/terra.json", "config/styles/relief.json");
    struct sample_grid small = {
        .x = 5, .y = 6, .step = PLACE_METRE * 1000, .columns = 33, .rows = 17, .spacing = 1000.0};
    struct sample_grid large = small;
    large.columns = 400;
    large.rows = 300;
    size_t stride;
    uint8_t *before = paint(painter, &small, &stride);
    free(paint(painter, &large, &stride));
    uint8_t *after = paint(painter, &small, &stride);
    assert_memory_equal(before, after, stride * small.rows);
    free(before);
    free(after);
    painter_free(painter);
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

int test_seams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles_have_no_seams),
        cmocka_unit_test(slopes_have_no_seams),
        cmocka_unit_test(bands_have_no_seams),
        cmocka_unit_test(rows_painted_apart_are_one_picture),
        cmocka_unit_test(pixels_follow_samples),
        cmocka_unit_test(canvases_keep_no_pixels),
    };
    return cmocka_run_group_tests(tests, open_canvas, close_canvas);
}
