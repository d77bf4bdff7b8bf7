/* Logarithms and powers against values to 60 digits, rounded to double: by Python's decimal module
 * (M. Cowlishaw, "General Decimal Arithmetic Specification"). */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/base/hash.h"
#include "core/program/power.h"
#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

/* clang-format off */
static const struct {
    float v;
    double logarithm;
} logarithms[] = {
{0x1p0f, 0.0},
{0x1p1f, 0.6931471805599453},
{0x1p-1f, -0.6931471805599453},
{0x1.5bf0a8p1f, 0.99999996963214},
{0x1.4p3f, 2.302585092994046},
{0x1.000002p0f, 1.1920928244535446e-07},
{0x1.fffffep-1f, -5.960464655174753e-08},
{0x1.6a09e6p0f, 0.3465735731657015},
{0x1.6a09e8p0f, 0.3465736574593964},
{0x1.6a09e6p-1f, -0.3465736073942438},
{0x1.6a09e8p-1f, -0.34657352310054895},
{0x1.fffffep127f, 88.72283905206835},
{0x1p-126f, -87.3365447505531},
{0x1p-149f, -103.27892990343184},
{0x1.4484cp-100f, -69.07755278665029},
{0x1.93e594p99f, 69.07755280486883},
{0x1.81cd6cp13f, 9.421061299776206},
{0x1.0624dep-10f, -6.907755231484687},
{0x1.bbbbbp-44f, -29.948430011196},
{0x1.4a5d24p-86f, -59.35564040863181},
{0x1.0332aep37f, 25.658860359363633},
{0x1.19680ep-105f, -72.6858312893369},
{0x1.bdd4d4p8f, 6.099940763617372},
{0x1.0ab4f6p-33f, -22.832884180343452},
{0x1.82d9a2p-109f, -75.14018277319124},
{0x1.c518aep1f, 1.2640746535558043},
{0x1.7b422cp-114f, -78.62573804016556},
{0x1.a7745p-17f, -11.280233808071511},
{0x1.6aed36p-106f, -73.12457795947584},
{0x1.892cdp-101f, -69.57878775146797},
{0x1.66f81p-19f, -12.831737857656423},
{0x1.1ea69p80f, 55.56486117409544},
{0x1.d97a32p-1f, -0.07822060069948705},
{0x1.e3a8ep-1f, -0.05694313101340833},
{0x1.06864ap0f, 0.0251672204126868},
{0x1.16ec36p0f, 0.08575723434517896},
{0x1.03f29ap0f, 0.015302867632350076},
{0x1.f56b8ap-1f, -0.02088040329408921},
{0x1.18625ep0f, 0.09098352802623692},
{0x1.d191fp-1f, -0.09506201685845132}
};

