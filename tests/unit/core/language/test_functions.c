/* Every function but the noises, against arithmetic by hand, libm and published values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

struct example {
    const char *formula;
    double value;
};

/* At x = 0.25, y = -3: to a millionth, or exactly where that is what a float holds. */
static void assert_examples(const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        double value = (double)formula_at(examples[i].formula, 0.25, -3.0);
        double error = fabs(value - examples[i].value);
        if (!(error <= 1e-6 * fabs(examples[i].value)))
            fail_msg("%s is %.9g, not %.9g", examples[i].formula, value, examples[i].value);
    }
}
#define ASSERT_EXAMPLES(examples) assert_examples(examples, sizeof examples / sizeof *examples)

static void simple_functions(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"abs(-2)", 2},
        {"abs(y)", 3},
        {"abs(x)", 0.25},
        {"min(3, 2)", 2},
        {"min(x, y)", -3},
        {"min(5, x, 7, y, 9)", -3},
        {"max(3, 2)", 3},
        {"max(x, y)", 0.25},
        {"max(y, x, 0, 0.5)", 0.5},
        {"clamp(5, 0, 1)", 1},
        {"clamp(y, -2, 2)", -2},
        {"clamp(x, 0, 1)", 0.25},
        {"clamp(x, y, 0)", 0},
        {"mix(10, 20, x)", 12.5},
        {"mix(10, 20, 0)", 10},
        {"mix(10, 20, 1)", 20},
        {"mix(x, y, 2)", -6.25},
        {"mix(10, 20, -1)", 0},
        {"step(0.25, x)", 1},
        {"step(0.3, x)", 0},
        {"step(x, 0.2)", 0},
        {"step(x, 0.25)", 1},
        {"floor(2.7)", 2},
        {"floor(-2.2)", -3},
        {"floor(y - x)", -4},
        {"floor(y)", -3},
        {"fract(2.75)", 0.75},
        {"fract(-0.25)", 0.75},
        {"fract(y)", 0},
        {"fract(y - x)", 0.75},
        {"sqrt(2)", 1.41421356237},
        {"sqrt(-y * 3)", 3},
        {"sqrt(-1)", 0},
        {"sqrt(y)", 0},
        {"sqrt(0)", 0},
        {"sin(0)", 0},
        {"sin(pi / 6)", 0.5},
        {"cos(0)", 1},
        {"cos(pi / 3)", 0.5},
        {"sin(x)", 0.24740395925},
        {"cos(y)", -0.98999249660},
        {"exp(0)", 1},
        {"exp(1)", 2.71828182846},
        {"exp(y)", 0.04978706837},
        {"exp(-200)", 0},
        {"exp(100)", 0},
        {"abs(v=-2)", 2},
        {"clamp(high=1, v=5, low=0)", 1},
        {"mix(10, t=x, b=20)", 12.5},
    };
    ASSERT_EXAMPLES(examples);
}

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

/* Many samples of one function of x. */
struct sweep {
    const char *formula;
    double (*reference)(double);
    double reach;              /* |x| */
    double absolute, relative; /* the error allowed; relative to the value */
    double distant;            /* and relative to |x| */
};

static void assert_sweep(const struct sweep *sweep)
{
    enum { COUNT = 20000 };
    static struct place places[COUNT];
    static float values[COUNT];
    uint64_t state = 5;
    for (int i = 0; i < COUNT; i++)
        places[i].x = (int64_t)(random_unit(&state) * sweep->reach * (double)PLACE_METRE);
    struct world *world = world_of(sweep->formula);
    struct sampler *sampler = sampler_new();
    unsigned layer = world_height_layer(world);
    float *output = values;
    const struct sample_points points = {.places = places, .count = COUNT};
    assert_true(sampler_points(sampler, world_program(world), &points,
                               &(struct sample_request){&layer, &output, 1}, NULL));
    for (int i = 0; i < COUNT; i++) {
        double x = (double)(float)place_metres(places[i].x);
        double expected = sweep->reference(x), error = fabs((double)values[i] - expected);
        double allowed =
            sweep->absolute + sweep->relative * fabs(expected) + sweep->distant * fabs(x);
        if (!(error <= allowed))
            fail_msg("%s at %.9g: %.9g, not %.9g", sweep->formula, x, (double)values[i], expected);
    }
    sampler_free(sampler);
    world_release(world);
}

