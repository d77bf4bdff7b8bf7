/* Operators: what they mean and how they bind, by hand. Each formula is tried as it stands, where
 * the compiler computes it, and with its numbers made from x, where the kernels do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/world_of.h"

struct example {
    const char *formula;
    float value;
};

/* The formula with each whole number n as (n*x), which at x = 1 is n: no constants are left. But
 * exponents must be constant. */
static void hide_numbers(const char *formula, char *out, size_t size)
{
    size_t used = 0;
    for (const char *at = formula; *at && used + 40 < size;) {
        size_t length = strspn(at, "0123456789.");
        bool exponent =
            at > formula && (at[-1] == '^' || (at - formula > 1 && at[-1] == '-' && at[-2] == '^'));
        if (length == 0) {
            out[used++] = *at++;
            continue;
        }
        used += (size_t)snprintf(out + used, size - used, exponent ? "%.*s" : "(%.*s*x)",
                                 (int)length, at);
        at += length;
    }
    out[used] = '\0';
}

static void assert_value(const char *formula, float expected)
{
    float value = formula_at(formula, 1.0, 2.0);
    if (!(value == expected))
        fail_msg("%s is %.9g, not %.9g", formula, (double)value, (double)expected);
}

static void assert_examples(const struct example *examples, size_t count)
{
    char hidden[1024];
    for (size_t i = 0; i < count; i++) {
        assert_value(examples[i].formula, examples[i].value);
        hide_numbers(examples[i].formula, hidden, sizeof hidden);
        assert_value(hidden, examples[i].value);
    }
}
#define ASSERT_EXAMPLES(examples) assert_examples(examples, sizeof examples / sizeof *examples)

static void arithmetic(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"1 + 2", 3},           {"7 - 9", -2},      {"6 * 7", 42},
        {"7 / 2", 3.5f},        {"-5", -5},         {"--5", 5},
        {"- - -5", -5},         {"2 - -3", 5},      {"0.1 + 0.2", 0.1f + 0.2f},
        {"1 / 3", 1.0f / 3.0f}, {"(1 + 2) * 3", 9}, {"x + y", 3},
        {"x - y", -1},          {"y * y * y", 8},   {"x / y", 0.5f},
        {"y / x", 2},           {"3 - x", 2},       {"3 / y", 1.5f},
    };
    ASSERT_EXAMPLES(examples);
}

static void precedence(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"1 + 2 * 3", 7},         {"2 * 3 + 1", 7},
        {"10 - 4 - 3", 3}, /* (10 − 4) − 3 */
        {"64 / 4 / 2", 8}, /* (64 / 4) / 2 */
        {"64 / 4 * 2", 32},       {"2 * 12 / 8", 3},
        {"10 - 6 / 2", 7},        {"1 + 2 < 4", 1},        /* sums before comparisons */
        {"4 > 1 + 2", 1},         {"1 < 2 == 2 > 1", 1},   /* comparisons before equality */
        {"3 > 2 > 1", 0},                                  /* (3 > 2) > 1 */
        {"1 < 2 < 2", 1},                                  /* (1 < 2) < 2 */
        {"0 == 0 == 0", 0},                                /* (0 == 0) == 0 */
        {"5 != 5 == 0", 1},       {"1 == 1 && 0 == 0", 1}, /* equality before && */
        {"1 || 0 && 0", 1},                                /* && before || */
        {"0 && 0 || 1", 1},       {"0 || 0 ? 5 : 6", 6},   /* || before ?: */
        {"1 ? 2 : 3 + 4", 2},     {"0 ? 2 : 3 + 4", 7},
        {"0 ? 1 : 0 ? 2 : 3", 3}, /* the choice binds to the right */
        {"1 ? 0 ? 1 : 2 : 3", 2}, {"-2 + 5", 3},
        {"-2 * 3", -6},           {"!0 + 1", 2}, /* not before sums */
        {"!(0 + 1)", 0},          {"!5 == 0", 1},
        {"-(1 - 4)", 3},
    };
    ASSERT_EXAMPLES(examples);
}

static void powers(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"2^0", 1},        {"0^0", 1},          {"2^1", 2},      {"2^2", 4},
        {"2^3", 8},        {"3^5", 243},        {"2^7", 128},    {"5^6", 15625},
        {"7^7", 823543},   {"3^13", 1594323},   {"2^15", 32768}, {"2^63", 0x1p63f},
        {"2^64", 0x1p64f}, {"1^64", 1},         {"2^-1", 0.5f},  {"4^-3", 0.015625f},
        {"0^-1", 0},       {"2^-64", 0x1p-64f}, {"-2^2", -4}, /* −(2²) */
        {"(-2)^2", 4},     {"(-2)^3", -8},      {"-2^3", -8},    {"2 * 3^2", 18},
        {"18 / 3^2", 2},   {"!2^3", 0},         {"y^10", 1024},  {"y^-2", 0.25f},
        {"(x + y)^4", 81}, {"10^64", 0}, /* beyond the floats */
    };
    ASSERT_EXAMPLES(examples);
    assert_value("2^3^2", 512); /* 2^(3²) */
    assert_value("y^(1 + 2)", 8);
    assert_value("y^--3", 8);
}

