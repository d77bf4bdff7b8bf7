/* Searches blocks of 32 × 32 samples in square rings around the place, from the middle outwards.
 *
 * Blocks are sampled as grids at the level of detail of their step, which is far cheaper than full
 * detail or point by point. Samples where the first part of the condition holds are candidates.
 * After a ring, those nearer than any sample of the next ring are checked at full detail, from the
 * nearest on, in calls that grow from a few candidates to many: the first is right more often than
 * not. The others wait for the next ring, as a corner of one ring may be farther away than the side
 * of the next. So candidates are checked in one order, whatever the rings and the calls: by
 * distance, then from north to south, then from west to east. */
#include "core/terrain/locate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/price/layers.h"
#include "core/terrain/angle.h"
#include "core/terrain/locate_check.h"
#include "core/terrain/surface.h"

enum {
    CHECKS_FIRST = 8,      /* candidates in the first call, doubled for each other */
    OFFSET_BIAS = 1 << 15, /* makes offsets positive in a key */
    SQUARE_SHIFT = 32,     /* of the squared distance in a key */
};

/* A sample of the grid: steps east and south of the place. */
struct offset {
    int32_t column, row;
};

struct locate_state {
    struct sampler *sampler;
    const struct world *world;
    const struct locate_search *search;
    struct located *located;
    int32_t edge_steps;    /* steps to the edge of the square */
    uint64_t samples_left; /* samples that may still be looked at */
    size_t checked;        /* candidates, in so many calls */
    size_t check_calls;
    size_t checks_once; /* in the next call */
    struct buffer keys; /* of candidates that are not checked yet: uint64_t, see key_of() */
    float *samples;     /* of a block: a row for each layer, and what the condition gives */
};

enum { BLOCK_SAMPLES = LOCATE_BLOCK * LOCATE_BLOCK };

/* Keys are in the order of checks. */
static uint64_t key_of(struct offset offset)
{
    const int64_t square =
        (int64_t)offset.column * offset.column + (int64_t)offset.row * offset.row;
    return (uint64_t)square << SQUARE_SHIFT | (uint64_t)(offset.row + OFFSET_BIAS) << 16 |
           (uint64_t)(offset.column + OFFSET_BIAS);
}

static struct offset offset_of_key(uint64_t key)
{
    return (struct offset){(int32_t)(key & 0xFFFF) - OFFSET_BIAS,
                           (int32_t)(key >> 16 & 0xFFFF) - OFFSET_BIAS};
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
    return (first > second) - (first < second);
}

bool locate_check_min_distance(const struct locate_search *search, struct error *error)
{
    return search->min_distance <= search->radius ||
           error_set(error, ERROR_VALUE, "must be at most the radius, %.9g m, not %.9g",
                     place_metres(search->radius), place_metres(search->min_distance));
}

struct located locate_begin(const struct locate_search *search)
{
    const int64_t steps = search->steps > 0 ? search->steps : LOCATE_STEPS;
    const int64_t wanted = (search->radius + steps - 1) / steps;
    const int64_t step = wanted < PLACE_METRE ? PLACE_METRE : wanted;
    return (struct located){
        .step = step, .spacing = search->full_detail ? 0.0 : place_metres(step), .complete = true};
}

struct place locate_place(const struct locate_search *search, int64_t step, int32_t east,
                          int32_t south)
{
    return (struct place){search->place.x + east * step, search->place.y + south * step};
}

void locate_add_place(const struct locate_search *search, int32_t east, int32_t south,
                      struct located *located)
{
    const double square = (double)((int64_t)east * east + (int64_t)south * south);
    located->places[located->count++] = (struct located_place){
        .place = locate_place(search, located->step, east, south),
        .distance = sqrt(square) * place_metres(located->step),
        .bearing = angle_bearing(east, -south),
    };
}

static struct place offset_place(const struct locate_state *state, struct offset offset)
{
    return locate_place(state->search, state->located->step, offset.column, offset.row);
}

/* True if so many squared steps are less than a distance (2⁻¹⁶ m). */
static bool is_nearer(const struct locate_state *state, uint64_t square, int64_t distance)
{
    const double step = place_metres(state->located->step), metres = place_metres(distance);
    return (double)square * step * step < metres * metres;
}

/* True if the place of a key may be a result, by its distance from the middle. */
static bool is_within(const struct locate_state *state, uint64_t key)
{
    const struct locate_search *search = state->search;
    const double radius = place_metres(search->radius), step = place_metres(state->located->step);
    const uint64_t square = key >> SQUARE_SHIFT;
    return (double)square * step * step <= radius * radius &&
           !is_nearer(state, square, search->min_distance);
}

/* True if the place of a key is far enough from all results. */
static bool is_apart(const struct locate_state *state, uint64_t key)
{
    const struct place place = offset_place(state, offset_of_key(key));
    const double apart = place_metres(state->search->apart);
    for (unsigned i = 0; i < state->located->count && apart > 0.0; i++) {
        const struct place result = state->located->places[i].place;
        const double east = place_metres(place.x - result.x);
        const double south = place_metres(place.y - result.y);
        if (east * east + south * south < apart * apart)
            return false;
    }
    return true;
}

