/* The same samples for grids and for their places in any order. Include cmocka.h first. */
#ifndef TERRANE_TESTS_SAME_SAMPLES_H
#define TERRANE_TESTS_SAME_SAMPLES_H

#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

enum { SAME_LAYERS_MAX = 32 };

/* All layers of a world, and its densities, for `count` samples. */
struct every_layer {
    unsigned layers[SAME_LAYERS_MAX];
    float *outputs[SAME_LAYERS_MAX], *memory;
    struct sample_request request;
};

static inline struct every_layer every_layer_new(const struct world *world, size_t count)
{
    struct every_layer every = {.request.count =
                                    world_layer_count(world) + world_object_count(world)};
    assert_true(every.request.count <= SAME_LAYERS_MAX);
    every.memory = malloc(every.request.count * count * sizeof *every.memory);
    assert_non_null(every.memory);
    for (unsigned i = 0; i < every.request.count; i++) {
        every.layers[i] = i;
        every.outputs[i] = every.memory + i * count;
    }
    return every;
}

static inline const struct sample_request *every_layer_request(struct every_layer *every)
{
    every->request.layers = every->layers;
    every->request.outputs = every->outputs;
    return &every->request;
}

/* Places of a grid in a random order: Durstenfeld 1964. from[i] is the number of places[i]. */
static inline void shuffle_places(const struct sample_grid *grid, uint64_t *state, size_t *from,
                                  struct place *places)
{
    const size_t count = (size_t)grid->columns * grid->rows;
    for (size_t i = 0; i < count; i++) {
        const size_t k = (size_t)random_whole(state, 0, (int64_t)i);
        from[i] = from[k];
        from[k] = i;
    }
    for (size_t i = 0; i < count; i++)
        places[i] = (struct place){grid->x + (int64_t)(from[i] % grid->columns) * grid->step,
                                   grid->y + (int64_t)(from[i] / grid->columns) * grid->step};
}

/* Samples all layers in a grid with one sampler, and at its places, shuffled, with another. */
static inline void assert_points_equal_grid(const struct world *world,
                                            const struct sample_grid *grid, struct sampler *of_grid,
                                            struct sampler *of_points, uint64_t *state)
{
    const size_t count = (size_t)grid->columns * grid->rows;
    struct every_layer whole = every_layer_new(world, count);
    struct every_layer single = every_layer_new(world, count);
    struct place *places = malloc(count * sizeof *places);
    size_t *from = malloc(count * sizeof *from);
    struct error error;
    shuffle_places(grid, state, from, places);
    const struct sample_points points = {places, count, grid->spacing, grid->z, grid->t};
    assert_true(
        sampler_grid(of_grid, world_program(world), grid, every_layer_request(&whole), &error));
    assert_true(sampler_points(of_points, world_program(world), &points,
                               every_layer_request(&single), &error));
    for (unsigned layer = 0; layer < whole.request.count; layer++)
        for (size_t i = 0; i < count; i++) {
            const float a = whole.outputs[layer][from[i]], b = single.outputs[layer][i];
            if (memcmp(&a, &b, sizeof a) != 0 || !__builtin_isfinite(a))
                fail_msg("layer %u at %lld, %lld, step %lld, spacing %g: %.9g and %.9g", layer,
                         (long long)places[i].x, (long long)places[i].y, (long long)grid->step,
                         grid->spacing, (double)a, (double)b);
        }
    free(whole.memory);
    free(single.memory);
    free(places);
    free(from);
}

/* Near the origin, anywhere, at the edge; steps of tiles and others, from 2^step_log2_least units
 * on; a level of detail that is that of the step, finer or coarser, or full. */
static inline struct sample_grid random_grid(uint64_t *state, int64_t step_log2_least,
                                             int64_t step_log2_most)
{
    const int64_t reach =
        random_bits(state) % 3 ? (int64_t)1 << random_whole(state, 16, 56) : PLACE_LIMIT;
    struct sample_grid grid = {
        .columns = (uint32_t)random_whole(state, 1, random_bits(state) % 8 ? 40 : 400),
        .rows = (uint32_t)random_whole(state, 1, random_bits(state) % 8 ? 12 : 80),
        .step = (int64_t)1 << random_whole(state, step_log2_least, step_log2_most),
        .z = random_whole(state, -2, 2) * PLACE_METRE * 5 / 2,
        .t = random_whole(state, 0, 1) * PLACE_METRE,
    };
    grid.step += random_bits(state) % 3 ? 0 : random_whole(state, 0, grid.step);
    grid.x = random_whole(state, -reach, reach) / 2;
    grid.y = reach == PLACE_LIMIT ? -PLACE_LIMIT : random_whole(state, -reach, reach) / 2;
    const double metres = place_metres(grid.step);
    static const double factors[] = {1.0, 1.0, 0.0, 0.25, 0.7, 2.0};
    grid.spacing = metres * factors[random_bits(state) % 6];
    return grid;
}

/* The part of a grid from column and row `cut` on has the samples of the whole. */
static inline void assert_part_equals_grid(const struct world *world,
                                           const struct sample_grid *grid, uint32_t cut,
                                           struct sampler *sampler)
{
    struct sample_grid part = *grid;
    part.x += cut * grid->step;
    part.y += cut * grid->step;
    part.columns -= cut;
    part.rows -= cut;
    struct every_layer whole = every_layer_new(world, (size_t)grid->columns * grid->rows);
    struct every_layer piece = every_layer_new(world, (size_t)part.columns * part.rows);
    struct error error;
    assert_true(
        sampler_grid(sampler, world_program(world), grid, every_layer_request(&whole), &error));
    assert_true(
        sampler_grid(sampler, world_program(world), &part, every_layer_request(&piece), &error));
    for (unsigned layer = 0; layer < whole.request.count; layer++)
        for (size_t row = 0; row < part.rows; row++)
            assert_memory_equal(whole.outputs[layer] + (row + cut) * grid->columns + cut,
                                piece.outputs[layer] + row * part.columns,
                                part.columns * sizeof(float));
    free(whole.memory);
    free(piece.memory);
}

#endif
