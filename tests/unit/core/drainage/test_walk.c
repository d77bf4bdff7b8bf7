/* Streams as lines, against the pieces that they are made of. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/drainage/walk.h"
#include "tests/unit/core/drainage/followed.h"
#include "tests/unit/core/drainage/store_of.h"
#include "tests/unit/core/random.h"

/* ---- the streams of nodes */

static struct {
    int64_t low[2];
    unsigned wide, high, calls, stop_after;
    unsigned seen[3][70];
} given;

static bool count_stream(void *context, const struct drainage_stream *stream)
{
    const struct drainage_network *network = context;
    const int64_t x = stream->node.x - given.low[0], y = stream->node.y - given.low[1];
    assert_in_range(x, 0, given.wide - 1);
    assert_in_range(y, 0, given.high - 1);
    assert_true(stream->id == drainage_stream_id(network->key, &stream->node, 0));
    given.seen[y][x]++;
    return ++given.calls != given.stop_after;
}

static void each_stream_of_a_rect_is_given_once(void **unused)
{
    (void)unused;
    struct drainage_network network = network_of(&rough);
    const int64_t low[2] = {-40, -1}, high[2] = {29, 1};
    given.low[0] = low[0];
    given.low[1] = low[1];
    given.wide = 70;
    given.high = 3;
    assert_true(drainage_streams(drainage, &network, 5, low, high, count_stream, &network));
    assert_int_equal(given.calls, 210);
    for (unsigned i = 0; i < 210; i++)
        assert_int_equal(given.seen[i / 70][i % 70], 1);
    given.calls = 0;
    given.stop_after = 5;
    assert_false(drainage_streams(drainage, &network, 5, low, high, count_stream, &network));
    assert_int_equal(given.calls, 5);
}

/* A walk loads no land: streams that it makes must be those that land around them is made of, with
 * what is kept of one there for the other. */
struct collected {
    struct drainage_stream streams[9];
    unsigned count;
};

static bool collect(void *context, const struct drainage_stream *stream)
{
    struct collected *to = context;
    assert_in_range(to->count, 0, 8);
    memcpy(&to->streams[to->count++], stream, sizeof *stream);
    return true;
}

static void assert_same_streams(const struct collected *a, const struct collected *b)
{
    assert_int_equal(a->count, 9);
    assert_int_equal(b->count, 9);
    for (unsigned i = 0; i < 9; i++) {
        const struct drainage_stream *one = &a->streams[i], *other = &b->streams[i];
        assert_true(one->id == other->id && one->end == other->end);
        if (one->end != DRAINAGE_AT_SEA) /* where it leads on */
            assert_true(one->next.piece == other->next.piece &&
                        one->next.along == other->next.along);
        assert_int_equal(one->count, other->count);
        for (unsigned k = 0; k < one->count; k++) {
            assert_same_place(one->points[k].place, other->points[k].place);
            assert_true(one->points[k].bed == other->points[k].bed);
            assert_true(one->points[k].flow == other->points[k].flow);
        }
    }
}

static void walks_and_land_have_the_same_streams(void **unused)
{
    (void)unused;
    static struct collected alone, beside, again;
    struct drainage_network network = network_of(&rough);
    for (unsigned level = 1; level < LEVELS - 1; level += 3) {
        const int64_t low[2] = {-5, 6}, high[2] = {-3, 8};
        struct drainage *walker = drainage_with(KEPT), *lander = drainage_with(KEPT);
        struct drainage_position position;
        const struct place middle = node_place(&network, level, -4, 7);
        assert_true(walker && lander);
        alone.count = beside.count = again.count = 0;
        assert_true(drainage_streams(walker, &network, level, low, high, collect, &alone));
        assert_true(drainage_find(walker, &network, middle, &position));
        assert_true(drainage_streams(walker, &network, level, low, high, collect, &again));
        assert_true(drainage_find(lander, &network, middle, &position));
        assert_true(drainage_streams(lander, &network, level, low, high, collect, &beside));
        assert_same_streams(&alone, &beside);
        assert_same_streams(&again, &beside);
        drainage_free(walker);
        drainage_free(lander);
    }
}

