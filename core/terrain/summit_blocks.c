/* See summit_blocks.h. Squares that are not known are sampled together, in the least rectangle that
 * has them all. */
#include "core/terrain/summit_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "core/drainage/store/cache.h"

struct summit_rect summit_squares(const struct summit_level *level, struct place low,
                                  struct place high)
{
    const int64_t width = SUMMITS_REACH * level->step;
    return (struct summit_rect){
        {place_floor_divide(low.x, width), place_floor_divide(low.y, width)},
        {place_floor_divide(high.x, width), place_floor_divide(high.y, width)}};
}

/* ---- blocks */

/* A block as the cache keeps it. */
struct kept_block {
    struct cached cached;
    struct summit_block block;
};

static struct cache_key key_of(const struct summit_level *level, int64_t x, int64_t y)
{
    return (struct cache_key){.owner = level->identity,
                              .x = x,
                              .y = y,
                              .kind = CACHE_SUMMITS,
                              .metres = place_metres(level->step)};
}

static void look_up(const struct summit_level *level, int64_t x, int64_t y,
                    struct summit_block *block)
{
    const struct cache_key key = key_of(level, x, y);
    struct cached *kept = cache_find(sampler_cache(level->sampler), &key);
    if (kept)
        *block = ((const struct kept_block *)(const void *)kept)->block;
    cache_release(kept);
    block->looked_up = true;
}

static void publish(const struct summit_level *level, int64_t x, int64_t y,
                    const struct summit_block *block)
{
    const struct cache_key key = key_of(level, x, y);
    struct cached *item =
        cache_new_item(sampler_cache(level->sampler), &key, sizeof(struct kept_block));
    if (!item)
        return;
    struct summit_block *copy = &((struct kept_block *)(void *)item)->block;
    *copy = *block;
    copy->changed = false;
    cache_publish(item);
    cache_release(item);
}

void summit_level_close(struct summit_level *level)
{
    for (size_t i = 0; i < level->columns * level->rows; i++)
        if (level->blocks[i].changed)
            publish(level, level->low[0] + (int64_t)(i % level->columns),
                    level->low[1] + (int64_t)(i / level->columns), &level->blocks[i]);
    free(level->blocks);
    level->blocks = NULL;
    level->columns = level->rows = 0;
}

static struct summit_block *block_at(const struct summit_level *level, int64_t x, int64_t y)
{
    return level->blocks + (size_t)(y - level->low[1]) * level->columns +
           (size_t)(x - level->low[0]);
}

struct summit_square summit_level_square(const struct summit_level *level, int64_t x, int64_t y)
{
    enum { IN_BLOCK = SUMMIT_BLOCK_SIDE - 1 };
    return (struct summit_square){block_at(level, x >> SUMMIT_BLOCK_LOG2, y >> SUMMIT_BLOCK_LOG2),
                                  1u << ((y & IN_BLOCK) * SUMMIT_BLOCK_SIDE + (x & IN_BLOCK))};
}

