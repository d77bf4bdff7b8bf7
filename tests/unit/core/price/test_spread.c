/* How far apart displaced samples lie, against displacements whose stretching is known, and what it
 * makes of prices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/price/sampling.h"
#include "core/price/spread.h"
#include "core/worldfile/world.h"
#include "core/worldfile/world_private.h"
#include "tests/unit/core/world_of.h"

/* A world of a network, with further members of it, that was measured. */
static struct world *measured(const char *formula, const char *drainage)
{
    char members[512];
    snprintf(members, sizeof members,
             "\"drainage\":{\"potential\":\"fbm(900000, 4)\",\"target\":\"fbm(90000, 6)\","
             "\"relief\":\"300\"%s},",
             drainage);
    char *text = world_text(formula, members);
    struct world *world = world_of_text(text);
    free(text);
    assert_true(world_prepare_prices(world, NULL));
    return world;
}

static struct world *warped(const char *x, const char *y)
{
    char members[256];
    snprintf(members, sizeof members, ",\"warp_x\":\"%s\",\"warp_y\":\"%s\"", x, y);
    return measured("drainage(\"height\")", members);
}

static const struct node_grid *scope_of(const struct world *world)
{
    const struct program *program = &world->program;
    for (uint32_t i = 0; i < program->count; i++)
        if (program->operations[i].code == OP_DRAINAGE)
            return &program->node_grids[program->operations[i].table_index];
    fail();
    return NULL;
}

static void ratios_of(const struct world *world, double metres, double spacing,
                      struct spread_ratios ratios[SPREAD_PLACES])
{
    spread_ratios_at(&world->program, scope_of(world), metres, spacing, ratios);
}

/* Nanoseconds of a tile's heights, `step` metres apart. */
static double nanoseconds_of(struct world *world, double step)
{
    const unsigned layer = world_height_layer(world);
    const struct sampling sampling = {.step = step, .spacing = step, .across = 256.0};
    const struct sampling_price work = price_sampling(world_program(world), &layer, 1, sampling);
    world_release(world);
    return work.call + 65536.0 * (work.sample + work.place);
}

static void a_stretched_plane_has_its_ratios(void **state)
{
    (void)state;
    struct world *world = warped("7 * x", "-0.5 * y");
    struct spread_ratios ratios[SPREAD_PLACES];
    assert_non_null(scope_of(world)->spread);
    for (double metres = 64.0; metres < 1e6; metres *= 3.0) {
        ratios_of(world, metres, metres, ratios);
        for (int i = 0; i < SPREAD_PLACES; i++) {
            assert_float_equal(ratios[i].east, 8.0f, 0.1f);
            assert_float_equal(ratios[i].south, 0.5f, 0.1f);
        }
    }
    world_release(world);
}

/* Along y nothing moves: every neighbour to the south is as far as in the world. */
static void jumps_show_where_they_are(void **state)
{
    (void)state;
    struct world *world = warped("1e7 * sin(x)", "0");
    struct spread_ratios ratios[SPREAD_PLACES];
    unsigned jumps = 0;
    ratios_of(world, 4096.0, 0.0, ratios);
    for (int i = 0; i < SPREAD_PLACES; i++) {
        jumps += ratios[i].east > 100.0f;
        assert_float_equal(ratios[i].south, 1.0f, 1e-3f);
    }
    assert_true(jumps > SPREAD_PLACES / 2);
    world_release(world);
}

static void faded_octaves_move_nothing(void **state)
{
    (void)state;
    struct world *world = warped("1e5 * fbm(1000, 4)", "0");
    struct spread_ratios full[SPREAD_PLACES], level[SPREAD_PLACES];
    ratios_of(world, 1024.0, 0.0, full);
    ratios_of(world, 1024.0, 1024.0, level);
    float most = 0.0f;
    for (int i = 0; i < SPREAD_PLACES; i++) {
        assert_float_equal(level[i].east, 1.0f, 1e-6f);
        most = full[i].east > most ? full[i].east : most;
    }
    assert_true(most > 20.0f);
    world_release(world);
}

