/* Arcs, against a curve written out in doubles: a cubic through both ends with the directions
 * there, whose middle is moved aside by a hash. The numbers are those of shape.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/drainage/network/arc.h"
#include "tests/unit/core/random.h"

enum { SEGMENTS = 3000, DEPTH = 9 };

static uint64_t state = 77;

static double random_between(double low, double high)
{
    return low + (high - low) * (double)random_whole(&state, 0, 1 << 20) * 0x1p-20;
}

/* A segment of any length, from 4 m to 130 km, lean, winding and flow. */
static struct segment random_segment(void)
{
    const double length = 4.0 * pow(2.0, random_between(0.0, 15.0));
    const double turn = random_between(-3.2, 3.2);
    const int64_t far = (int64_t)1 << 50;
    const struct place from = {random_whole(&state, -far, far), random_whole(&state, -far, far)};
    const struct place to = {from.x + place_from_metres(length * cos(turn)),
                             from.y + place_from_metres(length * sin(turn))};
    struct segment segment = {.half_wave = (float)(20.0 * pow(2.0, random_between(0.0, 12.0)))};
    segment_place(&segment, (const struct place[]){from, to});
    for (int end = 0; end < 2; end++) {
        segment.lean[end] = (float)random_between(-0.8, 0.8);
        segment.room[end] = (float)(length * random_between(0.0, 0.3));
    }
    segment.winding = (float)random_between(0.5, 1.0);
    arc_measure(&segment);
    return segment;
}

static double metres(int64_t units)
{
    return (double)units * 0x1p-16;
}

/* ---- the curve in doubles */

struct curve {
    double ends[2][2], heading[2][2]; /* metres from the segment's beginning */
    uint32_t path;
};

static struct curve curve_of(const struct segment *segment)
{
    struct curve curve = {.path = 1};
    const double x = metres(segment->ends[1].x - segment->ends[0].x);
    const double y = metres(segment->ends[1].y - segment->ends[0].y);
    curve.ends[1][0] = x;
    curve.ends[1][1] = y;
    for (int end = 0; end < 2; end++) {
        curve.heading[end][0] = x - (double)segment->lean[end] * y;
        curve.heading[end][1] = y + (double)segment->lean[end] * x;
    }
    return curve;
}

/* The finaliser of splitmix64, of which all that is random is made. */
static double fraction(uint64_t hash, unsigned bit)
{
    return (double)(hash >> bit & 0xffff) / 65536.0;
}

/* The room at the middle of a part of a segment: it changes evenly along it. */
static double room_of(const struct segment *segment, uint32_t path)
{
    uint32_t parts = 1;
    while (2 * parts <= path)
        parts *= 2;
    const double share = (path - parts + 0.5) / parts;
    return (double)segment->room[0] * (1.0 - share) + (double)segment->room[1] * share;
}

/* A share of the length to the left. In ranges, which wind by 0.6, anywhere up to 0.3 times the
 * winding, but not where the arc is shorter than 16 m, and in full from 32 m. In plains, which wind
 * by 1, by 0.3, and by up to 0.4 where the arc is half a wavelength, not where it is half of that;
 * by 0.4 to 1 of this, to both sides in turn. Both no farther than there is room, of which parts
 * have their share; but meanders have half a wavelength. */
static double swing_of(const struct segment *segment, const struct curve *curve)
{
    const double length =
        hypot(curve->ends[1][0] - curve->ends[0][0], curve->ends[1][1] - curve->ends[0][1]);
    const uint64_t hash = hash_mix((((uint64_t)segment->ends[0].x * 0x9E3779B97F4A7C15u) ^
                                    ((uint64_t)segment->ends[0].y * 0xC2B2AE3D27D4EB4Fu)) +
                                   curve->path);
    const double half = (double)segment->half_wave, waves = length / half;
    const double plain = fmax(0.0, ((double)segment->winding - 0.6) / 0.4);
    const double room = room_of(segment, curve->path) * length / (double)segment->length;
    const double rough = 0.3 * (double)segment->winding * fmin(1.0, fmax(0.0, length / 16.0 - 1.0));
    const double bends =
        fmax(0.3, 0.4 - 0.4 * fabs(waves - 1.0)) * fmin(1.0, fmax(0.0, 2.0 * waves - 1.0));
    const double in_ranges = fmin(rough * length, room);
    const double in_plains = fmin(bends * length, fmax(room, half));
    const double most = (1.0 - plain) * in_ranges + plain * in_plains;
    const double turn = (curve->path % 2 ? 1.0 : -1.0) * (1.0 - 0.6 * fraction(hash, 16));
    return most / length * ((1.0 - plain) * (2.0 * fraction(hash, 0) - 1.0) + plain * turn);
}

