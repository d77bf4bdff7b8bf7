/* A sample's bits do not depend on what was asked before, nor on what is asked with it, nor on how
 * much is kept. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/drainage/network_of.h"
#include "tests/unit/core/random.h"

enum { LEVELS = 12, CENTRES = 6, GRIDS = LEVELS * CENTRES, SIDE = 20, SAMPLES = SIDE * SIDE };

/* Corners of many cells, the limits of places, and some places between. */
static const struct place centres[CENTRES] = {
    {0, 0},
    {PLACE_LIMIT, -PLACE_LIMIT},
    {-PLACE_LIMIT, PLACE_LIMIT},
    {(int64_t)-524288 * PLACE_METRE, (int64_t)131072 * PLACE_METRE},
    {123456789012345, -98765432109},
    {(int64_t)77777 * PLACE_METRE, (int64_t)-99999 * PLACE_METRE},
};

/* SIDE × SIDE samples around a centre, and what they were when all were asked for at once. */
static struct grid {
    const struct drainage_network *network;
    double metres;
    struct place places[SAMPLES];
    float expected[DRAINAGE_OUTPUTS][SAMPLES];
} grids[GRIDS];

static struct drainage_network networks[2];
static uint64_t state = 7;

static void fill_grid(struct grid *grid, unsigned level, struct place centre)
{
    const double step = level == LEVELS - 1 ? 5.0 : ldexp(1.0, 14 - (int)level);
    grid->network = &networks[random_whole(&state, 0, 1)];
    grid->metres = level == LEVELS - 1 ? 0.0 : step;
    for (int i = 0; i < SAMPLES; i++)
        grid->places[i] =
            (struct place){centre.x + place_from_metres((i % SIDE - SIDE / 2 + 0.5) * step),
                           centre.y + place_from_metres((i / SIDE - SIDE / 2 + 0.5) * step)};
}

static int set_up(void **unused)
{
    (void)unused;
    networks[0] = network_of(&rough);
    networks[1] = networks[0];
    networks[1].identity.low++;
    networks[1].key++;
    for (unsigned i = 0; i < GRIDS; i++) {
        struct grid *grid = &grids[i];
        float *outputs[DRAINAGE_OUTPUTS];
        for (int output = 0; output < DRAINAGE_OUTPUTS; output++)
            outputs[output] = grid->expected[output];
        fill_grid(grid, i / CENTRES, centres[i % CENTRES]);
        struct drainage *fresh = drainage_with(KEPT);
        if (!fresh ||
            !sample_places(fresh, grid->network, grid->metres, SAMPLES, grid->places, outputs))
            return -1;
        drainage_free(fresh);
    }
    return 0;
}

/* Some samples of a grid: one, a rect, or any in any order. Returns how many. */
static size_t choose_samples(unsigned chosen[SAMPLES])
{
    size_t count = 0;
    const int64_t kind = random_whole(&state, 0, 3);
    const unsigned x = (unsigned)random_whole(&state, 0, SIDE - 1);
    const unsigned y = (unsigned)random_whole(&state, 0, SIDE - 1);
    const unsigned last_x = kind == 0 ? x : (unsigned)random_whole(&state, x, SIDE - 1);
    const unsigned last_y = kind <= 1 ? y : (unsigned)random_whole(&state, y, SIDE - 1);
    for (unsigned v = y; v <= last_y; v++)
        for (unsigned u = x; u <= last_x; u++)
            chosen[count++] =
                kind == 3 ? (unsigned)random_whole(&state, 0, SAMPLES - 1) : v * SIDE + u;
    return count;
}

static void check_request(struct drainage *drainage)
{
    static struct place places[SAMPLES];
    static float values[DRAINAGE_OUTPUTS][SAMPLES];
    const struct grid *grid = &grids[random_whole(&state, 0, GRIDS - 1)];
    float *outputs[DRAINAGE_OUTPUTS];
    unsigned chosen[SAMPLES];
    const size_t count = choose_samples(chosen);
    for (int output = 0; output < DRAINAGE_OUTPUTS; output++)
        outputs[output] = random_whole(&state, 0, 2) > 0 ? values[output] : NULL;
    for (size_t i = 0; i < count; i++)
        places[i] = grid->places[chosen[i]];
    assert_true(sample_places(drainage, grid->network, grid->metres, count, places, outputs));
    for (int output = 0; output < DRAINAGE_OUTPUTS; output++)
        for (size_t i = 0; i < count && outputs[output]; i++)
            if (memcmp(&values[output][i], &grid->expected[output][chosen[i]], sizeof(float)) != 0)
                fail_msg("output %d of %zu samples every %g m is %.9g, not %.9g", output, count,
                         grid->metres, (double)values[output][i],
                         (double)grid->expected[output][chosen[i]]);
}