static void streams_of_other_nodes_have_other_ids(void **unused)
{
    (void)unused;
    const struct drainage_node node = {3, -7, 12};
    const struct drainage_node others[] = {{4, -7, 12}, {3, 7, 12}, {3, -7, -12}, {3, 12, -7}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_true(drainage_stream_id(1, &node, 0) != drainage_stream_id(1, &others[i], 0));
    assert_true(drainage_stream_id(1, &node, 0) != drainage_stream_id(2, &node, 0));
    assert_true(drainage_stream_id(1, &node, 0) == drainage_stream_id(1, &node, 0));
}

/* ---- along pieces */

/* Streams of a level around MIDDLE, as they are made. */
static struct store *store_of_level(unsigned level, const struct drainage_network *network)
{
    enum { HALF = 10 };
    const unsigned shift = cell_shift(network, level);
    const int64_t x = MIDDLE.x >> shift, y = MIDDLE.y >> shift;
    return store_around((struct cell_rect){{x - HALF, y - HALF}, {x + HALF, y + HALF}}, level,
                        network);
}

static struct {
    int joined, sunk, to_sea, in_sea, back, curves, vertices;
} met;

/* The place at a share of a piece, between the vertices of its course that are nearest: a 4096th of
 * the piece apart. */
static struct place place_at(const struct segment *piece, double share)
{
    const double steps = share * END_SHARES, from = floor(steps);
    const struct place a = arc_place(piece, (unsigned)from);
    const struct place b = arc_place(piece, (unsigned)fmin(from + 1.0, END_SHARES));
    return (struct place){a.x + (int64_t)((steps - from) * (double)(b.x - a.x)),
                          a.y + (int64_t)((steps - from) * (double)(b.y - a.y))};
}

/* Where the bed of a piece is at 0 m, which falls evenly from end to end. */
static double shore_of(const struct segment *piece)
{
    return (double)piece->bed[0] / ((double)piece->bed[0] - (double)piece->bed[1]);
}

/* A stream that reaches the sea ends where its bed is at 0 m. */
static void check_shore(const struct drainage_stream *stream, const struct segment *piece)
{
    const struct drainage_point *last = &stream->points[stream->count - 1];
    assert_true(last->bed == 0.0f);
    assert_true(distance_between(last->place, place_at(piece, shore_of(piece))) < 1.0);
    assert_int_equal(stream->end, DRAINAGE_AT_SEA);
    met.to_sea++;
}

/* The distance of a place from the straight line between two others, metres. */
static double distance_to_line(struct place place, struct place a, struct place b)
{
    const double x = (double)(place.x - a.x), y = (double)(place.y - a.y);
    const double ux = (double)(b.x - a.x), uy = (double)(b.y - a.y);
    const double t = (x * ux + y * uy) / fmax(ux * ux + uy * uy, 1.0);
    const double along = fmin(fmax(t, 0.0), 1.0);
    return hypot(x - along * ux, y - along * uy) * 0x1p-16;
}

/* The vertices of a line between two points of a stream, these included. */
struct line {
    struct place places[4096];
    float shares[4096];
    int count;
};

static void add_vertex(struct line *line, struct place place, float share)
{
    assert_true(line->count < 4096);
    line->places[line->count] = place;
    line->shares[line->count++] = share;
}

static bool take_vertex(void *context, struct place place, float share)
{
    add_vertex(context, place, share);
    return true;
}

static bool refuse_vertex(void *context, struct place place, float share)
{
    add_vertex(context, place, share);
    return false;
}

/* Of some pieces, a line as exact as a metre and the piece's length / 1000: its vertices lie on the
 * course of the piece, in order, and the course nowhere far from it; nor, by more than is told,
 * from the straight line between the ends of the piece. */
static void check_curve(const struct drainage_point points[2], const struct segment *piece,
                        const double shares[2])
{
    static struct line line;
    const struct drainage_curve *curve = &points[0].curve;
    const double exact = 1.0 + (double)piece->length / 1000.0, reach = drainage_curve_reach(curve);
    const double change = shares[1] - shares[0];
    if (met.curves++ % 16 != 0)
        return;
    line.count = 0;
    add_vertex(&line, points[0].place, 0.0f);
    assert_true(drainage_curve_vertices(curve, (struct curve_detail){exact, 0.0},
                                        &(struct vertex_taker){take_vertex, &line}));
    add_vertex(&line, points[1].place, 1.0f);
    for (int i = 1; i < line.count; i++) {
        const double share = shares[0] + change * (double)line.shares[i];
        assert_true(line.shares[i] > line.shares[i - 1]);
        assert_true(distance_between(line.places[i], place_at(piece, share)) < 1.0);
    }
    for (int i = 0; i <= 32; i++) {
        const struct place place = place_at(piece, shares[0] + change * i / 32.0);
        double least = 1e30;
        for (int k = 1; k < line.count; k++)
            least = fmin(least, distance_to_line(place, line.places[k - 1], line.places[k]));
        assert_true(least < 4.0 * exact);
        assert_true(distance_to_line(place, piece->ends[0], piece->ends[1]) <= reach + 0.01);
    }
    met.vertices += line.count - 2;
}

/* A point where pieces meet. */
static void check_joint(const struct drainage_point *point, const struct segment *piece, int end)
{
    assert_same_place(point->place, piece->ends[end]);
    assert_true(fabs((double)(point->bed - piece->bed[end])) < 1e-3);
}

/* From its node, a stream runs through the ends of its pieces. */
static void check_whole(const struct drainage_network *network, const struct drainage_node *node,
                        const struct segment *pieces)
{
    const struct drainage_position start = {*node, 0, 0.0f, pieces->ends[0], pieces->bed[0]};
    const struct drainage_stream stream = follow(network, &start);
    const unsigned count = segments_of_level(network, node->level);
    assert_same_place(stream.points[0].place, pieces->ends[0]);
    if (pieces->bed[0] <= 0.0f) {
        met.in_sea++;
        assert_int_equal(stream.count, 1);
        assert_int_equal(stream.end, DRAINAGE_AT_SEA);
        return;
    }
    for (unsigned i = 1; i <= count; i++) {
        const struct segment *piece = &pieces[i - 1];
        assert_true(stream.count > i);
        if (piece->bed[1] <= 0.0f) {
            assert_int_equal(stream.count, i + 1);
            check_shore(&stream, piece);
            check_curve(&stream.points[i - 1], piece, (const double[]){0.0, shore_of(piece)});
            return;
        }
        check_joint(&stream.points[i], piece, 1);
        check_curve(&stream.points[i - 1], piece, (const double[]){0.0, 1.0});
        assert_true(stream.points[i].flow == piece->flow[1]);
    }
    assert_true(stream.points[count].flow <=
                drainage_flow_most(network->spacing_log2, node->level));
    assert_int_equal(stream.count, count + 1);
    assert_int_not_equal(stream.end, DRAINAGE_AT_SEA);
    met.joined += stream.end == DRAINAGE_JOINS;
    met.sunk += stream.end == DRAINAGE_SINKS;
}

/* Where a stream comes up from the sea, its water goes back to it: piece by piece, to where the bed
 * is at 0 m. */
static void check_back(const struct drainage_network *network, const struct drainage_node *node,
                       const struct segment *piece)
{
    if (piece->bed[1] <= 0.0f || piece->bed[1] <= piece->bed[0])
        return;
    const struct drainage_position end = {*node, piece->piece, 1.0f, piece->ends[1], piece->bed[1]};
    const struct drainage_stream stream = follow(network, &end);
    unsigned point = 0;
    assert_same_place(stream.points[0].place, piece->ends[1]);
    for (; piece->bed[0] > 0.0f; piece--) {
        check_joint(&stream.points[++point], piece, 0);
        check_curve(&stream.points[point - 1], piece, (const double[]){1.0, 0.0});
    }
    assert_int_equal(stream.count, point + 2);
    check_shore(&stream, piece);
    check_curve(&stream.points[point], piece, (const double[]){1.0, shore_of(piece)});
    met.back++;
}

static void check_level(const struct drainage_network *network, unsigned level)
{
    struct store *store = store_of_level(level, network);
    const struct cell_rect *cells = &store->levels[level].cells;
    for (int64_t y = cells->low[1]; y <= cells->high[1]; y++)
        for (int64_t x = cells->low[0]; x <= cells->high[0]; x++) {
            if (!has_stream(store, level, x, y))
                continue;
            const struct drainage_node node = {level, x, y};
            const struct segment *pieces = stream_of(store, level, x, y);
            check_whole(network, &node, pieces);
            for (unsigned i = 0; i < segments_of_level(network, level); i++)
                check_back(network, &node, &pieces[i]);
        }
    close_store(store);
}

/* Islands of some 10 km, among which streams from the sea join others on land. */
static struct ground islands_ground(double x, double y, double shortest)
{
    (void)shortest;
    const double height = 200.0 * hills(x, y, 30000.0);
    return (struct ground){.potential = -height, .target = height, .relief = 100.0};
}
static ground_at *const islands = islands_ground;

static void streams_run_through_the_ends_of_pieces(void **unused)
{
    (void)unused;
    const struct drainage_network networks[] = {network_of(&rough), network_of(&islands)};
    for (unsigned level = 0; level < LEVELS; level++)
        for (int i = 0; i < 2; i++)
            check_level(&networks[i], level);
    assert_true(met.joined > 1000 && met.to_sea > 100 && met.in_sea > 100 && met.back > 25);
    assert_true(met.vertices > 20000);
}

/* Trunks drain 9 cells at the most, all others the one in which they begin (shape.h). */
static void flows_have_a_most(void **unused)
{
    (void)unused;
    assert_true(drainage_flow_most(17, 0) == 9.0f * 0x1p34f);
    assert_true(drainage_flow_most(17, 3) == 0x1p28f);
    assert_true(drainage_flow_most(14, 8) == 0x1p12f);
}

/* A line whose parts of 200 m are not halved has some of the vertices of one where they are, by far
 * not all. */
static void check_least(const struct drainage_curve *curve, const struct line *all)
{
    static struct line some;
    int k = 0;
    some.count = 0;
    assert_true(drainage_curve_vertices(curve, (struct curve_detail){2.0, 200.0},
                                        &(struct vertex_taker){take_vertex, &some}));
    for (int i = 0; i < some.count; i++, k++) {
        while (k < all->count && all->shares[k] != some.shares[i])
            k++;
        assert_true(k < all->count);
        assert_same_place(some.places[i], all->places[k]);
    }
    assert_in_range(some.count, 6250 / 200 - 1, all->count / 3); /* of 6250 m, bends not counted */
}

/* A piece of 10 km that leans to both sides: taken against its direction, its course has the same
 * vertices in the other order; and none after one that was refused. */
static void vertices_come_in_the_order_of_the_way(void **unused)
{
    (void)unused;
    static struct line down, up, refused;
    struct drainage_curve curve = {.ends = {MIDDLE, {MIDDLE.x + 10000 * PLACE_METRE, MIDDLE.y}},
                                   .lean = {0.5f, -0.5f},
                                   .winding = 1.0f,
                                   .half_wave = 300.0f,
                                   .shares = {0.125f, 0.75f}};
    down.count = up.count = refused.count = 0;
    const struct curve_detail detail = {2.0, 0.0};
    assert_true(
        drainage_curve_vertices(&curve, detail, &(struct vertex_taker){take_vertex, &down}));
    assert_false(
        drainage_curve_vertices(&curve, detail, &(struct vertex_taker){refuse_vertex, &refused}));
    curve.shares[0] = 0.75f;
    curve.shares[1] = 0.125f;
    assert_true(drainage_curve_vertices(&curve, detail, &(struct vertex_taker){take_vertex, &up}));
    assert_int_equal(refused.count, 1);
    assert_int_equal(up.count, down.count);
    assert_true(down.count > 50);
    check_least(&curve, &up);
    for (int i = 0; i < down.count; i++) {
        assert_same_place(up.places[i], down.places[down.count - 1 - i]);
        assert_true(fabsf(up.shares[i] + down.shares[down.count - 1 - i] - 1.0f) < 1e-6f);
    }
}

int test_walk(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_stream_of_a_rect_is_given_once),
        cmocka_unit_test(walks_and_land_have_the_same_streams),
        cmocka_unit_test(streams_of_other_nodes_have_other_ids),
        cmocka_unit_test(streams_run_through_the_ends_of_pieces),
        cmocka_unit_test(flows_have_a_most),
        cmocka_unit_test(vertices_come_in_the_order_of_the_way),
    };
    return cmocka_run_group_tests(tests, open_drainage, close_drainage);
}