/* The error bounds against libm that core/program/row_kernels.c documents. */
static void sine_cosine_and_exp_agree_with_libm(void **unused)
{
    (void)unused;
    static const struct sweep sweeps[] = {
        {"sin(x)", sin, 4, 1.3e-7, 0, 0},
        {"sin(x)", sin, 1000, 1.3e-7, 0, 0},
        {"cos(x)", cos, 4, 1.3e-7, 0, 0},
        {"cos(x)", cos, 1000, 1.3e-7, 0, 0},
        {"sin(x)", sin, 100000, 1.3e-7, 0, 0x1p-23},
        {"cos(x)", cos, 100000, 1.3e-7, 0, 0x1p-23},
        {"sin(x)", sin, 1e7, 1.3e-7, 0, 0x1p-23},
        {"cos(x)", cos, 1e7, 1.3e-7, 0, 0x1p-23},
        {"exp(x)", exp, 1, 0, 1.2e-7, 0},
        {"exp(x)", exp, 86.9, 0, 1.2e-7, 0},
    };
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++)
        assert_sweep(&sweeps[i]);
}

static void sine_stays_in_range_anywhere(void **unused)
{
    (void)unused;
    struct world *world = world_of("max(abs(sin(x * y)), abs(cos(x * y)))");
    uint64_t state = 6;
    for (int i = 0; i < 3000; i++) {
        int shift = (int)random_whole(&state, 0, 56);
        float most = layer_at(world, "height", random_whole(&state, 0, (int64_t)1 << shift),
                              random_whole(&state, 0, (int64_t)1 << shift));
        assert_true(most >= 0.0f && most <= 1.0f);
    }
    world_release(world);
    assert_true(fabsf(formula_at("sin(3e38 * x)", 1, 0)) <= 1.0f);
}

static void cycles(void **unused)
{
    (void)unused;
    assert_true(formula_at("cycle('x', 100)", 1000000000025.0, 0) == 0.25f);
    assert_true(formula_at("cycle('y', 8)", 3, -2) == 0.75f);
    assert_true(formula_at("cycle(period=8, axis='x')", 3, -2) == 0.375f);
    assert_true(formula_at("warp(cycle('x', 8), 6 + 0 * x, 1)", 3, -2) == 0.125f);
    assert_true(formula_at("warp(cycle('y', 8), 6, 1 + 0 * y)", 3, -2) == 0.875f);
}

