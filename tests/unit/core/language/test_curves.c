/* Functions that are curves of a value: against arithmetic by hand and published values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/core/language/examples.h"

/* t²(3 − 2t), t = (v − a)/(b − a) held in 0 … 1. Constant edges and others are computed in
 * different ways. */
static void smoothsteps(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"smoothstep(0, 1, x)", 0.15625},
        {"smoothstep(0, 1, y)", 0},
        {"smoothstep(0, 1, 0.5)", 0.5},
        {"smoothstep(-1, 1, x)", 0.68359375}, /* t = 0.625 */
        {"smoothstep(0, 1, 7 * x)", 1},
        {"smoothstep(1, 0, x)", 0.84375}, /* swapped: it falls; t = ¾ */
        {"smoothstep(1, 0, y)", 1},
        {"smoothstep(1, 0, x * 8)", 0},
        {"smoothstep(x, 1, 0.25)", 0},
        {"smoothstep(y, x, -1)", 0.67000455}, /* t = 8/13 */
        {"smoothstep(x, y, -1)", 0.32999545}, /* t = 5/13 */
        {"smoothstep(0.25, 0.25, x)", 1},     /* equal edges: a step */
        {"smoothstep(0.3, 0.3, x)", 0},
        {"smoothstep(x, x, 0.25)", 1},
        {"smoothstep(x, x, 0.2)", 0},
        {"smoothstep(0.25, x, 0.3)", 1},
        {"smoothstep(1, 1, 1)", 1},
        {"smoothstep(1, 1, 0.5)", 0},
        /* A width beyond the floats is 0, so both edges are one step; constant edges or not. */
        {"smoothstep(-3e38, 3e38, 1e38 * x)", 1},
        {"smoothstep(-3e38 * x, 3e38, 1e38)", 1},
        {"smoothstep(-3e38 + 0 * x, 3e38, -3.2e38 * (4 * x))", 0},
    };
    ASSERT_EXAMPLES(examples);
}

/* Schlick 1994: bias t/((1/b − 2)(1 − t) + 1); gain is half of it, mirrored. */
static void bias_and_gain(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"bias(0.6, 0) >= 0 && bias(0.6, 0) < 0.001", 1}, /* near its pole a step up at 1 */
        {"bias(0.6, 1) <= 1 && bias(0.6, 1) > 0.999", 1},
        {"gain(0.3, 0) >= 0 && gain(0.3, 0) <= 1", 1},
        {"bias(x, 0.5)", 0.25},
        {"bias(x, 0.25)", 0.1},    /* ¼ / (2·¾ + 1) */
        {"bias(0.5, 0.25)", 0.25}, /* at ½ it is b */
        {"bias(0.5, 0.8)", 0.8},
        {"bias(2 * x, 0.8)", 0.8},
        {"bias(x, 0.75)", 0.5}, /* ¼ / (−⅔·¾ + 1) */
        {"bias(0, 0.3)", 0},
        {"bias(1, 0.3)", 1},
        {"bias(y, 0.3)", 0},
        {"bias(5, 0.3)", 1},
        {"gain(x, 0.5)", 0.25},
        {"gain(x, 0.25)", 0.125}, /* ¼ / (2·½ + 1) */
        {"gain(3 * x, 0.25)", 0.875},
        {"gain(x, 0.75)", 0.375}, /* ¼ / (−⅔·½ + 1) */
        {"gain(0.5, 0.1)", 0.5},
        {"gain(0, 0.1)", 0},
        {"gain(1, 0.1)", 1},
        {"gain(y, 0.1)", 0},
        {"gain(7, 0.1)", 1},
    };
    ASSERT_EXAMPLES(examples);
}

/* Steps of 10: with sharpness ½ the middle half of a step rises, the quarters beside it are flat.
 */
static void terraces(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"terrace(32, 10, 0.5)", 30},      {"terrace(35, 10, 0.5)", 35},
        {"terrace(33.75, 10, 0.5)", 32.5}, {"terrace(38, 10, 0.5)", 40},
        {"terrace(-3, 10, 0.5)", -1},      {"terrace(-8, 10, 0.5)", -10},
        {"terrace(32, 10, 0)", 32},        {"terrace(39, 10, 0)", 39},
        {"terrace(34, 10, 1)", 30},        {"terrace(36, 10, 1)", 40},
        {"terrace(y, 2, 0)", -3},          {"terrace(10 * x, 1, 0)", 2.5},
    };
    ASSERT_EXAMPLES(examples);
}

