/* See needs.h. A stream leads at most REACH widths of its cell away from its node (store.c): so it
 * is needed for its land only if its node is that near, and as much as land reaches. Most nodes are
 * told by their cell; only for those in between the node's own place is looked at. If the node of
 * the cell above, where a stream begins, is no farther than streams may be to be joined, the end is
 * not farther either (branches.c): most streams lead only so far. */
#include "core/drainage/store/needs.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/network/scratch.h"
#include "core/drainage/network/shape.h"

static const float REACH = 2.6f;
/* Of most streams, but for rounding: joints lie nearer than the end by more than bends move them.
 * A stream whose nearest point is SHAPE_JOIN_WIDTHS away ends half of SHAPE_JOIN_EXACT_WIDTHS
 * beside that at the most: 2.01 widths away. */
static const float REACH_USUAL = 1.006f * SHAPE_JOIN_WIDTHS;

void needs_free(struct stream_needs *needs)
{
    free(needs->listed.has);
    free(needs->visible.has);
    free(needs->above.has);
    *needs = (struct stream_needs){0};
}

size_t needs_bytes(const struct stream_needs *needs)
{
    return needs->listed.capacity + needs->visible.capacity + needs->above.capacity;
}

/* ---- sets of cells */

static bool set_begin(struct cell_set *set, struct cell_rect rect)
{
    set->rect = rect;
    if (rect_is_empty(&rect))
        return true;
    const size_t count = rect_count(&rect);
    if (!reserve_items(&set->has, &set->capacity, count, 1))
        return false;
    memset(set->has, 0, count);
    return true;
}

/* The byte of a cell of the rect. */
static uint8_t *set_cell(const struct cell_set *set, int64_t x, int64_t y)
{
    return &set->has[(uint64_t)(y - set->rect.low[1]) * rect_columns(&set->rect) +
                     (uint64_t)(x - set->rect.low[0])];
}

static bool set_has(const struct cell_set *set, int64_t x, int64_t y)
{
    return rect_has(&set->rect, x, y) && *set_cell(set, x, y);
}

/* ---- needs */

void needs_begin(struct stream_needs *needs, const struct drainage_network *network,
                 const struct cell_rect *cells, unsigned shift, float land)
{
    const int64_t width = (int64_t)1 << shift;
    needs->network = network;
    needs->low = (struct place){cells->low[0] * width, cells->low[1] * width};
    needs->high = (struct place){(cells->high[0] + 1) * width, (cells->high[1] + 1) * width};
    needs->land = land;
    needs->streams = false;
    needs->listed.rect = RECT_EMPTY;
}

void needs_begin_streams(struct stream_needs *needs, const struct drainage_network *network,
                         const struct cell_rect *cells, unsigned level)
{
    needs->network = network;
    needs->streams = true;
    needs->level = level;
    needs->nodes = *cells;
    needs->listed.rect = RECT_EMPTY;
}

bool needs_grow(struct stream_needs *needs, int64_t margin)
{
    const struct cell_rect *rect = &needs->listed.rect;
    if (!set_begin(&needs->visible, rect_grow(*rect, margin)))
        return false;
    const uint8_t *has = needs->listed.has;
    for (int64_t y = rect->low[1]; y <= rect->high[1]; y++)
        for (int64_t x = rect->low[0]; x <= rect->high[0]; x++, has++)
            for (int64_t v = y - margin; *has && v <= y + margin; v++)
                memset(set_cell(&needs->visible, x - margin, v), 1, (size_t)(2 * margin + 1));
    return true;
}

/* How far an interval begins behind or ends before another one: 0 if they meet. */
static float gap(int64_t from, int64_t to, int64_t low, int64_t high)
{
    return units_to_metres(from > high ? from - high : low > to ? low - to : 0);
}

/* True if the stream of a node may lead farther away than usual. */
static bool may_lead_far(const struct drainage_network *network, unsigned level, struct place node)
{
    if (level == 0)
        return true;
    const unsigned shift = cell_shift(network, level - 1);
    const struct place above = node_place(network, level - 1, node.x >> shift, node.y >> shift);
    const float x = units_to_metres(above.x - node.x), y = units_to_metres(above.y - node.y);
    const float near = 0.999f * SHAPE_JOIN_WIDTHS * cell_width(network, level);
    return x * x + y * y > near * near;
}

