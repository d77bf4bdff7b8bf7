/* Deltas: beds fall to the sea along every arm, the land around them rises from what was sea and
 * drains, and all of it is the same whatever was asked for before. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/drainage/walk.h"
#include "tests/unit/core/drainage/store_of.h"

static const struct place SHORE = {0, 0};

typedef void check_delta(const struct delta *delta);

/* Checks each `step`-th of the deltas of 40 × 40 trunks. Returns how many they are. */
static size_t for_each_delta(size_t step, check_delta *check)
{
    const struct drainage_network network = network_of(&deltas);
    struct store *store = window_around(SHORE, 0, &network);
    const size_t count = store->courses.deltas.count;
    for (size_t i = 0; i < count; i += step)
        check(&store->courses.deltas.deltas[i]);
    close_store(store);
    return count;
}

static bool has_arm(const struct delta *delta, unsigned arm)
{
    return delta->arms[arm * ARM_SEGMENTS].length > 0.0f;
}

static bool same_place(struct place a, struct place b)
{
    return a.x == b.x && a.y == b.y;
}

/* Without the waves that a delta does not look at. */
static double target_at(struct place place)
{
    return deltas(place_metres(place.x), place_metres(place.y), 4.0e4).target;
}

/* ---- beds */

static struct {
    int arms, pieces;
} met;

static void check_piece(const struct segment *piece, const struct segment *above)
{
    assert_true(same_place(piece->ends[0], above->ends[1]));
    assert_true(piece->bed[0] == above->bed[1]);
    assert_true(piece->bed[1] < piece->bed[0]);
    met.pieces++;
}

static void check_beds(const struct delta *delta)
{
    const struct segment *line = delta->line;
    for (const struct segment *piece = line - line->piece + 1; piece <= line; piece++)
        check_piece(piece, piece - 1);
    assert_true(line->bed[0] > 0.0f && line->bed[1] == 0.0f);
    assert_true(target_at(line[1].ends[1]) < 0.0);
    for (unsigned arm = 0; arm < DELTA_ARMS; arm++) {
        const struct segment *first = delta->arms + arm * ARM_SEGMENTS;
        if (!has_arm(delta, arm))
            continue;
        met.arms++;
        assert_true(same_place(first->ends[0], line->ends[0]));
        assert_true(first->bed[0] == line->bed[0]);
        for (unsigned i = 1; i < ARM_SEGMENTS; i++)
            check_piece(first + i, first + i - 1);
        assert_true(first[ARM_SEGMENTS - 1].last && first[ARM_SEGMENTS - 1].bed[1] < 0.0f);
        assert_true(target_at(first[ARM_SEGMENTS - 1].ends[1]) < 0.0);
    }
}

static void beds_fall_to_the_sea(void **unused)
{
    (void)unused;
    memset(&met, 0, sizeof met);
    assert_true(for_each_delta(1, check_beds) > 20);
    assert_true(met.arms > 20);
    assert_true(met.pieces > 200);
}

/* ---- land */

enum { ACROSS = 64 };

/* Samples the height of a square grid, `step` metres apart, around a place. */
static void sample_square(const struct drainage_network *network, struct place middle, double step,
                          float heights[ACROSS * ACROSS])
{
    static struct place places[ACROSS * ACROSS];
    struct drainage *drainage = drainage_with(KEPT);
    float *outputs[DRAINAGE_OUTPUTS] = {[DRAINAGE_HEIGHT] = heights};
    for (int i = 0; i < ACROSS * ACROSS; i++)
        places[i] = (struct place){
            middle.x + place_from_metres(step * (i % ACROSS - ACROSS / 2)),
            middle.y + place_from_metres(step * (i / ACROSS - ACROSS / 2)),
        };
    assert_true(sample_places(drainage, network, step, ACROSS * ACROSS, places, outputs));
    drainage_free(drainage);
}

static struct {
    int land, new_land, pits;
} seen;

static bool is_pit(const float *heights, int i)
{
    const int x = i % ACROSS, y = i / ACROSS;
    if (x == 0 || y == 0 || x == ACROSS - 1 || y == ACROSS - 1)
        return false;
    for (int v = -1; v <= 1; v++)
        for (int u = -1; u <= 1; u++)
            if (heights[i + v * ACROSS + u] < heights[i])
                return false;
    return true;
}

static void check_land(const struct delta *delta)
{
    static float with[ACROSS * ACROSS], without[ACROSS * ACROSS];
    struct drainage_network network = network_of(&deltas);
    const struct segment *line = delta->line;
    const struct place middle = {(line->ends[0].x + line->ends[1].x) / 2,
                                 (line->ends[0].y + line->ends[1].y) / 2};
    const double step = (double)line->length / (ACROSS / 4);
    sample_square(&network, middle, step, with);
    network.deltas = 0.0f;
    network.identity.low++;
    sample_square(&network, middle, step, without);
    for (int i = 0; i < ACROSS * ACROSS; i++) {
        seen.land += with[i] > 0.0f;
        seen.new_land += with[i] > 0.0f && without[i] < 0.0f;
        seen.pits += with[i] > 0.0f && is_pit(with, i);
    }
}

