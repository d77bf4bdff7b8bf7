/* Which operations become one, and that their samples are those of the single ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

static void assert_fused(const char *formula, enum fused_first first, enum fused_second second)
{
    struct world *world = world_of(formula);
    const struct operation *operation = &world->program.operations[world->program.values[0]];
    if (operation->code != OP_FUSED || operation->fused.first != first ||
        operation->fused.second != second)
        fail_msg("%s: code %d, %d, %d", formula, (int)operation->code, operation->fused.first,
                 operation->fused.second);
    world_release(world);
}

static void assert_not_fused(const char *formula, enum operation_code code)
{
    struct world *world = world_of(formula);
    assert_int_equal(world->program.operations[world->program.values[0]].code, code);
    world_release(world);
}

static void pairs(void **unused)
{
    (void)unused;
    assert_fused("x + y", FUSED_ADD, THEN_NOTHING);
    assert_fused("2 - x", FUSED_FROM_NUMBER, THEN_NOTHING);
    assert_fused("3 * x + 2", FUSED_SCALE, THEN_ADD_NUMBER);
    assert_fused("2 - 3 * x", FUSED_SCALE, THEN_FROM_NUMBER);
    assert_fused("x * y + cos(x)", FUSED_MULTIPLY, THEN_ADD);
    assert_fused("cos(x) - x * y", FUSED_MULTIPLY, THEN_SUBTRACT_FROM);
    assert_fused("clamp(x, 0, 9)", FUSED_AT_LEAST, THEN_AT_MOST);
    assert_fused("max(x - y, cos(x))", FUSED_SUBTRACT, THEN_GREATER);
    assert_fused("3 * x + 5 * y", FUSED_SCALE, THEN_ADD_SCALED);
    assert_fused("(x + y) - 5 * cos(x)", FUSED_ADD, THEN_ADD_SCALED);
    assert_fused("(x + y)^2", FUSED_MULTIPLY, THEN_NOTHING);
    assert_fused("x + y + cos(x) + cos(y)", FUSED_ADD, THEN_NOTHING); /* a pair, and one */
}

static void what_is_left_alone(void **unused)
{
    (void)unused;
    assert_not_fused("x / y", OP_DIVIDE);
    assert_not_fused("x^8", OP_MULTIPLY);      /* may overflow */
    assert_not_fused("exp(x) + 1e38", OP_ADD); /* so may this */
    assert_not_fused("3e38 * sin(x) * 2", OP_MULTIPLY);
    assert_fused("3e38 * sin(x)", FUSED_SCALE, THEN_NOTHING);
    assert_fused("exp(x) + 1", FUSED_ADD_NUMBER, THEN_NOTHING); /* FLT_MAX + 1 is FLT_MAX */
}

/* A layer that is a result itself keeps its operation, and its samples are the same alone. */
static void results_stay(void **unused)
{
    (void)unused;
    struct world *world = world_of_text("{\"generator\":1,\"layers\":{"
                                        "\"height\":\"twice + 5\",\"twice\":\"2 * x\"}}");
    const struct operation *height = &world->program.operations[world->program.values[0]];
    assert_int_equal(height->fused.second, THEN_ADD_NUMBER);
    assert_true(layer_at(world, "height", 3 * PLACE_METRE, 0) == 11.0f);
    assert_true(layer_at(world, "twice", 3 * PLACE_METRE, 0) == 6.0f);
    world_release(world);
}

/* At x = 3, y = −2, by hand. The product 3 · 0.1f is rounded to 0.3f, so nothing is left of it;
 * in a contracted multiply–add, −7.45e-9 would be. */
static void values(void **unused)
{
    (void)unused;
    static const struct {
        const char *formula;
        float value;
    } cases[] = {
        {"x * y + 1", -5},      {"x * y + x", -3},      {"x - x * y", 9},
        {"x * y - x", -9},      {"1 - x * y", 7},       {"(x + y) * 3", 3},
        {"(x - y) * y", -10},   {"(5 - x) * y", -4},    {"max(x, 4) * y", -8},
        {"min(x, 2) - y", 4},   {"max(x * y, 2)", 2},   {"min(x + 1, 2)", 2},
        {"max(x + y, x)", 3},   {"min(y * 3, x)", -6},  {"max(y, x * y)", -2},
        {"min(x, x * y)", -6},  {"3 * x + 5 * y", -1},  {"3 * x - 5 * y", 19},
        {"5 * y - 3 * x", -19}, {"x * y - 2 * x", -12}, {"clamp(y, -1, 1)", -1},
        {"2 * x - 6", 0},       {"(x - 3) * y", 0},     {"(y + 2) * -4 * x", 0},
        {"x * 0.1 - 0.3", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float value = formula_at(cases[i].formula, 3, -2);
        if (value != cases[i].value || (value == 0.0f && __builtin_signbit(value)))
            fail_msg("%s is %.9g", cases[i].formula, (double)value);
    }
}

int test_fuse(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs),
        cmocka_unit_test(what_is_left_alone),
        cmocka_unit_test(results_stay),
        cmocka_unit_test(values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
