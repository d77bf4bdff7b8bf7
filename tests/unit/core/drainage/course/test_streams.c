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
#include "tests/unit/core/drainage/arcs_of.h"
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
                    if (has_stream(store, level, x, y))
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

static const float SHORT = 8.0f;

/* On land no piece's bed rises, but where the stream comes over from the sea; and each falls if the
 * stream falls as a whole, by more than floats round. In a shorter piece than SHORT metres the
 * least fall, 4e-5 metres a metre, is less than what a float of 3000 m rounds. */
static void check_fall(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct segment *stream = stream_of(store, level, x, y), *last = last_of(stream);
    if (store->courses.deltas.count > 0 && stream->bed[0] < 0.0f)
        return; /* a creek, down which water flows from an arm to the sea */
    const bool falls = stream->bed[0] - last->bed[1] > 0.02f && last->bed[1] > 0.0f;
    for (unsigned i = 0; i < segments_of_level(store->network, level); i++) {
        const float change = stream[i].bed[1] - stream[i].bed[0];
        if (stream[i].bed[0] > 0.0f &&
            (change > 0.0f || (change == 0.0f && falls && stream[i].length > SHORT)))
            fail_msg("level %u: piece %u of a stream changes from %.9g m to %.9g m", level, i,
                     (double)stream[i].bed[0], (double)stream[i].bed[1]);
    }
}

/* Level 0 ends at a neighbour's node, at its height; a sink at its own. */
static bool ends_at_neighbour(const struct store *store, const struct segment *last, int64_t x,
                              int64_t y)
{
    for (int64_t v = y - 1; v <= y + 1; v++)
        for (int64_t u = x - 1; u <= x + 1; u++) {
            if (!has_stream(store, 0, u, v))
                return true; /* not loaded */
            const struct segment *next = stream_of(store, 0, u, v);
            if (same_place(next->ends[0], last->ends[1]) && next->bed[0] == last->bed[1])
                return true;
        }
    return false;
}

static float mix(const float ends[2], float share)
{
    return ends[0] + (ends[1] - ends[0]) * share;
}

/* How exactly courses are looked at from a stream of a level, metres. */
static float tolerance_of(const struct drainage_network *network, unsigned level)
{
    return 0.06f * cell_width(network, level);
}

/* What the land of streams at a place is looked for in. */
struct land_search {
    struct place place;
    double slope; /* of the land, */
    float limit;  /* up to so many metres from streams, */
    float tolerance;
    double least; /* and its least height so far */
};

static void search_arc(const struct arc *arc, struct land_search *search)
{
    float share;
    if (arc_is_far(arc, search->place, search->limit))
        return;
    if (arc_bends(arc, search->tolerance)) {
        struct arc halves[2];
        arc_halve(arc, halves);
        search_arc(&halves[0], search);
        search_arc(&halves[1], search);
        return;
    }
    const double d = sqrt((double)chord_distance(arc, search->place, &share));
    const double height = (double)mix(arc->segment->bed, share) + search->slope * d;
    if (d <= (double)search->limit)
        search->least = fmin(search->least, height);
}

/* The least height that a slope from a stream's bed rises to. */
static double land_of(const struct segment *stream, struct land_search search)
{
    search.least = 1e30;
    for (const struct segment *piece = stream; piece <= last_of(stream); piece++) {
        const struct arc arc = arc_of(piece);
        search_arc(&arc, &search);
    }
    return search.least;
}

/* The stream that another one of a level ends on. */
static const struct segment *stream_below(const struct store *store, const struct segment *last,
                                          unsigned level, const int64_t cell[2])
{
    const unsigned up = level - last->end_level;
    const int64_t u = (cell[0] >> up) + last->end_x - END_OFFSET,
                  v = (cell[1] >> up) + last->end_y - END_OFFSET;
    return has_stream(store, last->end_level, u, v) ? stream_of(store, last->end_level, u, v)
                                                    : NULL;
}

/* How a stream meets those of coarser levels. */
struct meeting {
    struct place node;
    const struct segment *nearest; /* to its node */
    float squared;                 /* of the distance of that */
    const struct segment *end;     /* the stream that it ends on */
    double lowest, own;            /* land at its node: of all; of that one */
    int crossed;                   /* others */
};

static void find_nearest_of(const struct arc *arc, float tolerance, struct meeting *meeting)
{
    float share;
    if (arc_is_far(arc, meeting->node, sqrtf(meeting->squared)))
        return;
    if (arc_bends(arc, tolerance)) {
        struct arc halves[2];
        arc_halve(arc, halves);
        find_nearest_of(&halves[0], tolerance, meeting);
        find_nearest_of(&halves[1], tolerance, meeting);
        return;
    }
    const float squared = chord_distance(arc, meeting->node, &share);
    meeting->nearest = squared <= meeting->squared ? arc->segment : meeting->nearest;
    meeting->squared = fminf(meeting->squared, squared);
}

static void find_nearest(const struct segment *other, float tolerance, struct meeting *meeting)
{
    for (const struct segment *o = other; o <= last_of(other); o++) {
        const struct arc arc = arc_of(o);
        find_nearest_of(&arc, tolerance, meeting);
    }
}

/* A whole stream, piece by piece, and the box that it stays in. */
struct line {
    unsigned count;
    struct arc arcs[SEGMENTS_MAX];
    struct arc_box box;
};

