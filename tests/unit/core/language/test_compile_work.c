/* A short file cannot be expensive to compile: what is used twice at a place is compiled once, and
 * a budget of steps ends what multiplies nevertheless. Work is counted in steps, not in seconds, so
 * these tests do not depend on the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

/* `open` depth times, the leaf, `close` depth times; each %d is the level from outside. */
static char *nest(const char *open, const char *leaf, const char *close, int depth)
{
    char *text = malloc((size_t)depth * (strlen(open) + strlen(close) + 40) + strlen(leaf) + 1);
    assert_non_null(text);
    char *at = text;
    for (int level = 0; level < depth; level++)
        at += sprintf(at, open, level, level, level);
    at = stpcpy(at, leaf);
    for (int level = depth; level-- > 0;)
        at += sprintf(at, close, level, level, level);
    return text;
}

static struct world *parse(const char *text, struct error *error)
{
    *error = (struct error){0};
    return world_parse(text, strlen(text), "test.json", NULL, error);
}

static struct world *nested_world(const char *open, const char *leaf, const char *close, int depth)
{
    struct error error;
    char *formula = nest(open, leaf, close, depth), *text = world_text(formula, "");
    struct world *world = parse(text, &error);
    free(formula);
    free(text);
    return world;
}

/* slope() samples its argument half a spacing east, west, south and north. In each other, n of them
 * reach the (n + 1)² places of a diamond, and gradient_x() the n + 1 places of a line. */
static void nested_slopes_share_places(void **unused)
{
    (void)unused;
    for (unsigned depth = 1; depth <= 12; depth++) {
        struct world *slopes = nested_world("slope(", "perlin(99)", ",1)", (int)depth);
        struct world *gradients = nested_world("gradient_x(", "perlin(99)", ",1)", (int)depth);
        assert_non_null(slopes);
        assert_non_null(gradients);
        assert_int_equal(slopes->program.noise_count, (depth + 1) * (depth + 1));
        assert_int_equal(gradients->program.noise_count, depth + 1);
        assert_in_range(world_work(slopes), 1, 200 * (depth + 1) * (depth + 1) * (depth + 1));
        assert_in_range(world_work(gradients), 1, 200 * (depth + 1) * (depth + 1));
        world_release(slopes);
        world_release(gradients);
    }
}

static void forty_gradients_compile(void **unused)
{
    (void)unused;
    struct world *world = nested_world("gradient_x(", "perlin(99)", ",1)", 40);
    assert_non_null(world);
    assert_int_equal(world_layer(world, 0)->octaves, 41);
    world_release(world);
    world = nested_world("gradient_y(", "y", ",1)", 1); /* the rise of y southward */
    assert_true(layer_at(world, "height", 0, 8 * PLACE_METRE) == 1.0f);
    world_release(world);
}

/* Every way found to make a short file expensive: it compiles within the budget, or is refused at
 * the place that went beyond it. */
static const struct {
    const char *open, *leaf, *close;
} nests[] = {
    {"slope(", "perlin(99)", ",1)"},
    {"slope(", "perlin(99)", ",0.1)"},
    {"slope(", "x", ",1+%d)"},
    {"slope(", "5", ",1+%d*%d)"},
    {"slope(", "perlin(99)", ",1+%d)"},
    {"slope(", "fbm(1e6,20)", ",2+%d)"},
    {"slope(1+", "z*perlin(99)", ",1+%d)"},
    {"gradient_x(", "perlin(99)", ",1)"},
    {"gradient_x(gradient_y(", "perlin(99)", ",1),2+%d)"},
    {"gradient_x(", "x*y", ",1+%d)"},
    {"warp(", "perlin(99)", ",x,y)"},
    {"warp(x,y,", "perlin(99)", ")"},
    {"warp(slope(", "perlin(99)", ",%d+1),perlin(9),y)"},
    {"slope(warp(perlin(99),x,", "perlin(9)", "),1+%d)"},
    {"rotate(slope(", "perlin(99)", ",1),30)"},
    {"scale(slope(", "perlin(99)", ",1),1.1)"},
    {"slope(scale(rotate(", "cycle('x',9)", ",%d+1),1.01),1+%d)"},
    {"slope(distance(1,2)*", "cycle('x',9)", ",1+%d)"},
    {"(", "x", "^64)"},
    {"max(", "x", ",slope(perlin(99),1+%d))"},
    {"gain(", "x", ",x)"},
    {"smoothstep(x,y,", "z", ")"},
    {"spline(slope(", "x", ",1+%d),0,0,1,1,2,5,3,9)"},
};

static void nests_stay_within_the_budget(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        for (int depth = 1; depth <= 44; depth += depth < 12 ? 1 : 8) {
            char *formula = nest(nests[i].open, nests[i].leaf, nests[i].close, depth);
            char *text = world_text(formula, "");
            struct error error;
            struct world *world = parse(text, &error);
            if (world)
                assert_in_range(world_work(world), 1, COMPILE_WORK_MAX + 20 * strlen(text));
            else if (error.code != ERROR_LIMIT || strcmp(error.path, "layers.height") != 0)
                fail_msg("%s: %s: %s", formula, error.path, error.message);
            world_release(world);
            free(formula);
            free(text);
        }
    }
}