/* As much land as a sixteenth of the square of its length, in the mean, where the sea was. */
static void land_rises_and_drains(void **unused)
{
    (void)unused;
    memset(&seen, 0, sizeof seen);
    const size_t count = for_each_delta(12, check_land);
    assert_true(seen.land > 0);
    assert_true(seen.new_land > (int)count / 12 * ACROSS * ACROSS / 256);
    assert_true(seen.pits < seen.land / 5000);
}

/* ---- each place for itself */

static int compared;

static void check_alone(const struct delta *delta)
{
    const struct drainage_network network = network_of(&deltas);
    static struct place places[16];
    float values[2][DRAINAGE_OUTPUTS][16], *outputs[2][DRAINAGE_OUTPUTS];
    struct drainage *all = drainage_with(KEPT);
    for (int i = 0; i < 16; i++) {
        const struct segment *piece = i % 2 ? delta->line : &delta->arms[i / 2];
        const int64_t aside = place_from_metres(700.0 * (i - 8));
        places[i] = (struct place){piece->ends[1].x + aside, piece->ends[1].y - aside / 3};
        if (!(piece->length > 0.0f))
            places[i] = delta->line->ends[0];
    }
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        outputs[0][i] = values[0][i];
    assert_true(sample_places(all, &network, 30.0, 16, places, outputs[0]));
    for (int i = 0; i < 16; i++) {
        struct drainage *alone = drainage_with(0);
        for (int k = 0; k < DRAINAGE_OUTPUTS; k++)
            outputs[1][k] = values[1][k];
        assert_true(sample_places(alone, &network, 30.0, 1, places + i, outputs[1]));
        for (int k = 0; k < DRAINAGE_OUTPUTS; k++, compared++)
            assert_memory_equal(&values[0][k][i], &values[1][k][0], sizeof(float));
        drainage_free(alone);
    }
    drainage_free(all);
}

static void places_alone_are_the_same(void **unused)
{
    (void)unused;
    compared = 0;
    for_each_delta(32, check_alone);
    assert_true(compared > 200);
}

/* ---- arms as streams */

struct arm_search {
    struct place apex;
    uint64_t ids[1 + DELTA_ARMS];
    unsigned count;
};

static bool take_arm(void *context, const struct drainage_stream *stream)
{
    struct arm_search *search = context;
    for (unsigned i = 0; i < stream->count; i++)
        if (same_place(stream->points[i].place, search->apex)) {
            assert_int_equal(stream->end, DRAINAGE_AT_SEA);
            assert_true(stream->points[stream->count - 1].bed == 0.0f);
            assert_true(search->count <= DELTA_ARMS);
            search->ids[search->count++] = stream->id;
        }
    return true;
}

/* The line and each arm are given once, and a place on an arm is on the stream of the same name. */
static void check_streams(const struct delta *delta)
{
    const struct drainage_network network = network_of(&deltas);
    struct drainage *drainage = drainage_with(KEPT);
    const unsigned shift = cell_shift(&network, 0);
    const struct place node = (delta->line - delta->line->piece)->ends[0];
    const int64_t cell[2] = {node.x >> shift, node.y >> shift};
    struct arm_search search = {.apex = delta->line->ends[0]};
    assert_true(drainage_streams(drainage, &network, 0, cell, cell, take_arm, &search));
    unsigned expected = 1;
    for (unsigned arm = 0; arm < DELTA_ARMS; arm++) {
        struct drainage_position position;
        struct drainage_stream stream;
        if (!has_arm(delta, arm))
            continue;
        const struct place place = delta->arms[arm * ARM_SEGMENTS + 1].ends[1];
        assert_true(drainage_find(drainage, &network, place, &position));
        assert_true(drainage_follow(drainage, &network, &position, &stream));
        assert_int_equal(stream.end, DRAINAGE_AT_SEA);
        assert_true(stream.id == search.ids[expected++]);
        assert_true(stream.id != search.ids[0]);
    }
    assert_int_equal(search.count, expected);
    drainage_free(drainage);
}

static void arms_are_streams(void **unused)
{
    (void)unused;
    for_each_delta(8, check_streams);
}

static void share_is_that_of_the_network(void **unused)
{
    (void)unused;
    struct drainage_network network = network_of(&deltas);
    size_t counts[3];
    for (int i = 0; i < 3; i++) {
        network.deltas = 0.5f * (float)i;
        struct store *store = window_around(SHORE, 0, &network);
        counts[i] = store->courses.deltas.count;
        close_store(store);
    }
    assert_int_equal(counts[0], 0);
    assert_in_range(counts[1], counts[2] / 4, counts[2] * 3 / 4);
}

int test_deltas(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(beds_fall_to_the_sea),         cmocka_unit_test(land_rises_and_drains),
        cmocka_unit_test(places_alone_are_the_same),    cmocka_unit_test(arms_are_streams),
        cmocka_unit_test(share_is_that_of_the_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