static const struct {
    float v, e;
    double power;
} powers[] = {
{0x1p1f, 0x1p-1f, 1.4142135623730951},
{0x1.2p3f, 0x1p-1f, 3.0},
{0x1p1f, -0x1p-1f, 0.7071067811865476},
{0x1.4p3f, 0x1.344136p-2f, 2.000000065950592},
{0x1p-1f, 0x1.8p0f, 0.3535533905932738},
{0x1.8p0f, 0x1.92p6f, 4.9793371709318016e+17},
{0x1.000002p0f, 0x1.312dp23f, 3.2939676949059415},
{0x1.fffffep-1f, 0x1.c9c38p26f, 0.0007828592885680355},
{0x1.b38fb8p-127f, 0x1p-2f, 3.162277608817448e-10},
{0x1p-149f, 0x1p-3f, 2.4735251515407746e-06},
{0x1.ff933cp127f, 0x1.99999ap-4f, 7130.959148827613},
{0x1.ff933cp127f, 0x1.fffffep-1f, 3.3999819721631456e+38},
{0x1.79ca1p-67f, 0x1.ep0f, 3.162277472006077e-38},
{0x1.0624dep-10f, 0x1.9p3f, 3.1622795376705066e-38},
{0x1.cp2f, 0x1.6a6666p5f, 1.9184061936204518e+38},
{0x1p0f, 0x1.edd2f2p6f, 1.0},
{0x1p1f, -0x1.f6p6f, 1.662400053425836e-38},
{0x1.8p1f, 0x1.42ccccp6f, 3.189215012868648e+38},
{0x1.4b7f52p41f, -0x1.4328fep0f, 1.8974556378898475e-16},
{0x1.eba63ap-42f, -0x1.25891ap1f, 2.208868508181278e+28},
{0x1.dc5432p-23f, 0x1.e591f2p0f, 2.3929158439086415e-13},
{0x1.1c373ap-37f, 0x1.f559f6p-2f, 3.7068269288801393e-06},
{0x1.05e232p16f, -0x1.87fea8p-1f, 0.0002017793034378109},
{0x1.6cac14p5f, -0x1.4fc73p1f, 4.4513610264855325e-05},
{0x1.203c3ep-51f, -0x1.c3a5bep0f, 9.880865356718107e+26},
{0x1.c43f9ap20f, -0x1.bcdf74p-2f, 0.0018923686331920127},
{0x1.76b946p-22f, 0x1.06d896p-1f, 0.00048424539028512373},
{0x1.83263ep-6f, -0x1.338ed2p0f, 89.97535522398374},
{0x1.f78c48p33f, 0x1.31a7ccp0f, 1627949084315.5164},
{0x1.614c74p-30f, 0x1.c9426p-2f, 0.00010710104133625494},
{0x1.e06478p2f, 0x1.201b08p1f, 93.41327885430262},
{0x1.65713ap26f, -0x1.45ba44p0f, 7.19386556401042e-11},
{0x1.76d4b6p-10f, 0x1.8af7eep0f, 4.0837590257535756e-05},
{0x1.c83842p-41f, -0x1.0f3e2ap-4f, 6.319787158918771},
{0x1.c31b88p-54f, 0x1.02612ap0f, 6.9439985269925e-17},
{0x1.7315c6p30f, 0x1.c0abep-2f, 10655.778388703702},
{0x1.4322d8p43f, -0x1.1e1576p0f, 2.6395551843869765e-15},
{0x1.74404cp22f, 0x1.21e77ep-1f, 6949.326232522401},
{0x1.2a6906p9f, -0x1.0d130ep-2f, 0.18646490060737836},
{0x1.2dd42ap39f, 0x1.5583dcp1f, 3.270485951335958e+31},
{0x1.01e0bap-3f, 0x1.f8468cp-1f, 0.12991547728162003},
{0x1.39f388p-51f, 0x1.357de2p0f, 3.5210118170266755e-19},
{0x1.f94a08p16f, 0x1.7ab29cp1f, 1329193250087248.5},
{0x1.1d1074p37f, -0x1.4adc7cp0f, 3.5030641451547558e-15},
{0x1.c37d74p-14f, 0x1.030cf2p0f, 9.653934379120237e-05},
{0x1.dc7e4ep-56f, -0x1.d6b036p-3f, 6491.723912621434},
{0x1.9c50a8p-39f, -0x1.261208p1f, 3.13776592591677e+26},
{0x1.11b386p-51f, 0x1.9c018p0f, 2.1797305922852283e-25},
{0x1.2a301ep-43f, -0x1.83a9e2p0f, 3.1721708985506476e+19},
{0x1.55101ep-13f, 0x1.1d4088p1f, 3.6020432732782388e-09},
{0x1.82058ap-49f, -0x1.38314ep-2f, 27712.57601021382},
{0x1.a1a562p5f, 0x1.267054p1f, 8938.66543510316},
{0x1.cd667ap36f, 0x1.178a42p1f, 1.6822805958630365e+24},
{0x1.580432p-26f, -0x1.043588p-1f, 8175.391453727873},
{0x1.9fdebap-17f, 0x1.270f62p1f, 4.887353018733687e-12},
{0x1.c6dfbcp52f, -0x1.0c17bep1f, 4.910542441473251e-34},
{0x1.8c4e88p-38f, -0x1.9bb6dap0f, 1.2355602101966193e+18},
{0x1.2ac18p-31f, -0x1.718e52p-4f, 6.853439645648997},
{0x1.382e9p10f, -0x1.6c6bd4p0f, 3.9094467596480316e-05},
{0x1.b2effcp-58f, -0x1.f1fe22p-2f, 239383076.83057708}
};
/* clang-format on */
enum {
    LOGARITHMS = sizeof logarithms / sizeof *logarithms,
    POWERS = sizeof powers / sizeof *powers
};

/* How far a float is from a number, in distances of floats there. */
static double distance_of(float is, double number)
{
    int exponent;
    frexp(number, &exponent);
    return fabs((double)is - number) / ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
}

#define WORST 0.5001

static void values_are_those_of_the_tables(void **state)
{
    (void)state;
    for (int i = 0; i < LOGARITHMS; i++) {
        const float is = power_log(logarithms[i].v);
        if (distance_of(is, logarithms[i].logarithm) > WORST)
            fail_msg("log(%a) is %a, not %a", (double)logarithms[i].v, (double)is,
                     logarithms[i].logarithm);
    }
    for (int i = 0; i < POWERS; i++) {
        const float is = power(powers[i].v, powers[i].e);
        if (distance_of(is, powers[i].power) > WORST)
            fail_msg("pow(%a, %a) is %a, not %a", (double)powers[i].v, (double)powers[i].e,
                     (double)is, powers[i].power);
    }
}

