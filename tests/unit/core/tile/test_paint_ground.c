/* Steps that follow the shape of the ground, and heights as numbers: pixels by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/tile/style_private.h"
#include "tests/unit/core/tile/painting.h"

#define GREY_200 "{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#c8c8c8\"]]}}"
#define ON_GREY(step, more)                                                                        \
    "{\"paint\":[" GREY_200 ",{\"" step "\":{\"layer\":\"height\"," more "}}]}"
#define ALONE(step) "{\"paint\":[{\"" step "\":{\"layer\":\"height\"}}]}"

/* Pixels of one row a metre apart, by their x. */
struct expected {
    int x;
    uint32_t colour;
};

static void assert_row(struct painter *painter, const struct expected *expected, size_t count)
{
    enum { FROM = -150, COLUMNS = 301 };
    struct image image = paint_row(painter, FROM, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        uint32_t colour = pixel(&image, (uint32_t)(expected[i].x - FROM));
        if (colour != expected[i].colour)
            fail_msg("at %d: %06x, not %06x", expected[i].x, colour, expected[i].colour);
    }
    painter_free(painter);
}

#define ASSERT_ROW(style, world, ...)                                                              \
    assert_row(painter_of(style, world), (const struct expected[]){__VA_ARGS__},                   \
               sizeof(const struct expected[]){__VA_ARGS__} / sizeof(struct expected))

/* (n + 1) / 2 · 255: √½ is 217.66, −√½ is 37.34, 0 is 127.5, which is rounded up. */
static void normals(void **unused)
{
    (void)unused;
    assert_colour(ALONE("normal"), "5", 0x8080FF);
    assert_colour(ALONE("normal"), "x", 0x2580DA);  /* rises to the east, faces west */
    assert_colour(ALONE("normal"), "-x", 0xDA80DA); /* faces east */
    assert_colour(ALONE("normal"), "y", 0x80DADA);  /* rises to the south, faces north */
    assert_colour(ALONE("normal"), "-y", 0x8025DA);
    assert_colour(ALONE("normal"), "0.75 * x", 0x3380E6); /* (−0.6, 0, 0.8): 51, 229.5 */
    struct painter *painter = painter_of(ALONE("normal"), world_of("x"));
    struct image image = paint_row(painter, 0, 3);
    assert_int_equal(image.content, IMAGE_DATA);
    assert_int_equal(painter_layer(painter), 0);
    assert_null(painter_encoding(painter));
    assert_false(painter_is_16bit(painter));
    painter_free(painter);
}

