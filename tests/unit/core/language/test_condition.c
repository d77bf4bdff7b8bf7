#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/world_condition.h"
#include "tests/unit/core/world_of.h"

/* Two biomes have the names of layers, and a material that of a biome. */
static const char world_file[] =
    "{\"generator\":1,\"layers\":{\"height\":\"x\",\"wood\":\"y\",\"rain\":\"x + y\"},"
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},"
    "{\"name\":\"wood\",\"color\":\"#080\",\"when\":\"wood > 0\"},"
    "{\"name\":\"rain\",\"color\":\"#888\"}],"
    "\"materials\":[{\"name\":\"rock\",\"color\":\"#888\",\"weight\":\"height\"},"
    "{\"name\":\"sea\",\"color\":\"#00f\",\"weight\":\"4\"},"
    "{\"name\":\"sand\",\"color\":\"#ff0\",\"weight\":\"x\"}]}";

enum { HEIGHT, WOOD, RAIN, BIOME, ROCK, SEA, SAND, LAYERS };

static struct condition *condition_of(const char *text)
{
    struct error error = {0};
    struct world *world = world_of_text(world_file);
    struct condition *condition = world_condition_new(world, text, &error);
    world_release(world);
    if (!condition)
        fail_msg("%s: column %u: %s", text, (unsigned)error.column, error.message);
    return condition;
}

/* Samples of a place, by layer, and its slope. */
struct known {
    float layers[LAYERS], slope;
};

static bool holds(const struct condition *condition, enum condition_part part,
                  const struct known *known)
{
    const struct condition_needs *needs = condition_needs(condition);
    struct condition_rows rows = {.slopes = &known->slope};
    float out;
    for (unsigned i = 0; i < needs->layer_count; i++)
        rows.layers[i] = &known->layers[needs->layers[i]];
    condition_run(condition, part, &rows, 1, &out);
    return out != 0.0f;
}

/* A place 20 m high with 3 of wood, of biome 1, "wood", most of material 1, "sea", at 12 degrees.
 */
static const struct known place = {{20, 3, 23, 1, 0.25f, 4, 4}, 12};

static void conditions_hold_by_arithmetic(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool first, whole;
    } cases[] = {
        {"height > 19", true, true},
        {"height > 20", false, false},
        {"height >= 20 && wood < 3", false, false},
        {"height >= 20, wood <= 3", true, true},
        {"height, wood, 0", false, false},
        {"height < 5 || wood == 3, rain == 23", true, true},
        {"height < 5 || wood == 3, rain == 22", false, false},
        {"biome == wood", true, true},
        {"wood == biome", true, true},
        {"biome != wood", false, false},
        {"biome == sea || biome == rain", false, false},
        {"biome == 1 && wood == 3", true, true},
        {"sea == 0", true, true}, /* a biome alone is its number */
        {"material == sea", true, true},
        {"material == 1 && sea == 0 && rock == 0 && sand == 2", true, true},
        {"sand == material || material != sea", false, false},
        {"slope < 12", true, false},
        {"slope <= 12", true, true},
        {"slope < 12 && height > 20", false, false},
        {"slope < 5 || height > 19", true, true},
        {"slope < 5 || height > 20", true, false},
        {"max(height, wood) == 20 && clamp(rain, 0, 5) == 5", true, true},
        {"height > 19 ? wood == 3 : 0", true, true},
        {"1 / 0", false, false},
        {"height / (wood - 3) == 0", true, true},
        {"!(height > 20)", true, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct condition *condition = condition_of(cases[i].text);
        if (holds(condition, CONDITION_FIRST, &place) != cases[i].first ||
            holds(condition, CONDITION_WHOLE, &place) != cases[i].whole)
            fail_msg("%s", cases[i].text);
        condition_free(condition);
    }
}

