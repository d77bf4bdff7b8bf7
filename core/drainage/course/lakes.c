/* See lakes.h. */
#include "core/drainage/course/lakes.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"

/* Lakes begin and end at joints that streams of so many pieces have: so those of more pieces have
 * theirs in the same places. */
enum { LAKE_PARTS = 8 };

/* The first piece of the flattest reach of `count` pieces that ends before the stream does, of
 * those that begin after a number of steps. */
static unsigned flattest_reach(const struct segment *segments, unsigned n, unsigned count,
                               unsigned step)
{
    float least = 1e30f;
    unsigned flattest = 0;
    for (unsigned i = 0; i + count < n; i += step) {
        const float fall = segments[i].bed[0] - segments[i + count].bed[0];
        flattest = fall <= least ? i : flattest;
        least = min_float(fall, least);
    }
    return flattest;
}

/* Lowers the bed at the end of a piece, where the next one begins. */
static void lower_joint(struct segment *piece, float metres)
{
    piece->bed[1] -= metres;
    if (!piece->last)
        piece[1].bed[0] = piece->bed[1];
}

/* How deep a lake is dug into the bed of its reach: a share of what the valley is cut into the land
 * at the outlet, so that its land, which rises to the same heights as without a lake, is above the
 * water. */
static float lake_depth(const struct segment *outlet, float length, float share)
{
    const float cut = outlet->target[0] - outlet->bed[0];
    const float most =
        length * (SHAPE_LAKE_STEEPNESS + SHAPE_LAKE_STEEPNESS_RELIEF * outlet->relief[0]);
    return min_float(min_float(share * cut, most), outlet->bed[0] - SHAPE_LAKE_BED_LEAST);
}

/* How many pieces the lake of a stream has, which has so many in all and n of them here: in whole
 * parts of the stream; more often few. */
static unsigned lake_pieces(unsigned all, unsigned n, float random)
{
    const unsigned parts = all < LAKE_PARTS ? all : LAKE_PARTS;
    const unsigned lengths = parts / 2 + 1 - SHAPE_LAKE_PIECES_LEAST;
    const unsigned of_parts =
        SHAPE_LAKE_PIECES_LEAST + (unsigned)(random * random * (float)lengths);
    return (of_parts * n + parts / 2) / parts;
}

/* Digs a lake of a stream that has so many pieces in all, if it has one. Where it is made of fewer,
 * it has those of its lakes that are long enough, in whole pieces. */
static void dig_lake(struct segment *segments, unsigned all, const struct stream_draft *draft,
                     float share)
{
    const unsigned n = draft->slot.pieces;
    const uint64_t hash = hash_mix(draft->hash);
    const unsigned count = lake_pieces(all, n, hash_fraction(hash, 16));
    const unsigned step = n > LAKE_PARTS ? n / LAKE_PARTS : 1;
    if (hash_fraction(hash, 0) >= share || count < SHAPE_LAKE_PIECES_LEAST)
        return;
    const unsigned first = flattest_reach(segments, n, count, step), end = first + count;
    const float level = segments[end].bed[0], fall = segments[first].bed[0] - level;
    const float length = draft->length * (float)count / (float)n;
    const float depth =
        lake_depth(&segments[end], length,
                   SHAPE_LAKE_DEPTH + SHAPE_LAKE_DEPTH_RANGE * hash_fraction(hash, 48));
    const float low = max_float(draft->lake, 0.0f) + SHAPE_LAKE_LEVEL_LEAST;
    if (level < low + SHAPE_LAKE_LEVEL_LENGTH * length || fall > SHAPE_LAKE_FALL_MOST * depth)
        return;
    for (unsigned i = 0; i < end; i++)
        segments[i].lake = level;
    for (unsigned i = 1; i < count; i++) {
        const unsigned to_shore = i < count - i ? i : count - i;
        const float deep = min_float((float)to_shore / (float)step, 1.0f);
        lower_joint(&segments[first + i - 1], depth * deep);
    }
}

/* Digs the lake that a stream of level 0 leads to. */
static void dig_sink(struct segment *segments, unsigned n, const struct stream_draft *draft)
{
    const float room = draft->lake - SHAPE_LAKE_BED_LEAST;
    const float depth = min_float(SHAPE_LAKE_SINK_DEPTH, room);
    const unsigned reach = n > LAKE_PARTS ? n / LAKE_PARTS : 1;
    if (room < SHAPE_LAKE_SINK_ROOM * SHAPE_LAKE_SINK_DEPTH)
        return;
    for (unsigned i = 1; i <= reach; i++) {
        const float deep = (float)i / (float)reach;
        lower_joint(&segments[n - reach + i - 1], depth * deep * deep);
    }
    /* The sink's own stream has no length. */
    for (unsigned i = 0; i < n && draft->length == 0.0f; i++)
        segments[i].bed[0] = segments[i].bed[1] = draft->lake - depth;
}

void lakes_dig(const struct drainage_network *network, const struct stream_draft *draft,
               const struct field_lattice *fields)
{
    const unsigned level = draft->node.level, n = draft->slot.pieces;
    struct segment *segments = draft->slot.segments;
    if (level_has_lakes(network, level))
        dig_lake(segments, segments_of_level(network, level), draft,
                 field_at(fields, fields->values.lakes, draft->ends[0]));
    if (level == 0 && draft->lake > NO_LAKE)
        dig_sink(segments, n, draft);
}
