/* Tiles are sampled with the layer "height", and with "water_level" where a world has it. */
#include "tests/bench/land/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/base/file.h"
#include "tests/bench/measure.h"
#include "tests/unit/core/random.h"

enum {
    FILE_MAX = 1 << 20,
    SPAN_LOG2 = 25,   /* of the tile of zoom 0, metres */
    WITHIN_LOG2 = 28, /* of the square in which tiles are chosen, around the origin */
    UNITS_LOG2 = 16,  /* of a metre */
    PROBE = 16,       /* samples along a tile that may be chosen */
    PROBE_LAND = 230, /* of PROBE²: nine tenths */
    TRIES_MAX = 20000,
};

static unsigned find_layer(const struct terrane_world *world, const char *name, const char *file)
{
    const int layer = terrane_layer_find(world, name);
    if (layer < 0)
        measure_stop(file, "the world has no layer \"height\"");
    return (unsigned)layer;
}

void land_world_open(struct land_world *land, const char *file)
{
    struct buffer text = {0};
    struct error failed = {0};
    struct terrane_error error = {0};
    char line[1024];
    if (!file_read(file, FILE_MAX, &text, &failed)) {
        error_format(&failed, line, sizeof line);
        measure_stop("world", line);
    }
    land->world = terrane_world_parse((const char *)text.data, text.length, file, &error);
    buffer_free(&text);
    if (!land->world) {
        terrane_error_text(&error, line, sizeof line);
        measure_stop("world", line);
    }
    land->sampler = terrane_sampler_new();
    if (!land->sampler)
        measure_stop("memory", "there is none left");
    land->layers[0] = find_layer(land->world, "height", file);
    const int water = terrane_layer_find(land->world, "water_level");
    land->layers[1] = (unsigned)water;
    land->layer_count = water < 0 ? 1 : 2;
    land->heights = measure_memory(sizeof(float) * LAND_SIDE * LAND_SIDE);
    land->water = measure_memory(sizeof(float) * LAND_SIDE * LAND_SIDE);
    land->under = measure_memory(LAND_SIDE * LAND_SIDE);
}

void land_world_close(struct land_world *land)
{
    terrane_sampler_free(land->sampler);
    terrane_world_release(land->world);
    free(land->heights);
    free(land->water);
    free(land->under);
}

double land_spacing(int zoom)
{
    return ldexp(1, LAND_ZOOM_MAX - zoom);
}

/* A corner's coordinate, by the index of a tile, in 2⁻¹⁶ m. */
static int64_t corner_of(int zoom, int64_t index)
{
    return (index * (1 << (SPAN_LOG2 - zoom)) - (1 << (SPAN_LOG2 - 1))) * (1 << UNITS_LOG2);
}

struct land_tile land_tile_around(const struct land_tile *tile, int zoom)
{
    /* Right shifts of negative numbers round down. */
    const int more = tile->zoom - zoom;
    if (more >= 0)
        return (struct land_tile){zoom, tile->x >> more, tile->y >> more};
    const int64_t half = (int64_t)1 << (-more - 1);
    return (struct land_tile){zoom, tile->x * 2 * half + half, tile->y * 2 * half + half};
}

/* Fills the grid's heights, and what of them is under water. */
static struct land_grid sample_grid(struct land_world *land, const struct terrane_grid *grid,
                                    uint32_t margin)
{
    float *outputs[] = {land->heights, land->water};
    const struct terrane_request request = {land->layers, outputs, land->layer_count};
    struct terrane_error error = {0};
    if (!terrane_sample_grid(land->sampler, land->world, grid, &request, &error))
        measure_stop("sampling", error.message);
    for (uint32_t i = 0; i < grid->columns * grid->rows; i++)
        land->under[i] =
            !(land->heights[i] > 0) || (land->layer_count > 1 && land->water[i] > land->heights[i]);
    return (struct land_grid){grid->columns, margin, land->heights, land->under};
}

struct land_grid land_sample(struct land_world *land, const struct land_tile *tile, uint32_t margin,
                             double spacing)
{
    const int64_t step = (int64_t)1 << (UNITS_LOG2 + LAND_ZOOM_MAX - tile->zoom);
    const uint32_t side = LAND_TILE + 2 * margin;
    const struct terrane_grid grid = {
        .x = corner_of(tile->zoom, tile->x) + step / 2 - margin * step,
        .y = corner_of(tile->zoom, tile->y) + step / 2 - margin * step,
        .step = step,
        .columns = side,
        .rows = side,
        .spacing = spacing,
    };
    return sample_grid(land, &grid, margin);
}

static bool is_land(struct land_world *land, const struct land_tile *tile)
{
    const int64_t step = (int64_t)LAND_TILE / PROBE << (UNITS_LOG2 + LAND_ZOOM_MAX - tile->zoom);
    const struct terrane_grid grid = {
        .x = corner_of(tile->zoom, tile->x) + step / 2,
        .y = corner_of(tile->zoom, tile->y) + step / 2,
        .step = step,
        .columns = PROBE,
        .rows = PROBE,
        .spacing = land_spacing(tile->zoom) * LAND_TILE / PROBE,
    };
    const struct land_grid probe = sample_grid(land, &grid, 0);
    unsigned above = 0;
    for (unsigned i = 0; i < PROBE * PROBE; i++)
        above += probe.heights[i] > 0;
    return above > PROBE_LAND;
}

static bool is_among(const struct land_tile *tile, const struct land_tile *tiles, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        if (tiles[i].x == tile->x && tiles[i].y == tile->y)
            return true;
    return false;
}

void land_choose(struct land_world *land, int zoom, uint64_t seed, unsigned count,
                 struct land_tile *tiles)
{
    const int64_t tiles_within = (int64_t)1 << (WITHIN_LOG2 - SPAN_LOG2 + zoom);
    const int64_t low = (((int64_t)1 << zoom) - tiles_within) / 2;
    uint64_t state = (seed + 1) * 0x9E3779B97F4A7C15u + (uint64_t)zoom;
    unsigned found = 0;
    for (unsigned tries = 0; found < count && tries < TRIES_MAX; tries++) {
        const int64_t x = random_whole(&state, low, low + tiles_within - 1);
        const int64_t y = random_whole(&state, low, low + tiles_within - 1);
        const struct land_tile tile = {zoom, x, y};
        if (!is_among(&tile, tiles, found) && is_land(land, &tile))
            tiles[found++] = tile;
    }
    if (found < count) {
        char why[120];
        snprintf(why, sizeof why,
                 "%u of %d tiles of zoom %d are nine tenths land, and %u are wanted", found,
                 TRIES_MAX, zoom, count);
        measure_stop("tiles", why);
    }
}
