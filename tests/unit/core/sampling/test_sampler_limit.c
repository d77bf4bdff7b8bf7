/* The limit of a sampler's work: it stops everywhere, at the same place each time, and changes no
 * sample. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/world_of.h"

enum { SIDE = 256 };

/* A network, nodes of coarse(), displaced noises. The second warp sends neighbours far apart. */
static const char *const texts[] = {
    "{\"generator\":1,\"layers\":{\"height\":\"warp(fbm(9000, 8), fbm(700, 4), ridged(500, 3))\"}}",
    "{\"generator\":1,\"layers\":{\"height\":\"coarse(fbm(90000, 12), 64) + x\"}}",
    "{\"generator\":1,\"drainage\":{\"potential\":\"fbm(900000, 4)\",\"target\":\"900 * fbm(90000, "
    "4)\",\"relief\":\"100\"},\"layers\":{\"height\":\"drainage('height')\"}}",
    "{\"generator\":1,\"drainage\":{\"potential\":\"fbm(900000, 4)\",\"target\":\"900 * fbm(90000, "
    "4)\",\"relief\":\"100\",\"warp_x\":\"9000 * "
    "x\"},\"layers\":{\"height\":\"drainage('height')\"}}",
};
enum { WORLDS = sizeof texts / sizeof *texts };

static float samples[2][SIDE * SIDE];

static bool sample(struct sampler *sampler, const struct world *world, bool places, float *out,
                   struct error *error)
{
    static struct place list[SIDE * SIDE];
    const unsigned layer = world_height_layer(world);
    const struct sample_request request = {&layer, &out, 1};
    const struct sample_grid grid = {0, 0, 8 * PLACE_METRE, SIDE, SIDE, 8.0, 0, 0};
    for (int64_t i = 0; i < SIDE * SIDE; i++)
        list[i] = (struct place){i % SIDE * grid.step, i / SIDE * grid.step};
    const struct sample_points points = {list, SIDE * SIDE, 8.0, 0, 0};
    return places ? sampler_points(sampler, world_program(world), &points, &request, error)
                  : sampler_grid(sampler, world_program(world), &grid, &request, error);
}

/* The work of a fresh sampler; of one that stops, with a code. */
static uint64_t work_of(const struct world *world, bool places, const struct work_limit *limit,
                        enum error_code code)
{
    struct error error = {0};
    struct sampler *sampler = sampler_new();
    assert_non_null(sampler);
    if (limit)
        sampler_set_limit(sampler, limit);
    assert_int_equal(sample(sampler, world, places, samples[0], &error), code == ERROR_NONE);
    assert_int_equal(error.code, code);
    const uint64_t work = sampler_meter(sampler)->done;
    sampler_free(sampler);
    return work;
}

/* It goes beyond by less than a band or a block of streams takes. */
static void work_stops_at_the_limit_and_at_the_same_place(void **unused)
{
    (void)unused;
    for (int i = 0; i < WORLDS - 1; i++) {
        struct world *world = world_of_text(texts[i]);
        for (int places = 0; places < 2; places++) {
            const uint64_t all = work_of(world, places, NULL, ERROR_NONE);
            const struct work_limit half = {.most = all / 2};
            const uint64_t work = work_of(world, places, &half, ERROR_WORK);
            assert_in_range(work, all / 2, all - 1);
            assert_int_equal(work_of(world, places, &half, ERROR_WORK), work);
            assert_int_equal(work_of(world, places, NULL, ERROR_NONE), all);
        }
        world_release(world);
    }
}

/* Each sample of the last world needs streams of its own: minutes of work. */
static void endless_work_stops(void **unused)
{
    (void)unused;
    enum { MILLISECOND = 1000000 };
    const struct work_limit limit = {.most = 10 * MILLISECOND};
    struct world *world = world_of_text(texts[WORLDS - 1]);
    for (int places = 0; places < 2; places++)
        assert_in_range(work_of(world, places, &limit, ERROR_WORK), 10 * MILLISECOND,
                        12 * MILLISECOND);
    world_release(world);
}

/* What was made before a sampler was stopped is kept, and is right. */
static void stopping_changes_no_sample(void **unused)
{
    (void)unused;
    for (int i = 0; i < WORLDS - 1; i++) {
        struct error error = {0};
        struct world *world = world_of_text(texts[i]);
        struct sampler *fresh = sampler_new(), *stopped = sampler_new();
        unsigned stops = 0;
        assert_true(sample(fresh, world, false, samples[0], &error));
        for (const uint64_t step = sampler_meter(fresh)->done / 8;; stops++) {
            sampler_set_limit(stopped, &(struct work_limit){.most = (stops + 1) * step});
            if (sample(stopped, world, stops % 2, samples[1], &error) && stops % 2 == 0)
                break;
        }
        assert_in_range(stops, 2, 1000);
        assert_memory_equal(samples[0], samples[1], sizeof *samples);
        sampler_free(stopped);
        sampler_free(fresh);
        world_release(world);
    }
}

/* A limit holds for all calls together, until the next one. */
static void calls_share_a_limit(void **unused)
{
    (void)unused;
    struct error error = {0};
    struct world *world = world_of_text(texts[0]);
    struct sampler *sampler = sampler_new();
    assert_true(sample(sampler, world, false, samples[0], &error));
    const struct work_limit limit = {.most = sampler_meter(sampler)->done * 5 / 2};
    sampler_set_limit(sampler, &limit);
    assert_true(sample(sampler, world, false, samples[0], &error));
    assert_true(sample(sampler, world, false, samples[0], &error));
    assert_false(sample(sampler, world, false, samples[0], &error));
    assert_int_equal(error.code, ERROR_WORK);
    assert_false(sample(sampler, world, false, samples[0], &error));
    sampler_set_limit(sampler, &limit);
    assert_true(sample(sampler, world, false, samples[0], &error));
    sampler_free(sampler);
    world_release(world);
}

static enum work_verdict cancel(void *context)
{
    return ++*(unsigned *)context < 3 ? WORK_GO_ON : WORK_CANCELLED;
}

static void the_host_can_cancel(void **unused)
{
    (void)unused;
    for (int i = 2; i < WORLDS; i++) {
        struct world *world = world_of_text(texts[i]);
        for (int places = 0; places < 2; places++) {
            unsigned questions = 0;
            const uint64_t work =
                work_of(world, places, &(struct work_limit){WORK_UNLIMITED, cancel, &questions},
                        ERROR_CANCELLED);
            assert_int_equal(questions, 3);
            assert_in_range(work, 3 * WORK_BETWEEN_QUESTIONS, 12 * WORK_BETWEEN_QUESTIONS);
        }
        world_release(world);
    }
}

int test_sampler_limit(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_stops_at_the_limit_and_at_the_same_place),
        cmocka_unit_test(endless_work_stops),
        cmocka_unit_test(stopping_changes_no_sample),
        cmocka_unit_test(calls_share_a_limit),
        cmocka_unit_test(the_host_can_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
