#include "tests/bench/places.h"

#include "tests/bench/choice.h"
#include "tests/bench/measure.h"

enum { TRIES_MAX = 4096 };

/* Samples of a tile that are above the sea. */
static unsigned count_land(struct sampler *sampler, const struct world *world,
                           const struct tile_address *tile)
{
    static float heights[CHOICE_SAMPLES];
    float *outputs[] = {heights};
    const unsigned layer = world_height_layer(world);
    struct sample_grid grid;
    struct error error = {0};
    tile_grid(tile, CHOICE_PROBE, 0, &grid);
    if (!sampler_grid(sampler, world_program(world), &grid,
                      &(struct sample_request){&layer, outputs, 1}, &error)) {
        char text[640];
        error_format(&error, text, sizeof text);
        measure_stop("places", text);
    }
    return choice_count_land(heights);
}

void places_choose(struct sampler *sampler, const struct world *world, int zoom,
                   struct tile_address places[PLACES])
{
    const bool any = zoom < PLACES_CHOSEN_ZOOM;
    struct tile_address *const land = places, *const sea = places + PLACES_LAND;
    struct choice choice = choice_start(zoom, 0);
    unsigned lands = 0, seas = 0;
    for (unsigned tries = 0; lands + seas < PLACES; tries++) {
        if (tries == TRIES_MAX)
            measure_stop("places", "too few tiles are land, or too few are sea");
        const struct tile_address tile = choice_next(&choice, land, lands);
        const unsigned above = any ? 0 : count_land(sampler, world, &tile);
        if (lands < PLACES_LAND && (any || choice_is_land(above)))
            land[lands++] = tile;
        else if (seas < PLACES - PLACES_LAND && above == 0)
            sea[seas++] = tile;
    }
}
