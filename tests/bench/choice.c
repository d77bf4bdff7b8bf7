#include "tests/bench/choice.h"

#include "tests/unit/core/random.h"

enum {
    WITHIN_LOG2 = 28, /* tiles lie in a square of 2²⁸ m, around the origin */
    SPAN_LOG2 = 25,   /* metres of a tile of zoom 0 */
};

struct choice choice_start(int zoom, uint64_t seed)
{
    const int64_t within = (int64_t)1 << (WITHIN_LOG2 - SPAN_LOG2 + zoom);
    const int64_t low = (((int64_t)1 << zoom) - within) / 2;
    const uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15u + (uint64_t)zoom;
    return (struct choice){zoom, low, low + within - 1, state};
}

static bool is_among(const struct tile_address *tile, const struct tile_address *tiles,
                     unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (tiles[i].x == tile->x && tiles[i].y == tile->y)
            return true;
    return false;
}

struct tile_address choice_next(struct choice *choice, const struct tile_address *chosen,
                                unsigned count)
{
    struct tile_address tile = {.zoom = choice->zoom};
    do {
        tile.x = random_whole(&choice->state, choice->low, choice->high);
        tile.y = random_whole(&choice->state, choice->low, choice->high);
    } while (is_among(&tile, chosen, count));
    return tile;
}

unsigned choice_count_land(const float *heights)
{
    unsigned above = 0;
    for (unsigned i = 0; i < CHOICE_SAMPLES; i++)
        above += heights[i] > 0;
    return above;
}

bool choice_is_land(unsigned above)
{
    return 10 * above > 9 * CHOICE_SAMPLES;
}