/* As the manual has it for octaves: clamp(wavelength / (2 * spacing) - 1, 0, 1). */
static void details(void **unused)
{
    (void)unused;
    static const struct {
        const char *formula;
        double spacing;
        float detail;
    } cases[] = {
        {"detail(100)", 0, 1},
        {"detail(100)", 20, 1},
        {"detail(100)", 40, 0.25f},
        {"detail(100)", 50, 0},
        {"detail(100)", 1e6, 0},
        /* Samples 40 m apart are 4 m apart in a domain enlarged 10 times. */
        {"scale(detail(10), 10)", 40, 0.25f},
        {"scale(detail(100), 0.1)", 4, 0.25f},
        /* Wavelengths may vary: x is 5, y is 7. */
        {"detail(20 * x)", 40, 0.25f},
        {"warp(detail(20 * x), -1, 0)", 40, 0},
        /* A slope of 0 makes endless waves. */
        {"detail(100 / (x - 5))", 1e6, 1},
        {"detail(1e38 * y)", 0, 1},
        {"detail(-100)", 1, 0},
        /* What is faded out has no share, however it varies. */
        {"mix(3, x, detail(100))", 50, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_of(cases[i].formula);
        if (layer_seen_at(world, "height", 5 * PLACE_METRE, 7 * PLACE_METRE, cases[i].spacing) !=
            cases[i].detail)
            fail_msg("%s every %g m", cases[i].formula, cases[i].spacing);
        world_release(world);
    }
}

/* Warps move x and y and everything made from them; a warp in a warp moves further. */
static void warps(void **unused)
{
    (void)unused;
    assert_true(formula_at("warp(x, 10, 20)", 3, 5) == 13.0f);
    assert_true(formula_at("warp(y, 10, 20)", 3, 5) == 25.0f);
    assert_true(formula_at("warp(x * 100 + y, y, x)", 3, 5) == 808.0f);
    assert_true(formula_at("warp(warp(x, 1, 0), 10, 0)", 3, 5) == 14.0f);
    /* The inner dx is itself taken at the outer's place: x + 10 + 2·(y + 7). */
    assert_true(formula_at("warp(warp(x, 2 * y, 0), 10, 7)", 3, 5) == 37.0f);
    assert_true(formula_at("warp(x, 10, 20) + x", 3, 5) == 16.0f);
    assert_true(formula_at("warp(e=x, dy=1, dx=2)", 3, 5) == 5.0f);
    /* Layers move with it. */
    struct world *world = world_of_text("{\"generator\":1,\"layers\":{\"a\":\"x + 1000 * y\","
                                        "\"b\":\"2 * a\",\"height\":\"warp(b, 1, 1) - b\"}}");
    assert_true(layer_at(world, "height", 9 * PLACE_METRE, 4 * PLACE_METRE) == 2002.0f);
    world_release(world);
}

/* at() goes to a place of the scope, whatever moved it before. */
static void places(void **unused)
{
    (void)unused;
    assert_true(formula_at("at(x, 10, 20)", 3, 5) == 10.0f);
    assert_true(formula_at("at(y, 10, 20)", 3, 5) == 20.0f);
    assert_true(formula_at("at(x + 100 * y, y, x)", 3, 5) == 305.0f);
    assert_true(formula_at("at(at(x, x + 1, 0), 7, 0)", 3, 5) == 8.0f);
    assert_true(formula_at("warp(at(x, 10, 20), 4, 0)", 3, 5) == 10.0f);
    assert_true(formula_at("warp(at(x, x, 20), 4, 0)", 3, 5) == 7.0f);
    assert_true(formula_at("at(warp(x, 4, 0), 10, 20)", 3, 5) == 14.0f);
    assert_true(formula_at("at(distance(10, 20), 13, 24)", 3, 5) == 5.0f);
    /* Metres and axes of the scope: in a picture turned by 90 degrees (10, 20) shows (20, -10). */
    assert_true(formula_at("scale(at(x, 10, 20), 4)", 8, 16) == 10.0f);
    assert_true(formula_at("rotate(at(x + 100 * y, 10, 20), 90)", 3, 5) == 2010.0f);
    assert_true(formula_at("at(rotate(x + 100 * y, 90), 10, 20)", 3, 5) == -980.0f);
    /* The middle of a cell of 1,024 m is one place for all of it, as far out as x and y, which are
     * float32, have whole metres. */
    struct world *world =
        world_of_text("{\"generator\":1,\"seed\":3,\"layers\":{\"n\":\"fbm(700, 4)\",\"height\":"
                      "\"at(n, 1024 * floor(x / 1024) + 512, 1024 * floor(y / 1024) + 512)\"}}");
    for (int64_t far = 0; far < 1 << 24; far += 1 << 21) {
        const float middle =
            layer_at(world, "n", (far + 512) * PLACE_METRE, (512 - far) * PLACE_METRE);
        for (int64_t i = 1; i < 1024; i += 73) {
            const float value = layer_at(world, "height", (far + i) * PLACE_METRE + 77,
                                         (1024 - i - far) * PLACE_METRE - 9);
            assert_true(fabsf(value - middle) < 1e-5f);
        }
    }
    world_release(world);
}

/* To half a millionth, in all directions and sizes; the axes and diagonals exactly. */
static void angles(void **unused)
{
    (void)unused;
    static const struct example examples[] = {
        {"atan2(0, 5)", 0},
        {"atan2(3, 0)", 1.57079632679},
        {"atan2(0, -2)", 3.14159265359},
        {"atan2(-3, 0)", -1.57079632679},
        {"atan2(0, 0)", 0},
        {"atan2(y=-3, x=-3)", -2.35619449019},
        {"atan2(1e-30, 1e-30)", 0.78539816340},
        {"atan2(3e38, 1.5e38)", 1.10714871779},
        {"atan2(y, 4)", -0.64350110879},
        {"atan2(x, y)", 3.05844896870},
    };
    ASSERT_EXAMPLES(examples);
    struct world *world = world_of("atan2(y, x)");
    for (int i = 0; i < 4000; i++) {
        const double turn = 6.283185307179586 * i / 4000, metres = pow(10.0, i % 7);
        const int64_t x = (int64_t)(cos(turn) * metres * 65536.0);
        const int64_t y = (int64_t)(sin(turn) * metres * 65536.0);
        const double value = (double)layer_at(world, "height", x, y);
        assert_true(fabs(value - atan2((double)y, (double)x)) < 5e-7);
    }
    world_release(world);
}

/* Numbers of whole ids: even in 0 ... 1, and independent of those of the next n, to three standard
 * errors and a bit. */
static void random_numbers(void **unused)
{
    (void)unused;
    enum { IDS = 40000, PARTS = 16 };
    struct world *world =
        world_of_text("{\"generator\":1,\"seed\":3,\"layers\":{\"other\":\"random(x, 8)\","
                      "\"same\":\"random(id=2 * x - x, n=7)\",\"height\":\"random(x, 7)\"}}");
    int counts[PARTS] = {0};
    double product = 0.0, next = 0.0, before = 0.0;
    for (int64_t i = 0; i < IDS; i++) {
        const float value = layer_at(world, "height", i * PLACE_METRE, 0);
        assert_true(value >= 0.0f && value < 1.0f);
        assert_true(layer_at(world, "same", i * PLACE_METRE, 0) == value);
        counts[(int)(value * PARTS)]++;
        product +=
            ((double)value - 0.5) * ((double)layer_at(world, "other", i * PLACE_METRE, 0) - 0.5);
        next += ((double)value - 0.5) * (before - 0.5);
        before = (double)value;
    }
    for (int i = 0; i < PARTS; i++)
        assert_in_range(counts[i], IDS / PARTS - 200, IDS / PARTS + 200); /* σ is 48 */
    assert_true(fabs(product / IDS) < 0.002 && fabs(next / IDS) < 0.002); /* σ is 0.0004 */
    world_release(world);
}

/* What scatter() promises of every feature, whatever the points are. */
static void scattered(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"seed\":9,\"layers\":{"
        "\"east\":\"scatter(100, dx, join='nearest')\","
        "\"south\":\"scatter(100, dy, join='nearest')\","
        "\"far\":\"scatter(100, r, join='nearest')\","
        "\"turn\":\"scatter(100, angle, join='nearest')\","
        "\"number\":\"scatter(100, id, join='nearest')\","
        "\"salted\":\"scatter(100, id, join='nearest', salt='b')\","
        "\"all\":\"scatter(100, max(0, 50 - r))\",\"most\":\"scatter(100, 50 - r, join='max')\","
        "\"least\":\"scatter(100, r - 50, 'min')\",\"height\":\"x\"}}");
    int beyond = 0, different = 0, apart = 0;
    for (int64_t i = 0; i < 2000; i++) {
        const int64_t x = (i * 7919 - 5000000) * PLACE_METRE, y = i % 89 * 5 * PLACE_METRE;
        const float all = layer_at(world, "all", x, y), most = layer_at(world, "most", x, y);
        assert_true(all >= most && most >= 0.0f && most < 50.0f);
        assert_true(layer_at(world, "least", x, y) == -most || most == 0.0f);
        apart += all > most;
        const float r = layer_at(world, "far", x, y), angle = layer_at(world, "turn", x, y);
        const float east = layer_at(world, "east", x, y), south = layer_at(world, "south", x, y);
        assert_true(r >= 0.0f && r < 100.0f);
        assert_true(fabsf(hypotf(east, south) - r) < 1e-4f);
        assert_true(fabsf(r * cosf(angle) - east) < 1e-4f);
        beyond += r == 0.0f;
        different += layer_at(world, "number", x, y) != layer_at(world, "salted", x, y);
        const float number = layer_at(world, "number", x, y);
        assert_true(number == floorf(number) && number >= 0.0f && number < 0x1p24f);
    }
    /* Points lie 100 m apart on average: some places have none within 100 m, and some two within
     * 50 m. */
    assert_in_range(beyond, 1, 200);
    assert_in_range(apart, 20, 1000);
    assert_true(different > 1990);
    world_release(world);
    /* Features fade where samples are far apart: 1 up to a quarter of the spacing, 0 from half on.
     */
    world = world_of("scatter(64, 1)");
    for (int64_t i = 0; i < 200; i++) {
        const float near = layer_seen_at(world, "height", i * 9999999, 0, 16.0);
        assert_true(layer_at(world, "height", i * 9999999, 0) == near);
        assert_true(layer_seen_at(world, "height", i * 9999999, 0, 20.0) == near * 0.6f);
        assert_true(layer_seen_at(world, "height", i * 9999999, 0, 32.0) == 0.0f);
    }
    world_release(world);
}