static void what_is_not_finite_is_very_far(void **state)
{
    (void)state;
    struct world *world = warped("1 / (x - x) * y", "0");
    struct spread_ratios ratios[SPREAD_PLACES];
    ratios_of(world, 64.0, 64.0, ratios);
    for (int i = 0; i < SPREAD_PLACES; i++)
        assert_true(ratios[i].east > 0.0f && ratios[i].east <= 1e15f);
    world_release(world);
}

/* The displacement reads the network: to measure it takes streams at each place. */
static void what_takes_long_is_not_measured(void **state)
{
    (void)state;
    struct world *world = measured("warp(drainage(\"height\"), 100 * drainage(\"valley\"), 0)", "");
    struct spread_ratios ratios[SPREAD_PLACES];
    unsigned measured = 0, scopes = 0;
    const struct program *program = &world->program;
    for (uint32_t i = 0; i < program->node_grid_count; i++)
        if (program->node_grids[i].dx >= 0) {
            scopes++;
            measured += program->node_grids[i].spread != NULL;
            spread_ratios_at(program, &program->node_grids[i], 1.0, 0.0, ratios);
            assert_float_equal(ratios[0].east, 101.0f, 1.0f); /* by the bounds, 0 … 100 */
        }
    assert_int_equal(scopes, 1);
    assert_int_equal(measured, 0);
    world_release(world);
}

static void another_seed_has_the_same_spread(void **state)
{
    (void)state;
    struct world *world = warped("3e4 * fbm(2000, 4)", "x");
    struct error error = {0};
    struct world *other = world_reseed(world, "other", 5, &error);
    struct spread_ratios ratios[2][SPREAD_PLACES];
    assert_non_null(other);
    assert_true(world_prepare_prices(other, world));
    ratios_of(world, 64.0, 64.0, ratios[0]);
    ratios_of(other, 64.0, 64.0, ratios[1]);
    assert_memory_equal(ratios[0], ratios[1], sizeof ratios[0]);
    world_release(other);
    world_release(world);
}

/* 16 × 16 as many streams and leaves: at 64 m a pixel nearly all of the price is theirs. */
static void prices_grow_with_the_area_that_is_seen(void **state)
{
    (void)state;
    const double plain = nanoseconds_of(warped("0", "0"), 64.0);
    const double wide = nanoseconds_of(warped("15 * x", "15 * y"), 64.0);
    const double scattered = nanoseconds_of(warped("1e7 * sin(x)", "1e7 * sin(3 * y)"), 64.0);
    assert_true(wide > 50.0 * plain && wide < 256.0 * plain);
    assert_true(scattered > 1000.0 * plain);
    assert_true(nanoseconds_of(warped("2000 * fbm(16384, 4)", "2000 * fbm(16384, 4)"), 64.0) <
                2.0 * plain);
    assert_true(nanoseconds_of(warped("-x", "-y"), 64.0) <= 1.01 * plain);
}

static void scopes_far_apart_are_paid_for_each(void **state)
{
    (void)state;
    const double one = nanoseconds_of(measured("drainage(\"height\")", ""), 64.0);
    const double far = nanoseconds_of(
        measured("drainage(\"height\") + warp(drainage(\"height\"), 1e6, 0)", ""), 64.0);
    const double near = nanoseconds_of(
        measured("drainage(\"height\") + warp(drainage(\"height\"), 16, 0)", ""), 64.0);
    assert_true(far > 1.9 * one && far < 2.1 * one);
    assert_true(near < 1.7 * one); /* streams are shared, leaves and samples are not */
}

int test_spread(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stretched_plane_has_its_ratios),
        cmocka_unit_test(jumps_show_where_they_are),
        cmocka_unit_test(faded_octaves_move_nothing),
        cmocka_unit_test(what_is_not_finite_is_very_far),
        cmocka_unit_test(what_takes_long_is_not_measured),
        cmocka_unit_test(another_seed_has_the_same_spread),
        cmocka_unit_test(prices_grow_with_the_area_that_is_seen),
        cmocka_unit_test(scopes_far_apart_are_paid_for_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
