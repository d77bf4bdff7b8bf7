/* Pixels by hand: every kind of step, on worlds whose samples follow from their formulas. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "core/tile/address.h"
#include "tests/unit/core/tile/painting.h"

/* v = round(256·(h + 32768)), halves up; never 0. */
static void terrarium(void **unused)
{
    (void)unused;
    static const struct {
        const char *height;
        uint32_t value;
    } cases[] = {
        {"0", 0x800000},        {"1", 0x800100},       {"-1", 0x7FFF00},
        {"0.5", 0x800080},      {"1 / 256", 0x800001}, {"1 / 512", 0x800001}, /* half a step: up */
        {"-1 / 512", 0x800000},                                               /* half a step: up */
        {"3 / 512", 0x800002},  {"0.00195", 0x800000},                        /* just under half */
        {"-0.00196", 0x7FFFFF}, {"8848.86", 0xA290DC}, /* 256·8848.86 = 2265308.2 */
        {"-10935", 0x554900},   {"-32768", 1},         /* not black */
        {"-32767.99609375", 1}, {"-32767.9921875", 2}, {"-40000", 1},
        {"-3e38", 1},           {"32767", 0xFFFF00},   {"32767.99609375", 0xFFFFFF},
        {"32767.99", 0xFFFFFE}, /* as a float 32767.990234, times 256 …605.5 */
        {"32768", 0xFFFFFF},    {"3e38", 0xFFFFFF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_colour("{\"paint\":[{\"terrarium\":{\"layer\":\"height\"}}]}", cases[i].height,
                      cases[i].value);
    struct painter *painter =
        painter_of("{\"paint\":[{\"terrarium\":{\"layer\":\"height\"}}]}", world_of("0"));
    struct image image = paint_row(painter, 0, 1);
    assert_int_equal(image.content, IMAGE_DATA);
    assert_string_equal(painter_encoding(painter), "terrarium");
    assert_false(painter_is_picture(painter));
    painter_free(painter);
}

/* With `surface` the number is that of the water where it is higher than the ground. */
static void heights_over_water(void **unused)
{
    (void)unused;
    static const struct {
        const char *step, *layers;
        uint32_t value;
    } cases[] = {
        {"terrarium", "\"height\":\"-7\"", 0x800000}, /* without the layer: 0 m */
        {"terrarium", "\"height\":\"7\"", 0x800700},
        {"terrarium", "\"height\":\"-7\",\"water_level\":\"-2\"", 0x7FFE00},
        {"terrarium", "\"height\":\"3\",\"water_level\":\"5\"", 0x800500},
        {"terrarium", "\"height\":\"6\",\"water_level\":\"5\"", 0x800600},
        {"mapbox", "\"height\":\"-7\"", 100000}, /* 10·(0 + 10000) */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char style[128], world[128];
        snprintf(style, sizeof style,
                 "{\"paint\":[{\"%s\":{\"layer\":\"height\",\"surface\":\"water_level\"}}]}",
                 cases[i].step);
        snprintf(world, sizeof world, "{\"generator\":1,\"layers\":{%s}}", cases[i].layers);
        struct painter *painter = painter_of(style, world_of_text(world));
        const uint8_t *pixel = paint_row(painter, 0, 1).pixels;
        assert_int_equal(pixel[0] << 16 | pixel[1] << 8 | pixel[2], cases[i].value);
        painter_free(painter);
    }
}

/* The range −100 … 100 over 0 … 255, rounded. */
static void grey(void **unused)
{
    (void)unused;
    struct painter *painter =
        painter_of("{\"paint\":[{\"grey\":{\"layer\":\"height\"}}]}",
                   world_of_text("{\"generator\":1,\"layers\":{\"height\":"
                                 "{\"formula\":\"x\",\"range\":[-100,100]}}}"));
    struct image image = paint_row(painter, -200, 401);
    assert_int_equal(image.format, IMAGE_GREY8);
    assert_int_equal(image.content, IMAGE_SMOOTH);
    static const struct {
        int x;
        uint8_t grey;
    } cases[] = {{-200, 0}, {-101, 0}, {-100, 0}, {-99, 1},   {-60, 51},  {-20, 102},
                 {20, 153}, {60, 204}, {99, 254}, {100, 255}, {101, 255}, {200, 255}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(image.pixels[cases[i].x + 200], cases[i].grey);
    assert_null(painter_encoding(painter));
    assert_false(painter_is_picture(painter));
    painter_free(painter);
}

static void ramp(void **unused)
{
    (void)unused;
    static const char style[] = "{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":"
                                "[[0,\"#000\"],[10,\"#64c832\"],[10,\"#f00\"],[20,\"#fff\"]]}}]}";
    static const struct {
        const char *height;
        uint32_t colour;
    } cases[] = {{"-5", 0},        {"0", 0},         {"5", 0x326419},
                 {"1", 0x0A1405},  {"10", 0xFF0000}, {"12", 0xFF3333},
                 {"15", 0xFF8080}, {"20", 0xFFFFFF}, {"99", 0xFFFFFF}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_colour(style, cases[i].height, cases[i].colour);
    assert_colour("{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":[[5,\"#123456\"]]}}]}",
                  "1", 0x123456);
    /* In a row of many pixels, where runs in one segment go together, they are the same. */
    struct painter *painter = painter_of(style, world_of("x"));
    struct image image = paint_row(painter, -20, 61);
    assert_int_equal(image.content, IMAGE_PICTURE);
    assert_true(painter_is_picture(painter));
    for (uint32_t i = 0; i <= 20; i++)
        assert_int_equal(pixel(&image, i), 0);
    assert_int_equal(pixel(&image, 25), 0x326419);
    assert_int_equal(pixel(&image, 30), 0xFF0000);
    assert_int_equal(pixel(&image, 32), 0xFF3333);
    for (uint32_t i = 40; i <= 60; i++)
        assert_int_equal(pixel(&image, i), 0xFFFFFF);
    painter_free(painter);
}

#define RED "{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#f00\"]]}}"

/* A black sea and red land, each 100 m high, in a world of this height and range. */
static void assert_fitted(const char *height, const char *range, uint32_t expected)
{
    char world[256];
    snprintf(world, sizeof world,
             "{\"generator\":1,\"layers\":{\"height\":{\"formula\":\"%s\"%s%s}}}", height,
             *range ? ",\"range\":" : "", range);
    struct painter *painter =
        painter_of("{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"fit\":true,\"stops\":"
                   "[[-100,\"#000000\"],[0,\"#0000c8\"],[0,\"#640000\"],[100,\"#c80000\"]]}}]}",
                   world_of_text(world));
    struct image image = paint_row(painter, 7, 1);
    const uint32_t colour = pixel(&image, 0);
    painter_free(painter);
    if (colour != expected)
        fail_msg("height %s of %s is %06x, not %06x", height, range, colour, expected);
}

static void ramps_fit_the_range(void **unused)
{
    (void)unused;
    assert_fitted("50", "[-100,100]", 0x960000);
    assert_fitted("5", "[-10,10]", 0x960000);
    assert_fitted("-5", "[-10,10]", 0x000064);
    assert_fitted("-5", "[-20,10]", 0x000096);    /* each side by itself */
    assert_fitted("0", "[-10,10]", 0x640000);     /* the shore stays where it is */
    assert_fitted("50", "[-900,900]", 0x960000);  /* never wider */
    assert_fitted("250", "[200,300]", 0x960000);  /* land above the sea */
    assert_fitted("900", "[850,3000]", 0x960000); /* and no wider either */
    assert_fitted("204", "[200,208]", 0x960000);  /* shrunk */
    assert_fitted("-250", "[-300,-200]", 0x000064);
    assert_fitted("5", "[0,10]", 0x960000);
    assert_fitted("-5", "[-10,0]", 0x000064);
    assert_fitted("clamp(x, 0, 14)", "", 0x960000); /* x is 7: what the formula can be */
    assert_fitted("43 + x", "", 0x960000);          /* which may be anything */
}

static void opacity_and_masks(void **unused)
{
    (void)unused;
    static const struct {
        const char *white; /* what a white ramp over red has besides */
        const char *height;
        uint32_t colour;
    } cases[] = {
        {"", "5", 0xFFFFFF},
        {",\"opacity\":0.2", "5", 0xFF3333},
        {",\"opacity\":0", "5", 0xFF0000},
        {",\"mask\":{\"layer\":\"height\",\"from\":0,\"to\":10}", "-1", 0xFF0000},
        {",\"mask\":{\"layer\":\"height\",\"from\":0,\"to\":10}", "2", 0xFF3333},
        {",\"mask\":{\"layer\":\"height\",\"from\":0,\"to\":10}", "10", 0xFFFFFF},
        {",\"mask\":{\"layer\":\"height\",\"from\":0,\"to\":10}", "50", 0xFFFFFF},
        {",\"mask\":{\"layer\":\"height\",\"from\":0,\"to\":10},\"opacity\":0.5", "4", 0xFF3333},
        {",\"mask\":{\"layer\":\"height\",\"from\":3,\"to\":3}", "3", 0xFF0000}, /* above only */
        {",\"mask\":{\"layer\":\"height\",\"from\":3,\"to\":3}", "3.001", 0xFFFFFF},
        /* From high to low. */
        {",\"mask\":{\"layer\":\"height\",\"from\":10,\"to\":0}", "11", 0xFF0000},
        {",\"mask\":{\"layer\":\"height\",\"from\":10,\"to\":0}", "10", 0xFF0000},
        {",\"mask\":{\"layer\":\"height\",\"from\":10,\"to\":0}", "8", 0xFF3333},
        {",\"mask\":{\"layer\":\"height\",\"from\":10,\"to\":0}", "-5", 0xFFFFFF},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char style[500];
        snprintf(style, sizeof style,
                 "{\"paint\":[" RED ",{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#fff\"]]%s}}"
                 "]}",
                 cases[i].white);
        assert_colour(style, cases[i].height, cases[i].colour);
    }
}

#define BIOME_WORLD(sea)                                                                           \
    "{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["                                  \
    "{\"name\":\"sea\",\"color\":\"" sea "\",\"when\":\"height < 0\"},"                            \
    "{\"name\":\"land\",\"color\":\"#00ff00\"}]}"

static void biomes(void **unused)
{
    (void)unused;
    struct painter *painter =
        painter_of("{\"paint\":[{\"biomes\":{}}]}", world_of_text(BIOME_WORLD("#123456")));
    struct image image = paint_row(painter, -3, 6);
    assert_int_equal(image.format, IMAGE_PALETTE8);
    assert_int_equal(image.content, IMAGE_AREAS);
    assert_int_equal(image.palette_count, 2);
    assert_memory_equal(image.palette, "\x12\x34\x56\0\xff\0", 6);
    assert_memory_equal(image.pixels, "\0\0\0\1\1\1", 6);
    painter_free(painter);

    painter = painter_of("{\"paint\":[" RED ",{\"biomes\":{\"opacity\":0.2}}]}",
                         world_of_text(BIOME_WORLD("#123456")));
    image = paint_row(painter, -1, 2);
    assert_int_equal(pixel(&image, 0), 0xD00A11); /* 255 − 0.2·237, 0.2·52, 0.2·86 */
    assert_int_equal(pixel(&image, 1), 0xCC3300);
    painter_free(painter);
}

#define GREY_100 "{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#646464\"]]}}"
#define SHADE(more) "{\"paint\":[" GREY_100 ",{\"shade\":{\"layer\":\"height\"," more "}}]}"

/* One light from the west, 45° high. A slope of 45° towards it gets 1, level ground √½, one away
 * from it 0; colour 100 goes towards white by √2 − 1, or to black. Without "highlight" given, all
 * of the surplus turns white. */
static void shade(void **unused)
{
    (void)unused;
    static const char west[] = SHADE("\"lights\":[[270,45,1]]");
    assert_colour(west, "1000", 0x646464);
    assert_colour(west, "1000 + x", 0xA4A4A4); /* 100 + 155·0.4142 */
    assert_colour(west, "1000 - x", 0);
    assert_colour(west, "1000 + y", 0x474747); /* level's light falls at cos 45°: 100·√½ */
    assert_colour(west, "1000 - y", 0x474747);
    static const char north[] = SHADE("\"lights\":[[0,45,1]]");
    assert_colour(north, "1000 + y", 0xA4A4A4); /* rises to the south, faces north */
    assert_colour(north, "1000 - y", 0);
    static const char east[] = SHADE("\"lights\":[[90,45,1]]");
    assert_colour(east, "1000 - x", 0xA4A4A4);
    static const char south[] = SHADE("\"lights\":[[180,45,1]]");
    assert_colour(south, "1000 - y", 0xA4A4A4);
    /* From straight above every slope of 45° has √½. */
    assert_colour(SHADE("\"lights\":[[0,90,1]]"), "1000 - x", 0x474747);
    /* Two equal lights from east and west: (1 + 0)/2 over √½ is √½. */
    assert_colour(SHADE("\"lights\":[[270,45,3],[90,45,3]]"), "1000 + x", 0x474747);
}

static void shade_strengths(void **unused)
{
    (void)unused;
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"strength\":0.5"), "1000 - x", 0x323232);
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"strength\":0"), "1000 - x", 0x646464);
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"highlight\":0.5"), "1000 + x", 0x848484);
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"highlight\":0"), "1000 + x", 0x646464);
    /* Below 0 m the strength is multiplied by "water". */
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"water\":0.25"), "-1000 - x", 0x4B4B4B);
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"water\":0.25"), "1000 - x", 0);
    /* A slope of ½ exaggerated twice is one of 1; exaggeration at 1 m between 0.5 and 2 m. */
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"exaggeration\":[[1,2]]"), "1000 + x / 2",
                  0xA4A4A4);
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"exaggeration\":[[0.5,1],[2,4]]"), "1000 + x / 2",
                  0xA4A4A4);
    assert_colour(SHADE("\"lights\":[[270,45,1]],\"exaggeration\":[[2,1],[4,3]]"), "1000 + x",
                  0xA4A4A4);
}

