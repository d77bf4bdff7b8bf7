/* Samples both worlds over the same grid, in bands of rows of at most 16,384 samples, so that
 * memory does not grow with the grid, and compares band by band. Biomes are compared by name: the
 * index of a biome depends on the others. */
#include "core/terrain/difference.h"
#include "core/worldfile/world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BAND_SAMPLES = 1 << 14 }; /* of one layer, at once in memory */

/* The samples of one world in a band of rows. */
struct world_samples {
    const struct world *world;
    float *heights, *biomes;
};

static bool sample_side(struct sampler *sampler, const struct world_samples *side, bool with_biomes,
                        const struct sample_grid *grid, struct error *error)
{
    unsigned layers[2] = {world_height_layer(side->world)};
    float *outputs[2] = {side->heights, side->biomes};
    if (with_biomes)
        layers[1] = (unsigned)world_biome_layer(side->world);
    struct sample_request request = {layers, outputs, with_biomes ? 2 : 1};
    return sampler_grid(sampler, world_program(side->world), grid, &request, error);
}

static bool same_biome(const struct world_samples *a, const struct world_samples *b, size_t i)
{
    return strcmp(world_biome(a->world, (unsigned)a->biomes[i])->name,
                  world_biome(b->world, (unsigned)b->biomes[i])->name) == 0;
}

/* Adds a band to the result; `mean` is a sum until the end. */
static void compare_band(const struct world_samples *a, const struct world_samples *b,
                         const struct sample_grid *grid, struct difference *difference)
{
    for (size_t i = 0; i < (size_t)grid->columns * grid->rows; i++) {
        float distance = fabsf(b->heights[i] - a->heights[i]);
        difference->changed += distance > 0;
        difference->mean += (double)distance;
        difference->became_water += a->heights[i] >= 0 && b->heights[i] < 0;
        difference->became_land += a->heights[i] < 0 && b->heights[i] >= 0;
        difference->biomes += difference->has_biomes && !same_biome(a, b, i);
        if (distance <= difference->largest)
            continue;
        difference->largest = distance;
        difference->where.x = grid->x + (int64_t)(i % grid->columns) * grid->step;
        difference->where.y = grid->y + (int64_t)(i / grid->columns) * grid->step;
    }
}

bool difference_measure(struct sampler *sampler, struct difference *difference, struct error *error)
{
    const struct sample_grid grid = difference->grid;
    const struct world *a = difference->a, *b = difference->b;
    uint32_t rows = BAND_SAMPLES / grid.columns < 1 ? 1 : BAND_SAMPLES / grid.columns;
    size_t size = (size_t)rows * grid.columns;
    float *memory = malloc(4 * size * sizeof *memory);
    bool done = true;
    if (!memory)
        return error_memory(error);
    struct world_samples sides[2] = {{a, memory, memory + size},
                                     {b, memory + 2 * size, memory + 3 * size}};
    *difference = (struct difference){
        .a = a,
        .b = b,
        .grid = grid,
        .samples = (uint64_t)grid.columns * grid.rows,
        .has_biomes = world_biome_layer(a) >= 0 && world_biome_layer(b) >= 0,
        .where = {grid.x, grid.y},
    };
    for (uint32_t row = 0; row < grid.rows && done; row += rows) {
        struct sample_grid band = grid;
        band.y = grid.y + (int64_t)row * grid.step;
        band.rows = grid.rows - row < rows ? grid.rows - row : rows;
        done = sample_side(sampler, &sides[0], difference->has_biomes, &band, error) &&
               sample_side(sampler, &sides[1], difference->has_biomes, &band, error);
        if (done)
            compare_band(&sides[0], &sides[1], &band, difference);
    }
    difference->mean /= (double)difference->samples;
    free(memory);
    return done;
}