static void scales(void **unused)
{
    (void)unused;
    assert_true(formula_at("scale(x, 10)", 30, 40) == 3.0f);
    assert_true(formula_at("scale(x + 100 * y, 0.5)", 3, 5) == 1006.0f);
    assert_true(formula_at("scale(scale(x, 2), 5)", 30, 0) == 3.0f);
    assert_true(formula_at("scale(cycle('x', 10), 4)", 50, 0) == 0.25f);
    /* Metres of a warp are those where it stands. */
    assert_true(formula_at("scale(warp(x, 5, 0), 10)", 30, 0) == 8.0f);
    assert_true(formula_at("warp(scale(x, 10), 5, 0)", 30, 0) == 3.5f);
    /* A noise in a scaled domain is the noise at the scaled place. */
    struct world *world = world_of_text("{\"generator\":1,\"layers\":{\"n\":\"fbm(640, 3)\","
                                        "\"height\":\"scale(n, 8)\"}}");
    for (int64_t i = -20; i < 20; i++)
        assert_true(layer_at(world, "height", 8 * 37 * i * PLACE_METRE, 8 * 5 * PLACE_METRE) ==
                    layer_at(world, "n", 37 * i * PLACE_METRE, 5 * PLACE_METRE));
    world_release(world);
}

static void distances(void **unused)
{
    (void)unused;
    assert_true(formula_at("distance(0, 0)", 3, -4) == 5.0f);
    assert_true(formula_at("distance(-5, 12.5)", 3, 6.5) == 10.0f);
    assert_true(formula_at("distance(cx=3, cy=5)", 3, 5) == 0.0f);
    /* Exact where a float of the place itself would be 65 km coarse. */
    assert_true(formula_at("distance(-1000000000003.5, 4)", -1000000000000.0, 4) == 3.5f);
    assert_true(formula_at("warp(distance(0, 0), -27, 36)", 30, 4) == sqrtf(1609.0f));
    assert_true(formula_at("scale(distance(3, 4), 100)", 0, 0) == 5.0f);
    /* 4.2e38 m is no float. */
    assert_true(formula_at("warp(distance(0, 0), 3e38, 3e38)", 0, 0) == 0.0f);
    assert_true(formula_at("warp(distance(0, 0), 3e38, 0)", 0, 0) == 3e38f);
    assert_true(formula_at("scale(warp(distance(0, 0), 1, 0), 10)", 20, 40) == 5.0f);
}

