/* See store.h. Loads the streams around a request, from the coarsest level to the finest.
 *
 * What a level needs is found from the finest upwards: the streams that come near the request's
 * cells, and those that are visible from the parents of nodes that are missing below (needs.c).
 * Then missing streams are made from the coarsest level down, and with them the lists of segments
 * that the next level is made from.
 *
 * Margins in cells. A stream leads at most REACH = 2.6 widths of its cell away from its node: the
 * node of a cell's parent is at most 2.49 widths from the cell's own node, its stream begins there,
 * and a node joins the nearest stream or one at most 2 widths away (branches.c). A node is 0.08
 * widths or more from the edge of its cell, so a segment closer than w widths to a square comes
 * from at most w + 2.6 + 0.92 cells away. Land reaches 1.6 widths of the leaf's level: 1.6, 0.8 and
 * at most 0.4 widths of the levels up.
 *
 * Where there are deltas, the streams that are made in a cell of level 0 look at those of the
 * trunks around. Joints of a stream of level 1 are at most 1.11 widths outside the cell that its
 * node is in. A trunk's node is 0.08 widths or more inside the next cell, and its bends lead at
 * most 0.2 widths out of that; a delta reaches 0.52 widths farther (deltas.c). That is 2.75 widths:
 * they are those of nodes up to 3 cells away. */
#include "core/drainage/store/store.h"

#include <stdlib.h>

enum {
    DELTA_MARGIN = 3, /* cells from which deltas reach */
    LEAF_MARGIN = 5,
    LEAF_MARGIN_ABOVE = 4,
    LOAD_WORK = 30000, /* nanoseconds: to look up what is near some leaves */
};

void store_free_windows(struct store *store)
{
    store->loaded.complete = false;
    for (unsigned level = 0; level < DRAINAGE_LEVELS_MAX; level++) {
        window_free(&store->levels[level]);
        lists_free_level(&store->lists, level);
    }
    arc_pool_free(&store->lists.builder.pool);
}

void store_free(struct store *store)
{
    store_free_windows(store);
    lists_free(&store->lists);
    needs_free(&store->needs);
    kept_fields_free(&store->fields);
    courses_free(&store->courses);
}

size_t store_bytes(const struct store *store)
{
    size_t bytes = 0;
    for (unsigned level = 0; level < DRAINAGE_LEVELS_MAX; level++)
        bytes += window_bytes(&store->levels[level]);
    return bytes + lists_bytes(&store->lists) + needs_bytes(&store->needs) +
           kept_fields_bytes(&store->fields) + courses_bytes(&store->courses);
}

/* ---- what a request needs */

/* From how many cells around those of a leaf come streams that matter in it: for the level of the
 * leaf (0) and the one above (1). */
static int64_t leaf_margin(unsigned levels_up)
{
    return levels_up == 0 ? LEAF_MARGIN : LEAF_MARGIN_ABOVE;
}

static struct cell_rect leaf_cells(struct cell_rect leaves)
{
    return rect_descendants(leaves, LEAF_LOG2);
}

/* The cells of level k whose streams come near leaves of `level`. */
static struct cell_rect cells_near(const struct cell_rect *leaves, unsigned level, unsigned k)
{
    if (k + LEAF_LOG2 > level)
        return rect_grow(rect_ancestors(leaf_cells(*leaves), level - k), leaf_margin(level - k));
    return rect_grow(rect_ancestors(*leaves, level - LEAF_LOG2 - k), NEAR_MARGIN);
}

/* From how many cells around the ancestors of nodes streams matter when theirs are made. */
static int64_t made_margin(const struct drainage_network *network, unsigned k)
{
    return delta_segments(network, k) > 0 ? DELTA_MARGIN : VISIBLE_MARGIN;
}

/* The pieces of streams of a level: all of those that finer ones may join. */
static struct block_kind kind_of(const struct drainage_network *network, struct store_view view,
                                 unsigned level)
{
    const unsigned log2 = network->spacing_log2;
    const bool coarse = drainage_view_is_coarse(log2, view.metres);
    return (struct block_kind){level, drainage_segments_in_view(log2, view.metres, level),
                               coarse && level + 1 >= view.level};
}

/* The cells of a level that a load looks at, but for those that missing streams may join, and the
 * cells near which its streams are listed. */
struct looked_at {
    struct cell_rect cells, listed;
};

static struct looked_at look_at_land(const struct cell_rect *cells, unsigned level, unsigned k)
{
    const struct cell_rect leaves = rect_ancestors(*cells, LEAF_LOG2);
    return (struct looked_at){cells_near(&leaves, level, k),
                              k + LEAF_LOG2 <= level ? rect_ancestors(leaves, level - LEAF_LOG2 - k)
                                                     : RECT_EMPTY};
}

static struct looked_at look_at_streams(const struct cell_rect *cells, unsigned level, unsigned k)
{
    return (struct looked_at){k == level ? *cells : RECT_EMPTY, RECT_EMPTY};
}