static void consider_sample(struct locate_state *state, struct offset offset)
{
    const uint64_t key = key_of(offset);
    if (is_within(state, key))
        buffer_append(&state->keys, &key, sizeof key);
}

static int32_t clamp_offset(int32_t value, int32_t most)
{
    return value < -most ? -most : value > most ? most : value;
}

/* A block's columns and rows, both ends included. */
struct block {
    int32_t west, east, north, south;
};

static uint32_t block_columns(const struct block *block)
{
    return (uint32_t)(block->east - block->west + 1);
}

static uint32_t block_rows(const struct block *block)
{
    return (uint32_t)(block->south - block->north + 1);
}

static int64_t farther(int32_t a, int32_t b)
{
    return -a > b ? -a : b;
}

/* True if all of a block is too near. */
static bool is_too_near(const struct locate_state *state, const struct block *block)
{
    const int64_t east = farther(block->west, block->east);
    const int64_t south = farther(block->north, block->south);
    return is_nearer(state, (uint64_t)(east * east + south * south), state->search->min_distance);
}

/* Samples a block, and runs the condition's first part: its results lie behind the samples. */
static bool sample_block(struct locate_state *state, const struct block *block, float *holds,
                         struct error *error)
{
    const struct condition *condition = state->search->condition;
    const struct condition_needs *needs = condition_needs(condition);
    const struct place corner = offset_place(state, (struct offset){block->west, block->north});
    const struct sample_grid grid = {.x = corner.x,
                                     .y = corner.y,
                                     .step = state->located->step,
                                     .columns = block_columns(block),
                                     .rows = block_rows(block),
                                     .spacing = state->located->spacing};
    float *outputs[CONDITION_LAYERS_MAX];
    struct condition_rows rows = {0};
    for (unsigned i = 0; i < needs->first_count; i++)
        rows.layers[i] = outputs[i] = state->samples + (size_t)i * BLOCK_SAMPLES;
    const struct sample_request request = {needs->layers, outputs, needs->first_count};
    if (needs->first_count > 0 &&
        !sampler_grid(state->sampler, world_program(state->world), &grid, &request, error))
        return false;
    condition_run(condition, CONDITION_FIRST, &rows, (size_t)grid.columns * grid.rows, holds);
    return true;
}

/* Block (i, k) has the columns LOCATE_BLOCK·i − LOCATE_BLOCK/2 … LOCATE_BLOCK·i + LOCATE_BLOCK/2 −
 * 1 and the rows of k alike, as far as they are in the square. */
static bool search_block(struct locate_state *state, int32_t i, int32_t k, struct error *error)
{
    const int32_t edge = state->edge_steps;
    const struct block block = {
        .west = clamp_offset(LOCATE_BLOCK * i - LOCATE_BLOCK / 2, edge),
        .east = clamp_offset(LOCATE_BLOCK * i + LOCATE_BLOCK / 2 - 1, edge),
        .north = clamp_offset(LOCATE_BLOCK * k - LOCATE_BLOCK / 2, edge),
        .south = clamp_offset(LOCATE_BLOCK * k + LOCATE_BLOCK / 2 - 1, edge),
    };
    const uint64_t count = (uint64_t)block_columns(&block) * block_rows(&block);
    float *holds = state->samples + CONDITION_LAYERS_MAX * BLOCK_SAMPLES;
    if (is_too_near(state, &block))
        return true;
    if (count > state->samples_left) {
        state->located->complete = false;
        state->samples_left = 0;
        return true;
    }
    state->samples_left -= count;
    state->located->samples += count;
    if (!sample_block(state, &block, holds, error))
        return false;
    for (int32_t row = block.north; row <= block.south; row++)
        for (int32_t column = block.west; column <= block.east; column++)
            if (*holds++ != 0.0f)
                consider_sample(state, (struct offset){column, row});
    return !state->keys.failed || error_memory(error);
}

/* Searches the blocks around those of the ring before: all sides of a square of blocks. */
static bool search_ring(struct locate_state *state, int32_t ring, struct error *error)
{
    for (int32_t k = -ring; k <= ring; k++) {
        int32_t stride = k == -ring || k == ring || ring == 0 ? 1 : 2 * ring;
        for (int32_t i = -ring; i <= ring; i += stride)
            if (state->located->complete && !search_block(state, i, k, error))
                return false;
    }
    return true;
}

/* The least distance of a sample of the ring, in steps. */
static int64_t ring_distance(int32_t ring)
{
    return ring == 0 ? 0 : LOCATE_BLOCK * ring - LOCATE_BLOCK / 2;
}

static bool is_done(const struct locate_state *state)
{
    return state->located->count >= state->search->limit;
}

/* Candidates of one call, by their indexes among the keys. */
struct batch {
    size_t indexes[LOCATE_CHECKS_ONCE];
    size_t count;
};

/* Checks candidates in one call; those that pass are results if they are far enough from those
 * before them. */