static void splines(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"spline(x, 0, 7)", 7},
        {"spline(x, 0, 0, 1, 10)", 2.5}, /* two points: a line */
        {"spline(y, 0, 5, 1, 10)", 5},   /* flat outside */
        {"spline(4, 0, 5, 1, 10)", 10},
        {"spline(1, 0, 5, 1, 10, 3, 11)", 10}, /* through its points */
        /* 0, 1, 4 at 0, 1, 2: slopes 1, 2, 3; at ½ by Hermite: ½ + (1 − 2)/8 = ⅜, at 1½ 2⅜. */
        {"spline(2 * x, 0, 0, 1, 1, 2, 4)", 0.375},
        {"spline(6 * x, 0, 0, 1, 1, 2, 4)", 2.375},
        {"spline(0.5, 0, 0, 1, 1, 2, 4)", 0.375},
        /* A turn is flat: slopes 1, 0, −1; at ½ it is ½ + (1 − 0)/8. */
        {"spline(0.5, 0, 0, 1, 1, 2, 0)", 0.625},
        {"spline(6 * x, 0, 0, 1, 1, 2, 0)", 0.625},
        {"spline(-y / 2, 0, 0, 1, 1, 2, 1)", 1}, /* a level part stays level */
        {"spline(x - 1, -1, -2, -0.5, -1)", -1.5},
    };
    ASSERT_EXAMPLES(examples);
}

/* The slopes of Fritsch and Carlson: (δ₀ + δ₁)/2, cut back to a circle of radius 3 about 0. Here
 * δ = 1, 9 and 9, 1: α² + β² = 1 + 25 > 9 on the flat side. */
static void splines_do_not_overshoot(void **unused)
{
    (void)unused;
    double reach = 3.0 / sqrt(26.0); /* τ of the first interval: α = 1, β = 5 */
    double start = reach * 1.0, middle = reach * 5.0;
    double half = 0.5 + (start - middle) / 8.0;
    assert_true(fabs((double)formula_at("spline(x, 0, 0, 1, 1, 2, 10)", 0.5, 0) - half) < 1e-6);
    /* The middle slope now is `middle`; the last is 9: α = middle/9, β = 1, within the circle. */
    double second = 1.0 + 4.5 + (middle - 9.0) / 8.0;
    assert_true(fabs((double)formula_at("spline(x, 0, 0, 1, 1, 2, 10)", 1.5, 0) - second) < 1e-5);
    /* δ = 1, 5: α = 1, β = 3, just outside the circle. */
    double gentle = 0.5 + 3.0 / sqrt(10.0) * (1.0 - 3.0) / 8.0;
    assert_true(fabs((double)formula_at("spline(x, 0, 0, 1, 1, 2, 6)", 0.5, 0) - gentle) < 1e-6);
}

/* The data of Fritsch and Carlson's paper (Akima's set 11): monotone, so the curve is. */
static void splines_are_monotone(void **unused)
{
    (void)unused;
    struct world *world = world_of("spline(x, 0, 10, 2, 10, 3, 10, 5, 10, 6, 10, 8, 10, 9, 10.5, "
                                   "11, 15, 12, 50, 14, 60, 15, 85)");
    float last = 0.0f;
    for (int i = -64; i <= 16 * 64; i++) {
        float value = layer_at(world, "height", i * (PLACE_METRE / 64), 0);
        assert_true(value >= last - 1e-5f * last);
        assert_true(value >= 10.0f && value <= 85.0f);
        if (i <= 8 * 64)
            assert_true(value == 10.0f);
        last = value;
    }
    static const struct {
        int x;
        float y;
    } points[] = {{9, 10.5f}, {11, 15}, {12, 50}, {14, 60}, {15, 85}, {16, 85}};
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        assert_true(fabsf(layer_at(world, "height", points[i].x * PLACE_METRE, 0) - points[i].y) <
                    2e-5f);
    world_release(world);
}

int test_curves(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(smoothsteps),
        cmocka_unit_test(bias_and_gain),
        cmocka_unit_test(terraces),
        cmocka_unit_test(splines),
        cmocka_unit_test(splines_do_not_overshoot),
        cmocka_unit_test(splines_are_monotone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