/* 4¹² places of different spacings; every part is a constant, so no operations are added. */
static void budget_is_reported_at_its_place(void **unused)
{
    (void)unused;
    char *formula = nest("slope(", "5", ",3^%d)", 12);
    struct error error = error_of(formula);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.file, "test.json");
    assert_string_equal(error.path, "layers.height");
    assert_in_range(error.column, 6, strlen(formula));
    assert_non_null(strstr(error.message, "takes more than 3000000 steps to compile"));
    free(formula);
    formula = nest("slope(", "perlin(99)", ",3^%d)", 12);
    error = error_of(formula);
    assert_non_null(strstr(error.message, "more than 8192 operations"));
    assert_in_range(error.column, 6, strlen(formula));
    free(formula);
}

/* Each layer uses the one before it at its own places and displaced by it. */
static void layers_that_warp_layers(void **unused)
{
    (void)unused;
    for (int layers = 2; layers < COMPILE_CHAIN_MAX; layers++) {
        char text[2000], *at = text + sprintf(text, "{\"generator\":1,\"layers\":{\"l0\":\"x\"");
        for (int i = 1; i < layers; i++)
            at += sprintf(at, ",\"l%d\":\"warp(l%d,l%d,l%d)\"", i, i - 1, i - 1, i - 1);
        sprintf(at, ",\"height\":\"l%d\"}}", layers - 1);
        struct error error;
        struct world *world = parse(text, &error);
        if (world)
            assert_in_range(world_work(world), 1, COMPILE_WORK_MAX);
        else
            assert_int_equal(error.code, ERROR_LIMIT);
        world_release(world);
    }
}

/* A power is a product of one factor: 64⁴⁰ factors here. */
static void density_of_powers(void **unused)
{
    (void)unused;
    char *density = nest("(", "smoothstep(0,1,perlin(99))", "^64)", 40);
    char *members = malloc(strlen(density) + 100);
    assert_non_null(members);
    sprintf(members, "\"objects\":{\"oak\":{\"spacing\":12,\"density\":\"%s\"}},", density);
    char *text = world_text("x", members);
    struct world *world = world_of_text(text);
    assert_int_equal(world_object(world, 0)->octaves, 1);
    struct world_early_reject early_reject;
    assert_false(world_density_early_reject(world, 0, &early_reject));
    world_release(world);
    free(density);
    free(members);
    free(text);
}

static void seed_makes_no_difference_to_work(void **unused)
{
    (void)unused;
    struct error error;
    struct world *world = world_of("slope(fbm(2048, 8) + warp(perlin(64), x, perlin(32)), 4)");
    struct world *other = world_reseed(world, "another", 7, &error);
    assert_true(world_work(other) == world_work(world));
    struct world *third = world_reseed(other, "a third", 7, &error);
    assert_true(world_bytes(other) < world_bytes(world));
    assert_true(world_bytes(third) == world_bytes(other));
    world_release(third);
    world_release(other);
    world_release(world);
}

/* 320 octaves in a layer: 102 layers have 32,640. */
static void octave_limit(void **unused)
{
    (void)unused;
    char *text = malloc(200000), *at = text + sprintf(text, "{\"generator\":1,\"layers\":{");
    assert_non_null(text);
    for (int layer = 0; layer < 110; layer++) {
        at += sprintf(at, "\"l%d\":\"0", layer);
        for (int i = 0; i < 16; i++)
            at += sprintf(at, "+fbm(1e6,20,salt='%d')", i);
        at += sprintf(at, "\",");
    }
    strcpy(at, "\"height\":\"0\"}}");
    struct error error = error_of_text(text);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.path, "layers.l102");
    assert_non_null(strstr(error.message, "more than 32768 octaves"));
    assert_int_equal(error.column, 3 + 6 * (int)strlen("fbm(1e6,20,salt='0')+"));
    free(text);
}

static void style_limit(void **unused)
{
    (void)unused;
    char members[4000], *at = members + sprintf(members, "\"styles\":{");
    for (int i = 0; i < WORLD_STYLES_MAX; i++)
        at += sprintf(at, "\"s%d\":{},", i);
    strcpy(at - 1, "},");
    char *text = world_text("x", members);
    world_release(world_of_text(text));
    free(text);
    strcpy(at - 1, ",\"more\":{}},");
    text = world_text("x", members);
    struct error error = error_of_text(text);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.path, "styles");
    free(text);
}

int test_compile_work(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nested_slopes_share_places),
        cmocka_unit_test(forty_gradients_compile),
        cmocka_unit_test(nests_stay_within_the_budget),
        cmocka_unit_test(budget_is_reported_at_its_place),
        cmocka_unit_test(layers_that_warp_layers),
        cmocka_unit_test(density_of_powers),
        cmocka_unit_test(seed_makes_no_difference_to_work),
        cmocka_unit_test(octave_limit),
        cmocka_unit_test(style_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
