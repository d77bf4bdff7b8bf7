/* See summits.h. */
#include "core/terrain/summits.h"

#include "core/base/array.h"
#include "core/base/hash.h"

enum { CLIMB_SAMPLES = SUMMITS_CLIMB_SIDE * SUMMITS_CLIMB_SIDE };

void summit_list_free(struct summit_list *list)
{
    free(list->summits);
    free(list->heights);
    *list = (struct summit_list){0};
}

/* The search in one level: on a grid that is wider than the box by `margin` steps, within which
 * summits are looked for, and by what they are compared with. */
struct level_search {
    const struct summit_search *search;
    struct sampler *sampler;
    const struct world *world;
    int64_t step;
    unsigned number; /* 0: the coarsest */
    float least_rise;
    int64_t margin; /* steps */
    struct summit_list *list;
};

/* Steps from the box within which summits of a level matter. Summits of a finer level are compared
 * with it SUMMITS_REACH of their steps away, by which they are compared with in turn: in all, less
 * than SUMMITS_REACH steps. */
static int64_t margin_of(bool finest)
{
    return finest ? 0 : SUMMITS_REACH;
}

uint32_t summits_grid_side(uint32_t steps, bool finest)
{
    return steps + 2 + 2 * (uint32_t)(margin_of(finest) + SUMMITS_CLIMB + SUMMITS_REACH);
}

static struct sample_grid grid_of(const struct level_search *level)
{
    const struct summit_search *search = level->search;
    const int64_t step = level->step, around = level->margin + SUMMITS_CLIMB + SUMMITS_REACH;
    const int64_t west = place_floor_divide(search->low.x, step) - around;
    const int64_t north = place_floor_divide(search->low.y, step) - around;
    const int64_t east = place_floor_divide(search->high.x - 1, step) + 1 + around;
    const int64_t south = place_floor_divide(search->high.y - 1, step) + 1 + around;
    return (struct sample_grid){.x = west * step,
                                .y = north * step,
                                .step = step,
                                .columns = (uint32_t)(east - west) + 1,
                                .rows = (uint32_t)(south - north) + 1,
                                .spacing = place_metres(step),
                                .t = search->t};
}

/* Samples the heights of the grid into the list. */
static bool sample_grid(const struct level_search *level, const struct sample_grid *grid,
                        struct error *error)
{
    const size_t count = (size_t)grid->columns * grid->rows;
    const unsigned layer = world_height_layer(level->world);
    struct summit_list *list = level->list;
    if (count > list->height_capacity) {
        free(list->heights);
        list->heights = malloc(count * sizeof *list->heights);
        list->height_capacity = list->heights ? count : 0;
    }
    if (!list->heights)
        return error_memory(error);
    const struct sample_request request = {&layer, &list->heights, 1};
    return sampler_grid(level->sampler, world_program(level->world), grid, &request, error);
}

/* True if a sample is higher than all others around. */
static bool is_highest(const float *sample, size_t columns)
{
    for (ptrdiff_t row = -SUMMITS_REACH; row <= SUMMITS_REACH; row++)
        for (ptrdiff_t column = -SUMMITS_REACH; column <= SUMMITS_REACH; column++)
            if ((row != 0 || column != 0) && !(sample[row * (ptrdiff_t)columns + column] < *sample))
                return false;
    return true;
}

/* The height of a sample above the mean of the eight that are SUMMITS_REACH away. */
static float rise_of(const float *sample, size_t columns)
{
    float sum = 0.0f;
    for (ptrdiff_t row = -1; row <= 1; row++)
        for (ptrdiff_t column = -1; column <= 1; column++)
            if (row != 0 || column != 0)
                sum += *sample - sample[SUMMITS_REACH * (row * (ptrdiff_t)columns + column)];
    return sum / 8.0f;
}