/* Plans all levels, once the needs are begun. */
static bool plan_levels(struct store *store, const struct cell_rect *cells, struct store_view view)
{
    const struct drainage_network *network = store->network;
    struct stream_needs *needs = &store->needs;
    for (unsigned k = view.level + 1; k-- > 0;) {
        struct level_window *window = &store->levels[k];
        struct cell_lists *lists = store->lists.lists[k];
        const struct looked_at at = needs->streams ? look_at_streams(cells, view.level, k)
                                                   : look_at_land(cells, view.level, k);
        if (!needs_grow(needs, made_margin(network, k)))
            return false;
        if (!window_find_blocks(window, store->cache, network, kind_of(network, view, k),
                                rect_union(at.cells, needs->visible.rect)) ||
            !lists_begin(&lists[LIST_VISIBLE], needs->listed.rect) ||
            !lists_begin(&lists[LIST_NEAR], at.listed))
            return false;
        needs_find_missing(needs, window);
        if (!needs_rise(needs, window))
            return false;
    }
    return true;
}

/* ---- making what is missing */

static const struct field_lattice *sample_fields(void *context, const struct field_part *part)
{
    struct store *store = context;
    return kept_fields_sample(&store->fields, store->cache, store->network, part)
               ? &store->fields.lattice
               : NULL;
}

static struct arc_list list_visible(void *context, const struct drainage_node *cell)
{
    struct store *store = context;
    return lists_get(&store->lists, LIST_VISIBLE, cell->level, cell->x, cell->y);
}

/* Adds the streams of some nodes of a block: a bit for each. */
static void add_nodes(struct store *store, struct stream_block *block, uint32_t nodes)
{
    const struct cache_key *key = &block->cached.key;
    const int64_t width = (int64_t)BLOCK_SIDE << cell_shift(store->network, key->level);
    struct stream_slot slot = {.count = block->per_stream,
                               .pieces = store->levels[key->level].kind.pieces,
                               .rows = block_rows(block),
                               .origin = {key->x * width, key->y * width}};
    for (; nodes != 0; nodes &= nodes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(nodes);
        const struct drainage_node node = {key->level, key->x * BLOCK_SIDE + i % BLOCK_SIDE,
                                           key->y * BLOCK_SIDE + i / BLOCK_SIDE};
        slot.segments = block_stream(block, i);
        slot.row = (size_t)(slot.segments - block->segments);
        courses_add(&store->courses, store->network, &node, &slot);
    }
}

/* Makes room for some more streams in a block, which others may know without these: a bit for each.
 * False when memory is out. */
static bool extend_block(struct store *store, struct block_kind kind, struct stream_block **block,
                         const int64_t at[2], uint32_t nodes)
{
    struct stream_block *old = *block;
    nodes |= old ? old->made : 0;
    struct stream_block *wider = block_with_room(store->cache, store->network, kind, at, nodes);
    if (!wider)
        return false;
    if (old)
        block_take(wider, old);
    block_release(old);
    *block = wider;
    return true;
}

/* Adds the nodes of a level whose streams are missing, in blocks that nobody else knows. False when
 * memory is out. */
static bool add_missing(struct store *store, unsigned level)
{
    const struct level_window *window = &store->levels[level];
    const struct cell_rect *blocks = &window->blocks;
    struct stream_block **block = window->block;
    const uint16_t *missing = window->missing_nodes;
    if (!courses_begin_level(&store->courses, rect_count(&window->cells)))
        return false;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++, block++, missing++) {
            if (*missing == 0)
                continue;
            if (!extend_block(store, window->kind, block, (const int64_t[2]){x, y}, *missing))
                return false;
            add_nodes(store, *block, *missing);
        }
    return true;
}

/* Marks the streams of a window as made, and lets others find them. */
static void publish_made(const struct level_window *window)
{
    for (size_t i = 0; i < window->count; i++) {
        struct stream_block *block = window->block[i];
        if (window->missing_nodes[i] == 0)
            continue;
        block->made |= window->missing_nodes[i];
        cache_publish(&block->cached);
    }
}

static bool make_missing(struct store *store, unsigned level)
{
    const struct course_source source = {store, sample_fields, list_visible};
    if (rect_is_empty(&store->levels[level].missing))
        return true;
    if (!add_missing(store, level) || !courses_make(&store->courses, store->network, &source))
        return false;
    publish_made(&store->levels[level]);
    return true;
}

/* Lists the deltas in the window of level 0. */
static bool list_deltas(struct store *store)
{
    const struct level_window *window = &store->levels[0];
    if (delta_segments(store->network, 0) == 0)
        return true;
    for (int64_t y = window->cells.low[1]; y <= window->cells.high[1]; y++)
        for (int64_t x = window->cells.low[0]; x <= window->cells.high[0]; x++)
            if (window_has(window, x, y) &&
                !delta_list_add(&store->courses.deltas, window_stream(window, x, y),
                                window->kind.pieces))
                return false;
    return true;
}