static void comparisons_and_logic(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"1 < 2", 1},
        {"2 < 1", 0},
        {"1 < 1", 0},
        {"1 <= 1", 1},
        {"1 <= 2", 1},
        {"2 <= 1", 0},
        {"2 > 1", 1},
        {"1 > 2", 0},
        {"1 > 1", 0},
        {"1 >= 1", 1},
        {"2 >= 1", 1},
        {"1 >= 2", 0},
        {"1 == 1", 1},
        {"1 == 2", 0},
        {"1 != 1", 0},
        {"1 != 2", 1},
        {"0 && 0", 0},
        {"0 && 1", 0},
        {"1 && 0", 0},
        {"1 && 1", 1},
        {"0 || 0", 0},
        {"0 || 1", 1},
        {"1 || 0", 1},
        {"1 || 1", 1},
        {"!0", 1},
        {"!1", 0},
        {"!!7", 1},
        {"3 && -2", 1},
        {"0.5 || 0", 1},
        {"0 == -0", 1},
        {"x < y", 1},
        {"y < x", 0},
        {"y >= x", 1},
        {"x >= y", 0},
        {"x <= y", 1},
        {"x > y", 0},
        {"x == y", 0},
        {"x != y", 1},
        {"x && y", 1},
        {"x || 0 * y", 1},
        {"1 ? 2 : 3", 2},
        {"0 ? 2 : 3", 3},
        {"-1 ? 2 : 3", 2},
        {"0.001 ? 2 : 3", 2},
        {"x < y ? x : y", 1},
        {"x > y ? x : y", 2},
    };
    ASSERT_EXAMPLES(examples);
}

/* A result that is not a finite number becomes 0, anywhere in a formula. */
static void everything_is_finite(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"1 / 0", 0},
        {"-1 / 0", 0},
        {"0 / 0", 0},
        {"1 + 1 / 0", 1},
        {"3e38 + 3e38", 0},
        {"-3e38 - 3e38", 0},
        {"3e38 * 10", 0},
        {"1 / 1e-40", 0},
        {"3e38 / 0.1", 0},
        {"x / (y - 2)", 0},
        {"(3e38 * x) * (3e38 * y)", 0},
        {"1 / (0 * -1)", 0},
        {"(1 / 0) / (1 / 0)", 0},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        assert_value(examples[i].formula, examples[i].value);
    ASSERT_EXAMPLES(((struct example[]){{"1 / 0", 0}, {"0 / 0", 0}, {"5 / (2 - 2)", 0}}));
}

static void numbers_and_names(void **unused)
{
    (void)unused;
    assert_value("1e3", 1000);
    assert_value("1E3", 1000);
    assert_value("2.5e-1", 0.25f);
    assert_value("1e+2", 100);
    assert_value("0", 0);
    assert_value("0.0", 0);
    assert_value("3.4e38", 3.4e38f);
    assert_value("1e-50", 0);
    assert_value("16777217", 16777216); /* as a float */
    assert_value("pi", 3.14159265f);
    assert_value(" \t1\r\n+\n2 ", 3);
    assert_value("((((((1))))))", 1);
    assert_value("z + t", 0);
}

/* The branch that is not chosen does not change the result, for whole bands or single samples. */
static void choices_are_decided_per_sample(void **unused)
{
    (void)unused;
    struct world *world = world_of("x < 100 ? 1 / (x - 100) : y > 5 ? sqrt(y) : -y");
    static const struct {
        double x, y;
        float value;
    } cases[] = {{99, 7, -1}, {98, 0, -0.5f}, {100, 9, 3}, {101, 4, -4}, {1e6, 5, -5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(layer_at(world, "height", (int64_t)(cases[i].x * (double)PLACE_METRE),
                             (int64_t)(cases[i].y * (double)PLACE_METRE)) == cases[i].value);
    world_release(world);
}

int test_operators(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arithmetic),
        cmocka_unit_test(precedence),
        cmocka_unit_test(powers),
        cmocka_unit_test(comparisons_and_logic),
        cmocka_unit_test(everything_is_finite),
        cmocka_unit_test(numbers_and_names),
        cmocka_unit_test(choices_are_decided_per_sample),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
