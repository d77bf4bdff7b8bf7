/* Functions of values alone, against arithmetic by hand and libm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/core/language/examples.h"
#include "tests/unit/core/random.h"

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

int test_functions(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_functions),
        cmocka_unit_test(sine_cosine_and_exp_agree_with_libm),
        cmocka_unit_test(sine_stays_in_range_anywhere),
        cmocka_unit_test(angles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