static void slopes(void **unused)
{
    (void)unused;
    /* Exact for planes, and in their middle for parabolas. */
    assert_true(formula_at("gradient_x(3 * x + 4 * y, 8)", 11, 7) == 3.0f);
    assert_true(formula_at("gradient_y(3 * x + 4 * y, 8)", 11, 7) == 4.0f);
    assert_true(formula_at("slope(3 * x - 4 * y, spacing=0.5)", 11, 7) == 5.0f);
    assert_true(formula_at("gradient_x(x * x, 2)", 11, 7) == 22.0f);
    assert_true(formula_at("gradient_y(x * x, 2)", 11, 7) == 0.0f);
    /* (12³ − 10³) / 2 is not 3·11². */
    assert_true(formula_at("gradient_x(x ^ 3, 2)", 11, 7) == 364.0f);
    assert_true(formula_at("gradient_x(gradient_y(x * y, 2), 2)", 11, 7) == 1.0f);
    assert_true(formula_at("warp(gradient_x(x * x, 2), 4, 0)", 11, 7) == 30.0f);
    /* Twice the size, half the slope in the world's metres; in its own it stays. */
    assert_true(formula_at("gradient_x(scale(3 * x, 2), 4)", 11, 7) == 1.5f);
    assert_true(formula_at("scale(gradient_x(3 * x, 4), 2)", 11, 7) == 3.0f);
}

int test_functions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_functions),
        cmocka_unit_test(smoothsteps),
        cmocka_unit_test(bias_and_gain),
        cmocka_unit_test(terraces),
        cmocka_unit_test(splines),
        cmocka_unit_test(splines_do_not_overshoot),
        cmocka_unit_test(splines_are_monotone),
        cmocka_unit_test(sine_cosine_and_exp_agree_with_libm),
        cmocka_unit_test(sine_stays_in_range_anywhere),
        cmocka_unit_test(cycles),
        cmocka_unit_test(details),
        cmocka_unit_test(warps),
        cmocka_unit_test(places),
        cmocka_unit_test(angles),
        cmocka_unit_test(random_numbers),
        cmocka_unit_test(scattered),
        cmocka_unit_test(scales),
        cmocka_unit_test(distances),
        cmocka_unit_test(slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
