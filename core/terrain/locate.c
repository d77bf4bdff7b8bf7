/* Searches blocks of 32 × 32 samples in square rings around the place, from the middle outwards.
 *
 * Blocks are sampled as grids at the level of detail of their step, which is far cheaper than full
 * detail or point by point. Samples that satisfy the conditions are candidates. After a ring, those
 * nearer than any sample of the next ring are checked at full detail, from the nearest on, in calls
 * that grow from a few candidates to many: the first is right more often than not. The others wait
 * for the next ring, as a corner of one ring may be farther away than the side of the next. So
 * candidates are checked in one order, whatever the rings and the calls: by distance, then from
 * north to south, then from west to east. */
#include "core/terrain/locate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buffer.h"
#include "core/terrain/angle.h"
#include "core/terrain/locate_check.h"

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
};

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

static struct place offset_place(const struct locate_state *state, struct offset offset)
{
    return (struct place){state->search->place.x + offset.column * state->located->step,
                          state->search->place.y + offset.row * state->located->step};
}

struct located locate_begin(const struct locate_search *search)
{
    const int64_t wanted = (search->radius + LOCATE_STEPS - 1) / LOCATE_STEPS;
    const int64_t step = wanted < PLACE_METRE ? PLACE_METRE : wanted;
    return (struct located){
        .step = step, .spacing = search->full_detail ? 0.0 : place_metres(step), .complete = true};
}

void locate_set_place(const struct locate_search *search, int32_t east, int32_t south,
                      struct located *located)
{
    located->found = true;
    located->place = (struct place){search->place.x + east * located->step,
                                    search->place.y + south * located->step};
    located->distance =
        sqrt((double)((int64_t)east * east + (int64_t)south * south)) * place_metres(located->step);
    located->bearing = angle_bearing(east, -south);
}

/* True if the place of a key is within the radius. */
static bool is_within(const struct locate_state *state, uint64_t key)
{
    double radius = place_metres(state->search->radius), step = place_metres(state->located->step);
    return (double)(key >> SQUARE_SHIFT) * step * step <= radius * radius;
}

static void consider_sample(struct locate_state *state, struct offset offset, float value)
{
    const uint64_t key = key_of(offset);
    if (value >= state->search->low && value <= state->search->high && is_within(state, key))
        buffer_append(&state->keys, &key, sizeof key);
}

static int32_t clamp_offset(int32_t value, int32_t most)
{
    return value < -most ? -most : value > most ? most : value;
}

/* Block (i, k) has the columns LOCATE_BLOCK·i − LOCATE_BLOCK/2 … LOCATE_BLOCK·i + LOCATE_BLOCK/2 −
 * 1 and the rows of k alike, as far as they are in the square. */
