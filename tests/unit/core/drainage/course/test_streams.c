/* The streams themselves: where they begin and end, that their beds fall, and that they are the
 * same from whatever window they are made in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/drainage/network/slopes.h"
#include "tests/unit/core/drainage/store_of.h"

enum { LEVELS = 12 };
static const double REACH = 2.6; /* of a stream from its node, in widths of a cell */

typedef void check_stream(const struct store *store, unsigned level, int64_t x, int64_t y);

/* Checks the streams of all levels in windows of each. */
static void for_all_streams(ground_at *const *ground, check_stream *check)
{
    const struct drainage_network network = network_of(ground);
    for (unsigned finest = 0; finest < LEVELS; finest++) {
        struct store *store = window_around(MIDDLE, finest, &network);
        for (unsigned level = 0; level <= finest; level++) {
            const struct cell_rect *cells = &store->levels[level].cells;
            for (int64_t y = cells->low[1]; y <= cells->high[1]; y++)
                for (int64_t x = cells->low[0]; x <= cells->high[0]; x++)
                    check(store, level, x, y);
        }
        close_store(store);
    }
}

static bool same_place(struct place a, struct place b)
{
    return a.x == b.x && a.y == b.y;
}

static double distance_between(struct place a, struct place b)
{
    return hypot((double)(a.x - b.x), (double)(a.y - b.y)) * 0x1p-16;
}

/* From its node, piece by piece, at most 2.6 widths of a cell away. */
static void check_course(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct drainage_network *network = store->network;
    const struct segment *stream = stream_of(store, level, x, y);
    const struct place node = stream->ends[0];
    const double width = (double)cell_width(network, level);
    const unsigned shift = cell_shift(network, level);
    const unsigned count = segments_of_level(network, level);
    assert_true(node.x >> shift == x && node.y >> shift == y);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(stream[i].level, level);
        assert_int_equal(stream[i].last, i == count - 1);
        assert_true(i == 0 || same_place(stream[i].ends[0], stream[i - 1].ends[1]));
        assert_true(i == 0 || stream[i].bed[0] == stream[i - 1].bed[1]);
        assert_true(distance_between(node, stream[i].ends[1]) <= REACH * width);
    }
}

static const struct segment *last_of(const struct segment *stream)
{
    while (!stream->last)
        stream++;
    return stream;
}

/* On land no piece's bed rises, but where the stream comes over from the sea; and each falls if the
 * stream falls as a whole, by more than floats round. */
static void check_fall(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct segment *stream = stream_of(store, level, x, y), *last = last_of(stream);
    if (store->courses.deltas.count > 0 && stream->bed[0] < 0.0f)
        return; /* a creek, down which water flows from an arm to the sea */
    const bool falls = stream->bed[0] - last->bed[1] > 0.02f && last->bed[1] > 0.0f;
    for (unsigned i = 0; i < segments_of_level(store->network, level); i++) {
        const float change = stream[i].bed[1] - stream[i].bed[0];
        if (stream[i].bed[0] > 0.0f && (change > 0.0f || (change == 0.0f && falls)))
            fail_msg("level %u: piece %u of a stream changes from %.9g m to %.9g m", level, i,
                     (double)stream[i].bed[0], (double)stream[i].bed[1]);
    }
}

/* Level 0 ends at a neighbour's node, at its height; a sink at its own. */
static bool ends_at_neighbour(const struct store *store, const struct segment *last, int64_t x,
                              int64_t y)
{
    const struct cell_rect *cells = &store->levels[0].cells;
    for (int64_t v = y - 1; v <= y + 1; v++)
        for (int64_t u = x - 1; u <= x + 1; u++) {
            if (u < cells->low[0] || u > cells->high[0] || v < cells->low[1] || v > cells->high[1])
                return true; /* not loaded */
            const struct segment *next = stream_of(store, 0, u, v);
            if (same_place(next->ends[0], last->ends[1]) && next->bed[0] == last->bed[1])
                return true;
        }
    return false;
}

/* True if a place is on a segment, whose bed is as high there. Places on segments are rounded to
 * 2⁻¹⁶ m, from floats. */
