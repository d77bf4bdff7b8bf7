/* See lakes.h. */
#include "core/drainage/lakes.h"

#include "core/base/lanes.h"

enum { CELL_LOG2_LEAST = 12 }; /* lakes are on streams from nodes so far apart, in metres */

static const float LEVEL_LEAST = 3.0f;  /* metres above the sea, and above a lake downstream */
static const float BED_LEAST = 1.0f;    /* metres: ground below 0 would be sea */
static const float WIDTH_LEAST = 0.06f; /* half the width, in lengths of the lake */
static const float WIDTH_RANGE = 0.1f;
static const float FALL_DEPTHS = 0.6f;

bool level_has_lakes(const struct drainage_network *network, unsigned level)
{
    return network->lakes && network->spacing_log2 - level >= CELL_LOG2_LEAST;
}

float lake_slope(float relief)
{
    return 0.012f + 2.5e-5f * relief;
}

float lake_side(const struct segment *segment, int end, float side, float width)
{
    const float depth = segment->lake - segment->bed[end];
    const float slope = lake_slope(segment->relief[end]);
    if (!(depth > 0.0f) || side < slope)
        return side;
    return slope + (side - slope) * (1.0f - clamp_unit(depth / (0.5f * slope * width)));
}

float lake_rise(const struct stream_draft *draft, float most)
{
    const float depth = draft->lake - draft->bed[1];
    if (!(depth > 0.0f))
        return 1e30f;
    const float slope = lake_slope(draft->relief[1]) * (0.5f + hash_fraction(draft->hash, 16));
    const float wet = min_float(depth / slope, draft->length);
    return slope * wet + most * (1.0f - wet / draft->length);
}

/* The flattest reach of `count` pieces that does not lead to the end of the stream, of n pieces:
 * its first. */
static unsigned flattest_reach(const struct segment *segments, unsigned n, unsigned count)
{
    unsigned flattest = 0;
    for (unsigned i = 1; i + count < n; i++) {
        const float fall = segments[i].bed[1] - segments[i + count].bed[0];
        const struct segment *before = &segments[flattest];
        flattest = fall <= before[0].bed[1] - before[count].bed[0] ? i : flattest;
    }
    return flattest;
}

void lake_dig(struct segment *segments, unsigned n, const struct stream_draft *draft, float share)
{
    const uint64_t hash = hash_mix(draft->hash);
    const unsigned count = 2 + (unsigned)(hash_fraction(hash, 16) * (float)(n / 2 - 1));
    if (hash_fraction(hash, 0) >= share)
        return;
    const unsigned first = flattest_reach(segments, n, count);
    const struct segment *outlet = &segments[first + count - 1];
    const float level = outlet->bed[1], fall = segments[first].bed[1] - level;
    const float length = draft->length * (float)count / (float)n;
    const float half = (WIDTH_LEAST + WIDTH_RANGE * hash_fraction(hash, 48)) * length;
    const float depth = min_float(lake_slope(outlet->relief[0]) * half, level - BED_LEAST);
    if (level < max_float(draft->lake, 0.0f) + LEVEL_LEAST || fall > FALL_DEPTHS * depth)
        return;
    for (unsigned i = 0; i < first + count; i++)
        segments[i].lake = level;
    for (unsigned i = first + 1; i < first + count; i++)
        segments[i - 1].bed[1] = segments[i].bed[0] = level - depth;
}