static int64_t lesser(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* Makes the level's blocks reach around squares, too. */
static bool widen(struct summit_level *level, const struct summit_rect *squares)
{
    struct summit_level wider = *level;
    int64_t high[2];
    for (int axis = 0; axis < 2; axis++) {
        const int64_t extent = (int64_t)(axis == 0 ? level->columns : level->rows);
        wider.low[axis] = squares->low[axis] >> SUMMIT_BLOCK_LOG2;
        high[axis] = squares->high[axis] >> SUMMIT_BLOCK_LOG2;
        if (!level->blocks)
            continue;
        wider.low[axis] = lesser(wider.low[axis], level->low[axis]);
        high[axis] = greater(high[axis], level->low[axis] + extent - 1);
    }
    wider.columns = (size_t)(high[0] - wider.low[0]) + 1;
    wider.rows = (size_t)(high[1] - wider.low[1]) + 1;
    if (level->blocks && wider.columns == level->columns && wider.rows == level->rows)
        return true;
    wider.blocks = calloc(wider.columns * wider.rows, sizeof *wider.blocks);
    if (!wider.blocks)
        return false;
    for (size_t row = 0; row < level->rows; row++)
        memcpy(block_at(&wider, level->low[0], level->low[1] + (int64_t)row),
               level->blocks + row * level->columns, level->columns * sizeof *level->blocks);
    free(level->blocks);
    level->blocks = wider.blocks;
    level->columns = wider.columns;
    level->rows = wider.rows;
    memcpy(level->low, wider.low, sizeof level->low);
    return true;
}

/* ---- samples */

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

/* Looks for the top of a square, whose first sample that is. */
static void find_top(const struct summit_level *level, int64_t x, int64_t y, const float *sample,
                     size_t columns)
{
    const struct summit_square square = summit_level_square(level, x, y);
    struct summit_block *block = square.block;
    block->sampled |= (uint16_t)square.bit;
    block->changed = true;
    for (int64_t row = 0; row < SUMMITS_REACH; row++, sample += columns)
        for (int64_t column = 0; column < SUMMITS_REACH; column++) {
            const float *top = sample + column;
            if (*top <= 0.0f || !is_highest(top, columns) ||
                rise_of(top, columns) < level->least_rise)
                continue;
            block->tops |= (uint16_t)square.bit;
            block->summits[__builtin_ctz(square.bit)] =
                (struct summit){.place = {(x * SUMMITS_REACH + column) * level->step,
                                          (y * SUMMITS_REACH + row) * level->step},
                                .level = level->number};
        }
}

/* Samples squares, and what is compared with them. */
static bool sample_squares(const struct summit_level *level, const struct summit_rect *squares,
                           struct sample_grid *grid, struct summit_heights *heights,
                           struct error *error)
{
    const unsigned layer = world_height_layer(level->world);
    *grid = (struct sample_grid){
        .x = (squares->low[0] - 1) * SUMMITS_REACH * level->step,
        .y = (squares->low[1] - 1) * SUMMITS_REACH * level->step,
        .step = level->step,
        .columns = (uint32_t)(squares->high[0] - squares->low[0] + 3) * SUMMITS_REACH,
        .rows = (uint32_t)(squares->high[1] - squares->low[1] + 3) * SUMMITS_REACH,
        .spacing = place_metres(level->step),
        .t = level->t};
    const size_t count = (size_t)grid->columns * grid->rows;
    if (count > heights->capacity) {
        free(heights->samples);
        heights->samples = malloc(count * sizeof *heights->samples);
        heights->capacity = heights->samples ? count : 0;
    }
    if (!heights->samples)
        return error_memory(error);
    const struct sample_request request = {&layer, &heights->samples, 1};
    return sampler_grid(level->sampler, world_program(level->world), grid, &request, error);
}

/* The least rectangle around the squares that are not known; false if all are. */
static bool find_unknown(const struct summit_level *level, const struct summit_rect *squares,
                         struct summit_rect *unknown)
{
    bool found = false;
    for (int64_t y = squares->low[1]; y <= squares->high[1]; y++)
        for (int64_t x = squares->low[0]; x <= squares->high[0]; x++) {
            const struct summit_square square = summit_level_square(level, x, y);
            if (!square.block->looked_up)
                look_up(level, x >> SUMMIT_BLOCK_LOG2, y >> SUMMIT_BLOCK_LOG2, square.block);
            if (square.block->sampled & square.bit)
                continue;
            *unknown = found ? (struct summit_rect){{lesser(unknown->low[0], x), unknown->low[1]},
                                                    {greater(unknown->high[0], x), y}}
                             : (struct summit_rect){{x, y}, {x, y}};
            found = true;
        }
    return found;
}

bool summit_level_load(struct summit_level *level, const struct summit_rect *squares,
                       struct summit_heights *heights, struct error *error)
{
    struct summit_rect unknown;
    struct sample_grid grid;
    if (!sampler_cache(level->sampler) || !widen(level, squares))
        return error_memory(error);
    if (!find_unknown(level, squares, &unknown))
        return true;
    if (!sample_squares(level, &unknown, &grid, heights, error))
        return false;
    const float *row = heights->samples + (size_t)SUMMITS_REACH * grid.columns;
    for (int64_t y = unknown.low[1]; y <= unknown.high[1]; y++) {
        const float *sample = row + SUMMITS_REACH;
        for (int64_t x = unknown.low[0]; x <= unknown.high[0]; x++, sample += SUMMITS_REACH) {
            const struct summit_square square = summit_level_square(level, x, y);
            if (!(square.block->sampled & square.bit))
                find_top(level, x, y, sample, grid.columns);
        }
        row += (size_t)SUMMITS_REACH * grid.columns;
    }
    return true;
}
