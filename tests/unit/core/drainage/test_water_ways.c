/* Whose land a place is on, against samples; and ways of the water, on grounds where it is plain
 * where it goes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/drainage/network/nodes.h"
#include "tests/unit/core/drainage/followed.h"
#include "tests/unit/core/drainage/store_of.h"
#include "tests/unit/core/random.h"

enum { STREAMS_MAX = 400 };

/* ---- whose land it is */

static struct place random_place(uint64_t *state, struct place middle, int64_t metres)
{
    const int64_t reach = metres * PLACE_METRE;
    return (struct place){middle.x + random_whole(state, -reach, reach),
                          middle.y + random_whole(state, -reach, reach)};
}

/* The stream that is found is the one that samples are of, at the bed that they have. Where parts
 * of its course that are farther upstream are nearer, samples have the distance of these. */
static void land_is_of_the_stream_that_is_found(void **unused)
{
    (void)unused;
    enum { COUNT = 300 };
    static struct place places[COUNT];
    static float values[3][COUNT];
    float *const outputs[DRAINAGE_OUTPUTS] = {
        [DRAINAGE_BED] = values[0], [DRAINAGE_DISTANCE] = values[1], [DRAINAGE_ORDER] = values[2]};
    const struct drainage_network network = network_of(&rough);
    uint64_t state = 11;
    int nearest = 0;
    for (int i = 0; i < COUNT; i++)
        places[i] = random_place(&state, MIDDLE, 200000);
    assert_true(sample_places(drainage, &network, 0.0, COUNT, places, outputs));
    for (int i = 0; i < COUNT; i++) {
        struct drainage_position found;
        assert_true(drainage_find(drainage, &network, places[i], &found));
        assert_true((float)(LEVELS - found.node.level) == values[2][i]);
        assert_true(fabsf(found.bed - values[0][i]) < 0.01f);
        const double farther = distance_between(found.place, places[i]) - (double)values[1][i];
        assert_true(farther > -0.05);
        nearest += farther < 0.05;
        const struct drainage_stream stream = follow(&network, &found);
        assert_same_place(stream.points[0].place, found.place);
        assert_true(fabsf(stream.points[0].bed - found.bed) < 0.01f);
    }
    assert_true(nearest > COUNT / 3);
}

/* ---- streams in their own valleys */

struct stream_points {
    struct place places[PLACES_MAX];
    float beds[PLACES_MAX];
    size_t count;
};

/* Keeps the joints of streams on land that are not under the water of a lake. */
static bool keep_joints(void *context, const struct drainage_stream *stream)
{
    struct stream_points *points = context;
    for (unsigned i = 0; i < stream->count && points->count < PLACES_MAX; i++) {
        if (stream->points[i].bed <= fmaxf(1.0f, stream->lake))
            continue;
        points->places[points->count] = stream->points[i].place;
        points->beds[points->count++] = stream->points[i].bed;
    }
    return true;
}

/* Streams do not hang in the air: where land lies below a stream, the water of its valley is that
 * of another one, and a map shows that the stream ends at nothing. Of the joints of streams whose
 * nodes are 4 km apart 23 in 1000 lie more than 3 m above the land; it was 57 when nodes joined the
 * stream from whose bed land rises the least, however far downstream. */
static void streams_run_in_valleys(void **unused)
{
    (void)unused;
    static struct stream_points points;
    static float heights[PLACES_MAX];
    float *const outputs[DRAINAGE_OUTPUTS] = {[DRAINAGE_HEIGHT] = heights};
    const struct drainage_network network = network_of(&rough);
    const unsigned level = 5, shift = cell_shift(&network, level);
    const int64_t low[2] = {(MIDDLE.x >> shift) - 12, (MIDDLE.y >> shift) - 12};
    const int64_t high[2] = {low[0] + 24, low[1] + 24};
    size_t hanging = 0;
    points.count = 0;
    assert_true(drainage_streams(drainage, &network, level, low, high, keep_joints, &points));
    assert_int_equal(points.count, PLACES_MAX);
    assert_true(sample_places(drainage, &network, 0.0, points.count, points.places, outputs));
    for (size_t i = 0; i < points.count; i++)
        hanging += points.beds[i] - heights[i] > 3.0f;
    assert_true(hanging < points.count / 33);
}