static bool is_on(const struct segment *segment, struct place place, float bed)
{
    float along;
    const float squared = segment_distance(segment, place, &along);
    const float there = segment->bed[0] + (segment->bed[1] - segment->bed[0]) * along;
    return squared < 0.02f * 0.02f && fabsf(there - bed) < 0.002f;
}

/* The least height that a slope from a stream's bed rises to at a place at most `limit` metres away
 * from it. */
static double land_of(const struct segment *stream, struct place place, double slope, double limit)
{
    for (double least = 1e30;; stream++) {
        float along;
        const double d = sqrt((double)segment_distance(stream, place, &along));
        const double bed = (double)stream->bed[0] +
                           ((double)stream->bed[1] - (double)stream->bed[0]) * (double)along;
        least = d <= limit ? fmin(least, bed + slope * d) : least;
        if (stream->last)
            return least;
    }
}

static bool stream_has(const struct segment *stream, struct place place, float bed)
{
    for (; !is_on(stream, place, bed); stream++)
        if (stream->last)
            return false;
    return true;
}

/* Which side of a segment a place is on. */
static int side_of(const struct segment *segment, struct place place)
{
    const struct place a = segment->ends[0], b = segment->ends[1];
    const double area = (double)(b.x - a.x) * (double)(place.y - a.y) -
                        (double)(b.y - a.y) * (double)(place.x - a.x);
    return (area > 0.0) - (area < 0.0);
}

static bool segments_cross(const struct segment *a, const struct segment *b)
{
    return side_of(a, b->ends[0]) * side_of(a, b->ends[1]) < 0 &&
           side_of(b, a->ends[0]) * side_of(b, a->ends[1]) < 0;
}

/* How a stream meets those of coarser levels. */
struct meeting {
    struct place node;
    const struct segment *nearest; /* to its node */
    float squared;                 /* of the distance of that */
    double lowest, own;            /* land at its node: of all; of those that it ends on */
    int crossed;                   /* where it does not end */
};

static void find_nearest(const struct segment *other, struct meeting *meeting)
{
    float along;
    for (const struct segment *o = other; o <= last_of(other); o++) {
        const float squared = segment_distance(o, meeting->node, &along);
        meeting->nearest = squared <= meeting->squared ? o : meeting->nearest;
        meeting->squared = fminf(meeting->squared, squared);
    }
}

/* Land rises as streams do at most, which is by twice the usual slope for 300 m more relief, where
 * streams are at most two widths of a cell away. */
static void meet(const struct segment *from, const struct segment *other,
                 const struct drainage_network *network, struct meeting *meeting)
{
    const struct segment *last = last_of(from);
    const double width = (double)cell_width(network, from->level);
    const double slope =
        2.0 * (double)slope_beside(network, from->level, meeting->nearest->relief[0] + 300.0f);
    const double limit = fmax(2.0 * width, sqrt((double)meeting->squared));
    const double land = land_of(other, meeting->node, slope, limit);
    meeting->lowest = fmin(meeting->lowest, land);
    if (stream_has(other, last->ends[1], last->bed[1])) {
        meeting->own = fmin(meeting->own, land);
        return;
    }
    for (const struct segment *piece = from; piece <= last; piece++)
        for (const struct segment *o = other; o <= last_of(other); o++)
            meeting->crossed += segments_cross(piece, o);
}

/* The streams of coarser levels that start at most two cells from a node's ancestors. False if not
 * all are loaded. */
static bool meet_coarser(const struct store *store, unsigned level, int64_t x, int64_t y,
                         struct meeting *meeting)
{
    const struct segment *stream = stream_of(store, level, x, y);
    for (unsigned k = 0; k < 2 * level; k++) {
        const unsigned up = level - k % level;
        const int64_t u = x >> up, v = y >> up;
        const struct cell_rect *cells = &store->levels[level - up].cells;
        if (u < cells->low[0] + 2 || u > cells->high[0] - 2 || v < cells->low[1] + 2 ||
            v > cells->high[1] - 2)
            return false;
        for (int64_t j = v - 2; j <= v + 2; j++)
            for (int64_t i = u - 2; i <= u + 2; i++) {
                const struct segment *other = stream_of(store, level - up, i, j);
                if (k < level)
                    find_nearest(other, meeting);
                else
                    meet(stream, other, store->network, meeting);
            }
    }
    return true;
}

