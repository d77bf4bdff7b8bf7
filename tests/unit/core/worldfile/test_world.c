/* World files: layers, biomes, seeds, cycles and limits. */
#include "core/worldfile/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/language/compile.h"
#include "core/worldfile/layer_costs.h"
#include "tests/unit/core/world_of.h"

static void layers_are_in_file_order(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"title\":\"T\",\"layers\":{\"b\":\"2*a\",\"a\":\"x\",\"height\":"
        "{\"formula\":\"b + 1\",\"unit\":\"m\",\"range\":[-5,7.5]}}}");
    assert_string_equal(world_title(world), "T");
    assert_string_equal(world_description(world), "");
    assert_string_equal(world_seed(world), "0");
    assert_int_equal(world_generator(world), 1);
    assert_int_equal(world_layer_count(world), 3);
    assert_int_equal(world_find_layer(world, "b"), 0);
    assert_int_equal(world_find_layer(world, "height"), 2);
    assert_int_equal(world_find_layer(world, "biome"), -1);
    assert_int_equal(world_find_layer(world, "c"), -1);
    assert_int_equal(world_height_layer(world), 2);
    assert_int_equal(world_biome_layer(world), -1);
    const struct world_layer *height = world_layer(world, 2), *plain = world_layer(world, 0);
    assert_string_equal(height->formula, "b + 1");
    assert_string_equal(height->unit, "m");
    assert_true(height->range_low == -5.0f && height->range_high == 7.5f);
    assert_string_equal(plain->unit, "");
    assert_true(plain->range_low == -1.0f && plain->range_high == 1.0f);
    assert_true(layer_at(world, "height", 3 * PLACE_METRE, 0) == 7.0f);
    world_release(world);
}

static void a_world_says_where_its_map_begins(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"view\":{\"x\":-1e6,\"y\":0.5,\"zoom\":20,\"style\":\"height\",\"t\":"
        "1099511627776},\"layers\":{\"height\":\"x\"}}");
    struct error error;
    struct world *reseeded = world_reseed(world, "7", 1, &error);
    const struct world_view *view = world_view(reseeded);
    assert_true(view->x == -1000000 * PLACE_METRE && view->y == PLACE_METRE / 2);
    assert_int_equal(view->zoom, 20);
    assert_string_equal(view->style, "height");
    assert_true(view->t == PLACE_LIMIT);
    world_release(world);
    world_release(reseeded);
    world = world_of_text("{\"generator\":1,\"layers\":{\"height\":\"x\"}}");
    view = world_view(world);
    assert_true(view->x == 0 && view->y == 0 && view->zoom == 6 && view->t == 0);
    assert_null(view->style);
    world_release(world);
}

/* A tile is 2^(25−z) m wide. What only bends waves is not one. */
static void a_view_without_a_zoom_fits_the_waves(void **unused)
{
    (void)unused;
    static const struct {
        const char *height;
        int zoom;
    } cases[] = {
        {"fbm(4096, 8) + 3 * perlin(100)", 13},
        {"perlin(4095)", 14},
        {"max(0, cycle('y', 65536)) - perlin(64)", 9},
        {"warp(perlin(1024), 90000 * perlin(1e6), 0)", 15},
        {"coarse(perlin(1048576), 1024)", 5},
        {"perlin(1e9)", 0},
        {"perlin(1)", 20},
        {"distance(0, 0)", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_of(cases[i].height);
        if (world_view(world)->zoom != cases[i].zoom)
            fail_msg("%s: %d", cases[i].height, world_view(world)->zoom);
        world_release(world);
    }
    struct world *world =
        world_of_text("{\"generator\":1,\"view\":{\"x\":5},\"layers\":{\"height\":"
                      "\"perlin(4096)\"}}");
    assert_int_equal(world_view(world)->zoom, 13);
    world_release(world);
}

/* Without a range the formula tells: here 10 · [0, 1] − 3. A noise seldom leaves ±0.5. */
static void usual_ranges(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"layers\":{\"height\":{\"formula\":\"9 * x\",\"range\":[-2,8]},"
        "\"a\":\"10 * clamp(x, 0, 1) - 3\",\"b\":\"200 * fbm(64, 4)\"}}");
    static const float usual[][2] = {{-2, 8}, {-3, 7}, {-100, 100}};
    for (unsigned i = 0; i < 3; i++) {
        assert_true(world_layer(world, i)->usual_low == usual[i][0]);
        assert_true(world_layer(world, i)->usual_high == usual[i][1]);
    }
    world_release(world);
}

