#include "tests/bench/places.h"

#include "tests/bench/measure.h"
#include "tests/unit/core/random.h"

#include <stdio.h>

enum {
    PROBE = 16,       /* samples along a tile */
    PROBE_LAND = 230, /* of PROBE²: nine tenths */
    WITHIN_LOG2 = 28, /* tiles lie in a square of 2²⁸ m, around the origin */
    SPAN_LOG2 = 25,   /* metres of a tile of zoom 0 */
    TRIES_MAX = 4096,
};

/* Samples of a tile that are above the sea. */
static unsigned count_land(struct sampler *sampler, const struct world *world,
                           const struct tile_address *tile)
{
    static float heights[PROBE * PROBE];
    float *outputs[] = {heights};
    const unsigned layer = world_height_layer(world);
    struct sample_grid grid;
    struct error error = {0};
    tile_grid(tile, PROBE, 0, &grid);
    if (!sampler_grid(sampler, world_program(world), &grid,
                      &(struct sample_request){&layer, outputs, 1}, &error)) {
        char text[640];
        error_format(&error, text, sizeof text);
        measure_stop("places", text);
    }
    unsigned above = 0;
    for (unsigned i = 0; i < PROBE * PROBE; i++)
        above += heights[i] > 0;
    return above;
}

static bool is_among(const struct tile_address *tile, const struct tile_address *tiles,
                     unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (tiles[i].x == tile->x && tiles[i].y == tile->y)
            return true;
    return false;
}

void places_choose(struct sampler *sampler, const struct world *world, int zoom,
                   struct tile_address places[PLACES])
{
    const int64_t within = (int64_t)1 << (WITHIN_LOG2 - SPAN_LOG2 + zoom);
    const int64_t low = (((int64_t)1 << zoom) - within) / 2;
    const bool any = zoom < PLACES_CHOSEN_ZOOM;
    struct tile_address *const land = places, *const sea = places + PLACES_LAND;
    unsigned lands = 0, seas = 0;
    uint64_t state = 0x9E3779B97F4A7C15u + (uint64_t)zoom;
    for (unsigned tries = 0; lands + seas < PLACES; tries++) {
        if (tries == TRIES_MAX)
            measure_stop("places", "too few tiles are land, or too few are sea");
        const int64_t x = random_whole(&state, low, low + within - 1);
        const int64_t y = random_whole(&state, low, low + within - 1);
        const struct tile_address tile = {zoom, x, y};
        if (is_among(&tile, land, lands) || is_among(&tile, sea, seas))
            continue;
        const unsigned above = any ? 0 : count_land(sampler, world, &tile);
        if (lands < PLACES_LAND && (any || above >= PROBE_LAND))
            land[lands++] = tile;
        else if (seas < PLACES - PLACES_LAND && above == 0)
            sea[seas++] = tile;
    }
}
