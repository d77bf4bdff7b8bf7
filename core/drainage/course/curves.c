/* See curves.h. At a joint both pieces have the direction between theirs; where a stream ends it
 * has turned towards that of the stream that it joins. */
#include "core/drainage/course/curves.h"

#include "core/base/lanes.h"
#include "core/drainage/network/arc.h"
#include "core/drainage/network/shape.h"

/* Streams of fewer pieces do not turn before they join another one. */
enum { TURNING_PIECES = 4 };

/* Half a wavelength at the least, metres: lengths are divided by it, and where nothing flows there
 * is none. */
static const float HALF_WAVE_LEAST = 1e-3f;

/* The tangent of the angle from a segment's chord to a direction. */
static float lean_to(const struct segment *segment, float x, float y)
{
    const float ahead = segment->ux * x + segment->uy * y;
    const float aside = segment->ux * y - segment->uy * x;
    const float most = SHAPE_LEAN_MOST * __builtin_fabsf(ahead);
    if (!(ahead > 0.0f))
        return aside > 0.0f ? SHAPE_LEAN_MOST : aside < 0.0f ? -SHAPE_LEAN_MOST : 0.0f;
    return min_float(max_float(aside, -most), most) / ahead;
}

/* How much a course winds: as in ranges, or as rivers of plains, the less the smaller they are. */
static float winding_at(float relief, float half_wave)
{
    const float t = clamp_unit((relief - SHAPE_WINDING_RELIEF_LOW) /
                               (SHAPE_WINDING_RELIEF_HIGH - SHAPE_WINDING_RELIEF_LOW));
    const float plain =
        (1.0f - t * t * (3.0f - 2.0f * t)) * clamp_unit(half_wave / SHAPE_WINDING_RIVER);
    return SHAPE_WINDING_RANGES + (1.0f - SHAPE_WINDING_RANGES) * plain;
}

/* Leans the two segments that meet in a joint to the direction between theirs, of which the shorter
 * one decides more. */
static void lean_at_joint(struct segment *above, struct segment *below)
{
    const float a = above->inverse, b = below->inverse;
    const float x = above->ux * a + below->ux * b, y = above->uy * a + below->uy * b;
    above->lean[1] = lean_to(above, x, y);
    below->lean[0] = lean_to(below, x, y);
}

/* Leans the end of a stream so that it meets the one that it joins at an acute angle. The heading
 * is that one's, of length 1. */
static void lean_at_junction(const float heading[2], struct segment *last)
{
    const float x = heading[0], y = heading[1];
    const float ahead = (last->ux * x + last->uy * y) / last->length;
    const float aside = last->ux * y < last->uy * x ? 1.0f : -1.0f; /* from which side it comes */
    const float cosine = min_float(max_float(ahead, SHAPE_JOIN_WIDE), 1.0f);
    const float sine = aside * __builtin_sqrtf(1.0f - cosine * cosine);
    last->lean[1] = lean_to(last, cosine * x - sine * y, cosine * y + sine * x);
}

static void lean_at_ends(const struct stream_draft *draft, struct segment *first,
                         struct segment *last)
{
    if (draft->slot.pieces >= TURNING_PIECES && last->length > 0.0f &&
        (draft->heading[0] != 0.0f || draft->heading[1] != 0.0f))
        lean_at_junction(draft->heading, last);
    first->lean[0] =
        SHAPE_HEAD_LEAN * (2.0f * hash_fraction(draft->hash, 24) - 1.0f) - 0.5f * first->lean[1];
}

/* How many of a stream's pieces come before its delta. */
static unsigned pieces_before_delta(const struct stream_slot *slot)
{
    for (unsigned i = 0; i < slot->pieces; i++)
        if (slot->segments[i].delta)
            return i;
    return slot->pieces;
}

void curves_set(const struct stream_draft *draft)
{
    struct segment *segments = draft->slot.segments;
    const unsigned curved = pieces_before_delta(&draft->slot);
    const float room = draft->room / (float)draft->slot.pieces; /* lost from joint to joint */
    for (unsigned i = 0; i < draft->slot.count; i++) {
        struct segment *segment = &segments[i];
        const float relief = 0.5f * (segment->relief[0] + segment->relief[1]);
        segment->half_wave =
            HALF_WAVE_LEAST + 2.0f * SHAPE_RIVER_HALF * SHAPE_MEANDER_WIDTHS *
                                  __builtin_sqrtf(0.5f * (segment->flow[0] + segment->flow[1]));
        segment->winding =
            i < curved && segment->length > 0.0f ? winding_at(relief, segment->half_wave) : 0.0f;
        segment->lean[0] = segment->lean[1] = 0.0f;
        segment->room[0] = not_below_zero(draft->room - room * (float)i);
        segment->room[1] = not_below_zero(draft->room - room * (float)(i + 1));
    }
    for (unsigned i = 1; i < curved; i++)
        lean_at_joint(&segments[i - 1], &segments[i]);
    if (curved > 0)
        lean_at_ends(draft, &segments[0], &segments[curved - 1]);
    for (unsigned i = 0; i < draft->slot.count; i++)
        arc_measure(&segments[i]);
}