/* The cubic's middle is (p + q) / 2 + (a - b) / 8, its direction there 3 (q - p) / 2 - (a + b) / 4
 * for the whole; for halves, directions are halved. */
static void halve_curve(const struct segment *segment, const struct curve *curve,
                        struct curve halves[2])
{
    const double swing = segment->winding > 0.0f ? swing_of(segment, curve) : 0.0;
    for (int axis = 0; axis < 2; axis++) {
        const double p = curve->ends[0][axis], q = curve->ends[1][axis];
        const double a = curve->heading[0][axis], b = curve->heading[1][axis];
        const double left = axis == 0 ? -(curve->ends[1][1] - curve->ends[0][1])
                                      : curve->ends[1][0] - curve->ends[0][0];
        const double middle = (p + q) / 2.0 + (a - b) / 8.0 + swing * left;
        const double ahead = (1.5 * (q - p) - (a + b) / 4.0) / 2.0;
        halves[0].ends[0][axis] = p;
        halves[0].ends[1][axis] = halves[1].ends[0][axis] = middle;
        halves[1].ends[1][axis] = q;
        halves[0].heading[0][axis] = a / 2.0;
        halves[0].heading[1][axis] = halves[1].heading[0][axis] = ahead;
        halves[1].heading[1][axis] = b / 2.0;
    }
    halves[0].path = 2 * curve->path;
    halves[1].path = 2 * curve->path + 1;
}

static void assert_same_curve(const struct arc *arc, const struct curve *curve)
{
    const struct place from = arc->segment->ends[0];
    const double exact = 0.001 + 1e-5 * (double)arc->segment->length;
    for (int end = 0; end < 2; end++) {
        assert_true(fabs(metres(arc->ends[end].x - from.x) - curve->ends[end][0]) < exact);
        assert_true(fabs(metres(arc->ends[end].y - from.y) - curve->ends[end][1]) < exact);
        assert_true(fabs((double)arc->heading[end][0] - curve->heading[end][0]) < exact);
        assert_true(fabs((double)arc->heading[end][1] - curve->heading[end][1]) < exact);
    }
    assert_int_equal(arc->path, curve->path);
}

/* Down to parts some metres long, along one way of halves. */
static void arcs_are_the_curve(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEGMENTS; i++) {
        const struct segment segment = random_segment();
        struct arc arc = arc_of(&segment), halves[2];
        struct curve curve = curve_of(&segment), parts[2];
        for (int depth = 0; depth < DEPTH; depth++) {
            assert_same_curve(&arc, &curve);
            arc_halve(&arc, halves);
            halve_curve(&segment, &curve, parts);
            const int half = (int)random_whole(&state, 0, 1);
            arc = halves[half];
            curve = parts[half];
        }
    }
}

/* ---- halves */

static bool same_place(struct place a, struct place b)
{
    return a.x == b.x && a.y == b.y;
}

static void check_halves(const struct arc *arc, int depth)
{
    struct arc halves[2];
    arc_halve(arc, halves);
    assert_true(same_place(halves[0].ends[0], arc->ends[0]));
    assert_true(same_place(halves[1].ends[1], arc->ends[1]));
    assert_true(same_place(halves[0].ends[1], halves[1].ends[0]));
    for (int axis = 0; axis < 2; axis++)
        assert_true(halves[0].heading[1][axis] == halves[1].heading[0][axis]);
    assert_true(arc_share(&halves[0], 1.0f) == arc_share(&halves[1], 0.0f));
    assert_true(arc_share(&halves[0], 0.0f) == arc_share(arc, 0.0f));
    assert_true(arc_share(&halves[1], 1.0f) == arc_share(arc, 1.0f));
    for (int i = 0; i < 2 && depth > 1; i++)
        check_halves(&halves[i], depth - 1);
}

static void halves_meet_in_the_same_direction(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEGMENTS / 10; i++) {
        const struct segment segment = random_segment();
        const struct arc arc = arc_of(&segment);
        check_halves(&arc, 6);
    }
}

