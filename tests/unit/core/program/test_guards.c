/* The operands that are evaluated first because they may make others unnecessary. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

/* Layers: the formula, "mask" and "costly"; the guard of the formula's result must be the operation
 * of the layer named, or none if that is null. */
static void assert_guard(const char *formula, const char *guard)
{
    char text[800];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"layers\":{\"height\":\"%s\",\"mask\":\"smoothstep(0, 1, x)\","
             "\"costly\":\"warp(fbm(64, 8), y, y)\",\"spot\":\"perlin(30)\","
             "\"wave\":\"cos(y) + 2 * y\"}}",
             formula);
    struct world *world = world_of_text(text);
    const struct operation *operation = &world->program.operations[world->program.values[0]];
    const int32_t expected = guard ? world->program.values[world_find_layer(world, guard)] : -1;
    const int32_t found = operation->guard == GUARD_NONE ? -1
                          : operation->guard == GUARD_B  ? operation->b
                                                         : operation->a;
    if (found != expected)
        fail_msg("%s: operation %d is the guard, not %d", formula, found, expected);
    world_release(world);
}

static void cheap_zeros_skip_costly_factors(void **unused)
{
    (void)unused;
    assert_guard("mask * costly", "mask");
    assert_guard("costly * mask", "mask");
    assert_guard("mask && costly > 0", "mask");
    assert_guard("mask ? costly : 3", "mask");
    assert_guard("mask * (cos(y) + costly)", "mask");
    assert_guard("mask * exp(exp(y))", "mask");
    assert_guard("spot * costly", "spot"); /* faded out where samples are far apart */
}

static void what_does_not_pay(void **unused)
{
    (void)unused;
    assert_guard("mask * y", NULL);
    assert_guard("mask * (y + 1)", NULL);
    assert_guard("mask * mask", NULL);
    assert_guard("wave * (costly + 1)", NULL);       /* 0 along lines only */
    assert_guard("(mask + 1) * (costly + 1)", NULL); /* never 0 */
    assert_guard("mask * (costly - costly)", NULL);  /* 0 itself */
    assert_guard("mask * min(costly, 0) * 1", "mask");
}

/* A condition that decides is cheaper than to choose, whatever is chosen from. */
static void conditions_guard_all_choices(void **unused)
{
    (void)unused;
    assert_guard("mask ? y : 3", "mask");
    assert_guard("mask ? 2 : 3", "mask");
    assert_guard("mask ? costly : costly + 1", "mask");
}

/* What is evaluated anyway cannot be skipped: here the noise is read by the guard itself. */
static void shared_work_does_not_count(void **unused)
{
    (void)unused;
    assert_guard("max(spot, 0) * (spot + 1)", NULL);
    assert_guard("mask * costly + costly", NULL); /* a sum */
}

/* Of two guards, the one that skips more: the result has two factors that may vanish. */
static void the_guard_that_skips_more(void **unused)
{
    (void)unused;
    assert_guard("mask * max(costly, 0)", "mask");
    assert_guard("max(costly, 0) * mask", "mask");
    char text[600];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"layers\":{\"height\":\"few * many\","
             "\"few\":\"max(fbm(99, 2), 0)\",\"many\":\"max(fbm(64, 8), 0)\"}}");
    struct world *world = world_of_text(text);
    const struct operation *product = &world->program.operations[world->program.values[0]];
    const int32_t few = world->program.values[world_find_layer(world, "few")];
    assert_int_equal(product->guard == GUARD_B ? product->b : product->a, few);
    assert_int_not_equal(product->guard, GUARD_NONE);
    world_release(world);
}

int test_guards(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cheap_zeros_skip_costly_factors),
        cmocka_unit_test(what_does_not_pay),
        cmocka_unit_test(conditions_guard_all_choices),
        cmocka_unit_test(shared_work_does_not_count),
        cmocka_unit_test(the_guard_that_skips_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