/* The first condition that holds wins; nothing holds: the last. */
static void the_first_biome_wins(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"layers\":{\"height\":\"x\",\"wet\":\"y\"},\"biomes\":["
        "{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},"
        "{\"name\":\"low\",\"color\":\"#0f0\",\"title\":\"Low land\",\"when\":\"height < 10\"},"
        "{\"name\":\"wet\",\"color\":\"#123456\",\"when\":\"wet > 0 && height < 20\"},"
        "{\"name\":\"odd\",\"color\":\"#fff\",\"when\":\"height < 5\"},"
        "{\"name\":\"rest\",\"color\":\"#000\"}]}");
    static const struct {
        int x, y;
        float biome;
    } cases[] = {{-1, 5, 0}, {0, 5, 1},  {4, 0, 1},  {9, 9, 1},   {10, 1, 2},
                 {10, 0, 4}, {19, 3, 2}, {20, 3, 4}, {-9, -9, 0}, {500, 500, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(layer_at(world, "biome", cases[i].x * PLACE_METRE, cases[i].y * PLACE_METRE) ==
                    cases[i].biome);
    assert_int_equal(world_layer_count(world), 3);
    assert_int_equal(world_biome_layer(world), 2);
    assert_int_equal(world_biome_count(world), 5);
    assert_string_equal(world_biome(world, 1)->title, "Low land");
    assert_string_equal(world_biome(world, 2)->title, "wet");
    assert_int_equal(world_biome(world, 2)->colour, 0x123456);
    assert_int_equal(world_biome(world, 3)->colour, 0xFFFFFF);
    assert_null(world_biome(world, 4)->when);
    assert_true(world_layer(world, 2)->range_high == 4.0f);
    world_release(world);
}

static void last_biome_is_the_fallback(void **unused)
{
    (void)unused;
    struct world *world =
        world_of_text("{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["
                      "{\"name\":\"a\",\"color\":\"#000\",\"when\":\"height < 0\"},"
                      "{\"name\":\"b\",\"color\":\"#000\",\"when\":\"height < 1\"}]}");
    assert_true(layer_at(world, "biome", -PLACE_METRE, 0) == 0.0f);
    assert_true(layer_at(world, "biome", 7 * PLACE_METRE, 0) == 1.0f);
    world_release(world);
}

static const char seeded[] =
    "{\"generator\":1,\"seed\":%s,\"layers\":{\"height\":\"fbm(300, 4)\"}}";

static void assert_reseeded(const char *seed, const char *in_file)
{
    char text[300];
    struct error error = {0};
    struct world *original = world_of("fbm(300, 4)");
    struct world *reseeded = world_reseed(original, seed, strlen(seed), &error);
    assert_non_null(reseeded);
    world_release(original); /* the new one stands alone */
    snprintf(text, sizeof text, seeded, in_file);
    struct world *file = world_of_text(text);
    assert_string_equal(world_fingerprint(reseeded), world_fingerprint(file));
    assert_string_equal(world_seed(reseeded), seed);
    for (int i = 0; i < 50; i++) {
        int64_t x = i * 123456789LL, y = -i * 987654321LL;
        assert_true(layer_at(reseeded, "height", x, y) == layer_at(file, "height", x, y));
    }
    world_release(reseeded);
    world_release(file);
}

static void reseeding_is_a_file_with_that_seed(void **unused)
{
    (void)unused;
    assert_reseeded("hello", "\"hello\"");
    assert_reseeded("42", "42");
    assert_reseeded("42", "\"42\"");
    assert_reseeded("0", "\"0\"");
    assert_reseeded("18446744073709551615", "18446744073709551615");
    assert_reseeded("18446744073709551616", "\"18446744073709551616\"");
    assert_reseeded("a \"b\"", "\"a \\\"b\\\"\"");
}

static void seeds_differ_in_every_noise(void **unused)
{
    (void)unused;
    struct world *zero = world_of("fbm(300, 4)");
    struct world *one = world_reseed(zero, "1", 1, NULL);
    int same = 0;
    for (int i = 1; i < 100; i++)
        same += layer_at(zero, "height", i * PLACE_METRE * 70, 0) ==
                layer_at(one, "height", i * PLACE_METRE * 70, 0);
    assert_true(same < 3);
    world_release(zero);
    world_release(one);
}

static void seed_length_limit(void **unused)
{
    (void)unused;
    char seed[WORLD_SEED_MAX + 2];
    struct error error = {0};
    memset(seed, 's', sizeof seed);
    struct world *world = world_of("x");
    assert_null(world_reseed(world, seed, 0, &error));
    assert_int_equal(error.code, ERROR_VALUE);
    assert_null(world_reseed(world, seed, WORLD_SEED_MAX + 1, &error));
    assert_non_null(strstr(error.message, "1 to 256 bytes"));
    struct world *longest = world_reseed(world, seed, WORLD_SEED_MAX, &error);
    assert_non_null(longest);
    assert_int_equal(strlen(world_seed(longest)), WORLD_SEED_MAX);
    world_release(longest);
    world_release(world);
}

static void reference_counting(void **unused)
{
    (void)unused;
    struct world *world = world_of("x");
    assert_ptr_equal(world_retain(world), world);
    world_release(world);
    assert_true(layer_at(world, "height", PLACE_METRE, 0) == 1.0f);
    world_release(world);
    world_release(NULL);
}

static void layers_report_t(void **unused)
{
    (void)unused;
    struct world *world = world_of_text("{\"generator\":1,\"layers\":{\"a\":\"t\",\"b\":\"z + 1\","
                                        "\"c\":\"a * b\",\"height\":\"x + 0 * pi\"}}");
    static const bool time[] = {true, false, true, false};
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(world_layer_uses_time(world, i), time[i]);
    world_release(world);
}

static void assert_world_refused(const char *text, enum error_code code, const char *path,
                                 const char *words)
{
    struct error error = error_of_text(text);
    if (error.code != code || strcmp(error.path, path) != 0 || !strstr(error.message, words))
        fail_msg("%s: code %d %s: %s", text, (int)error.code, error.path, error.message);
}

static void layer_cycles_are_named(void **unused)
{
    (void)unused;
    assert_world_refused("{\"generator\":1,\"layers\":{\"height\":\"height + 1\"}}", ERROR_VALUE,
                         "layers.height", "in a cycle: height -> height");
    assert_world_refused("{\"generator\":1,\"layers\":{\"height\":\"a\",\"a\":\"2 * b\","
                         "\"b\":\"x + a\"}}",
                         ERROR_VALUE, "layers.b", "in a cycle: a -> b -> a");
    assert_world_refused("{\"generator\":1,\"layers\":{\"height\":\"warp(a, 1, 1)\","
                         "\"a\":\"warp(height, x, 1)\"}}",
                         ERROR_VALUE, "layers.a", "height -> a -> height");
    struct error error =
        error_of_text("{\"generator\":1,\"layers\":{\"height\":\"1 + 2 * height\"}}");
    assert_int_equal(error.column, 9);
}

/* "height" uses l0, which uses l1 … : `length` layers in all. */
static void write_chain(char *text, unsigned length)
{
    char *at = text + sprintf(text, "{\"generator\":1,\"layers\":{\"height\":\"l1\"");
    for (unsigned i = 1; i < length; i++)
        at += sprintf(at, ",\"l%u\":\"l%u\"", i, i + 1);
    sprintf(at, ",\"l%u\":\"x\"}}", length);
}

static void layer_chain_limit(void **unused)
{
    (void)unused;
    char text[2000];
    write_chain(text, COMPILE_CHAIN_MAX - 1);
    struct world *world = world_of_text(text);
    assert_true(layer_at(world, "height", 5 * PLACE_METRE, 0) == 5.0f);
    world_release(world);
    write_chain(text, COMPILE_CHAIN_MAX);
    assert_world_refused(text, ERROR_LIMIT, "layers.l23",
                         "layers refer to each other more than 24 levels deep");
}

static void cost_limit(void **unused)
{
    (void)unused;
    struct world *world = world_of("fbm(1e6, 20) + perlin(3)");
    assert_int_equal(world_layer(world, 0)->octaves, 21);
    world_release(world);
    const char *text = "{\"generator\":1,\"layers\":{\"height\":\"x\",\"dear\":"
                       "\"fbm(1e6, 20) + warp(fbm(1e6, 20), value(9), value(9))\"}}";
    struct error error = {0};
    const struct world_limits enough = {41}, little = {40};
    world = world_parse(text, strlen(text), "f", &enough, &error);
    assert_non_null(world); /* the two values are one noise */
    assert_int_equal(world_layer(world, 1)->octaves, 41);
    world_release(world);
    assert_null(world_parse(text, strlen(text), "f", &little, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.path, "layers.dear");
    assert_string_equal(error.message,
                        "too expensive: 41 of 40 octaves a sample (--world-cost); most in dear 41 "
                        "(100 %), at 2 places by slope(), warp() and the like");
    /* 4 places of 8 octaves each, and 5 of another layer. */
    text = "{\"generator\":1,\"layers\":{\"hills\":\"fbm(1e6, 8)\",\"woods\":\"fbm(900, 5)\","
           "\"height\":\"slope(hills, 1) + woods + x\"}}";
    assert_null(world_parse(text, strlen(text), "f", &(struct world_limits){36}, &error));
    assert_string_equal(error.path, "layers.height");
    assert_string_equal(error.message,
                        "too expensive: 37 of 36 octaves a sample (--world-cost); most in hills 32 "
                        "(86 %), at 4 places by slope(), warp() and the like; woods 5 (14 %)");
}

/* perlin2002() has no key, so the calls of two layers are one noise: it is neither's own. It counts
 * as two octaves of noise in two dimensions. */
static void noises_of_several_layers_are_counted_apart(void **unused)
{
    (void)unused;
    struct error error = {0};
    const char *text = "{\"generator\":1,\"layers\":{\"a\":\"perlin2002(90) + fbm(90, 5)\","
                       "\"b\":\"perlin2002(90) + perlin2002(70)\",\"height\":\"a + b\"}}";
    struct world *world = world_of_text(text);
    const struct layer_cost a = layer_cost_find(world, 0), b = layer_cost_find(world, 1);
    assert_int_equal(a.octaves, 7);
    assert_int_equal(a.own, 5);
    assert_int_equal(b.octaves, 4);
    assert_int_equal(b.own, 2);
    assert_int_equal(layer_cost_find(world, 2).own, 0);
    world_release(world);
    assert_null(world_parse(text, strlen(text), "f", &(struct world_limits){8}, &error));
    assert_string_equal(error.message,
                        "too expensive: 9 of 8 octaves a sample (--world-cost); most in a 5 "
                        "(56 %); b 2 (22 %); noises of several layers 2 (22 %)");
}

static void the_default_cost_is_400(void **unused)
{
    (void)unused;
    char formula[1000] = "0", *at = formula + 1;
    for (int i = 0; i < 20; i++)
        at += sprintf(at, " + fbm(1e6, 20, salt='%d')", i);
    world_release(world_of(formula));
    strcpy(at, " + perlin(3)");
    assert_int_equal(error_of(formula).code, ERROR_LIMIT);
}

static void operation_limit(void **unused)
{
    (void)unused;
    /* 100 layers of 100 different operations. */
    char *text = malloc(400000), *at = text + sprintf(text, "{\"generator\":1,\"layers\":{");
    assert_non_null(text);
    for (int i = 0; i < 100; i++) {
        at += sprintf(at, "\"l%d\":\"x", i);
        for (int k = 0; k < 100; k++)
            at += sprintf(at, "+%d", 1000 * i + k + 1);
        at += sprintf(at, "\",");
    }
    strcpy(at, "\"height\":\"0\"}}");
    struct error error = error_of_text(text);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "more than 8192 operations"));
    assert_string_equal(error.path, "layers.l40");
    free(text);
}