static bool search_block(struct locate_state *state, int32_t i, int32_t k, struct error *error)
{
    float samples[LOCATE_BLOCK * LOCATE_BLOCK], *output = samples;
    int32_t west = clamp_offset(LOCATE_BLOCK * i - LOCATE_BLOCK / 2, state->edge_steps);
    int32_t east = clamp_offset(LOCATE_BLOCK * i + LOCATE_BLOCK / 2 - 1, state->edge_steps);
    int32_t north = clamp_offset(LOCATE_BLOCK * k - LOCATE_BLOCK / 2, state->edge_steps);
    int32_t south = clamp_offset(LOCATE_BLOCK * k + LOCATE_BLOCK / 2 - 1, state->edge_steps);
    struct place corner = offset_place(state, (struct offset){west, north});
    struct sample_grid grid = {.x = corner.x,
                               .y = corner.y,
                               .step = state->located->step,
                               .columns = (uint32_t)(east - west + 1),
                               .rows = (uint32_t)(south - north + 1),
                               .spacing = state->located->spacing};
    uint64_t count = (uint64_t)grid.columns * grid.rows;
    if (count > state->samples_left) {
        state->located->complete = false;
        state->samples_left = 0;
        return true;
    }
    state->samples_left -= count;
    state->located->samples += count;
    struct sample_request request = {&state->search->layer, &output, 1};
    if (!sampler_grid(state->sampler, state->world, &grid, &request, error))
        return false;
    for (int32_t row = north; row <= south; row++)
        for (int32_t column = west; column <= east; column++)
            consider_sample(state, (struct offset){column, row}, *output++);
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

/* Checks candidates in one call; the first that passes is the result. */
static bool check_some(struct locate_state *state, const uint64_t *keys, size_t count,
                       struct error *error)
{
    struct place places[LOCATE_CHECKS_ONCE] = {{0}};
    struct locate_candidates candidates = {.places = places, .count = count};
    for (size_t i = 0; i < count; i++)
        places[i] = offset_place(state, offset_of_key(keys[i]));
    if (!locate_check(state->sampler, state->world, state->search, &candidates, error))
        return false;
    if (candidates.first < count) {
        const struct offset offset = offset_of_key(keys[candidates.first]);
        locate_set_place(state->search, offset.column, offset.row, state->located);
        state->located->value = candidates.value;
    }
    state->checked += count;
    state->check_calls++;
    if (state->checks_once < LOCATE_CHECKS_ONCE)
        state->checks_once *= 2;
    return true;
}

static size_t lesser(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many of `count` candidates, from the nearest on, may be checked in the next call: no more
 * than the limits of all calls leave. All that was checked before is nearer. */
static size_t checks_allowed(const struct locate_state *state, const uint64_t *keys, size_t count)
{
    const struct locate_search *search = state->search;
    count = lesser(lesser(count, state->checks_once), search->checks_max - state->checked);
    while (count > 0 && search->checks_time_max > 0.0) {
        const double steps = sqrt((double)(keys[count - 1] >> SQUARE_SHIFT));
        const double extent = 2.0 * steps * place_metres(state->located->step);
        const double places = (double)(state->checked + count);
        if (locate_check_time(state->world, search, places, (double)(state->check_calls + 1),
                              extent) <= search->checks_time_max)
            break;
        count /= 2;
    }
    return count;
}

/* Checks the candidates nearer than so many steps, until one passes, and removes them. */
static bool check_candidates(struct locate_state *state, int64_t steps, struct error *error)
{
    uint64_t *keys = (uint64_t *)(void *)state->keys.data;
    const size_t all = state->keys.length / sizeof *keys;
    size_t near = 0, checked = 0, count = 0;
    if (all > 0)
        qsort(keys, all, sizeof *keys, compare_keys);
    while (near < all && (int64_t)(keys[near] >> SQUARE_SHIFT) < steps * steps)
        near++;
    while (!state->located->found &&
           (count = checks_allowed(state, keys + checked, near - checked)) > 0) {
        if (!check_some(state, keys + checked, count, error))
            return false;
        checked += count;
    }
    if (checked < near && !state->located->found)
        state->located->complete = false;
    state->keys.length = (all - near) * sizeof *keys;
    if (near > 0)
        memmove(keys, keys + near, state->keys.length);
    return true;
}

/* Searches ring after ring until the result is final. */
static bool search_rings(struct locate_state *state, struct error *error)
{
    const struct located *located = state->located;
    int32_t ring = 0;
    while (located->complete && !located->found && ring_distance(ring) <= state->edge_steps) {
        if (!search_ring(state, ring, error))
            return false;
        ring++;
        if (located->complete && !check_candidates(state, ring_distance(ring), error))
            return false;
    }
    return located->found || check_candidates(state, INT16_MAX, error);
}

bool locate_nearest(struct sampler *sampler, const struct world *world,
                    const struct locate_search *search, struct located *located,
                    struct error *error)
{
    unsigned cost = world_layer(world, search->layer)->cost;
    *located = locate_begin(search);
    struct locate_state state = {
        .sampler = sampler,
        .world = world,
        .search = search,
        .located = located,
        .edge_steps = (int32_t)(search->radius / located->step),
        .samples_left = search->cost_max / (cost ? cost : 1),
        .checks_once = CHECKS_FIRST,
    };
    const bool done = search_rings(&state, error);
    buffer_free(&state.keys);
    return done;
}
