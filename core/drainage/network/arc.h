/* Arcs: how streams curve between the ends of their segments. Internal to core/drainage.
 *
 * A segment's course is a curve that begins and ends where its chord does, with the directions that
 * `lean` gives. It has no end of detail: its middle lies where a curve through both ends would have
 * it, and a way aside that a hash decides; so do the middles of both halves, and so on. An arc is
 * one of these parts, as its ends and its directions there. What looks closer halves arcs more
 * often, and whoever does finds the same places, as each follows from the segment alone. */
#ifndef TERRANE_DRAINAGE_NETWORK_ARC_H
#define TERRANE_DRAINAGE_NETWORK_ARC_H

#include "core/drainage/network/segment.h"

enum { ARC_TOLERANCES = 4 }; /* an arc is not halved if it has fewer of them */

struct arc {
    const struct segment *segment;
    struct place ends[2];
    float heading[2][2]; /* the directions there: metres for the length of the arc */
    uint32_t path;       /* 1, then for each halving a bit: 0 for the half upstream */
    float ux, uy;        /* the chord, metres, */
    float length;        /* and its length */
    float bend;          /* how far from it the middle may be, about, metres */
    float reach;         /* how far from it the course may be anywhere at the most, metres */
    struct arc *halves;  /* both, where they are kept; or null */
};

/* Arcs, from the coarsest level to the finest; within a level by block, cell, and downstream: an
 * order that the place alone decides. */
struct arc_list {
    struct arc *const *arcs;
    uint32_t count;
    struct place middle;      /* of the cell */
    struct segment_rows rows; /* of their chords, from there */
};

/* Sets `bend` and `reach` of a segment whose course is known. */
void arc_measure(struct segment *segment);
/* Makes an arc the whole course of a segment. */
void arc_begin(struct arc *arc, const struct segment *segment);
static inline struct arc arc_of(const struct segment *segment)
{
    struct arc arc;
    arc_begin(&arc, segment);
    return arc;
}
/* Halves an arc: [0] is upstream. */
void arc_halve(const struct arc *arc, struct arc halves[2]);
/* True if an arc is to be halved for a line that is as exact as the tolerance, in metres. */
static inline bool arc_bends(const struct arc *arc, float tolerance)
{
    return arc->bend > tolerance && arc->length > ARC_TOLERANCES * tolerance;
}

/* The share of its segment at which an arc begins, and that at a share of the arc: 0 … 1. */
float arc_share(const struct arc *arc, float along);
/* The number of END_SHARES of a segment nearest to a share of it, of those that are so far apart
 * that a course is told to about `metres`. */
unsigned arc_end_share(const struct segment *segment, float along, float metres);
/* The place of a course at a number of END_SHARES. */
struct place arc_place(const struct segment *segment, unsigned share);
/* The direction of a course there, of length 1; 0 if the segment has no length. */
void arc_heading(const struct segment *segment, unsigned share, float heading[2]);
/* The place of a course at any share of its segment, 0 … 1: to some centimetres. */
struct place arc_point(const struct segment *segment, float along);
/* The place at a share of an arc's chord, 0 … 1. */
struct place arc_chord_point(const struct arc *arc, float along);
/* The distance of a place from an arc's chord, squared, in m²; *along becomes the share of the
 * chord at its nearest point. */
static inline float arc_distance(const struct arc *arc, struct place place, float *along)
{
    const float x = units_to_metres(place.x - arc->ends[0].x);
    const float y = units_to_metres(place.y - arc->ends[0].y);
    /* The addend is for arcs without length. */
    const float squared = arc->length * arc->length + 1e-12f;
    *along = clamp_unit((x * arc->ux + y * arc->uy) / squared);
    const float dx = x - *along * arc->ux, dy = y - *along * arc->uy;
    return dx * dx + dy * dy;
}

/* Writes the chord of an arc to rows; null: one that is far from everything. */
void arc_write(struct segment_rows rows, size_t at, const struct arc *arc, struct place origin);

#endif
