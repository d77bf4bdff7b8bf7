/* Squares of each level that may have summits in the box are loaded, from the coarsest level on
 * (summit_blocks.h). A top is climbed only if it may be in the box, or near a summit of a finer
 * level that may be; and squares of coarser levels are loaded only as far as they are near one. So
 * most of what is around a box costs nothing, and all that is found out about a top is kept. */
#include "core/terrain/summits.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/terrain/summit_blocks.h"

#define FULL_DETAIL (8 * PLACE_METRE) /* lesser steps have all detail: they share its streams */

void summit_list_free(struct summit_list *list)
{
    free(list->summits);
    free(list->heights);
    *list = (struct summit_list){0};
}

uint32_t summits_grid_side(uint32_t steps)
{
    const uint32_t tops = steps + 2 * SUMMITS_CLIMB;
    return (tops / SUMMITS_REACH + 1 + 2) * SUMMITS_REACH;
}

/* ---- climbing */

/* Moves a summit to the highest of the samples around it that are `step` apart, and sets its
 * height there. */
static bool climb(const struct summit_level *level, int64_t step, struct summit *summit,
                  struct error *error)
{
    enum { SIDE = SUMMITS_CLIMB_SIDE, SAMPLES = SIDE * SIDE };
    float heights[SAMPLES], *output = heights;
    const unsigned layer = world_height_layer(level->world);
    const int64_t around = SIDE / 2 * step;
    const struct sample_grid grid = {.x = summit->place.x - around,
                                     .y = summit->place.y - around,
                                     .step = step,
                                     .columns = SIDE,
                                     .rows = SIDE,
                                     .spacing = step < FULL_DETAIL ? 0.0 : place_metres(step),
                                     .t = level->t};
    const struct sample_request request = {&layer, &output, 1};
    int highest = SAMPLES / 2;
    if (!sampler_grid(level->sampler, world_program(level->world), &grid, &request, error))
        return false;
    for (int i = 0; i < SAMPLES; i++)
        if (heights[i] > heights[highest])
            highest = i;
    summit->place.x = grid.x + highest % SIDE * step;
    summit->place.y = grid.y + highest / SIDE * step;
    summit->height = heights[highest];
    return true;
}

/* Climbs to the summit from a grid point. */
static bool climb_from(const struct summit_level *level, struct summit *summit, struct error *error)
{
    for (int64_t step = level->step / SUMMITS_CLIMB_FINER; step > PLACE_METRE;
         step /= SUMMITS_CLIMB_FINER)
        if (!climb(level, step, summit, error))
            return false;
    if (!climb(level, PLACE_METRE, summit, error))
        return false;
    summit->id =
        hash_mix(hash_mix((uint64_t)summit->place.x) + (uint64_t)summit->place.y) >> (64 - 53);
    return true;
}

/* ---- what stands */

struct search_run {
    const struct summit_search *search;
    struct summit_level *levels; /* from the coarsest on */
    unsigned count;
    struct summit_heights heights;
    struct error *error;
};

static bool is_near(struct place a, struct place b, int64_t distance)
{
    const int64_t x = a.x - b.x, y = a.y - b.y;
    return x >= -distance && x <= distance && y >= -distance && y <= distance;
}

static struct summit_rect squares_around(const struct summit_level *level, struct place low,
                                         struct place high, int64_t around)
{
    return summit_squares(level, (struct place){low.x - around, low.y - around},
                          (struct place){high.x + around, high.y + around});
}

static bool settle(struct search_run *run, unsigned number, struct summit_square square);

/* True in *taken if a summit of a level stands within a distance of a place. */
static bool find_near(struct search_run *run, unsigned number, struct place place, int64_t reach,
                      bool *taken)
{
    struct summit_level *level = &run->levels[number];
    const int64_t around = reach + SUMMITS_CLIMB * level->step;
    const struct summit_rect squares = squares_around(level, place, place, around);
    if (!summit_level_load(level, &squares, &run->heights, run->error))
        return false;
    for (int64_t y = squares.low[1]; y <= squares.high[1] && !*taken; y++)
        for (int64_t x = squares.low[0]; x <= squares.high[0] && !*taken; x++) {
            const struct summit_square square = summit_level_square(level, x, y);
            const struct summit_block *block = square.block;
            const struct summit *summit = &block->summits[__builtin_ctz(square.bit)];
            if (!(block->tops & square.bit) ||
                !is_near(summit->place, place, block->climbed & square.bit ? reach : around))
                continue;
            if (!settle(run, number, square))
                return false;
            *taken = (block->tops & ~block->taken & square.bit) != 0 &&
                     is_near(summit->place, place, reach);
        }
    return true;
}

/* True in *taken if a summit of a coarser level stands within the reach of a level's summit. */
static bool check_coarser(struct search_run *run, unsigned number, struct place place, bool *taken)
{
    const int64_t reach = SUMMITS_REACH * run->levels[number].step;
    *taken = false;
    for (unsigned i = 0; i < number && !*taken; i++)
        if (!find_near(run, i, place, reach, taken))
            return false;
    return true;
}