/* Of the streams that were looked at. */
static struct {
    int all, on_lowest, across, of_level, across_level;
} met;

static bool streams_cross(const struct segment *a, const struct segment *b)
{
    for (const struct segment *piece = a; piece <= last_of(a); piece++)
        for (const struct segment *other = b; other <= last_of(b); other++)
            if (segments_cross(piece, other))
                return true;
    return false;
}

/* Looks for crossings with the streams of the level that begin near. */
static void check_level(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct segment *stream = stream_of(store, level, x, y);
    const struct cell_rect *cells = &store->levels[level].cells;
    bool across = false;
    if (x < cells->low[0] + 3 || x > cells->high[0] - 3 || y < cells->low[1] + 3 ||
        y > cells->high[1] - 3)
        return;
    for (int64_t v = y - 3; v <= y + 3 && !across; v++)
        for (int64_t u = x - 3; u <= x + 3 && !across; u++)
            across = (u != x || v != y) && streams_cross(stream, stream_of(store, level, u, v));
    met.of_level += stream->bed[0] > 0.0f;
    met.across_level += across && stream->bed[0] > 0.0f;
}

/* Where a stream ends, the one that it ends on has at least its flow. */
static void check_flow(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct segment *stream = stream_of(store, level, x, y), *last = last_of(stream);
    const unsigned up = level - last->end_level;
    const int64_t u = (x >> up) + last->end_x - END_OFFSET,
                  v = (y >> up) + last->end_y - END_OFFSET;
    const struct cell_rect *cells = &store->levels[last->end_level].cells;
    for (const struct segment *piece = stream; piece <= last; piece++)
        assert_true(piece->flow[0] <= piece->flow[1] &&
                    (piece == last || piece->flow[1] == piece[1].flow[0]));
    if (u < cells->low[0] || u > cells->high[0] || v < cells->low[1] || v > cells->high[1])
        return; /* not loaded */
    const struct segment *end = stream_of(store, last->end_level, u, v) + last->end_piece;
    float along;
    assert_true(segment_distance(end, last->ends[1], &along) < 0.02f * 0.02f);
    assert_true(end->flow[0] + (end->flow[1] - end->flow[0]) * along >= last->flow[1] * 0.9999f);
}

static void check_end(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    struct meeting meeting = {node_place(store->network, level, x, y), .squared = 1e30f,
                              .lowest = 1e30, .own = 1e31};
    const struct segment *last = last_of(stream_of(store, level, x, y));
    if (level == 0 && !ends_at_neighbour(store, last, x, y))
        fail_msg("the stream of cell %lld, %lld of level 0 ends nowhere", (long long)x,
                 (long long)y);
    if (level == 0 || !meet_coarser(store, level, x, y, &meeting))
        return;
    if (meeting.own > 1e30)
        fail_msg("the stream of cell %lld, %lld of level %u ends nowhere", (long long)x,
                 (long long)y, level);
    met.all++;
    met.on_lowest += meeting.own < meeting.lowest + 0.01;
    met.across += meeting.crossed > 0;
}

static void courses_are_whole(void **unused)
{
    (void)unused;
    for_all_streams(&rough, check_course);
    for_all_streams(&cone, check_course);
}

/* A plain on which large rivers have less than the usual fall. */
static struct ground level_ground(double x, double y, double shortest)
{
    (void)y, (void)shortest;
    return (struct ground){100.0 - 4e-6 * x, 110.0 - 4e-6 * x, 20.0, 0.0};
}
static ground_at *const level_plain = level_ground;

static void beds_fall_on_land(void **unused)
{
    (void)unused;
    for_all_streams(&rough, check_fall);
    for_all_streams(&plane, check_fall);
    for_all_streams(&level_plain, check_fall);
    for_all_streams(&deltas, check_fall);
}

/* On the one whose land they begin on, but those whose way would cross another one before. Few
 * cross one nevertheless: where that is not seen from their cell, or where floats round. */
