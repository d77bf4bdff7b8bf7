/* See arc.h. An arc is a cubic (C. Hermite's) through its ends, with its directions; halving it
 * gives two that meet in the same direction, so that courses have no corners. The way aside of the
 * middle changes the places, not the directions. */
#include "core/drainage/network/arc.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"

/* How far from the chord the course may be: so many lengths, by what makes it so. See
 * test_arcs.c. */
static const float ARC_REACH_LEAN = 0.16f, ARC_REACH_SWING = 0.45f;
/* How far a quarter of an S may be from its chord, in lengths times the sum of its leans. */
static const float ARC_TOLD_S = 0.048f;
static const float ARC_TOLD_SWING = 0.8f; /* the share of a swing that is not left out */
static const float POINT_METRES = 0.02f;  /* arc_point() halves arcs that bend more */

/* How much of a plain a segment's land is: 0 … 1. */
static float plain_of(const struct segment *segment)
{
    return not_below_zero((segment->winding - SHAPE_WINDING_RANGES) /
                          (1.0f - SHAPE_WINDING_RANGES));
}

/* How far aside the middle of an arc may be moved, metres, in the room that its segment has there:
 * the shorter the arc, the less. Short arcs are smooth, in plains those that are shorter than
 * meanders, of which each has half a wavelength. */
static float swing_most(const struct arc *arc, float room)
{
    const struct segment *segment = arc->segment;
    const float length = arc->length, half_wave = segment->half_wave;
    const float waves = length / half_wave, plain = plain_of(segment);
    const float meander = SHAPE_MEANDER_SWING * (1.0f - __builtin_fabsf(waves - 1.0f));
    const float ranges =
        SHAPE_SWING * segment->winding * clamp_unit(length / SHAPE_SWING_LEAST - 1.0f);
    const float plains = max_float(SHAPE_SWING, meander) * clamp_unit(2.0f * waves - 1.0f);
    const float free = room * length / segment->length;
    const float most = min_float(ranges * length, free);
    return most + plain * (min_float(plains * length, max_float(free, half_wave)) - most);
}

/* Sets the chord that follows from an arc's ends. */
static void set_chord(struct arc *arc)
{
    arc->ux = units_to_metres(arc->ends[1].x - arc->ends[0].x);
    arc->uy = units_to_metres(arc->ends[1].y - arc->ends[0].y);
    arc->length = __builtin_sqrtf(arc->ux * arc->ux + arc->uy * arc->uy);
}

/* Sets what follows from an arc's ends and directions. */
static void measure(struct arc *arc)
{
    const struct segment *segment = arc->segment;
    set_chord(arc);
    const float length = arc->length;
    const float inverse = length > 0.0f ? 1.0f / length : 0.0f;
    const float a = (arc->heading[0][1] * arc->ux - arc->heading[0][0] * arc->uy) * inverse;
    const float b = (arc->heading[1][1] * arc->ux - arc->heading[1][0] * arc->uy) * inverse;
    const float room = max_float(segment->room[0], segment->room[1]);
    const float swing = segment->winding > 0.0f ? swing_most(arc, room) : 0.0f;
    const float curved =
        max_float(0.125f * __builtin_fabsf(a - b), ARC_TOLD_S * __builtin_fabsf(a + b));
    arc->bend = curved + ARC_TOLD_SWING * swing;
    arc->reach = ARC_REACH_LEAN * (__builtin_fabsf(a) + __builtin_fabsf(b)) +
                 ARC_REACH_SWING * segment->winding * length;
}

void arc_begin(struct arc *arc, const struct segment *segment)
{
    const float x = segment->ux, y = segment->uy;
    const float from = segment->lean[0], to = segment->lean[1];
    arc->segment = segment;
    arc->ends[0] = segment->ends[0];
    arc->ends[1] = segment->ends[1];
    arc->heading[0][0] = x - from * y;
    arc->heading[0][1] = y + from * x;
    arc->heading[1][0] = x - to * y;
    arc->heading[1][1] = y + to * x;
    arc->path = 1;
    arc->ux = x;
    arc->uy = y;
    arc->length = segment->length;
    arc->bend = segment->bend;
    arc->reach = segment->reach;
    arc->halves = NULL;
}

void arc_measure(struct segment *segment)
{
    struct arc arc = arc_of(segment);
    measure(&arc);
    segment->bend = arc.bend;
    segment->reach = arc.reach;
}

/* How many times an arc was halved. */
static unsigned depth_of(const struct arc *arc)
{
    return 31u - (unsigned)__builtin_clz(arc->path);
}

float arc_share(const struct arc *arc, float along)
{
    const uint32_t parts = 1u << depth_of(arc);
    return ((float)(arc->path - parts) + along) / (float)parts;
}

/* How far to its left the middle of an arc is moved, in lengths of its chord: anywhere in ranges,
 * in plains to both sides in turn. So rivers meander, and so do their valleys. */
static float swing_of(const struct arc *arc)
{
    const struct segment *segment = arc->segment;
    const uint64_t seed = (uint64_t)segment->ends[0].x * 0x9E3779B97F4A7C15u ^
                          (uint64_t)segment->ends[0].y * 0xC2B2AE3D27D4EB4Fu;
    const uint64_t hash = hash_mix(seed + arc->path);
    const float random = 2.0f * hash_fraction(hash, 0) - 1.0f, plain = plain_of(segment);
    const float side = (arc->path & 1) != 0 ? 1.0f : -1.0f;
    const float turn = side * (1.0f - 0.6f * hash_fraction(hash, 16));
    const float room =
        segment->room[0] + (segment->room[1] - segment->room[0]) * arc_share(arc, 0.5f);
    const float turns = random + plain * (turn - random);
    return arc->length > 0.0f ? swing_most(arc, room) / arc->length * turns : 0.0f;
}