/* Climbs from a top to its summit, and finds out if that stands: from then on there is a top only
 * if the summit is on land. */
static bool settle(struct search_run *run, unsigned number, struct summit_square square)
{
    const struct summit_level *level = &run->levels[number];
    struct summit_block *block = square.block;
    struct summit *summit = &block->summits[__builtin_ctz(square.bit)];
    const uint16_t bit = (uint16_t)square.bit;
    bool taken;
    if (!(block->climbed & bit)) {
        struct summit climbed = *summit; /* what is kept must not be half way up */
        if (!climb_from(level, &climbed, run->error))
            return false;
        *summit = climbed;
        block->climbed |= bit;
        block->tops &= (uint16_t) ~(summit->height > 0.0f ? 0 : bit);
        block->changed = true;
    }
    if (!(block->tops & bit) || block->judged & bit)
        return true;
    if (!check_coarser(run, number, summit->place, &taken))
        return false;
    block->judged |= bit;
    block->taken |= taken ? bit : 0;
    block->changed = true;
    return true;
}

/* ---- the list */

static bool add_summit(struct summit_list *list, const struct summit *summit, struct error *error)
{
    struct summit *summits =
        array_reserve(list->summits, list->count, &list->capacity, sizeof *summits);
    if (!summits)
        return error_memory(error);
    list->summits = summits;
    summits[list->count++] = *summit;
    return true;
}

static bool is_in_box(const struct summit_search *search, struct place place, int64_t around)
{
    return place.x >= search->low.x - around && place.x < search->high.x + around &&
           place.y >= search->low.y - around && place.y < search->high.y + around;
}

static int compare_places(const void *a, const void *b)
{
    const struct place *first = &((const struct summit *)a)->place,
                       *second = &((const struct summit *)b)->place;
    if (first->y != second->y)
        return first->y < second->y ? -1 : 1;
    return (first->x > second->x) - (first->x < second->x);
}

/* Adds the summits of a level in the box. */
static bool find_level(struct search_run *run, unsigned number, struct summit_list *list)
{
    struct summit_level *level = &run->levels[number];
    const struct summit_search *search = run->search;
    const int64_t climb = SUMMITS_CLIMB * level->step;
    const struct summit_rect squares = squares_around(level, search->low, search->high, climb);
    const size_t first = list->count;
    if (!summit_level_load(level, &squares, &run->heights, run->error))
        return false;
    for (int64_t y = squares.low[1]; y <= squares.high[1]; y++)
        for (int64_t x = squares.low[0]; x <= squares.high[0]; x++) {
            const struct summit_square square = summit_level_square(level, x, y);
            const struct summit_block *block = square.block;
            struct summit *summit = &square.block->summits[__builtin_ctz(square.bit)];
            if (!(block->tops & square.bit) ||
                !is_in_box(search, summit->place, block->climbed & square.bit ? 0 : climb))
                continue;
            if (!settle(run, number, square))
                return false;
            if (block->tops & ~block->taken & square.bit && is_in_box(search, summit->place, 0) &&
                !add_summit(list, summit, run->error))
                return false;
        }
    if (list->count > first)
        qsort(list->summits + first, list->count - first, sizeof *list->summits, compare_places);
    return true;
}

/* Describes the levels. What is known of one depends on all that are coarser. */
static void list_levels(const struct search_run *run, struct sampler *sampler,
                        const struct world *world)
{
    const struct summit_search *search = run->search;
    const char *fingerprint = world_fingerprint(world);
    struct hash128 identity =
        hash_bytes(fingerprint, strlen(fingerprint), hash_mix((uint64_t)search->t));
    for (unsigned i = 0; i < run->count; i++) {
        const float rise = search->least_rises[i];
        identity.low = hash_number(hash_mix(identity.low + (uint64_t)search->step), (double)rise);
        run->levels[i] = (struct summit_level){.sampler = sampler,
                                               .world = world,
                                               .identity = identity,
                                               .step = search->step >> SUMMITS_LEVEL_LOG2 * i,
                                               .t = search->t,
                                               .least_rise = rise,
                                               .number = i};
    }
}

bool summits_find(struct sampler *sampler, const struct world *world,
                  const struct summit_search *search, struct summit_list *list, struct error *error)
{
    struct search_run run = {.search = search, .error = error};
    bool done = true;
    list->count = 0;
    while (search->step >> SUMMITS_LEVEL_LOG2 * run.count >= search->finest)
        run.count++;
    if (run.count == 0)
        return true;
    run.levels = calloc(run.count, sizeof *run.levels);
    if (!run.levels)
        return error_memory(error);
    run.heights = (struct summit_heights){list->heights, list->height_capacity};
    list_levels(&run, sampler, world);
    for (unsigned i = 0; i < run.count && done; i++)
        done = find_level(&run, i, list);
    for (unsigned i = 0; i < run.count; i++)
        summit_level_close(&run.levels[i]);
    list->heights = run.heights.samples;
    list->height_capacity = run.heights.capacity;
    free(run.levels);
    return done;
}