/* The pixel in a square of 5 about the origin. */
static uint32_t pixel_of_square(const char *style, const char *formula, int x, int y)
{
    struct error error = {0};
    struct image image;
    struct painter *painter = painter_of(style, world_of(formula));
    const struct sample_grid grid = {.x = -2 * PLACE_METRE,
                                     .y = -2 * PLACE_METRE,
                                     .step = PLACE_METRE,
                                     .columns = 5,
                                     .rows = 5,
                                     .spacing = 1.0};
    assert_true(painter_paint(painter, canvas, &grid, &image, &error));
    uint32_t colour = pixel(&image, (uint32_t)((y + 2) * 5 + x + 2));
    painter_free(painter);
    return colour;
}

/* A roof along the origin: level on its ridge, dark before it, bright behind. Each pixel is shaded
 * by its own neighbours, and coloured by its own height. */
static void shade_follows_the_slope(void **unused)
{
    (void)unused;
    static const char east[] = SHADE("\"lights\":[[90,45,1]]");
    static const char south[] = SHADE("\"lights\":[[180,45,1]]");
    static const uint32_t across[] = {0, 0, 0x646464, 0xA4A4A4, 0xA4A4A4};
    static const char plain[] = "{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":"
                                "[[0,\"#000\"],[255,\"#fff\"]]}},{\"shade\":{\"layer\":\"height\","
                                "\"strength\":0,\"lights\":[[315,45,1]]}}]}";
    for (int x = -2; x <= 2; x++)
        for (int y = -2; y <= 2; y++) {
            assert_int_equal(pixel_of_square(east, "1000 - abs(x)", x, y), across[x + 2]);
            assert_int_equal(pixel_of_square(south, "1000 - abs(y)", x, y), across[y + 2]);
            uint32_t height = (uint32_t)(100 + 7 * x + 40 * y);
            assert_int_equal(pixel_of_square(plain, "100 + 7 * x + 40 * y", x, y),
                             height * 0x010101);
        }
}

