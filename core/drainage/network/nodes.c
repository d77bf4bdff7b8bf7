/* See nodes.h. A cell's hash is that of the network's key, the level and the cell's numbers; a
 * node's place in its cell is two 16-bit fractions of it. */
#include "core/drainage/network/nodes.h"

#include "core/drainage/network/shape.h"

unsigned drainage_level(unsigned spacing_log2, double metres)
{
    const unsigned finest = spacing_log2 - DRAINAGE_FINEST_LOG2;
    unsigned level = 0;
    for (; level < finest; level++) {
        const double samples =
            level < SHAPE_CELL_LEVEL ? SHAPE_CELL_SAMPLES_COARSE : SHAPE_CELL_SAMPLES;
        if ((double)((uint32_t)1 << (spacing_log2 - level - 1)) < samples * metres)
            break;
    }
    return level;
}

struct shape_sides drainage_sides(const struct drainage_network *network, unsigned level,
                                  double metres)
{
    const unsigned width_log2 = network->spacing_log2 - level;
    const bool lacks_levels = (double)((uint32_t)1 << width_log2) >= SHAPE_CELL_SAMPLES * metres;
    if (width_log2 == DRAINAGE_FINEST_LOG2)
        return SHAPE_SIDES_FINEST;
    if (!lacks_levels)
        return SHAPE_SIDES_COARSEST;
    struct shape_sides sides = SHAPE_SIDES_COARSER;
    for (unsigned i = 1; i <= 3 && width_log2 >= SHAPE_SIDES_WIDE_LOG2 + i; i++)
        sides.target_widths += SHAPE_SIDES_WIDE;
    return sides;
}

unsigned drainage_segments(unsigned width_log2)
{
    return segments_of_width(width_log2);
}

float drainage_flow_most(unsigned spacing_log2, unsigned level)
{
    const float width = (float)((uint32_t)1 << (spacing_log2 - level));
    const unsigned cells = level == 0 ? SHAPE_TRUNK_FLOW_STEPS + 1 : 1;
    return (float)cells * width * width;
}

double drainage_exactness(unsigned spacing_log2, double metres, unsigned level)
{
    const double samples = SHAPE_EXACT_SAMPLES * metres;
    const double exact = samples > SHAPE_EXACT_LEAST ? samples : SHAPE_EXACT_LEAST;
    return level == drainage_level(spacing_log2, metres) ? SHAPE_EXACT_FINEST * exact : exact;
}

bool drainage_view_is_coarse(unsigned spacing_log2, double metres)
{
    const unsigned width_log2 = spacing_log2 - drainage_level(spacing_log2, metres);
    return (double)((uint32_t)1 << width_log2) < SHAPE_CELL_SAMPLES * metres;
}

/* The most segments that streams of a level have in a view whose finest ones are of level `finest`,
 * for what is seen of them. */
static unsigned segments_seen(unsigned spacing_log2, double metres, unsigned level, unsigned finest)
{
    if (level == finest)
        return SHAPE_PIECES_FINEST;
    if (level + 1 == finest && drainage_view_is_coarse(spacing_log2, metres))
        return SHAPE_PIECES_SECOND;
    return spacing_log2 - finest > SHAPE_PIECES_WIDE_LOG2 ? SHAPE_PIECES_WIDE : ~0u;
}

unsigned drainage_segments_in_view(unsigned spacing_log2, double metres, unsigned level)
{
    const unsigned all = segments_of_width(spacing_log2 - level);
    const unsigned finest = drainage_level(spacing_log2, metres);
    const unsigned seen = segments_seen(spacing_log2, metres, level, finest);
    return seen < all ? seen : all;
}

uint64_t node_hash(const struct drainage_network *network, unsigned level, int64_t x, int64_t y)
{
    const uint64_t column = hash_mix(network->key + (uint64_t)x * 0x9E3779B97F4A7C15u);
    return hash_mix(column ^ hash_mix((uint64_t)y * 0xC2B2AE3D27D4EB4Fu + level));
}

struct place node_place(const struct drainage_network *network, unsigned level, int64_t x,
                        int64_t y)
{
    const unsigned shift = cell_shift(network, level);
    const uint64_t hash = node_hash(network, level, x, y);
    const int64_t jitter = level == 0 ? SHAPE_TRUNK_JITTER : SHAPE_BRANCH_JITTER;
    const int64_t width = (int64_t)1 << shift, unit = width >> 8;
    const int64_t dx = (int64_t)(hash & 0xffff) - 0x8000;
    const int64_t dy = (int64_t)(hash >> 16 & 0xffff) - 0x8000;
    return (struct place){x * width + width / 2 + dx * jitter * unit / 0x8000,
                          y * width + width / 2 + dy * jitter * unit / 0x8000};
}
