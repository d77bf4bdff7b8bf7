/* The operations that formulas compile to: equal operations are computed once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

/* The operations that a formula needs, constants aside. */
static uint32_t operations_of(const char *formula)
{
    struct world *world = world_of(formula);
    bool needed[512] = {0};
    uint32_t count = 0;
    assert_in_range(world->program.count, 1, 512);
    program_mark(&world->program, world->program.values[0], needed);
    for (uint32_t i = 0; i < world->program.count; i++)
        count += needed[i] && world->program.operations[i].code != OP_CONSTANT;
    world_release(world);
    return count;
}

static void assert_operations(const char *formula, uint32_t expected)
{
    uint32_t count = operations_of(formula);
    if (count != expected)
        fail_msg("%s takes %u operations, not %u", formula, count, expected);
}

static void equal_operations_are_shared(void **unused)
{
    (void)unused;
    assert_operations("x", 1);
    assert_operations("x + y", 3);
    assert_operations("sin(x + y)", 4);
    assert_operations("sin(x + y) * sin(x + y)", 5);
    assert_operations("sin(x + y)^2", 5);
    assert_operations("max(sin(x + y), sin(x + y), sin(x + y))", 4);
    assert_operations("spline(x, 0, 0, 1, 1) + spline(x, 0, 0, 1, 1)", 3);
    assert_operations("spline(x, 0, 0, 1, 1) + spline(x, 0, 0, 1, 2)", 4);
    assert_operations("x^8", 4);
    assert_operations("cycle('x', 5) + cycle('x', 5)", 2);
    assert_operations("cycle('x', 5) + cycle('y', 5)", 3);
}

static void constants_are_folded(void **unused)
{
    (void)unused;
    assert_operations("1 + 2 * sin(3) - sqrt(2)^5", 0);
    assert_operations("x + (1 + 2)", 2);
    assert_operations("(1 > 2) ? x : y", 1); /* only what can be chosen */
    assert_operations("x > 0 ? y : y", 1);
    assert_operations("smoothstep(0, 1, 0.3) * x", 2);
}

static void noises_are_shared(void **unused)
{
    (void)unused;
    assert_operations("perlin(64) + perlin(64)", 2);
    assert_operations("perlin(64) + perlin(wavelength=64)", 2);
    assert_operations("perlin(64) + perlin(64, 'quintic')", 2);
    assert_operations("perlin(64) + perlin(65)", 3);
    assert_operations("perlin(64) + value(64)", 3);
    assert_operations("perlin(64) + perlin(64, 'cubic')", 3);
    assert_operations("perlin(64) + perlin(64, salt='a')", 3);
    assert_operations("fbm(64, 4) + fbm(64, 4, 0.5, 2, 'perlin')", 2);
    assert_operations("fbm(64, 4) + fbm(64, 5)", 3);
    assert_operations("warp(perlin(64), x, y) + warp(perlin(64), x, y)", 4);
    assert_operations("warp(perlin(64), 1, 2) + perlin(64)", 3);
}

static uint32_t program_size(const char *layers)
{
    char text[1000];
    snprintf(text, sizeof text, "{\"generator\":1,\"layers\":{%s}}", layers);
    struct world *world = world_of_text(text);
    uint32_t count = world->program.count;
    world_release(world);
    return count;
}

static void layers_share_operations(void **unused)
{
    (void)unused;
    uint32_t alone = program_size("\"height\":\"sin(x) * y\"");
    assert_int_equal(program_size("\"height\":\"sin(x) * y\",\"other\":\"sin(x) * y\""), alone);
    assert_int_equal(program_size("\"height\":\"other\",\"other\":\"sin(x) * y\""), alone);
    assert_int_equal(program_size("\"height\":\"other + 0 * other\",\"other\":\"sin(x)\""),
                     program_size("\"height\":\"sin(x) + 0 * sin(x)\""));
    /* The same noise in two layers is two noises. */
    uint32_t one = program_size("\"height\":\"perlin(64)\"");
    assert_int_equal(program_size("\"height\":\"perlin(64)\",\"other\":\"perlin(64)\""), one + 1);
    assert_int_equal(program_size("\"height\":\"other\",\"other\":\"perlin(64)\""), one);
}

int test_program(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_operations_are_shared),
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(noises_are_shared),
        cmocka_unit_test(layers_share_operations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
