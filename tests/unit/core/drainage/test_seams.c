/* The land has no steps: not at borders of cells, where other streams come into view, and not on
 * ridges, where other streams are the lowest. It rises by less than the distance times a slope. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/core/drainage/drainage_fixture.h"
#include "tests/unit/core/random.h"

enum { SIDE = 12, PAIRS = 1500, PATCHES = 6 };

static const double ROOM = 0.01; /* metres: heights of thousands of metres as floats */

/* Plains beside ranges, with nothing between: rivers of the plains come near high land, where their
 * own ends as if at a wall. */
static struct ground split_ground(double x, double y, double shortest)
{
    struct ground ground = rough_ground(x, y, shortest);
    const bool range = hills(x, y, 20000.0) > 0.0;
    ground.relief = range ? 3000.0 : 4.0;
    ground.target = range ? ground.target + 1500.0 : 0.1 * ground.target + 50.0;
    return ground;
}
static ground_at *const split = split_ground;

static const struct {
    ground_at *const *at;
    double steepest; /* slope */
} grounds[] = {{&rough, 50.0}, {&plane, 50.0}, {&cone, 50.0}, {&split, 1e6}};
enum { GROUNDS = sizeof grounds / sizeof *grounds };

static uint64_t state = 20;
static struct place sides[2][PAIRS];
static float heights[2][PAIRS];

/* Metres between samples for which a level is the one that they are looked up in. */
static double spacing_of_level(unsigned level)
{
    return level == 11 ? 0.0 : ldexp(1.0, 17 - (int)level - 3);
}

static unsigned shift_of_level(unsigned level)
{
    return PLACE_BITS + 17 - level;
}

/* A corner of cells within `reach` metres of the origin. */
static struct place random_corner(unsigned level, int64_t reach)
{
    const int64_t cells = (reach * PLACE_METRE) >> shift_of_level(level);
    const int64_t width = (int64_t)1 << shift_of_level(level);
    return (struct place){random_whole(&state, -cells, cells) * width,
                          random_whole(&state, -cells, cells) * width};
}

static void sample_sides(const struct drainage_network *network, double metres)
{
    for (int side = 0; side < 2; side++) {
        float *const outputs[DRAINAGE_OUTPUTS] = {heights[side]};
        assert_true(sample_places(drainage, network, metres, PAIRS, sides[side], outputs));
    }
}

static void check_steps(unsigned level, double steepest)
{
    for (int i = 0; i < PAIRS; i++) {
        const struct place a = sides[0][i], b = sides[1][i];
        const double distance = hypot((double)(b.x - a.x), (double)(b.y - a.y)) * 0x1p-16;
        const double step = fabs((double)heights[0][i] - (double)heights[1][i]);
        if (step > steepest * distance + ROOM)
            fail_msg("level %u: %g m at %.17g, %.17g and %g m at %.17g, %.17g", level,
                     (double)heights[0][i], place_metres(a.x), place_metres(a.y),
                     (double)heights[1][i], place_metres(b.x), place_metres(b.y));
    }
}

/* Places one unit to either side of random borders of SIDE × SIDE cells. */
static void choose_border_pairs(struct place corner, unsigned level)
{
    const int64_t width = (int64_t)1 << shift_of_level(level);
    for (int i = 0; i < PAIRS; i++) {
        const int64_t border = random_whole(&state, -SIDE / 2, SIDE / 2) * width;
        const int64_t along = random_whole(&state, -SIDE / 2 * width, SIDE / 2 * width - 1);
        for (int side = 0; side < 2; side++)
            sides[side][i] = i % 2 == 0
                                 ? (struct place){corner.x + border - 1 + side, corner.y + along}
                                 : (struct place){corner.x + along, corner.y + border - 1 + side};
    }
}

/* Corners of cells of every coarser level too, and so of blocks. */
static void borders_have_no_steps(void **unused)
{
    (void)unused;
    for (int ground = 0; ground < GROUNDS; ground++) {
        const struct drainage_network network = network_of(grounds[ground].at);
        for (unsigned level = 0; level <= 11; level++)
            for (unsigned patch = 0; patch < PATCHES; patch++) {
                choose_border_pairs(random_corner(level * patch / (PATCHES - 1), 3000000), level);
                sample_sides(&network, spacing_of_level(level));
                check_steps(level, grounds[ground].steepest);
            }
    }
}

/* Places in SIDE × SIDE cells, and others at most half a cell away. */
static void choose_near_pairs(struct place corner, unsigned level)
{
    const int64_t width = (int64_t)1 << shift_of_level(level);
    for (int i = 0; i < PAIRS; i++) {
        sides[0][i] =
            (struct place){corner.x + random_whole(&state, -SIDE / 2 * width, SIDE / 2 * width),
                           corner.y + random_whole(&state, -SIDE / 2 * width, SIDE / 2 * width)};
        sides[1][i] = (struct place){sides[0][i].x + random_whole(&state, -width / 2, width / 2),
                                     sides[0][i].y + random_whole(&state, -width / 2, width / 2)};
    }
}

/* Halves the way between the places of each pair, and keeps the half on which the heights differ
 * more: a step between them is never lost. */
static void halve_pairs(const struct drainage_network *network, double metres)
{
    static struct place middles[PAIRS];
    static float between[PAIRS];
    float *const outputs[DRAINAGE_OUTPUTS] = {between};
    for (int i = 0; i < PAIRS; i++)
        middles[i] = (struct place){sides[0][i].x + (sides[1][i].x - sides[0][i].x) / 2,
                                    sides[0][i].y + (sides[1][i].y - sides[0][i].y) / 2};
    assert_true(sample_places(drainage, network, metres, PAIRS, middles, outputs));
    for (int i = 0; i < PAIRS; i++) {
        const int side = fabsf(between[i] - heights[0][i]) > fabsf(between[i] - heights[1][i]);
        sides[side][i] = middles[i];
        heights[side][i] = between[i];
    }
}

static void ridges_have_no_steps(void **unused)
{
    (void)unused;
    for (int ground = 0; ground < GROUNDS; ground++) {
        const struct drainage_network network = network_of(grounds[ground].at);
        for (unsigned level = 0; level <= 11; level++) {
            choose_near_pairs(random_corner(level, 3000000), level);
            sample_sides(&network, spacing_of_level(level));
            for (unsigned bit = 0; bit < shift_of_level(level); bit++)
                halve_pairs(&network, spacing_of_level(level));
            check_steps(level, grounds[ground].steepest);
        }
    }
}

int test_seams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(borders_have_no_steps),
        cmocka_unit_test(ridges_have_no_steps),
    };
    return cmocka_run_group_tests(tests, open_drainage, close_drainage);
}
