/* Bounds replace operations with one possible sample, and let sums without checks for infinities:
 * so no sample may lie outside of its operation's, wherever it is taken. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/world_private.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

enum { PLACES = 400 };

/* Places of all sizes, the corners of the plane among them. */
static void fill_places(struct place places[PLACES])
{
    uint64_t state = 11;
    for (int i = 0; i < PLACES; i++) {
        const int64_t most = (int64_t)1 << random_whole(&state, 4, PLACE_BITS + 40);
        places[i] = i < 4 ? (struct place){i & 1 ? PLACE_LIMIT : -PLACE_LIMIT,
                                           i & 2 ? PLACE_LIMIT : -PLACE_LIMIT}
                          : (struct place){random_whole(&state, -most, most),
                                           random_whole(&state, -most, most)};
    }
}

static void assert_bounded(const char *formula)
{
    struct place places[PLACES];
    float samples[PLACES], *output = samples;
    struct world *world = world_of(formula);
    struct sampler *sampler = sampler_new();
    const unsigned layer = 0;
    const struct interval is = world->program.operations[world->program.values[0]].bounds;
    const struct sample_points points = {.places = places, .count = PLACES};
    const struct sample_request request = {&layer, &output, 1};
    fill_places(places);
    assert_non_null(sampler);
    assert_true(sampler_points(sampler, world_program(world), &points, &request, NULL));
    for (int i = 0; i < PLACES; i++)
        if (!(samples[i] >= is.low && samples[i] <= is.high))
            fail_msg("%s is %.9g, bounded by %.9g ... %.9g", formula, (double)samples[i],
                     (double)is.low, (double)is.high);
    sampler_free(sampler);
    world_release(world);
}

static void samples_lie_within_bounds(void **unused)
{
    (void)unused;
    static const char *const formulas[] = {
        "x",
        "x * y",
        "distance(3, -1e12)",
        "cycle('x', 37)",
        "scale(rotate(x, 33), 0.001)",
        /* Targets of at() that are so far away that they count as nearer, and constant ones. */
        "at(x, 1e15, 0)",
        "at(y, x, -1e15)",
        "at(x, 1e30, y)",
        "at(x, exp(y), 0)",
        "at(fbm(100, 4), -1e20, x * x)",
        "scatter(100, id, 'nearest')",
        "scatter(1e6, r, 'nearest')",
        "scatter(0.1, dx + dy)",
        "gullies(x + y, 64, 9, 1)",
        "atan2(y, x)",
        "atan2(-1e30, x)",
        "random(x * y, 3)",
        "worley(77, 'edge')",
        "worley(77, 'x')",
        "spline(x, -5, 1, 0, 3, 1e9, -2)",
        "smoothstep(-1e11, y, x)",
        "clamp(x, -3, y)",
        "x / y",
        "sqrt(x * y)",
        "floor(x / 3) - fract(y)",
        "pow(abs(x), 0.25)",
        "log(x) + exp(y / 1e12)",
    };
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        assert_bounded(formulas[i]);
}

int test_operation_bounds(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_lie_within_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
