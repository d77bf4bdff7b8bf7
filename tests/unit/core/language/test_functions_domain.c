/* Functions that move their argument, and functions of the place: against arithmetic by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "tests/unit/core/world_of.h"

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

int test_functions_domain(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cycles), cmocka_unit_test(details), cmocka_unit_test(warps),
        cmocka_unit_test(places), cmocka_unit_test(scales),  cmocka_unit_test(distances),
        cmocka_unit_test(slopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