static void take_line(const struct segment *stream, struct line *line)
{
    line->count = 0;
    line->box = (struct arc_box){{INT64_MAX, INT64_MAX}, {INT64_MIN, INT64_MIN}};
    for (const struct segment *piece = stream; piece <= last_of(stream); piece++) {
        struct arc *arc = &line->arcs[line->count++];
        *arc = arc_of(piece);
        line->box = boxes_joined(line->box, box_of_arc(arc));
    }
}

static bool streams_cross(const struct segment *a, const struct segment *b, float tolerance)
{
    static struct line one, two;
    take_line(a, &one);
    take_line(b, &two);
    for (unsigned i = 0; i < one.count; i++)
        for (unsigned k = 0; k < two.count && boxes_meet(box_of_arc(&one.arcs[i]), two.box); k++)
            if (arcs_cross(&one.arcs[i], &two.arcs[k], tolerance))
                return true;
    return false;
}

/* Land rises as streams do at most, which is by twice the usual slope for 300 m more relief, where
 * streams are at most two widths of a cell away. */
static void meet(const struct segment *from, const struct segment *other,
                 const struct drainage_network *network, struct meeting *meeting)
{
    const float width = cell_width(network, from->level);
    const struct land_search search = {
        .place = meeting->node,
        .slope =
            2.0 * (double)slope_beside(network, from->level, meeting->nearest->relief[0] + 300.0f),
        .limit = fmaxf(2.0f * width, sqrtf(meeting->squared)),
        .tolerance = tolerance_of(network, from->level),
    };
    const double land = land_of(other, search);
    meeting->lowest = fmin(meeting->lowest, land);
    if (other == meeting->end)
        meeting->own = land;
    else
        meeting->crossed += streams_cross(from, other, search.tolerance);
}

/* The streams of coarser levels that start at most a cell from a node's ancestors, which it sees,
 * and those of a cell more that are loaded, which it does not. False if not all of the former are
 * loaded. */
static bool meet_coarser(const struct store *store, unsigned level, int64_t x, int64_t y,
                         struct meeting *meeting)
{
    const struct segment *stream = stream_of(store, level, x, y);
    for (unsigned k = 0; k < 2 * level; k++) {
        const unsigned up = level - k % level;
        const int64_t u = x >> up, v = y >> up;
        for (int64_t j = v - 2; j <= v + 2; j++)
            for (int64_t i = u - 2; i <= u + 2; i++) {
                const bool is_seen = llabs(i - u) < 2 && llabs(j - v) < 2;
                if (!has_stream(store, level - up, i, j) && is_seen)
                    return false;
                if (!has_stream(store, level - up, i, j))
                    continue;
                const struct segment *other = stream_of(store, level - up, i, j);
                if (k < level)
                    find_nearest(other, tolerance_of(store->network, level), meeting);
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

/* Looks for crossings with the streams of the level that begin near. */
static void check_level(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct segment *stream = stream_of(store, level, x, y);
    bool across = false;
    for (int64_t v = y - 3; v <= y + 3 && !across; v++)
        for (int64_t u = x - 3; u <= x + 3 && !across; u++)
            across = (u != x || v != y) && has_stream(store, level, u, v) &&
                     streams_cross(stream, stream_of(store, level, u, v),
                                   tolerance_of(store->network, level));
    met.of_level += stream->bed[0] > 0.0f;
    met.across_level += across && stream->bed[0] > 0.0f;
}

/* A stream ends at a place of the course of another one, which has its bed and at least its flow
 * there. */
static void check_flow(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct segment *stream = stream_of(store, level, x, y), *last = last_of(stream);
    const struct segment *below = stream_below(store, last, level, (const int64_t[]){x, y});
    const float share = (float)last->end_along / (float)END_SHARES;
    for (const struct segment *piece = stream; piece <= last; piece++)
        assert_true(piece->flow[0] <= piece->flow[1] &&
                    (piece == last || piece->flow[1] == piece[1].flow[0]));
    if (!below)
        return; /* not loaded */
    below += last->end_piece;
    assert_true(same_place(arc_place(below, last->end_along), last->ends[1]));
    assert_true(fabsf(mix(below->bed, share) - last->bed[1]) < 0.002f);
    assert_true(mix(below->flow, share) >= last->flow[1] * 0.9999f);
}

static void check_end(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    const struct segment *last = last_of(stream_of(store, level, x, y));
    struct meeting meeting = {
        .node = node_place(store->network, level, x, y),
        .squared = 1e30f,
        .end = stream_below(store, last, level, (const int64_t[]){x, y}),
        .lowest = 1e30,
        .own = 1e31,
    };
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

/* On the one whose land they begin on, but those whose way would cross another one before. Some
 * cross one nevertheless, as ways are chosen before they curve: 4 in 1000. */
static void streams_end_in_larger_ones(void **unused)
{
    (void)unused;
    for_all_streams(&rough, check_end);
    assert_true(met.all > 10000);
    assert_true(met.on_lowest > met.all * 4 / 5);
    assert_true(met.across < met.all / 220);
}

/* Most on land: 13 in 1000 curve across a neighbour, or lead far where valleys side by side differ
 * in height by more than a slope between them. */
static void streams_of_a_level_keep_apart(void **unused)
{
    (void)unused;
    for_all_streams(&rough, check_level);
    for_all_streams(&plane, check_level);
    assert_true(met.of_level > 10000);
    assert_true(met.across_level < met.of_level / 60);
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
            const int same = one && two ? same_streams(one, two) : 0;
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
            assert_in_range(compare_blocks(a, b, level), WINDOW_SIDE / 2,
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
