/* Formulas that are refused: column, message and suggestion; and the limits, on both sides. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/language/formula.h"
#include "tests/unit/core/world_of.h"

static void syntax(void **unused)
{
    (void)unused;
    assert_refused("", ERROR_SYNTAX, 1, "expected a formula, found the end of the formula");
    assert_refused("  ", ERROR_SYNTAX, 3, "expected a formula");
    assert_refused("1 +", ERROR_SYNTAX, 4,
                   "expected a number, a name, a call or \"(\", found the end of the formula");
    assert_refused("* 2", ERROR_SYNTAX, 1, "found \"*\"");
    assert_refused("1 + * 2", ERROR_SYNTAX, 5, "found \"*\"");
    assert_refused("(1 + 2", ERROR_SYNTAX, 7, "expected \")\"");
    assert_refused("1 + 2)", ERROR_SYNTAX, 6, "expected an operator or the end of the formula");
    assert_refused("x y", ERROR_SYNTAX, 3, "expected an operator or the end of the formula");
    assert_refused("2 x", ERROR_SYNTAX, 3, "found \"x\"");
    assert_refused("x = 2", ERROR_SYNTAX, 3, "found \"=\"");
    assert_refused("1 ? 2", ERROR_SYNTAX, 6, "\":\" of the choice");
    assert_refused("1 ? 2 :", ERROR_SYNTAX, 8, "found the end");
    assert_refused("min(1, 2", ERROR_SYNTAX, 9, "\",\" or \")\"");
    assert_refused("min(1 2)", ERROR_SYNTAX, 7, "\",\" or \")\"");
    assert_refused("min(1,)", ERROR_SYNTAX, 7, "found \")\"");
    assert_refused("min(,1)", ERROR_SYNTAX, 5, "found \",\"");
    assert_refused("()", ERROR_SYNTAX, 2, "found \")\"");
    assert_refused("x^", ERROR_SYNTAX, 3, "found the end");
    assert_refused("!", ERROR_SYNTAX, 2, "found the end");
    assert_refused("1 & 2", ERROR_SYNTAX, 3, "unexpected character");
}

static void columns_after_other_scripts(void **unused)
{
    (void)unused;
    assert_refused("perlin(64, salt='größe') + * 2", ERROR_SYNTAX, 28, "found \"*\"");
    assert_refused("perlin(64, salt='漢字😀') + nope", ERROR_UNKNOWN, 26, "unknown name \"nope\"");
    assert_refused("ö", ERROR_SYNTAX, 1, "unexpected character \"ö\"");
}

static void names(void **unused)
{
    (void)unused;
    assert_refused(
        "nothing_like_it", ERROR_UNKNOWN, 1,
        "unknown name \"nothing_like_it\"; names are x, y, z, t, pi and the layers of this world");
    assert_refused("1 + heigth2", ERROR_UNKNOWN, 5, "did you mean \"height\"?");
    assert_refused("2 * pii", ERROR_UNKNOWN, 5, "did you mean \"pi\"?");
    assert_refused("fbmm(64, 4)", ERROR_UNKNOWN, 1,
                   "unknown function \"fbmm\" (did you mean \"fbm\"?)");
    assert_refused("x + smothstep(0, 1, x)", ERROR_UNKNOWN, 5, "did you mean \"smoothstep\"?");
    assert_refused("qqqqqqqqq(1)", ERROR_UNKNOWN, 1, "unknown function \"qqqqqqqqq\"");
    assert_refused("fbm * 2", ERROR_UNKNOWN, 1, "\"fbm\" is a function");
    assert_refused("sin + 1", ERROR_UNKNOWN, 1, "\"sin\" is a function");
    assert_refused("x(1)", ERROR_UNKNOWN, 1, "unknown function \"x\"");
    assert_refused("'text'", ERROR_VALUE, 1, "a text can only be an argument");
    assert_refused("1 + 'text'", ERROR_VALUE, 5, "a text can only be an argument");
}

static void arguments(void **unused)
{
    (void)unused;
    assert_refused("abs()", ERROR_VALUE, 1, "abs needs the argument \"v\"; its form is abs(v)");
    assert_refused("1 + abs(1, 2)", ERROR_VALUE, 12, "abs takes at most 1 argument");
    assert_refused("clamp(1, 2)", ERROR_VALUE, 1, "clamp needs the argument \"high\"");
    assert_refused("clamp(1, 2, 3, 4)", ERROR_VALUE, 16, "clamp takes at most 3 arguments");
    assert_refused("max(1)", ERROR_VALUE, 1, "max needs the argument \"b\"");
    assert_refused("fbm()", ERROR_VALUE, 1,
                   "fbm needs the argument \"wavelength\"; its form is fbm(");
    assert_refused("fbm(64)", ERROR_VALUE, 1, "fbm needs the argument \"octaves\"");
    assert_refused("fbm(64, octave=4)", ERROR_UNKNOWN, 9,
                   "fbm has no argument \"octave\" (did you mean \"octaves\"?)");
    assert_refused("abs(qqqqqqqq=4)", ERROR_UNKNOWN, 5,
                   "abs has no argument \"qqqqqqqq\"; its form is");
    assert_refused("fbm(64, 4, octaves=5)", ERROR_VALUE, 12,
                   "fbm: argument \"octaves\" is given twice");
    assert_refused("fbm(64, octaves=4, octaves=5)", ERROR_VALUE, 20, "given twice");
    assert_refused("fbm(wavelength=64, 4)", ERROR_SYNTAX, 20,
                   "arguments without a name must come before named ones");
    assert_refused("perlin(x)", ERROR_VALUE, 8, "wavelength must be a constant");
    assert_refused("perlin(0)", ERROR_VALUE, 8,
                   "wavelength must be a number from 0.01 to 1000000000, not 0");
    assert_refused("perlin(-5)", ERROR_VALUE, 8, "not -5");
    assert_refused("perlin(2e9)", ERROR_VALUE, 8, "not 2000000000");
    assert_refused("fbm(64, 2.5)", ERROR_VALUE, 9,
                   "octaves must be a whole number from 1 to 24, not 2.5");
    assert_refused("fbm(64, 0)", ERROR_VALUE, 9, "not 0");
    assert_refused("fbm(64, 25)", ERROR_VALUE, 9, "not 25");
    assert_refused("fbm(64, 4, lacunarity=1)", ERROR_VALUE, 23, "lacunarity must be a number from");
    assert_refused("fbm(1, 12)", ERROR_VALUE, 8,
                   "fbm: octave 8 would be finer than 0.01 m; at most 7 octaves fit");
    assert_refused("perlin(64, 'quintics')", ERROR_VALUE, 12,
                   "interpolation must be \"linear\", \"cosine\", \"cubic\" or \"quintic\", not "
                   "\"quintics\"");
    assert_refused("perlin(64, quintic)", ERROR_VALUE, 12, "\"quintic\", in quotes");
    assert_refused("perlin(64, salt=5)", ERROR_VALUE, 17, "salt must be a text in quotes");
    assert_refused("cycle('z', 5)", ERROR_VALUE, 7, "axis must be \"x\" or \"y\"");
    assert_refused("x^y", ERROR_VALUE, 3, "the exponent must be a constant whole number");
    assert_refused("x^0.5", ERROR_VALUE, 3, "exponent");
    assert_refused("x^65", ERROR_VALUE, 3, "from -64 to 64");
    assert_refused("spline(x, 1)", ERROR_VALUE, 1, "the last y is missing");
    assert_refused("spline(x)", ERROR_VALUE, 1, "spline needs the argument \"points\"");
    assert_refused("spline(x, 1, 2, 1, 3)", ERROR_VALUE, 17, "the x of the points must increase");
    assert_refused("spline(x, 1, 2, 0, 3)", ERROR_VALUE, 17, "the x of the points must increase");
    assert_refused("spline(x, 1, 2, 1.00000001, 3)", ERROR_VALUE, 17,
                   "the x of the points must increase");
    assert_refused("spline(x, 1, y)", ERROR_VALUE, 14, "points must be a constant");
    assert_refused("warp(x, 1)", ERROR_VALUE, 1, "warp needs the argument \"dy\"");
}

static void constants_may_be_computed(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"layers\":{\"size\":\"2^6\",\"height\":\"fbm(2 * size, 2 + 2)\"}}");
    world_release(world);
}

/* A formula made of a beginning, a part many times over, and an end. */
static char *repeated(const char *start, const char *part, unsigned count, const char *end)
{
    char *text = malloc(strlen(start) + strlen(part) * count + strlen(end) + 1);
    assert_non_null(text);
    strcpy(text, start);
    char *at = text + strlen(start);
    for (unsigned i = 0; i < count; i++, at += strlen(part))
        strcpy(at, part);
    strcpy(at, end);
    return text;
}