/* By weights: the first of the largest ones; the first material if none is above 0. */
static void the_material_has_the_largest_weight(void **state)
{
    (void)state;
    static const struct {
        float weights[3];
        const char *name;
    } cases[] = {
        {{1, 2, 3}, "material == sand"},     {{3, 3, 3}, "material == rock"},
        {{-1, -2, 0}, "material == rock"},   {{-5, 0.5f, 0.25f}, "material == sea"},
        {{0, 0, 1e-9f}, "material == sand"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct known known = place;
        memcpy(known.layers + ROCK, cases[i].weights, sizeof cases[i].weights);
        struct condition *condition = condition_of(cases[i].name);
        assert_int_equal(condition_needs(condition)->layer_count, 3);
        if (!holds(condition, CONDITION_WHOLE, &known))
            fail_msg("case %zu: %s", i, cases[i].name);
        condition_free(condition);
    }
}

static void needs_are_layers_and_the_slope(void **state)
{
    (void)state;
    struct condition *condition =
        condition_of("slope < rain, biome == wood, height > 1 && 2 < height");
    const struct condition_needs *needs = condition_needs(condition);
    assert_true(needs->slope);
    assert_int_equal(needs->layer_count, 3);
    assert_int_equal(needs->first_count, 2);
    assert_int_equal(needs->layers[0], BIOME);
    assert_int_equal(needs->layers[1], HEIGHT);
    assert_int_equal(needs->layers[2], RAIN);
    condition_free(condition);
    condition = condition_of("wood > 1");
    assert_false(condition_needs(condition)->slope);
    assert_int_equal(condition_needs(condition)->layer_count, 1);
    condition_free(condition);
}

/* Rows longer than what is run at once, and not a multiple of it. */
static void every_sample_of_a_row_is_judged(void **state)
{
    (void)state;
    enum { COUNT = 1000 };
    static float heights[COUNT], slopes[COUNT], out[COUNT];
    struct condition *condition = condition_of("slope < 10 && height > 500");
    for (int i = 0; i < COUNT; i++) {
        heights[i] = (float)i;
        slopes[i] = (float)(i % 20);
    }
    const struct condition_rows rows = {.layers = {heights}, .slopes = slopes};
    condition_run(condition, CONDITION_FIRST, &rows, COUNT, out);
    for (int i = 0; i < COUNT; i++)
        assert_true((out[i] != 0) == (i > 500));
    condition_run(condition, CONDITION_WHOLE, &rows, COUNT, out);
    for (int i = 0; i < COUNT; i++)
        assert_true((out[i] != 0) == (i > 500 && i % 20 < 10));
    condition_free(condition);
}

static void errors_have_columns(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum error_code code;
        unsigned column;
        const char *words;
    } cases[] = {
        {"", ERROR_SYNTAX, 1, "expected a formula"},
        {"height > 1,", ERROR_SYNTAX, 12, "expected a number"},
        {"height > 1, heigth < 3", ERROR_UNKNOWN, 13, "did you mean \"height\"?"},
        {"biome == se", ERROR_UNKNOWN, 10, "unknown name \"se\""},
        {"biome == sand", ERROR_UNKNOWN, 10, "\"sand\" is a material, not a biome"},
        {"x > 3", ERROR_UNKNOWN, 1, "names are slope"},
        {"1 + white(5)", ERROR_VALUE, 5, "cannot call white"},
        {"detail(8)", ERROR_VALUE, 1, "cannot call detail"},
        {"gradient_x(height, 5)", ERROR_VALUE, 1, "cannot call gradient_x"},
        {"cycle('x', 100) > 0", ERROR_VALUE, 1, "cannot call cycle"},
    };
    struct world *world = world_of_text(world_file);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        assert_null(world_condition_new(world, cases[i].text, &error));
        if (error.code != cases[i].code || error.column != cases[i].column ||
            !strstr(error.message, cases[i].words))
            fail_msg("%s: code %d column %u: %s", cases[i].text, (int)error.code,
                     (unsigned)error.column, error.message);
    }
    world_release(world);
}

/* One more than CONDITION_LAYERS_MAX are too many. */
static void layers_are_limited(void **state)
{
    (void)state;
    char file[1024] = "{\"generator\":1,\"layers\":{\"height\":\"x\"", where[512] = "height";
    for (int i = 1; i <= CONDITION_LAYERS_MAX; i++) {
        snprintf(file + strlen(file), sizeof file - strlen(file), ",\"l%d\":\"y\"", i);
        if (i < CONDITION_LAYERS_MAX)
            snprintf(where + strlen(where), sizeof where - strlen(where), " + l%d", i);
    }
    snprintf(file + strlen(file), sizeof file - strlen(file), "}}");
    struct world *world = world_of_text(file);
    struct condition *condition = world_condition_new(world, where, NULL);
    assert_non_null(condition);
    assert_int_equal(condition_needs(condition)->layer_count, CONDITION_LAYERS_MAX);
    condition_free(condition);
    struct error error = {0};
    snprintf(where + strlen(where), sizeof where - strlen(where), " + l32");
    assert_null(world_condition_new(world, where, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_int_equal(error.column, strlen(where) - 2);
    world_release(world);
}

int test_condition(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_hold_by_arithmetic),
        cmocka_unit_test(the_material_has_the_largest_weight),
        cmocka_unit_test(needs_are_layers_and_the_slope),
        cmocka_unit_test(every_sample_of_a_row_is_judged),
        cmocka_unit_test(errors_have_columns),
        cmocka_unit_test(layers_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