/* Eight layers, each the greatest of the next one at 361 places: 361⁷ in all, were they not
 * counted. Everything is a constant, so operations alone would not stop it. */
static void displacement_limit(void **unused)
{
    (void)unused;
    char *text = malloc(200000), *at = text + sprintf(text, "{\"generator\":1,\"layers\":{");
    assert_non_null(text);
    for (int layer = 0; layer < 8; layer++) {
        at += sprintf(at, layer ? "\"l%d\":\"max(0" : "\"height\":\"max(0", layer);
        for (int x = 0; x < 19; x++) {
            at += sprintf(at, ",max(0");
            for (int y = 0; y < 19; y++)
                at += sprintf(at, ",warp(l%d,%d,%d)", layer + 1, x, y);
            at += sprintf(at, ")");
        }
        at += sprintf(at, ")\",");
    }
    strcpy(at, "\"l8\":\"1\"}}");
    assert_world_refused(text, ERROR_LIMIT, "layers.l8", "more than 2048 different displacements");
    free(text);
}

/* Each layer is 23 calls and signs about the next: 23 of them would be 1058 levels. */
static void nesting_depth_limit(void **unused)
{
    (void)unused;
    char *text = malloc(50000), *at = text + sprintf(text, "{\"generator\":1,\"layers\":{");
    assert_non_null(text);
    for (int layer = 0; layer < 23; layer++) {
        at += sprintf(at, layer ? "\"l%d\":\"" : "\"height\":\"", layer);
        for (int i = 0; i < 23; i++)
            at += sprintf(at, "abs(-");
        at += sprintf(at, layer < 22 ? "l%d" : "1", layer + 1);
        memset(at, ')', 23);
        at = stpcpy(at + 23, "\",");
    }
    strcpy(at - 1, "}}");
    struct error error = error_of_text(text);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "nested more than 1000 levels deep"));
    free(text);
}