static void assert_most(const char *start, const char *part, unsigned most, const char *end,
                        const char *words)
{
    char *good = repeated(start, part, most, end), *bad = repeated(start, part, most + 1, end);
    world_release(world_of(good));
    struct error error = error_of(bad);
    assert_int_equal(error.code, ERROR_LIMIT);
    if (!strstr(error.message, words))
        fail_msg("%s", error.message);
    free(good);
    free(bad);
}

static void length_limit(void **unused)
{
    (void)unused;
    assert_most("x", " ", FORMULA_BYTES_MAX - 1, "", "at most 8192 are allowed");
}

static void nesting_limit(void **unused)
{
    (void)unused;
    char *good, *bad;
    /* The formula itself is a level; so is each parenthesis, call and sign. */
    static const char *const nests[][3] = {
        {"(", "x", ")"},
        {"abs(", "x", ")"},
        {"-", "x", ""},
        {"!", "x", ""},
    };
    for (size_t i = 0; i < sizeof nests / sizeof *nests; i++) {
        char *tail = repeated(nests[i][1], nests[i][2], FORMULA_DEPTH_MAX - 1, "");
        good = repeated("", nests[i][0], FORMULA_DEPTH_MAX - 1, tail);
        world_release(world_of(good));
        free(tail);
        tail = repeated(nests[i][1], nests[i][2], FORMULA_DEPTH_MAX, "");
        bad = repeated("", nests[i][0], FORMULA_DEPTH_MAX, tail);
        assert_refused(bad, ERROR_LIMIT,
                       (unsigned)strlen(nests[i][0]) * FORMULA_DEPTH_MAX + 1 -
                           (nests[i][2][0] == '\0'),
                       "nested too deeply; at most 48 levels");
        free(tail);
        free(good);
        free(bad);
    }
    bad = repeated("", "1 ? 2 : ", FORMULA_DEPTH_MAX, "3");
    assert_int_equal(error_of(bad).code, ERROR_LIMIT);
    free(bad);
    bad = repeated("", "2^", FORMULA_DEPTH_MAX, "1");
    assert_int_equal(error_of(bad).code, ERROR_LIMIT);
    free(bad);
}