/* True if the stream of a node may come near the cells that are looked at. */
static bool comes_near(const struct stream_needs *needs, unsigned level, int64_t x, int64_t y)
{
    const struct drainage_network *network = needs->network;
    const unsigned shift = cell_shift(network, level);
    const int64_t west = x * ((int64_t)1 << shift), north = y * ((int64_t)1 << shift);
    const int64_t east = west + ((int64_t)1 << shift), south = north + ((int64_t)1 << shift);
    const float width = cell_width(network, level);
    const float reach = 1.001f * (needs->land + REACH * width);
    const float usual = 1.001f * (needs->land + REACH_USUAL * width);
    const float dx = gap(west, east, needs->low.x, needs->high.x);
    const float dy = gap(north, south, needs->low.y, needs->high.y);
    if (dx * dx + dy * dy > reach * reach)
        return false;
    if ((dx + width) * (dx + width) + (dy + width) * (dy + width) <= usual * usual)
        return true;
    const struct place node = node_place(network, level, x, y);
    const float u = gap(node.x, node.x, needs->low.x, needs->high.x);
    const float v = gap(node.y, node.y, needs->low.y, needs->high.y);
    const float square = u * u + v * v;
    return square <= usual * usual ||
           (square <= reach * reach && may_lead_far(network, level, node));
}

/* True if the stream of a node is looked at. */
static bool is_looked_at(const struct stream_needs *needs, unsigned level, int64_t x, int64_t y)
{
    return needs->streams ? level == needs->level && rect_has(&needs->nodes, x, y)
                          : comes_near(needs, level, x, y);
}

/* Those of some nodes of a block that are needed: a bit for each. */
static uint32_t needed_of(const struct stream_needs *needs, unsigned level,
                          const struct cell_rect *block, uint32_t nodes)
{
    uint32_t needed = 0;
    for (; nodes != 0; nodes &= nodes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(nodes);
        const int64_t x = block->low[0] + i % BLOCK_SIDE, y = block->low[1] + i / BLOCK_SIDE;
        if (set_has(&needs->visible, x, y) || is_looked_at(needs, level, x, y))
            needed |= 1u << i;
    }
    return needed;
}

void needs_find_missing(const struct stream_needs *needs, struct level_window *window)
{
    const struct cell_rect *blocks = &window->blocks;
    const unsigned level = window->kind.level;
    struct stream_block **block = window->block;
    uint16_t *missing = window->missing_nodes;
    window->missing = RECT_EMPTY;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++, block++, missing++) {
            const struct cell_rect place = {{x * BLOCK_SIDE, y * BLOCK_SIDE}, {0, 0}};
            const uint32_t nodes =
                nodes_in_rect(x, y, &window->cells) & ~(*block ? (*block)->made : 0);
            *missing = (uint16_t)needed_of(needs, level, &place, nodes);
            window->missing = rect_union(window->missing, rect_of_nodes(x, y, *missing));
        }
}

/* Lists the cells above the missing nodes of a block. */
static void list_parents(struct cell_set *above, int64_t block_x, int64_t block_y, uint32_t nodes)
{
    for (; nodes != 0; nodes &= nodes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(nodes);
        *set_cell(above, (block_x * BLOCK_SIDE + i % BLOCK_SIDE) >> 1,
                  (block_y * BLOCK_SIDE + i / BLOCK_SIDE) >> 1) = 1;
    }
}

bool needs_rise(struct stream_needs *needs, const struct level_window *window)
{
    const struct cell_rect *rect = &needs->listed.rect, *blocks = &window->blocks;
    struct cell_set *above = &needs->above, listed = needs->listed;
    if (!set_begin(above, rect_ancestors(rect_union(*rect, window->missing), 1)))
        return false;
    const uint8_t *has = listed.has;
    for (int64_t y = rect->low[1]; y <= rect->high[1]; y++)
        for (int64_t x = rect->low[0]; x <= rect->high[0]; x++)
            if (*has++)
                *set_cell(above, x >> 1, y >> 1) = 1;
    const uint16_t *missing = window->missing_nodes;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++)
            list_parents(above, x, y, *missing++);
    needs->listed = *above;
    needs->above = listed;
    return true;
}