static void streams_end_in_larger_ones(void **unused)
{
    (void)unused;
    for_all_streams(&rough, check_end);
    assert_true(met.all > 10000);
    assert_true(met.on_lowest > met.all * 4 / 5);
    assert_true(met.across < met.all / 2000);
}

/* Few on land: where valleys side by side differ in height by more than a slope between them, so
 * that streams lead far. */
static void streams_of_a_level_keep_apart(void **unused)
{
    (void)unused;
    for_all_streams(&rough, check_level);
    for_all_streams(&plane, check_level);
    assert_true(met.of_level > 10000);
    assert_true(met.across_level < met.of_level / 100);
}

static void flow_grows_downstream(void **unused)
{
    (void)unused;
    for_all_streams(&rough, check_flow);
    for_all_streams(&cone, check_flow);
    for_all_streams(&deltas, check_flow);
}

static bool same_segment(const struct segment *a, const struct segment *b)
{
    for (int end = 0; end < 2; end++)
        if (!same_place(a->ends[end], b->ends[end]) ||
            memcmp(&a->bed[end], &b->bed[end], sizeof(float)) != 0 ||
            memcmp(&a->flow[end], &b->flow[end], sizeof(float)) != 0 ||
            memcmp(&a->relief[end], &b->relief[end], sizeof(float)) != 0 || a->lake != b->lake)
            return false;
    return true;
}

/* Compares the streams that both blocks have. Returns how many, or -1. */
static int same_streams(struct stream_block *a, struct stream_block *b)
{
    int shared = 0;
    for (unsigned node = 0; node < BLOCK_NODES; node++) {
        if ((a->made & b->made & 1u << node) == 0)
            continue;
        shared++;
        for (unsigned i = 0; i < a->per_stream; i++)
            if (!same_segment(block_stream(a, node) + i, block_stream(b, node) + i))
                return -1;
    }
    return shared;
}

/* Compares the streams of a level that two windows share. Returns how many. */
static int compare_blocks(const struct store *a, const struct store *b, unsigned level)
{
    const struct cell_rect *blocks = &a->levels[level].blocks, *others = &b->levels[level].blocks;
    int shared = 0;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++) {
            if (x < others->low[0] || x > others->high[0] || y < others->low[1] ||
                y > others->high[1])
                continue;
            struct stream_block *one =
                window_block(&a->levels[level], x * BLOCK_SIDE, y * BLOCK_SIDE);
            struct stream_block *two =
                window_block(&b->levels[level], x * BLOCK_SIDE, y * BLOCK_SIDE);
            const int same = same_streams(one, two);
            if (same < 0)
                fail_msg("block %lld, %lld of level %u has other streams in another window",
                         (long long)x, (long long)y, level);
            shared += same;
        }
    return shared;
}

/* Windows that lie 13 cells apart. */
static void compare_windows(ground_at *const *ground)
{
    const struct drainage_network network = network_of(ground);
    for (unsigned finest = 0; finest < LEVELS; finest++) {
        const int64_t width = (int64_t)1 << cell_shift(&network, finest);
        struct store *a = window_around(MIDDLE, finest, &network);
        struct store *b = window_around(
            (struct place){MIDDLE.x + 13 * width, MIDDLE.y - 13 * width}, finest, &network);
        for (unsigned level = 0; level <= finest; level++)
            assert_in_range(compare_blocks(a, b, level), WINDOW_SIDE,
                            4 * WINDOW_SIDE * WINDOW_SIDE);
        close_store(a);
        close_store(b);
    }
}

static void windows_have_the_same_streams(void **unused)
{
    (void)unused;
    compare_windows(&rough);
    compare_windows(&lakes);
    compare_windows(&deltas);
}

int test_streams(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(courses_are_whole),
        cmocka_unit_test(beds_fall_on_land),
        cmocka_unit_test(streams_end_in_larger_ones),
        cmocka_unit_test(streams_of_a_level_keep_apart),
        cmocka_unit_test(flow_grows_downstream),
        cmocka_unit_test(windows_have_the_same_streams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