/* ---- all the way down */

/* Walks from a place to where the water stays. */
static struct drainage_stream walk_down(const struct drainage_network *network, struct place place)
{
    struct drainage_position position;
    assert_true(drainage_find(drainage, network, place, &position));
    for (int i = 0; i < STREAMS_MAX; i++) {
        const struct drainage_stream stream = follow(network, &position);
        const struct drainage_point *last = &stream.points[stream.count - 1];
        if (stream.end != DRAINAGE_JOINS)
            return stream;
        assert_same_place(last->place, stream.next.place);
        assert_true(fabsf(last->bed - stream.next.bed) < 0.01f);
        assert_true(stream.next.node.level <= stream.node.level);
        position = stream.next;
    }
    fail_msg("%d streams and no end", STREAMS_MAX);
    abort();
}

/* The plain is at 0 m at x = 4,400 km, and no bed is more than 300 m below it. */
static void water_of_a_plain_ends_at_its_shore(void **unused)
{
    (void)unused;
    const struct drainage_network network = network_of(&plane);
    uint64_t state = 12;
    for (int i = 0; i < 40; i++) {
        const struct place start =
            random_place(&state, (struct place){3000000 * PLACE_METRE, 0}, 300000);
        const struct drainage_stream last = walk_down(&network, start);
        assert_int_equal(last.end, DRAINAGE_AT_SEA);
        const double x = place_metres(last.points[last.count - 1].place.x);
        if (x < 3800000.0 || x > 4800000.0)
            fail_msg("water from %g, %g ends at x = %g", place_metres(start.x),
                     place_metres(start.y), x);
    }
}

/* A bowl around 0, 0: all water ends at the node that is nearest to there. */
static struct ground bowl_ground(double x, double y, double shortest)
{
    (void)shortest;
    const double height = 200.0 + hypot(x, y) / 400.0;
    return (struct ground){.potential = height, .target = height, .relief = 100.0};
}
static ground_at *const bowl = bowl_ground;

static struct drainage_node nearest_node(const struct drainage_network *network)
{
    struct drainage_node nearest = {0, 0, 0};
    double least = 1e30;
    for (int64_t y = -3; y <= 3; y++)
        for (int64_t x = -3; x <= 3; x++) {
            const struct place place = node_place(network, 0, x, y);
            const double distance = distance_between(place, (struct place){0, 0});
            if (distance < least)
                nearest = (struct drainage_node){0, x, y};
            least = fmin(least, distance);
        }
    return nearest;
}

static void water_of_a_bowl_ends_at_its_deepest_node(void **unused)
{
    (void)unused;
    const struct drainage_network network = network_of(&bowl);
    const struct drainage_node deepest = nearest_node(&network);
    const struct place sink = node_place(&network, 0, deepest.x, deepest.y);
    uint64_t state = 13;
    for (int i = 0; i < 40; i++) {
        const struct drainage_stream last =
            walk_down(&network, random_place(&state, (struct place){0, 0}, 600000));
        const struct drainage_point *end = &last.points[last.count - 1];
        assert_int_equal(last.end, DRAINAGE_SINKS);
        assert_int_equal(last.node.level, 0);
        assert_true(last.node.x == deepest.x && last.node.y == deepest.y);
        assert_same_place(end->place, sink);
        assert_true(last.lake >= end->bed); /* there is a lake, and it has water */
    }
}

int test_water_ways(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(land_is_of_the_stream_that_is_found),
        cmocka_unit_test(streams_run_in_valleys),
        cmocka_unit_test(water_of_a_plain_ends_at_its_shore),
        cmocka_unit_test(water_of_a_bowl_ends_at_its_deepest_node),
    };
    return cmocka_run_group_tests(tests, open_drainage, close_drainage);
}