/* Moves a summit to the highest of the samples around it that are `step` apart. */
static bool climb(const struct level_search *level, int64_t step, struct summit *summit,
                  struct error *error)
{
    struct place places[CLIMB_SAMPLES];
    float heights[CLIMB_SAMPLES], *output = heights;
    const unsigned layer = world_height_layer(level->world);
    const struct sample_points points = {places, CLIMB_SAMPLES, place_metres(step), 0,
                                         level->search->t};
    const struct sample_request request = {&layer, &output, 1};
    unsigned highest = CLIMB_SAMPLES / 2;
    for (int i = 0; i < CLIMB_SAMPLES; i++)
        places[i] = (struct place){
            summit->place.x + (i % SUMMITS_CLIMB_SIDE - SUMMITS_CLIMB_SIDE / 2) * step,
            summit->place.y + (i / SUMMITS_CLIMB_SIDE - SUMMITS_CLIMB_SIDE / 2) * step};
    if (!sampler_points(level->sampler, world_program(level->world), &points, &request, error))
        return false;
    for (unsigned i = 0; i < CLIMB_SAMPLES; i++)
        if (heights[i] > heights[highest])
            highest = i;
    summit->place = places[highest];
    return true;
}

/* Climbs to the summit from a grid point, and samples its height. */
static bool finish_summit(const struct level_search *level, struct summit *summit,
                          struct error *error)
{
    float *output = &summit->height;
    const unsigned layer = world_height_layer(level->world);
    for (int64_t step = level->step / 2; step >= PLACE_METRE; step /= 2)
        if (!climb(level, step, summit, error))
            return false;
    const struct sample_points points = {&summit->place, 1, 0.0, 0, level->search->t};
    const struct sample_request request = {&layer, &output, 1};
    summit->id =
        hash_mix(hash_mix((uint64_t)summit->place.x) + (uint64_t)summit->place.y) >> (64 - 53);
    return sampler_points(level->sampler, world_program(level->world), &points, &request, error);
}

/* True if a place is in the box, or at most so far from it on each axis. */
static bool is_near_box(const struct summit_search *search, struct place place, int64_t distance)
{
    return place.x >= search->low.x - distance && place.x < search->high.x + distance &&
           place.y >= search->low.y - distance && place.y < search->high.y + distance;
}

/* True if one of the list's first summits is within the reach of a level. */
static bool is_taken(const struct level_search *level, size_t count, struct place place)
{
    const int64_t reach = SUMMITS_REACH * level->step;
    for (size_t i = 0; i < count; i++) {
        const int64_t x = level->list->summits[i].place.x - place.x;
        const int64_t y = level->list->summits[i].place.y - place.y;
        if (x >= -reach && x <= reach && y >= -reach && y <= reach)
            return true;
    }
    return false;
}

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

/* Adds the summits of a level in the box and its margin. */
static bool find_level(const struct level_search *level, struct error *error)
{
    const struct sample_grid grid = grid_of(level);
    const size_t coarser = level->list->count;
    if (!sample_grid(level, &grid, error))
        return false;
    for (uint32_t row = SUMMITS_REACH; row < grid.rows - SUMMITS_REACH; row++)
        for (uint32_t column = SUMMITS_REACH; column < grid.columns - SUMMITS_REACH; column++) {
            const float *sample = level->list->heights + (size_t)row * grid.columns + column;
            struct summit summit = {
                .place = {grid.x + column * grid.step, grid.y + row * grid.step},
                .level = level->number};
            if (*sample <= 0.0f || !is_highest(sample, grid.columns) ||
                rise_of(sample, grid.columns) < level->least_rise)
                continue;
            if (!finish_summit(level, &summit, error))
                return false;
            if (summit.height > 0.0f &&
                is_near_box(level->search, summit.place, level->margin * level->step) &&
                !is_taken(level, coarser, summit.place) && !add_summit(level->list, &summit, error))
                return false;
        }
    return true;
}

bool summits_find(struct sampler *sampler, const struct world *world,
                  const struct summit_search *search, struct summit_list *list, struct error *error)
{
    const float *least_rise = search->least_rises;
    size_t kept = 0;
    unsigned number = 0;
    list->count = 0;
    for (int64_t step = search->step; step >= search->finest; step /= 2) {
        const struct level_search level = {
            .search = search,
            .sampler = sampler,
            .world = world,
            .step = step,
            .number = number++,
            .least_rise = *least_rise++,
            .margin = margin_of(step == search->finest),
            .list = list,
        };
        if (!find_level(&level, error))
            return false;
    }
    for (size_t i = 0; i < list->count; i++)
        if (is_near_box(search, list->summits[i].place, 0))
            list->summits[kept++] = list->summits[i];
    list->count = kept;
    return true;
}