static void check_requests(int count, size_t bytes_kept)
{
    struct drainage *drainage = drainage_with(bytes_kept);
    assert_non_null(drainage);
    for (int i = 0; i < count; i++)
        check_request(drainage);
    drainage_free(drainage);
}

static void their_order_does_not_matter(void **unused)
{
    (void)unused;
    check_requests(10000, (size_t)2 * KEPT);
}

static void what_is_kept_does_not_matter(void **unused)
{
    (void)unused;
    check_requests(150, 0);
    check_requests(150, 1);
    check_requests(150, 300000);
}

static unsigned calls;
static bool count_calls(void *context, const struct place *places, size_t count, double spacing,
                        const struct drainage_fields *fields)
{
    calls++;
    return sample_ground(context, places, count, spacing, fields);
}

/* Samples `step` metres apart from a place on the x axis on, with the detail of `metres`. */
static void sample_square(struct drainage *drainage, double x, double metres, double step)
{
    enum { COLUMNS = 48 };
    static struct place places[COLUMNS * COLUMNS];
    static float heights[COLUMNS * COLUMNS];
    struct drainage_network network = network_of(&rough);
    network.sample = count_calls;
    for (int i = 0; i < COLUMNS * COLUMNS; i++)
        places[i] = (struct place){place_from_metres(x + i % COLUMNS * step),
                                   place_from_metres(i / COLUMNS * step)};
    float *outputs[DRAINAGE_OUTPUTS] = {[DRAINAGE_HEIGHT] = heights};
    assert_true(sample_places(drainage, &network, metres, COLUMNS * COLUMNS, places, outputs));
}

/* What is asked for again in turn is kept, also after wide requests: their scratch memory does not
 * take the place of what could be kept. */
static void wide_requests_leave_room(void **unused)
{
    (void)unused;
    struct drainage *drainage = drainage_with(KEPT);
    assert_non_null(drainage);
    for (double metres = 1024.0; metres >= 64.0; metres /= 2.0)
        sample_square(drainage, 0.0, metres, 32.0 * metres);
    for (int i = 0; i < 2; i++) {
        calls = 0;
        sample_square(drainage, 0.0, 4.0, 4.0);
        sample_square(drainage, 1000.0, 4.0, 4.0);
    }
    assert_int_equal(calls, 0);
    drainage_free(drainage);
}

/* What another one that shares the cache has made is there for one that has made nothing yet. */
static void who_made_it_does_not_matter(void **unused)
{
    (void)unused;
    for (int i = 0; i < 20; i++) {
        struct drainage_cache *cache = drainage_cache_new(KEPT);
        struct drainage *other = drainage_new(cache), *fresh = drainage_new(cache);
        drainage_cache_release(cache);
        assert_true(other && fresh);
        const uint64_t begun = state;
        check_request(other);
        state = begun;
        check_request(fresh);
        drainage_free(other);
        drainage_free(fresh);
    }
}

/* The network ends nowhere: samples at the limits of places differ from their neighbours, but for a
 * few on the floor of a lake or the sea. */
static void there_is_land_at_the_limits(void **unused)
{
    (void)unused;
    for (int i = 0; i < GRIDS; i++) {
        int changes = 0;
        for (int j = 1; j < SIDE; j++)
            changes +=
                grids[i].expected[DRAINAGE_HEIGHT][j] != grids[i].expected[DRAINAGE_HEIGHT][j - 1];
        assert_in_range(changes, SIDE / 2, SIDE);
    }
}

int test_requests(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(their_order_does_not_matter),
        cmocka_unit_test(what_is_kept_does_not_matter),
        cmocka_unit_test(wide_requests_leave_room),
        cmocka_unit_test(who_made_it_does_not_matter),
        cmocka_unit_test(there_is_land_at_the_limits),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
