/* Formulas that are the same operation: algebra that keeps every bit finds it. And formulas that
 * look alike but are not the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

/* True if two formulas have one operation for their result. */
static bool are_one(const char *left, const char *right)
{
    char text[500];
    snprintf(text, sizeof text, "{\"generator\":1,\"layers\":{\"height\":\"%s\",\"other\":\"%s\"}}",
             left, right);
    struct world *world = world_of_text(text);
    const bool same = world->program.values[0] == world->program.values[1];
    world_release(world);
    return same;
}

static void assert_one(const char *left, const char *right)
{
    if (!are_one(left, right))
        fail_msg("%s is not %s", left, right);
}

static void assert_two(const char *left, const char *right)
{
    if (are_one(left, right))
        fail_msg("%s is %s", left, right);
}

static void neutral_numbers(void **unused)
{
    (void)unused;
    assert_one("x + 0", "x");
    assert_one("0 + x", "x");
    assert_one("x - 0", "x");
    assert_one("x * 1", "x");
    assert_one("1 * x", "x");
    assert_one("x / 1", "x");
    assert_one("x^1", "x");
    assert_one("mix(0, x, 1)", "x");
    assert_two("x + 1e-30", "x");
    assert_two("0 - x", "x");
    assert_two("1 / x", "x");
}

static void operands_change_places(void **unused)
{
    (void)unused;
    assert_one("y + x", "x + y");
    assert_one("y * x", "x * y");
    assert_one("min(y, x)", "min(x, y)");
    assert_one("y == x", "x == y");
    assert_one("3 - 2 + x", "x + 1");
    assert_one("x - 5", "x + -5");
    assert_two("x - y", "y - x");
    assert_two("x / y", "y / x");
    assert_two("x < y", "y < x");
    assert_two("x + y + 1", "x + (y + 1)"); /* other roundings */
    assert_two("x * 3 * 5", "x * 15");
}

static void signs(void **unused)
{
    (void)unused;
    assert_one("-(-x)", "x");
    assert_one("x + -y", "x - y");
    assert_one("-y + x", "x - y");
    assert_one("x - -y", "x + y");
    assert_one("abs(-x)", "abs(x)");
    assert_one("abs(abs(x))", "abs(x)");
    assert_one("abs(sqrt(x))", "sqrt(x)");
    assert_two("-x", "x");
}

static void results_that_are_known(void **unused)
{
    (void)unused;
    assert_one("x - x", "0");
    assert_one("x * 0", "0");
    assert_one("0 * fbm(64, 8)", "0");
    assert_one("0 / x", "0");
    assert_one("x / 0", "0");
    assert_one("x == x", "1");
    assert_one("x < x", "0");
    assert_one("x <= x", "1");
    assert_one("sin(x) > 2", "0");
    assert_one("sin(x) <= 2", "1");
    assert_one("sin(x) == 2", "0");
    assert_one("smoothstep(2, 3, sin(x))", "0");
    assert_one("smoothstep(-3, -2, sin(x))", "1");
    assert_one("smoothstep(3, 2, sin(x))", "1");
    assert_one("clamp(x, 4, 4)", "4");
    assert_one("sqrt(sin(x) - 2)", "0");
    assert_one("cycle('y', 5) < 0", "0");
    assert_two("x / x", "1"); /* 0 at 0 */
    assert_two("smoothstep(0, 1, sin(x))", "0");
    assert_two("perlin(64) < 2", "1"); /* the bounds of noises are wide */
}

static void clamps(void **unused)
{
    (void)unused;
    assert_one("min(x, x)", "x");
    assert_one("max(sin(x), -2)", "sin(x)");
    assert_one("min(sin(x), 2)", "sin(x)");
    assert_one("max(sin(x), 2 + cos(y))", "max(2 + cos(y), sin(x))");
    assert_one("max(max(x, 3), 5)", "max(x, 5)");
    assert_one("max(max(x, 5), 3)", "max(x, 5)");
    assert_one("min(3, min(x, 5))", "min(x, 3)");
    assert_one("clamp(clamp(x, 0, 1), -1, 2)", "clamp(x, 0, 1)");
    assert_one("max(x^2 * 0 + 1, 1)", "1");
    assert_two("min(max(x, 3), 5)", "max(x, 3)");
    assert_two("max(sin(x), -1)", "sin(x)"); /* bounded with a tolerance */
    assert_two("max(sin(x), 0.5)", "sin(x)");
}

static void conditions(void **unused)
{
    (void)unused;
    assert_one("!!(x < y)", "x < y");
    assert_one("!!!x", "!x");
    assert_one("(x < y) && 1", "x < y");
    assert_one("(x < y) && 0", "0");
    assert_one("(x < y) || 0", "x < y");
    assert_one("(x < y) || 1", "1");
    assert_one("(x < y) && (x < y)", "x < y");
    assert_one("x < y ? 1 : 0", "x < y");
    assert_one("!(x < y) ? x : y", "x < y ? y : x");
    assert_one("2 + sin(x) ? x : y", "x");
    assert_one("(x < y && sin(x) > 2) ? x : y", "y");
    assert_two("!!x", "x");
    assert_two("x && 1", "x");
    assert_two("x ? 1 : 0", "x");
    assert_two("x || 0", "x");
}

static void powers_of_two(void **unused)
{
    (void)unused;
    assert_one("x / 4", "x * 0.25");
    assert_one("x / -0.5", "x * -2");
    assert_two("x / 3", "x * (1 / 3)");
    assert_two("x / 1e38", "x * 1e-38");
}

/* The same quotients where floats become subnormal, and no zero is negative. */
static void edges_of_floats(void **unused)
{
    (void)unused;
    static const struct {
        const char *formula;
        float value;
    } cases[] = {
        {"(x * 1e-38) / 64", (float)1e-38 / 64.0f},
        {"(x * -1.4e-45) / 2", 0.0f}, /* −0, but for its sign */
        {"x * 0 * -1", 0.0f},
        {"-(x - 1)", 0.0f},
        {"(x - 1) * -5 + 0", 0.0f},
        {"max(-(x - 1), 0)", 0.0f},
        {"3e38 * x + 3e38", 0.0f}, /* infinite */
        {"3e38 * x - 3e38 * -x", 0.0f},
        {"3e38 * x * 2 + 1", 1.0f},
        {"clamp(x, -1, 1) * 3e38 + clamp(x, -1, 1) * 3e38", 0.0f},
        {"clamp(x, -1, 1) * 1.5e38 + clamp(x, -1, 1) * 1.5e38", 3e38f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float value = formula_at(cases[i].formula, 1, 0);
        if (value != cases[i].value || __builtin_signbit(value))
            fail_msg("%s is %.9g, not %.9g", cases[i].formula, (double)value,
                     (double)cases[i].value);
    }
}

int test_simplify(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neutral_numbers), cmocka_unit_test(operands_change_places),
        cmocka_unit_test(signs),           cmocka_unit_test(results_that_are_known),
        cmocka_unit_test(clamps),          cmocka_unit_test(conditions),
        cmocka_unit_test(powers_of_two),   cmocka_unit_test(edges_of_floats),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
