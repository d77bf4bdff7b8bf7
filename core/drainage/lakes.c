/* See lakes.h. */
#include "core/drainage/lakes.h"

#include "core/base/lanes.h"

static const float LEVEL_LEAST = 3.0f;  /* metres above the sea, and above a lake downstream */
static const float BED_LEAST = 1.0f;    /* metres: lower ground would be sea */
static const float HALF_LEAST = 0.06f;  /* half the width, in lengths of the reach: and up to */
static const float HALF_RANGE = 0.1f;   /* so much more */
static const float FALL_MOST = 0.6f;    /* of the reach, in depths of the lake */
static const float SINK_WIDTHS = 0.08f; /* half the width of a sink's lake, in widths of a cell */
static const float SINK_LEAST = 0.25f;  /* of its depth: there is none where there is less room */

bool level_has_lakes(const struct drainage_network *network, unsigned level)
{
    return network->lakes &&
           drainage_cell_log2(network->spacing_log2, level) >= DRAINAGE_LAKES_LOG2;
}

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

void lake_dig(struct segment *segments, unsigned n, const struct stream_draft *draft, float share)
{
    const uint64_t hash = hash_mix(draft->hash);
    const unsigned lengths = n / 2 - 1;
    const unsigned count = 2 + (unsigned)(hash_fraction(hash, 16) * (float)lengths);
    if (hash_fraction(hash, 0) >= share)
        return;
    const unsigned first = flattest_reach(segments, n, count), end = first + count;
    const float level = segments[end].bed[0], fall = segments[first].bed[1] - level;
    const float length = draft->length * (float)count / (float)n;
    const float half = (HALF_LEAST + HALF_RANGE * hash_fraction(hash, 48)) * length;
    const float depth = min_float(lake_slope(segments[end].relief[0]) * half, level - BED_LEAST);
    if (level < max_float(draft->lake, 0.0f) + LEVEL_LEAST || fall > FALL_MOST * depth)
        return;
    for (unsigned i = 0; i < end; i++)
        segments[i].lake = level;
    for (unsigned i = first + 1; i < end; i++)
        segments[i - 1].bed[1] = segments[i].bed[0] = level - depth;
}

void lake_dig_sink(struct segment *segments, unsigned n, const struct stream_draft *draft,
                   float width)
{
    const float depth = lake_slope(draft->relief[1]) * SINK_WIDTHS * width;
    const float room = draft->lake - BED_LEAST;
    if (room < SINK_LEAST * depth)
        return;
    const float bed = draft->lake - min_float(depth, room);
    segments[n - 1].bed[1] = bed;
    /* The sink's own stream has no length. */
    for (unsigned i = 0; i < n && draft->length == 0.0f; i++)
        segments[i].bed[0] = segments[i].bed[1] = bed;
}

float lake_rise(const struct stream_draft *draft, float most)
{
    const float depth = draft->lake - draft->bed[1];
    if (!(depth > 0.0f))
        return 1e30f;
    const float slope = lake_slope(draft->relief[1]) * (0.5f + hash_fraction(draft->hash, 16));
    const float wet = min_float(depth / slope, draft->length);
    return slope * wet + most * (draft->length - wet);
}