/* Conditions are formulas too, and their errors have a path of their own. */
static void bad_conditions_are_refused(void **unused)
{
    (void)unused;
    assert_world_refused("{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["
                         "{\"name\":\"a\",\"color\":\"#000\",\"when\":\"heigth < 0\"}]}",
                         ERROR_UNKNOWN, "biomes[0].when", "did you mean \"height\"?");
    assert_world_refused("{\"generator\":1,\"layers\":{\"height\":\"biome\"},\"biomes\":["
                         "{\"name\":\"a\",\"color\":\"#000\",\"when\":\"x < 0\"}]}",
                         ERROR_UNKNOWN, "layers.height", "unknown name \"biome\"");
    assert_world_refused("{\"generator\":1,\"layers\":{\"height\":\"x\"},\"biomes\":["
                         "{\"name\":\"a\",\"color\":\"#000\"},"
                         "{\"name\":\"b\",\"color\":\"#000\"}]}",
                         ERROR_VALUE, "biomes[0].when", "only the last biome");
}

int test_world(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layers_are_in_file_order),
        cmocka_unit_test(a_world_says_where_its_map_begins),
        cmocka_unit_test(a_view_without_a_zoom_fits_the_waves),
        cmocka_unit_test(usual_ranges),
        cmocka_unit_test(the_first_biome_wins),
        cmocka_unit_test(last_biome_is_the_fallback),
        cmocka_unit_test(reseeding_is_a_file_with_that_seed),
        cmocka_unit_test(seeds_differ_in_every_noise),
        cmocka_unit_test(seed_length_limit),
        cmocka_unit_test(reference_counting),
        cmocka_unit_test(layers_report_t),
        cmocka_unit_test(layer_cycles_are_named),
        cmocka_unit_test(layer_chain_limit),
        cmocka_unit_test(cost_limit),
        cmocka_unit_test(noises_of_several_layers_are_counted_apart),
        cmocka_unit_test(the_default_cost_is_400),
        cmocka_unit_test(operation_limit),
        cmocka_unit_test(displacement_limit),
        cmocka_unit_test(nesting_depth_limit),
        cmocka_unit_test(bad_conditions_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