static void node_limit(void **unused)
{
    (void)unused;
    /* max(max(…), …) is flat enough: 62 times 32 arguments. */
    char *inner = repeated("max(1", ",1", 30, ")");
    char *part = repeated(",", inner, 1, "");
    char *good = repeated("max(1", part, 62, ")"), *bad = repeated("max(1", part, 63, ")");
    world_release(world_of(good));
    struct error error = error_of(bad);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "more than 2000 parts"));
    assert_true(error.column > 3900);
    free(inner);
    free(part);
    free(good);
    free(bad);
    assert_most("x", "+x", FORMULA_HEIGHT_MAX, "", "more than 200 operators in a row");
}

static void argument_limit(void **unused)
{
    (void)unused;
    assert_most("max(x", ",1", FORMULA_ARGUMENTS_MAX - 1, ")", "more than 64 arguments");
    /* A spline's points: 31 and v. */
    char *good = malloc(2000), *at = good;
    at += sprintf(at, "spline(x");
    for (int i = 0; i < 31; i++)
        at += sprintf(at, ", %d, 1", i);
    strcpy(at, ")");
    world_release(world_of(good));
    strcpy(at, ", 31, 1)");
    assert_int_equal(error_of(good).code, ERROR_LIMIT);
    free(good);
}

int test_formula(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(syntax),
        cmocka_unit_test(columns_after_other_scripts),
        cmocka_unit_test(names),
        cmocka_unit_test(arguments),
        cmocka_unit_test(constants_may_be_computed),
        cmocka_unit_test(length_limit),
        cmocka_unit_test(nesting_limit),
        cmocka_unit_test(node_limit),
        cmocka_unit_test(argument_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
