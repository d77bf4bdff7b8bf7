/* Tiles are sampled with the layer "height", and with "water_level" and, if it is wanted,
 * "vegetation" where a world has them. */
#include "tests/bench/land/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "server/base/file.h"
#include "tests/bench/choice.h"
#include "tests/bench/measure.h"

enum {
    FILE_MAX = 1 << 20,
    SPAN_LOG2 = 25,  /* of the tile of zoom 0, metres */
    UNITS_LOG2 = 16, /* of a metre */
    TRIES_MAX = 20000,
};

static const float PROBE_GREEN = 0.75F; /* mean of the vegetation of a tile that may be chosen */

/* Adds a layer to those that are sampled; returns its place among them, −1 if the world lacks it.
 */
static int add_layer(struct land_world *land, const char *name)
{
    const int layer = terrane_layer_find(land->world, name);
    if (layer < 0)
        return -1;
    land->layers[land->layer_count] = (unsigned)layer;
    land->outputs[land->layer_count] = measure_memory(sizeof(float) * LAND_SIDE * LAND_SIDE);
    return (int)land->layer_count++;
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
    land->courses = sampler_new();
    if (!land->sampler || !land->courses)
        measure_stop("memory", "there is none left");
    if (add_layer(land, "height") < 0)
        measure_stop(file, "the world has no layer \"height\"");
    land->water_at = add_layer(land, "water_level");
    land->vegetation_at = -1;
    land->under = measure_memory(LAND_SIDE * LAND_SIDE);
}

void land_world_close(struct land_world *land)
{
    terrane_sampler_free(land->sampler);
    sampler_free(land->courses);
    terrane_world_release(land->world);
    for (unsigned i = 0; i < land->layer_count; i++)
        free(land->outputs[i]);
    free(land->under);
}

void land_world_want_vegetation(struct land_world *land)
{
    land->vegetation_at = add_layer(land, "vegetation");
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

struct tile_address land_tile_around(const struct tile_address *tile, int zoom)
{
    /* Right shifts of negative numbers round down. */
    const int more = tile->zoom - zoom;
    if (more >= 0)
        return (struct tile_address){zoom, tile->x >> more, tile->y >> more};
    const int64_t half = (int64_t)1 << (-more - 1);
    return (struct tile_address){zoom, tile->x * 2 * half + half, tile->y * 2 * half + half};
}

struct place land_tile_middle(const struct tile_address *tile)
{
    const int64_t half = (int64_t)LAND_TILE / 2 << (UNITS_LOG2 + LAND_ZOOM_MAX - tile->zoom);
    return (struct place){corner_of(tile->zoom, tile->x) + half,
                          corner_of(tile->zoom, tile->y) + half};
}

/* True if a sample is under water, or not of what is wanted. */
static bool is_under(const struct land_world *land, uint32_t sample)
{
    const float height = land->outputs[0][sample];
    const int water = land->water_at, vegetation = land->vegetation_at;
    return !(height > 0) || (water >= 0 && land->outputs[water][sample] > height) ||
           (vegetation >= 0 && land->outputs[vegetation][sample] < 0.5F);
}

/* Fills the grid's heights, and what of them is under water. */
static struct land_grid sample_grid(struct land_world *land, const struct terrane_grid *grid,
                                    uint32_t margin)
{
    const struct terrane_request request = {land->layers, land->outputs, land->layer_count};
    struct terrane_error error = {0};
    if (!terrane_sample_grid(land->sampler, land->world, grid, &request, &error))
        measure_stop("sampling", error.message);
    for (uint32_t i = 0; i < grid->columns * grid->rows; i++)
        land->under[i] = is_under(land, i);
    return (struct land_grid){grid->columns, margin, land->outputs[0], land->under};
}

struct land_grid land_sample(struct land_world *land, const struct tile_address *tile,
                             uint32_t margin, double spacing)
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

static bool is_wanted(struct land_world *land, const struct tile_address *tile)
{
    const int64_t step = (int64_t)LAND_TILE / CHOICE_PROBE
                         << (UNITS_LOG2 + LAND_ZOOM_MAX - tile->zoom);
    const struct terrane_grid grid = {
        .x = corner_of(tile->zoom, tile->x) + step / 2,
        .y = corner_of(tile->zoom, tile->y) + step / 2,
        .step = step,
        .columns = CHOICE_PROBE,
        .rows = CHOICE_PROBE,
        .spacing = land_spacing(tile->zoom) * LAND_TILE / CHOICE_PROBE,
    };
    const struct land_grid probe = sample_grid(land, &grid, 0);
    float green = 0;
    for (unsigned i = 0; i < CHOICE_SAMPLES; i++)
        green += land->vegetation_at < 0 ? 1 : land->outputs[land->vegetation_at][i];
    return choice_is_land(choice_count_land(probe.heights)) &&
           green >= PROBE_GREEN * CHOICE_SAMPLES;
}

void land_choose(struct land_world *land, int zoom, uint64_t seed, unsigned count,
                 struct tile_address *tiles)
{
    struct choice choice = choice_start(zoom, seed);
    unsigned found = 0;
    for (unsigned tries = 0; found < count && tries < TRIES_MAX; tries++) {
        const struct tile_address tile = choice_next(&choice, tiles, found);
        if (is_wanted(land, &tile))
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