/* ---- how far arcs reach */

/* How far from the chord of an arc its parts come, in reaches of it. */
static double share_of_reach(const struct arc *whole, const struct arc *arc, int depth)
{
    struct segment chord;
    struct arc halves[2];
    float along;
    segment_place(&chord, whole->ends);
    arc_halve(arc, halves);
    const double square = (double)segment_distance(&chord, halves[0].ends[1], &along);
    double most = sqrt(square) / ((double)whole->reach + 1e-3);
    for (int i = 0; i < 2 && depth > 1; i++)
        most = fmax(most, share_of_reach(whole, &halves[i], depth - 1));
    return most;
}

static void courses_stay_within_reach(void **unused)
{
    (void)unused;
    double most = 0.0;
    for (int i = 0; i < SEGMENTS; i++) {
        const struct segment segment = random_segment();
        struct arc arc = arc_of(&segment), halves[2];
        for (int depth = 0; depth < 8; depth++) {
            most = fmax(most, share_of_reach(&arc, &arc, 7));
            arc_halve(&arc, halves);
            arc = halves[random_whole(&state, 0, 1)];
        }
    }
    assert_true(most < 1.0);
    assert_true(most > 0.5);
}

/* ---- places */

static void places_are_what_halving_reaches(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEGMENTS; i++) {
        const struct segment segment = random_segment();
        struct arc arc = arc_of(&segment), halves[2];
        for (int depth = 0; depth < END_SHARES_LOG2; depth++) {
            const unsigned from = (unsigned)(arc_share(&arc, 0.0f) * END_SHARES);
            const unsigned to = (unsigned)(arc_share(&arc, 1.0f) * END_SHARES);
            assert_int_equal(to - from, END_SHARES >> depth);
            assert_true(same_place(arc_place(&segment, from), arc.ends[0]));
            assert_true(same_place(arc_place(&segment, to), arc.ends[1]));
            const struct place point = arc_point(&segment, arc_share(&arc, 0.0f));
            assert_true(hypot(metres(point.x - arc.ends[0].x), metres(point.y - arc.ends[0].y)) <
                        1.0);
            arc_halve(&arc, halves);
            arc = halves[random_whole(&state, 0, 1)];
        }
    }
}

/* The shares of a piece at which streams may end are at most so far apart, and never farther than
 * half of that from where they were led to. */
static void ends_are_as_near_as_is_asked(void **unused)
{
    (void)unused;
    const struct segment segment = {.length = 1000.0f};
    assert_int_equal(arc_end_share(&segment, 0.3f, 2000.0f), 0);
    assert_int_equal(arc_end_share(&segment, 0.7f, 2000.0f), END_SHARES);
    assert_int_equal(arc_end_share(&segment, 0.3f, 600.0f), END_SHARES / 2);
    assert_int_equal(arc_end_share(&segment, 0.3f, 130.0f), END_SHARES / 8 * 2);
    assert_int_equal(arc_end_share(&segment, 0.3f, 0.0f), 1229); /* 0.3 × 4096 = 1228.8 */
}

static void straight_ones_stay_straight(void **unused)
{
    (void)unused;
    for (int i = 0; i < SEGMENTS; i++) {
        struct segment segment = random_segment();
        segment.winding = segment.lean[0] = segment.lean[1] = 0.0f;
        arc_measure(&segment);
        const struct arc arc = arc_of(&segment);
        assert_true(arc.bend == 0.0f && arc.reach == 0.0f && !arc_bends(&arc, 0.0f));
        const unsigned share = (unsigned)random_whole(&state, 0, END_SHARES);
        const struct place place = arc_place(&segment, share);
        const double along = (double)share / END_SHARES;
        const double x = metres(place.x - segment.ends[0].x) - along * (double)segment.ux;
        const double y = metres(place.y - segment.ends[0].y) - along * (double)segment.uy;
        assert_true(hypot(x, y) < 0.001 + 1e-6 * (double)segment.length);
    }
}

int test_arcs(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_are_the_curve),
        cmocka_unit_test(halves_meet_in_the_same_direction),
        cmocka_unit_test(courses_stay_within_reach),
        cmocka_unit_test(places_are_what_halving_reaches),
        cmocka_unit_test(ends_are_as_near_as_is_asked),
        cmocka_unit_test(straight_ones_stay_straight),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
