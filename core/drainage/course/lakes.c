/* See lakes.h. */
#include "core/drainage/course/lakes.h"

#include "core/base/lanes.h"
#include "core/drainage/network/shape.h"
#include "core/drainage/network/slopes.h"

/* The first piece of the flattest reach of `count` pieces that ends before the stream does. What
 * counts is the fall from where the bed is dug out. */
static unsigned flattest_reach(const struct segment *segments, unsigned n, unsigned count)
{
    float least = 1e30f;
    unsigned flattest = 0;
    for (unsigned i = 0; i + count < n; i++) {
        const float fall = segments[i].bed[1] - segments[i + count].bed[0];
        flattest = fall <= least ? i : flattest;
        least = min_float(fall, least);
    }
    return flattest;
}

/* Digs a lake of a stream of n pieces, if it has one. */
static void dig_lake(struct segment *segments, unsigned n, const struct stream_draft *draft,
                     float share)
{
    const uint64_t hash = hash_mix(draft->hash);
    const unsigned lengths = n / 2 + 1 - SHAPE_LAKE_PIECES_LEAST;
    const unsigned count =
        SHAPE_LAKE_PIECES_LEAST + (unsigned)(hash_fraction(hash, 16) * (float)lengths);
    if (hash_fraction(hash, 0) >= share)
        return;
    const unsigned first = flattest_reach(segments, n, count), end = first + count;
    const float level = segments[end].bed[0], fall = segments[first].bed[1] - level;
    const float length = draft->length * (float)count / (float)n;
    const float half = (SHAPE_LAKE_HALF + SHAPE_LAKE_HALF_RANGE * hash_fraction(hash, 48)) * length;
    const float depth =
        min_float(lake_slope(segments[end].relief[0]) * half, level - SHAPE_LAKE_BED_LEAST);
    if (level < max_float(draft->lake, 0.0f) + SHAPE_LAKE_LEVEL_LEAST ||
        fall > SHAPE_LAKE_FALL_MOST * depth)
        return;
    for (unsigned i = 0; i < end; i++)
        segments[i].lake = level;
    for (unsigned i = first + 1; i < end; i++)
        segments[i - 1].bed[1] = segments[i].bed[0] = level - depth;
}

/* Digs the lake that a stream of level 0 leads to, whose cells are `width` metres wide. */
static void dig_sink(struct segment *segments, unsigned n, const struct stream_draft *draft,
                     float width)
{
    const float depth = lake_slope(draft->relief[1]) * SHAPE_LAKE_SINK_WIDTHS * width;
    const float room = draft->lake - SHAPE_LAKE_BED_LEAST;
    if (room < SHAPE_LAKE_SINK_ROOM * depth)
        return;
    const float bed = draft->lake - min_float(depth, room);
    segments[n - 1].bed[1] = bed;
    /* The sink's own stream has no length. */
    for (unsigned i = 0; i < n && draft->length == 0.0f; i++)
        segments[i].bed[0] = segments[i].bed[1] = bed;
}

void lakes_dig(const struct drainage_network *network, const struct stream_draft *draft,
               const struct field_lattice *fields)
{
    const unsigned level = draft->node.level, n = draft->slot.pieces;
    struct segment *segments = draft->slot.segments;
    if (level_has_lakes(network, level) && n == segments_of_level(network, level))
        dig_lake(segments, n, draft, field_at(fields, fields->values.lakes, draft->ends[0]));
    if (level == 0 && draft->lake > NO_LAKE)
        dig_sink(segments, n, draft, cell_width(network, 0));
}

float lake_rise(const struct stream_draft *draft, float most)
{
    const float depth = draft->lake - draft->bed[1];
    if (!(depth > 0.0f))
        return 1e30f;
    const float slope =
        lake_slope(draft->relief[1]) * (SHAPE_LAKE_SHORE_RISE + hash_fraction(draft->hash, 16));
    const float wet = min_float(depth / slope, draft->length);
    return slope * wet + most * (draft->length - wet);
}