static void assert_unbound(const char *style_text, struct world *world, const char *path,
                           const char *words)
{
    struct error error = {0};
    struct style *style = style_of(style_text);
    assert_null(painter_new(style, world, &error));
    assert_int_equal(error.code, ERROR_UNKNOWN);
    if (strcmp(error.path, path) != 0 || !strstr(error.message, words))
        fail_msg("%s: %s", error.path, error.message);
    style_free(style);
}

static void worlds_without_a_needed_layer(void **unused)
{
    (void)unused;
    struct world *world = world_of("x");
    assert_unbound("{\"paint\":[{\"grey\":{\"layer\":\"heihgt\"}}]}", world, "paint[0].grey",
                   "no layer \"heihgt\" (did you mean \"height\"?)");
    assert_unbound("{\"paint\":[" RED ",{\"biomes\":{}}]}", world, "paint[1].biomes",
                   "the world has no biomes");
    assert_unbound("{\"paint\":[{\"biomes\":{\"optional\":true}}]}", world, "paint",
                   "none of the layers");
    assert_unbound("{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#fff\"]],"
                   "\"mask\":{\"layer\":\"qqqqqq\"}}}]}",
                   world, "paint[0].ramp", "no layer \"qqqqqq\"");
    world_release(world);
    assert_colour("{\"paint\":[" RED ",{\"biomes\":{\"optional\":true}}]}", "1", 0xFF0000);
}