/* Against the C library, whose errors are below 10^-15: all exponents of v, and e by its range. */
static void no_value_is_farther_off(void **state)
{
    (void)state;
    uint64_t random = 3;
    for (int i = 0; i < 400000; i++) {
        random = hash_mix(random + 1);
        const float m = 1.0f + (float)(random & 0x7FFFFF) * 0x1p-23f;
        const float v = ldexpf(m, (int)((random >> 23 & 255) % 255) - 127);
        const float e = ldexpf((float)(int32_t)(random >> 32), (int)(random >> 31 & 31) - 40);
        if (distance_of(power_log(v), log((double)v)) > WORST)
            fail_msg("log(%a) is %a, not %a", (double)v, (double)power_log(v), log((double)v));
        const double expected = pow((double)v, (double)e);
        if (expected > 0x1p-125 && expected < 0x1p127 && distance_of(power(v, e), expected) > WORST)
            fail_msg("pow(%a, %a) is %a, not %a", (double)v, (double)e, (double)power(v, e),
                     expected);
    }
}

static void results_that_are_no_numbers_are_0(void **state)
{
    (void)state;
    static const float cases[][3] = {
        {0, 0, 1},
        {0, 2.5f, 0},
        {0, -1, 0},
        {5, 0, 1},
        {-5, 0, 1},
        {-2, 3, -8},
        {-2, -1, -0.5f},
        {-2, 0.5f, 0},
        {-2, 2, 4},
        {-1, 1e30f, 1},
        {10, 39, 0},
        {10, -39, 0},
        {0.5f, -130, 0},
        {2, 127, 0x1p127f},
        {2, 128, 0},
        {2, -126, 0x1p-126f},
        {2, -126.5f, 0},
        {1, FLT_MAX, 1},
        {FLT_MAX, FLT_MAX, 0},
        {FLT_MIN, FLT_MAX, 0},
        {FLT_MAX, -FLT_MAX, 0},
        {0x1p-149f, -FLT_MAX, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float is = power(cases[i][0], cases[i][1]);
        if (is != cases[i][2] || signbit(is) != signbit(cases[i][2]))
            fail_msg("pow(%g, %g) is %g", (double)cases[i][0], (double)cases[i][1], (double)is);
    }
    static const float none[] = {0, -1, -FLT_MAX};
    for (size_t i = 0; i < 3; i++)
        assert_true(power_log(none[i]) == 0.0f);
}

/* A power in a formula: constants, rows, and whole powers as products. */
static void formulas_have_them(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        float value;
    } cases[] = {
        {"pow(2, 0.5)", 1.41421356f},
        {"pow(x, 0.5)", 1.41421356f},
        {"pow(2, y / 4)", 1.41421356f},
        {"pow(x, y / 4)", 1.41421356f},
        {"pow(x, 3)", 8},
        {"pow(-x, 3)", -8},
        {"pow(x, -2)", 0.25f},
        {"pow(-x, y)", 4},
        {"pow(-x, y + 0.5)", 0},
        {"log(x)", 0.693147181f},
        {"log(-x)", 0},
        {"log(x / 2)", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const float is = formula_at(cases[i].formula, 2.0, 2.0);
        if (is != cases[i].value)
            fail_msg("%s is %.9g", cases[i].formula, (double)is);
    }
}

/* By hand: the corners of the operands' intervals, and what is not a number. */
static void bounds_hold_all_values(void **state)
{
    (void)state;
    static const struct {
        const char *formula;
        float low, high;
    } cases[] = {
        {"log(clamp(x, 1, 100))", 0, 4.60517f},
        {"log(clamp(x, -5, 100))", -103.28f, 4.60517f},
        {"log(clamp(x, -5, 0))", 0, 0},
        {"pow(clamp(x, 4, 9), 0.5)", 2, 3},
        {"pow(clamp(x, 4, 16), -0.5)", 0.25f, 0.5f},
        {"pow(clamp(x, -4, 9), 0.5)", 0, 3},
        {"pow(clamp(x, 0.25, 4), clamp(y, -1, 2))", 0.0625f, 16},
        {"pow(clamp(x, 0, 0.5), clamp(y, 0, 2))", 0, 1},
        {"pow(clamp(x, 0, 9), -0.5)", -FLT_MAX, FLT_MAX},
        {"pow(clamp(x, -1, 9), clamp(y, 0, 2))", -FLT_MAX, FLT_MAX},
        {"pow(clamp(exp(x), 1, 1e30), clamp(y, 0, 2))", -FLT_MAX, FLT_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_of(cases[i].formula);
        const struct interval is = world->program.operations[world->program.values[0]].bounds;
        const float slack = cases[i].high == FLT_MAX ? 0.0f : 1e-6f * cases[i].high + 1e-6f;
        if (is.low > cases[i].low || is.high < cases[i].high || is.high > cases[i].high + slack ||
            is.low < cases[i].low - (cases[i].low < -100.0f ? 1.0f : slack))
            fail_msg("%s: %.9g ... %.9g", cases[i].formula, (double)is.low, (double)is.high);
        world_release(world);
    }
}

int test_power(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_those_of_the_tables),
        cmocka_unit_test(no_value_is_farther_off),
        cmocka_unit_test(results_that_are_no_numbers_are_0),
        cmocka_unit_test(formulas_have_them),
        cmocka_unit_test(bounds_hold_all_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