/* The focus of lists for cells of a level: a part of a leaf; else there is none. */
static struct list_focus focus_on(const struct drainage_network *network,
                                  const struct cell_rect *cells, unsigned level)
{
    const unsigned shift = cell_shift(network, level);
    const uint64_t columns = rect_columns(cells), rows = rect_rows(cells);
    if (columns > LEAF_SIDE || rows > LEAF_SIDE || columns * rows == LEAF_CELLS)
        return (struct list_focus){.limit = 0.0f};
    const int64_t half = (int64_t)1 << (shift - 1);
    const float x = 0.5f * (float)columns, y = 0.5f * (float)rows;
    return (struct list_focus){
        {(cells->low[0] + cells->high[0] + 1) * half, (cells->low[1] + cells->high[1] + 1) * half},
        1.001f * (SHAPE_LAND_WIDTHS + __builtin_sqrtf(x * x + y * y)) * cell_width(network, level)};
}

bool store_has_loaded(const struct store *store, const struct drainage_network *network,
                      const struct cell_rect *cells, struct store_view view)
{
    const struct store_loaded *loaded = &store->loaded;
    const struct hash128 identity = network->identity;
    return loaded->complete && loaded->network.low == identity.low &&
           loaded->network.high == identity.high && loaded->deltas == network->deltas &&
           loaded->view.level == view.level && loaded->view.metres == view.metres &&
           rect_has(&loaded->cells, cells->low[0], cells->low[1]) &&
           rect_has(&loaded->cells, cells->high[0], cells->high[1]);
}

/* Makes what is missing for cells of a view's level, once the needs are begun. */
static bool load(struct store *store, const struct cell_rect *cells, struct store_view view)
{
    const struct drainage_network *network = store->network;
    arc_pool_clear(&store->lists.builder.pool);
    courses_begin(&store->courses, network);
    if (!network_add_work(network, LOAD_WORK) || !plan_levels(store, cells, view))
        return false;
    for (unsigned k = 0; k <= view.level; k++)
        if (!make_missing(store, k) || (k == 0 && !list_deltas(store)))
            return false;
    return true;
}

static void begin_load(struct store *store, const struct drainage_network *network)
{
    store->network = store->lists.network = network;
    store->lists.levels = store->levels;
    store->lists.builder.failed = false;
}

bool store_load_streams(struct store *store, const struct drainage_network *network,
                        const struct cell_rect *cells, unsigned level)
{
    const struct store_view view = {level, 0.0};
    begin_load(store, network);
    if (store_has_loaded(store, network, cells, view))
        return true;
    store->loaded.complete = false;
    store->lists.focus = (struct list_focus){.limit = 0.0f};
    needs_begin_streams(&store->needs, network, cells, level);
    return load(store, cells, view);
}

bool store_load(struct store *store, const struct drainage_network *network,
                const struct cell_rect *cells, struct store_view view)
{
    begin_load(store, network);
    if (store_has_loaded(store, network, cells, view))
        return true;
    store->loaded.complete = false;
    store->lists.focus = focus_on(network, cells, view.level);
    needs_begin(&store->needs, network, cells, cell_shift(network, view.level),
                SHAPE_LAND_WIDTHS * cell_width(network, view.level));
    if (!load(store, cells, view))
        return false;
    store->loaded = (struct store_loaded){.network = network->identity,
                                          .deltas = network->deltas,
                                          .view = view,
                                          .cells = *cells,
                                          .complete = store->lists.focus.limit == 0.0f};
    return true;
}

/* ---- what leaves need */

const struct list_builder *store_list_leaf(struct store *store, unsigned level, int64_t x,
                                           int64_t y, struct leaf_reach reach)
{
    struct list_builder *list = &store->lists.builder;
    const struct cell_rect cells = leaf_cells((struct cell_rect){{x, y}, {x, y}});
    const unsigned shift = cell_shift(store->network, level);
    struct arc_list near = {.count = 0};
    if (level >= LEAF_LOG2) /* made first, in the same list */
        near = lists_get(&store->lists, LIST_NEAR, level - LEAF_LOG2, x, y);
    list_begin(list, shift + LEAF_LOG2, x, y);
    list->limit = reach.limit;
    list->tolerance = (float)drainage_exactness(store->network->spacing_log2, reach.metres, 0);
    list->focus = store->lists.focus;
    list_add_list(list, near, 0.0f, 0.0f);
    for (unsigned up = LEAF_LOG2; up-- > 0;)
        if (level >= up) {
            const struct cell_rect around = rect_grow(rect_ancestors(cells, up), leaf_margin(up));
            list->tolerance =
                (float)drainage_exactness(store->network->spacing_log2, reach.metres, level - up);
            list_add_streams(list, &store->levels[level - up], shift + up, &around);
        }
    return list->failed ? NULL : list;
}