static void fingerprint_of(struct painter *painter, char out[STYLE_FINGERPRINT_TEXT])
{
    strcpy(out, painter_fingerprint(painter));
    assert_int_equal(strlen(out), 19);
    assert_memory_equal(out, "s1-", 3);
    painter_free(painter);
}

static void assert_prints(struct painter *a, struct painter *b, bool equal)
{
    char print_a[STYLE_FINGERPRINT_TEXT], print_b[STYLE_FINGERPRINT_TEXT];
    fingerprint_of(a, print_a);
    fingerprint_of(b, print_b);
    assert_int_equal(strcmp(print_a, print_b) == 0, equal);
}

static void fingerprints_of_styles(void **unused)
{
    (void)unused;
    static const char original[] = "{\"title\":\"A\",\"paint\":[" RED "]}";
    static const struct {
        const char *style;
        bool equal;
    } cases[] = {
        {" { \"paint\" : [" RED "] , \"title\" : \"B\" }", true},
        {"{\"paint\":[" RED "," RED "]}", false},
        {"{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":[[0,\"#f01\"]]}}]}", false},
        {"{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"stops\":[[1,\"#f00\"]]}}]}", false},
        {"{\"paint\":[{\"ramp\":{\"layer\":\"other\",\"stops\":[[0,\"#f00\"]]}}]}", false},
        {"{\"paint\":[{\"grey\":{\"layer\":\"height\"}}]}", false},
    };
    static const char world[] = "{\"generator\":1,\"layers\":{\"height\":\"x\",\"other\":\"y\"}}";
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_prints(painter_of(original, world_of_text(world)),
                      painter_of(cases[i].style, world_of_text(world)), cases[i].equal);
}

/* A world contributes colours and ranges to a picture besides samples. */
static void fingerprints_of_worlds(void **unused)
{
    (void)unused;
    static const char biomes_only[] = "{\"paint\":[{\"biomes\":{}}]}";
    assert_prints(painter_of(biomes_only, world_of_text(BIOME_WORLD("#123456"))),
                  painter_of(biomes_only, world_of_text(BIOME_WORLD("#123457"))), false);
    assert_prints(painter_of("{\"paint\":[" RED "]}", world_of_text(BIOME_WORLD("#123456"))),
                  painter_of("{\"paint\":[" RED "]}", world_of_text(BIOME_WORLD("#123457"))), true);
    static const char grey_only[] = "{\"paint\":[{\"grey\":{\"layer\":\"height\"}}]}";
    static const char ranged[] =
        "{\"generator\":1,\"layers\":{\"height\":{\"formula\":\"x\",\"range\":[-1,2]}}}";
    assert_prints(painter_of(grey_only, world_of("x")),
                  painter_of(grey_only, world_of_text(ranged)), false);
    static const char fitted[] =
        "{\"paint\":[{\"ramp\":{\"layer\":\"height\",\"fit\":true,\"stops\":[[9,\"#f00\"]]}}]}";
    assert_prints(painter_of(fitted, world_of("x")), painter_of(fitted, world_of_text(ranged)),
                  false);
    assert_prints(painter_of("{\"paint\":[" RED "]}", world_of("x")),
                  painter_of("{\"paint\":[" RED "]}", world_of_text(ranged)), true);
}

/* Two layers of one world with one range are two pictures. */
static void each_layer_has_its_own_fingerprint(void **unused)
{
    (void)unused;
    struct error error = {0};
    struct world *world = world_of_text("{\"generator\":1,\"layers\":{\"height\":\"x\","
                                        "\"other\":\"y\"}}");
    assert_prints(painter_of_layer(world, 0, &error), painter_of_layer(world, 1, &error), false);
    assert_prints(painter_of_layer(world, 1, &error), painter_of_layer(world, 1, &error), true);
    world_release(world);
    world = world_of_text(BIOME_WORLD("#00f"));
    struct painter *painter = painter_of_layer(world, 1, &error);
    world_release(world);
    assert_string_equal(painter_name(painter), "biome");
    struct image image = paint_row(painter, 0, 1);
    assert_int_equal(image.format, IMAGE_PALETTE8);
    painter_free(painter);
}

static void painter_knows_if_it_uses_time(void **unused)
{
    (void)unused;
    struct painter *painter = painter_of("{\"paint\":[" RED "]}", world_of("x + t"));
    assert_true(painter_uses_time(painter));
    painter_free(painter);
    painter =
        painter_of("{\"paint\":[" RED "]}",
                   world_of_text("{\"generator\":1,\"layers\":{\"a\":\"t\",\"height\":\"x\"}}"));
    assert_false(painter_uses_time(painter));
    painter_free(painter);
}

int test_painter(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terrarium),
        cmocka_unit_test(heights_over_water),
        cmocka_unit_test(grey),
        cmocka_unit_test(ramp),
        cmocka_unit_test(ramps_fit_the_range),
        cmocka_unit_test(opacity_and_masks),
        cmocka_unit_test(biomes),
        cmocka_unit_test(shade),
        cmocka_unit_test(shade_strengths),
        cmocka_unit_test(shade_follows_the_slope),
        cmocka_unit_test(worlds_without_a_needed_layer),
        cmocka_unit_test(fingerprints_of_styles),
        cmocka_unit_test(fingerprints_of_worlds),
        cmocka_unit_test(each_layer_has_its_own_fingerprint),
        cmocka_unit_test(painter_knows_if_it_uses_time),
    };
    return cmocka_run_group_tests(tests, open_canvas, close_canvas);
}