/* Where an arc is halved, and the direction there of both halves. */
struct arc_middle {
    struct place place;
    float heading[2];
};

static struct arc_middle middle_of(const struct arc *arc)
{
    const float *a = arc->heading[0], *b = arc->heading[1];
    const float swing = arc->segment->winding > 0.0f ? swing_of(arc) : 0.0f;
    const float x = 0.5f * arc->ux + 0.125f * (a[0] - b[0]) - swing * arc->uy;
    const float y = 0.5f * arc->uy + 0.125f * (a[1] - b[1]) + swing * arc->ux;
    return (struct arc_middle){
        {arc->ends[0].x + metres_to_units(x), arc->ends[0].y + metres_to_units(y)},
        {0.75f * arc->ux - 0.125f * (a[0] + b[0]), 0.75f * arc->uy - 0.125f * (a[1] + b[1])}};
}

void arc_halve(const struct arc *arc, struct arc halves[2])
{
    const struct arc_middle middle = middle_of(arc);
    const float *a = arc->heading[0], *b = arc->heading[1], *ahead = middle.heading;
    halves[0] = (struct arc){.segment = arc->segment,
                             .ends = {arc->ends[0], middle.place},
                             .heading = {{0.5f * a[0], 0.5f * a[1]}, {ahead[0], ahead[1]}},
                             .path = arc->path << 1};
    halves[1] = (struct arc){.segment = arc->segment,
                             .ends = {middle.place, arc->ends[1]},
                             .heading = {{ahead[0], ahead[1]}, {0.5f * b[0], 0.5f * b[1]}},
                             .path = arc->path << 1 | 1};
    measure(&halves[0]);
    measure(&halves[1]);
}

/* Goes on to a half of an arc, without what tells how that bends. */
static void take_half(struct arc *arc, unsigned half)
{
    const struct arc_middle middle = middle_of(arc);
    for (unsigned axis = 0; axis < 2; axis++) {
        arc->heading[half][axis] *= 0.5f;
        arc->heading[half ^ 1][axis] = middle.heading[axis];
    }
    arc->ends[half ^ 1] = middle.place;
    arc->path = arc->path << 1 | half;
    set_chord(arc);
}

unsigned arc_end_share(const struct segment *segment, float along, float metres)
{
    unsigned shift = END_SHARES_LOG2;
    for (float length = segment->length; length > metres && shift > 0; length *= 0.5f)
        shift--;
    return (unsigned)(along * (float)(END_SHARES >> shift) + 0.5f) << shift;
}

/* The part of a course that begins at a number of END_SHARES below all of them. */
static struct arc part_from(const struct segment *segment, unsigned share)
{
    struct arc arc = arc_of(segment);
    for (unsigned rest = share; rest != 0; rest = rest << 1 & (END_SHARES - 1))
        take_half(&arc, rest >> (END_SHARES_LOG2 - 1) & 1);
    return arc;
}

struct place arc_place(const struct segment *segment, unsigned share)
{
    return share < END_SHARES ? part_from(segment, share).ends[0] : segment->ends[1];
}

void arc_heading(const struct segment *segment, unsigned share, float heading[2])
{
    const struct arc arc = share < END_SHARES ? part_from(segment, share) : arc_of(segment);
    const float *ahead = arc.heading[share < END_SHARES ? 0 : 1];
    const float squared = ahead[0] * ahead[0] + ahead[1] * ahead[1];
    const float inverse = squared > 0.0f ? 1.0f / __builtin_sqrtf(squared) : 0.0f;
    heading[0] = ahead[0] * inverse;
    heading[1] = ahead[1] * inverse;
}

struct place arc_chord_point(const struct arc *arc, float along)
{
    if (along >= 1.0f)
        return arc->ends[1];
    return (struct place){arc->ends[0].x + metres_to_units(along * arc->ux),
                          arc->ends[0].y + metres_to_units(along * arc->uy)};
}

struct place arc_point(const struct segment *segment, float along)
{
    const float share = along * (float)END_SHARES;
    if (share == __builtin_floorf(share)) /* a vertex after few halvings, as ends of pieces are */
        return arc_place(segment, (unsigned)share);
    struct arc arc = arc_of(segment), halves[2];
    while (arc_bends(&arc, POINT_METRES)) {
        arc_halve(&arc, halves);
        const int half = along >= 0.5f;
        arc = halves[half];
        along = 2.0f * along - (float)half;
    }
    return arc_chord_point(&arc, along);
}

void arc_write(struct segment_rows rows, size_t at, const struct arc *arc, struct place origin)
{
    static const float far[SEGMENT_ROWS] = {1e15f, 0.0f, 1e15f, 0.0f, 0.0f, 0.0f, 0.0f};
    float *row = segment_run(rows, at / LANES * LANES) + at % LANES;
    if (!arc) {
        for (int i = 0; i < SEGMENT_ROWS; i++)
            row[i * LANES] = far[i];
        return;
    }
    const struct segment *segment = arc->segment;
    const float fall = segment->bed[1] - segment->bed[0];
    row[SEGMENT_X * LANES] = units_to_metres(arc->ends[0].x - origin.x);
    row[SEGMENT_Y * LANES] = units_to_metres(arc->ends[0].y - origin.y);
    row[SEGMENT_END_X * LANES] = units_to_metres(arc->ends[1].x - origin.x);
    row[SEGMENT_END_Y * LANES] = units_to_metres(arc->ends[1].y - origin.y);
    row[SEGMENT_BED * LANES] = segment->bed[0] + fall * arc_share(arc, 0.0f);
    row[SEGMENT_END_BED * LANES] = segment->bed[0] + fall * arc_share(arc, 1.0f);
    row[SEGMENT_REACH * LANES] = arc->reach;
}