static bool check_batch(struct locate_state *state, const uint64_t *keys, const struct batch *batch,
                        struct error *error)
{
    struct locate_candidates candidates = {.count = batch->count};
    for (size_t i = 0; i < batch->count; i++)
        candidates.places[i] = offset_place(state, offset_of_key(keys[batch->indexes[i]]));
    if (!locate_check(state->sampler, state->world, state->search->condition, &candidates, error))
        return false;
    for (size_t i = 0; i < batch->count && !is_done(state); i++) {
        const uint64_t key = keys[batch->indexes[i]];
        const struct offset offset = offset_of_key(key);
        if (candidates.passes[i] && is_apart(state, key))
            locate_add_place(state->search, offset.column, offset.row, state->located);
    }
    state->checked += batch->count;
    state->check_calls++;
    if (state->checks_once < LOCATE_CHECKS_ONCE)
        state->checks_once *= 2;
    return true;
}

/* The next candidates, from number `at` to number `end`, that are far enough from the results.
 * False if there are none. */
static bool fill_batch(const struct locate_state *state, const uint64_t *keys, size_t at,
                       size_t end, struct batch *batch)
{
    batch->count = 0;
    for (; at < end && batch->count < state->checks_once; at++)
        if (is_apart(state, keys[at]))
            batch->indexes[batch->count++] = at;
    return batch->count > 0;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Leaves of a batch as many candidates as may be checked in the next call: no more than the limits
 * of all calls leave. All that was checked before is nearer. False if that is none. */
static bool limit_batch(const struct locate_state *state, const uint64_t *keys, struct batch *batch)
{
    const struct locate_search *search = state->search;
    const struct condition_needs *needs = condition_needs(search->condition);
    batch->count = lesser(batch->count, search->checks_max - state->checked);
    while (batch->count > 0 && search->checks_time_max > 0.0) {
        const uint64_t key = keys[batch->indexes[batch->count - 1]];
        const double steps = sqrt((double)(key >> SQUARE_SHIFT));
        const double extent = 2.0 * steps * place_metres(state->located->step);
        const double places = (double)(state->checked + batch->count);
        if (locate_check_time(state->world, needs, places, (double)(state->check_calls + 1),
                              extent) <= search->checks_time_max)
            break;
        batch->count /= 2;
    }
    return batch->count > 0;
}

/* Checks the candidates nearer than so many steps, until there are results enough, and removes
 * them. */
static bool check_candidates(struct locate_state *state, int64_t steps, struct error *error)
{
    uint64_t *keys = (uint64_t *)(void *)state->keys.data;
    const size_t all = state->keys.length / sizeof *keys;
    size_t near = 0, checked = 0;
    struct batch batch;
    if (all > 0)
        qsort(keys, all, sizeof *keys, compare_keys);
    while (near < all && (int64_t)(keys[near] >> SQUARE_SHIFT) < steps * steps)
        near++;
    while (!is_done(state) && fill_batch(state, keys, checked, near, &batch)) {
        if (!limit_batch(state, keys, &batch)) {
            state->located->complete = false;
            break;
        }
        if (!check_batch(state, keys, &batch, error))
            return false;
        checked = batch.indexes[batch.count - 1] + 1;
    }
    state->keys.length = (all - near) * sizeof *keys;
    if (near > 0)
        memmove(keys, keys + near, state->keys.length);
    return true;
}

/* Searches ring after ring until the results are final. The candidates that the last rings leave
 * are checked even if the samples were too many for the others. */
static bool search_rings(struct locate_state *state, struct error *error)
{
    const struct located *located = state->located;
    int32_t ring = 0;
    while (located->complete && !is_done(state) && ring_distance(ring) <= state->edge_steps) {
        if (!search_ring(state, ring, error))
            return false;
        ring++;
        if (located->complete && !check_candidates(state, ring_distance(ring), error))
            return false;
    }
    return is_done(state) || check_candidates(state, INT16_MAX, error);
}

/* Writes the heights of the results. */
static bool find_heights(struct locate_state *state, struct error *error)
{
    struct located *located = state->located;
    struct place places[LOCATE_PLACES_MAX];
    float heights[LOCATE_PLACES_MAX];
    for (unsigned i = 0; i < located->count; i++)
        places[i] = located->places[i].place;
    const struct sample_points points = {.places = places, .count = located->count};
    if (!surface_heights(state->sampler, state->world, &points, heights, error))
        return false;
    for (unsigned i = 0; i < located->count; i++)
        located->places[i].height = heights[i];
    return true;
}

bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error)
{
    const struct condition_needs *needs = condition_needs(search->condition);
    const unsigned octaves =
        layers_octaves(world_program(world), needs->layers, needs->first_count);
    *located = locate_begin(search);
    struct locate_state state = {
        .sampler = sampler,
        .world = world,
        .search = search,
        .located = located,
        .edge_steps = (int32_t)(search->radius / located->step),
        .samples_left = search->octaves_max / (octaves ? octaves : 1),
        .checks_once = CHECKS_FIRST,
        .samples = malloc((CONDITION_LAYERS_MAX + 1) * BLOCK_SAMPLES * sizeof(float)),
    };
    const bool done = state.samples ? search_rings(&state, error) && find_heights(&state, error)
                                    : error_memory(error);
    free(state.samples);
    buffer_free(&state.keys);
    return done;
}