/* round(10·(h + 10000)). */
static void mapbox(void **unused)
{
    (void)unused;
    static const struct {
        const char *height;
        uint32_t value;
    } cases[] = {
        {"-10000", 0},      {"-10001", 0},           {"-3e38", 0},          {"0", 100000},
        {"8848.9", 188489}, {"-430.5", 95695},       {"0.1", 100001},       {"0.05", 100001},
        {"0.04", 100000},   {"-0.05", 99999},        {"-0.04", 100000},     {"0.25", 100003},
        {"-0.25", 99998},   {"1667721.5", 0xFFFFFF}, {"1700000", 0xFFFFFF}, {"3e38", 0xFFFFFF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_colour(ALONE("mapbox"), cases[i].height, cases[i].value);
    struct painter *painter = painter_of(ALONE("mapbox"), world_of("0"));
    struct image image = paint_row(painter, 0, 1);
    assert_int_equal(image.content, IMAGE_DATA);
    assert_string_equal(painter_encoding(painter), "mapbox");
    painter_free(painter);
}

/* The range −100 … 100 over 0 … 65535, rounded. */
static void grey16(void **unused)
{
    (void)unused;
    struct painter *painter =
        painter_of("{\"paint\":[{\"grey16\":{\"layer\":\"tilt\"}}]}",
                   world_of_text("{\"generator\":1,\"layers\":{\"height\":\"0\",\"tilt\":"
                                 "{\"formula\":\"x\",\"range\":[-100,100]}}}"));
    struct image image = paint_row(painter, -200, 401);
    assert_int_equal(image.format, IMAGE_GREY16);
    assert_int_equal(image.content, IMAGE_DATA);
    assert_int_equal(image.stride, 802);
    static const struct {
        int x;
        unsigned grey;
    } cases[] = {{-200, 0},   {-100, 0},    {-99, 328}, /* 327.675 */
                 {0, 32768},  {50, 49151},              /* 32767.5, 49151.25 */
                 {99, 65207}, {100, 65535}, {200, 65535}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t *at = image.pixels + 2 * (cases[i].x + 200);
        assert_int_equal(at[0] << 8 | at[1], cases[i].grey);
    }
    assert_true(painter_is_16bit(painter));
    assert_false(painter_is_picture(painter));
    assert_null(painter_encoding(painter));
    assert_int_equal(painter_layer(painter), 1);
    painter_free(painter);
}

/* 90° over 200 levels. */
static void slopes(void **unused)
{
    (void)unused;
    static const char style[] = "{\"paint\":[{\"slope\":{\"layer\":\"height\",\"stops\":[[0,\"#"
                                "000\"],[90,\"#c8c8c8\"]]}}]}";
    assert_colour(style, "7", 0);
    assert_colour(style, "x", 0x646464); /* 45° */
    assert_colour(style, "-y", 0x646464);
    assert_colour(style, "0.75 * x", 0x525252);    /* 36.87°: 81.9 */
    assert_colour(style, "x / sqrt(3)", 0x434343); /* 30°: 66.7 */
    assert_colour(style, "x + y", 0x7A7A7A);       /* 54.74°: 121.6 */
    assert_colour(style, "100 * y", 0xC7C7C7);     /* 89.43°: 198.7 */
    assert_colour("{\"paint\":[" GREY_200 ",{\"slope\":{\"layer\":\"height\",\"opacity\":0.5,"
                  "\"stops\":[[44.9,\"#000\"],[45.1,\"#c80000\"]]}}]}",
                  "x", 0x966464); /* half of 200 and 100, and of 200 and 0 */
}

/* Against the C library's arc tangent, in rows of every length that loops may split. */
static void slopes_are_angles(void **unused)
{
    (void)unused;
    enum { COUNT = 150 };
    float samples[3][COUNT + 2] = {0}, degrees[COUNT];
    for (int i = 0; i < COUNT; i++)
        samples[2][i + 1] = (float)(3.0 * pow(1.13, i - 75)); /* 2 rows of 1.5 m on: tan = / 3 */
    const struct ground_row ground = {&samples[1][1], COUNT + 2, 1.5f};
    for (uint32_t count = COUNT; count > 0; count -= 7 < count ? 7 : count) {
        ground_slope(count, &ground, degrees);
        for (uint32_t i = 0; i < count; i++)
            assert_true(fabs((double)degrees[i] -
                             atan((double)samples[2][i + 1] / 3.0) * 57.29577951308232) < 0.0005);
    }
    samples[2][1] = 3e38f;
    samples[0][1] = -3e38f; /* endless between them */
    ground_slope(1, &ground, degrees);
    assert_true(degrees[0] > 89.999f && degrees[0] < 90.001f);
}

/* A line 2 pixels wide covers its own pixel and half of each neighbour. */
static void contours_by_distance(void **unused)
{
    (void)unused;
    static const char style[] =
        ON_GREY("contour", "\"interval\":10,\"width\":2,\"index\":0,\"color\":\"#000\"");
    ASSERT_ROW(style, world_of("x"), {10, 0}, {9, 0x646464}, {11, 0x646464}, {8, 0xC8C8C8},
               {12, 0xC8C8C8}, {15, 0xC8C8C8}, {0, 0}, {-10, 0}, {-11, 0x646464}, {140, 0});
    /* Half as steep: lines are twice as far apart, and as wide. */
    ASSERT_ROW(style, world_of("x / 2"), {20, 0}, {19, 0x646464}, {21, 0x646464}, {22, 0xC8C8C8},
               {10, 0xC8C8C8}, {40, 0});
    /* Slanted: x + y = 10 is 0.707 pixels from (11, 0), which keeps 200·(1 − 1.5 + 0.707). */
    ASSERT_ROW(style, world_of("x + y"), {10, 0}, {11, 0x292929}, {9, 0x292929}, {12, 0xB7B7B7});
    /* Between two pixels: half of each is covered, as of their other neighbours nothing. */
    ASSERT_ROW(ON_GREY("contour", "\"interval\":10,\"width\":1,\"index\":0,\"color\":\"#000\""),
               world_of("x + 0.5"), {9, 0x646464}, {10, 0x646464}, {8, 0xC8C8C8}, {11, 0xC8C8C8});
    /* Thinner than a pixel: no pixel is covered by more than the line has. */
    ASSERT_ROW(ON_GREY("contour", "\"interval\":10,\"width\":0.5,\"index\":0,\"color\":\"#000\""),
               world_of("x"), {10, 0x646464}, {9, 0xC8C8C8}, {11, 0xC8C8C8});
    /* Level ground has none, even at a line's height. */
    ASSERT_ROW(style, world_of("10"), {10, 0xC8C8C8});
}

/* Every fifth line 3 pixels wide and black; 0 m is one of them. */
static void contours_by_index(void **unused)
{
    (void)unused;
    ASSERT_ROW(ON_GREY("contour", "\"interval\":10,\"width\":1,\"color\":\"#646464\","
                                  "\"index_width\":3,\"index_color\":\"#000\""),
               world_of("x"), {10, 0x646464}, {11, 0xC8C8C8}, {40, 0x646464}, {50, 0}, {51, 0},
               {49, 0}, {52, 0xC8C8C8}, {0, 0}, {1, 0}, {-50, 0}, {100, 0});
    /* Unless it says more: half as wide again, in the same colour. 1.25 − 1 is covered. */
    ASSERT_ROW(ON_GREY("contour", "\"interval\":10,\"color\":\"#000\",\"index\":2"), world_of("x"),
               {10, 0}, {11, 0xC8C8C8}, {20, 0}, {21, 0x969696}, {0, 0});
    /* Below 0 m in their own colour; 0 itself is land's. */
    ASSERT_ROW(ON_GREY("contour", "\"interval\":10,\"color\":\"#000\",\"index_color\":\"#f00\","
                                  "\"water_color\":\"#00f\",\"index\":5"),
               world_of("x"), {10, 0}, {-10, 0x0000FF}, {-50, 0x0000FF}, {0, 0xFF0000},
               {50, 0xFF0000});
}

/* Lines 4 pixels apart are whole, 3 half there, 2 gone; index lines stay for longer. */
static void contours_fade(void **unused)
{
    (void)unused;
    static const char style[] = ON_GREY(
        "contour", "\"interval\":12,\"width\":1,\"index_width\":1,\"index\":5,\"color\":\"#000\"");
    ASSERT_ROW(style, world_of("3 * x"), {4, 0}, {8, 0}, {20, 0});
    ASSERT_ROW(style, world_of("4 * x"), {3, 0x646464}, {6, 0x646464}, {15, 0}, {0, 0});
    ASSERT_ROW(style, world_of("6 * x"), {2, 0xC8C8C8}, {4, 0xC8C8C8}, {10, 0}, {0, 0});
    ASSERT_ROW(style, world_of("30 * x"), {2, 0xC8C8C8}, {4, 0xC8C8C8}, {0, 0xC8C8C8});
}

/* Intervals by metres a pixel: those of the last pair that 1 m has reached. */
static void contours_by_zoom(void **unused)
{
    (void)unused;
    ASSERT_ROW(ON_GREY("contour", "\"intervals\":[[0.25,5],[1,20],[2,50]],\"color\":\"#000\","
                                  "\"width\":1,\"index\":0"),
               world_of("x"), {5, 0xC8C8C8}, {10, 0xC8C8C8}, {20, 0}, {40, 0}, {50, 0xC8C8C8});
    ASSERT_ROW(ON_GREY("contour", "\"intervals\":[[2,50],[4,100]],\"color\":\"#000\",\"width\":1,"
                                  "\"index\":0,\"opacity\":0.5"),
               world_of("x"), {20, 0xC8C8C8}, {50, 0x646464}, {100, 0x646464});
    ASSERT_ROW(ON_GREY("contour", "\"interval\":10,\"color\":\"#000\",\"index\":0,"
                                  "\"mask\":{\"layer\":\"height\",\"from\":50,\"to\":90}"),
               world_of("x"), {50, 0xC8C8C8}, {70, 0x646464}, {90, 0}, {100, 0});
}

#define RIVER_WORLD(level)                                                                         \
    world_of_text("{\"generator\":1,\"layers\":{\"height\":\"x\",\"water_level\":\"" level "\"}}")

/* A colour a metre of depth; the shore's pixel is as wet as it lies under water. */
static void water(void **unused)
{
    (void)unused;
    static const char style[] =
        ON_GREY("water", "\"surface\":\"water_level\",\"stops\":[[0,\"#000\"],[100,\"#646464\"]]");
    ASSERT_ROW(style, world_of("x"), {-50, 0x323232}, {-1, 0x010101}, {0, 0x646464}, {1, 0xC8C8C8},
               {-120, 0x646464}, {120, 0xC8C8C8});
    ASSERT_ROW(style, world_of("x + 0.25"), {0, 0x969696}); /* a quarter */
    ASSERT_ROW(style, world_of("2 * x"), {0, 0x646464}, {1, 0xC8C8C8}, {-1, 0x020202});
    ASSERT_ROW(style, RIVER_WORLD("20"), {-30, 0x323232}, {20, 0x646464}, {21, 0xC8C8C8});
    /* A river that falls with its bed has no shore, above or below. */
    ASSERT_ROW(style, RIVER_WORLD("x + 3"), {-50, 0x030303}, {50, 0x030303});
    ASSERT_ROW(style, RIVER_WORLD("x - 3"), {-50, 0xC8C8C8}, {50, 0xC8C8C8});
    ASSERT_ROW(style, RIVER_WORLD("x"), {-50, 0xC8C8C8}, {50, 0xC8C8C8});
    /* Nor has a valley's dry floor, however near to the water, or the bed of a lake, beside cliffs.
     */
    ASSERT_ROW(style, world_of("max(50 * abs(x) - 50, 0.25)"), {-1, 0xC8C8C8}, {0, 0xC8C8C8},
               {1, 0xC8C8C8}, {2, 0xC8C8C8});
    ASSERT_ROW(style, world_of("min(50 - 50 * abs(x), -4)"), {-1, 0x040404}, {1, 0x040404},
               {3, 0x646464});
    /* Without a surface it is the sea; opacity and mask as everywhere. */
    ASSERT_ROW(ON_GREY("water", "\"stops\":[[0,\"#000\"]],\"opacity\":0.5"), RIVER_WORLD("20"),
               {-30, 0x646464}, {20, 0xC8C8C8}, {0, 0x969696});
    ASSERT_ROW(ON_GREY("water", "\"stops\":[[0,\"#000\"]],\"mask\":{\"layer\":\"height\","
                                "\"from\":-80,\"to\":-40}"),
               world_of("x"), {-80, 0xC8C8C8}, {-60, 0x646464}, {-40, 0}, {-20, 0});
}

/* At 1 m a pixel a step until 1 m is gone, one until 4/3 m half there, one until 2 m whole. */
static void steps_fade_out(void **unused)
{
    (void)unused;
#define UNTIL(metres) ON_GREY("ramp", "\"stops\":[[0,\"#000\"]],\"until\":" metres)
    assert_colour(UNTIL("0.5"), "1", 0xC8C8C8);
    assert_colour(UNTIL("1"), "1", 0xC8C8C8);
    assert_colour(UNTIL("1.333333333"), "1", 0x646464);
    assert_colour(UNTIL("2"), "1", 0);
    assert_colour(UNTIL("100"), "1", 0);
}

/* One light from the west, 45° high, on ground that falls away from it: no light at all. */
static void shades(void **unused)
{
    (void)unused;
#define DARK(more) ON_GREY("shade", "\"lights\":[[270,45,1]]," more)
    assert_colour(DARK("\"shadow\":\"#0000ff\""), "1000 - x", 0x0000FF);
    assert_colour(DARK("\"shadow\":\"#0000fe\",\"strength\":0.5"), "1000 - x", 0x6464E3);
    assert_colour(DARK("\"shadow\":\"#0000ff\""), "1000", 0xC8C8C8);
    assert_colour(DARK("\"shadow\":\"#0000ff\",\"strength\":4"), "1000 - x", 0x0000FF);
    /* At 1000 m half-way between two points of the curve; beyond its ends as at them. */
    assert_colour(DARK("\"contrast\":[[0,0.3],[2000,0.7]]"), "1007 - x", 0x646464);
    assert_colour(DARK("\"contrast\":[[0,0],[500,0.2],[1500,0.8],[1600,4]]"), "1007 - x", 0x646464);
    assert_colour(DARK("\"contrast\":[[1200,0.5],[1300,1]]"), "1007 - x", 0x646464);
    assert_colour(DARK("\"contrast\":[[100,1],[300,0.25]]"), "1007 - x", 0x969696);
    assert_colour(DARK("\"contrast\":[[0,0.5]],\"strength\":0.5"), "1000 - x", 0x969696);
    assert_colour(DARK("\"opacity\":0.5"), "1000 - x", 0x646464);
    assert_colour(DARK("\"mask\":{\"layer\":\"height\",\"from\":900,\"to\":1100}"), "1007 - x",
                  0x646464);
    /* Highlights fade with the opacity too: 200 + 55·0.4142·0.5. */
    assert_colour(DARK("\"opacity\":0.5"), "1000 + x", 0xD3D3D3);
    /* Left out where there is nothing to shade. */
    assert_colour("{\"paint\":[" GREY_200 ",{\"shade\":{\"layer\":\"qqqqqq\",\"optional\":true,"
                  "\"lights\":[[270,45,1]]}}]}",
                  "1000 - x", 0xC8C8C8);
}

/* A step until 100 m a pixel: whole to 50, half of it at 75, gone from 100 on. */
static void steps_fade_out_with_the_zoom(void **state)
{
    (void)state;
    static const struct {
        int spacing;
        uint32_t colour;
    } cases[] = {{1, 0xFFFFFF}, {50, 0xFFFFFF}, {75, 0x808080}, {100, 0}, {5000, 0}};
    struct painter *painter =
        painter_of("{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#000\"]]}},"
                   "{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#fff\"]],\"until\":100}}]}",
                   world_of("x"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct image image;
        const struct sample_grid grid = {.step = cases[i].spacing * PLACE_METRE,
                                         .columns = 1,
                                         .rows = 1,
                                         .spacing = cases[i].spacing};
        assert_true(painter_paint(painter, canvas, &grid, &image, NULL));
        assert_int_equal(pixel(&image, 0), cases[i].colour);
    }
    painter_free(painter);
}

/* Layers of steps that have faded out are not sampled: such a step adds nothing to the price. Where
 * all steps have, the picture is black. */
static void faded_steps_need_no_samples(void **unused)
{
    (void)unused;
#define GROUND "{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#fff\"]]}}"
#define NOISY "{\"ramp\":{\"layer\":\"noisy\",\"stops\":[[-1,\"#000\"]],\"until\":100}}"
#define NOISY_WORLD                                                                                \
    world_of_text("{\"generator\":1,\"layers\":{\"height\":\"x\","                                 \
                  "\"noisy\":\"fbm(wavelength=4096,octaves=4)\"}}")
    struct painter *plain = painter_of(GROUND "]}", NOISY_WORLD);
    struct painter *both = painter_of(GROUND "," NOISY "]}", NOISY_WORLD);
    struct painter *gone = painter_of("{\"paint\":[" NOISY "]}", NOISY_WORLD);
    const struct sample_grid grid = {
        .step = 100 * PLACE_METRE, .columns = 1, .rows = 1, .spacing = 100.0};
    struct image image;
    assert_true(painter_price(both, 100.0, NULL).sample ==
                painter_price(plain, 100.0, NULL).sample);
    assert_true(painter_price(both, 99.0, NULL).sample >
                2.0 * painter_price(plain, 99.0, NULL).sample);
    assert_true(painter_paint(both, canvas, &grid, &image, NULL));
    assert_int_equal(pixel(&image, 0), 0xFFFFFF);
    assert_true(painter_paint(gone, canvas, &grid, &image, NULL));
    assert_int_equal(pixel(&image, 0), 0);
    painter_free(plain);
    painter_free(both);
    painter_free(gone);
}

int test_paint_ground(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_fade_out_with_the_zoom),
        cmocka_unit_test(faded_steps_need_no_samples),
        cmocka_unit_test(normals),
        cmocka_unit_test(mapbox),
        cmocka_unit_test(grey16),
        cmocka_unit_test(slopes),
        cmocka_unit_test(slopes_are_angles),
        cmocka_unit_test(contours_by_distance),
        cmocka_unit_test(contours_by_index),
        cmocka_unit_test(contours_fade),
        cmocka_unit_test(contours_by_zoom),
        cmocka_unit_test(water),
        cmocka_unit_test(steps_fade_out),
        cmocka_unit_test(shades),
    };
    return cmocka_run_group_tests(tests, open_canvas, close_canvas);
}
