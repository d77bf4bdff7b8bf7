/* See store.h. Loads the streams around a request, from the coarsest level to the finest.
 *
 * What a level needs is found from the finest upwards: the streams that come near the request's
 * cells, and those that are visible from the parents of blocks that are missing below. Then missing
 * blocks are made from the coarsest level down, and with them the lists of segments that the next
 * level is made from.
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
    DELTA_MARGIN = 1, /* cells more, from which deltas reach */
    LEAF_MARGIN = 5,
    LEAF_MARGIN_ABOVE = 4,
    LOAD_WORK = 30000, /* nanoseconds: to look up what is near some leaves */
};
static const struct cell_rect NOTHING = {{0, 0}, {-1, -1}};

void store_free_windows(struct store *store)
{
    for (unsigned level = 0; level < DRAINAGE_LEVELS_MAX; level++) {
        window_free(&store->levels[level]);
        lists_free_level(&store->lists, level);
    }
}

void store_free(struct store *store)
{
    store_free_windows(store);
    lists_free(&store->lists);
    kept_fields_free(&store->fields);
    courses_free(&store->courses);
}

size_t store_bytes(const struct store *store)
{
    size_t bytes = 0;
    for (unsigned level = 0; level < DRAINAGE_LEVELS_MAX; level++)
        bytes += window_bytes(&store->levels[level]);
    return bytes + lists_bytes(&store->lists) + kept_fields_bytes(&store->fields) +
           courses_bytes(&store->courses);
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
    return VISIBLE_MARGIN + (delta_segments(network, k) > 0 ? DELTA_MARGIN : 0);
}

/* The pieces of streams of a level: all of those that finer ones may join. */
static struct block_kind kind_of(const struct drainage_network *network, struct store_view view,
                                 unsigned level)
{
    const bool finest = level == view.level && view.metres > 0.0;
    return (struct block_kind){level, finest ? segments_of_finest(network, level)
                                             : segments_of_level(network, level)};
}

static bool plan_levels(struct store *store, const struct cell_rect *leaves, struct store_view view)
{
    const struct drainage_network *network = store->network;
    const unsigned level = view.level;
    struct cell_rect parents = NOTHING; /* of nodes that are missing below */
    for (unsigned k = level + 1; k-- > 0;) {
        struct level_window *window = &store->levels[k];
        struct cell_lists *lists = store->lists.lists[k];
        const bool near = k + LEAF_LOG2 <= level;
        const struct cell_rect cells =
            rect_union(cells_near(leaves, level, k), rect_grow(parents, made_margin(network, k)));
        if (!window_find_blocks(window, store->cache, network, kind_of(network, view, k), cells) ||
            !lists_begin(&lists[LIST_VISIBLE], parents) ||
            !lists_begin(&lists[LIST_NEAR],
                         near ? rect_ancestors(*leaves, level - LEAF_LOG2 - k) : NOTHING))
            return false;
        parents = rect_ancestors(rect_union(parents, window->missing), 1);
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

static struct segment_list list_visible(void *context, const struct drainage_node *cell)
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
                               .pieces = key->pieces,
                               .rows = block_rows(block),
                               .origin = {key->x * width, key->y * width}};
    for (; nodes != 0; nodes &= nodes - 1) {
        const unsigned i = (unsigned)__builtin_ctz(nodes);
        const struct drainage_node node = {key->level, key->x * BLOCK_SIDE + i % BLOCK_SIDE,
                                           key->y * BLOCK_SIDE + i / BLOCK_SIDE};
        slot.segments = block_stream(block, i);
        slot.row = (size_t)i * block->per_stream;
        courses_add(&store->courses, store->network, &node, &slot);
    }
}

/* Makes a block one that may be changed: of one that others know, a copy. False when memory is out.
 */
static bool own_block(struct store *store, struct block_kind kind, struct stream_block **block,
                      int64_t x, int64_t y)
{
    if (*block && !(*block)->cached.published)
        return true;
    struct stream_block *own = block_extend(store->cache, *block, store->network, kind, x, y);
    if (!own)
        return false;
    block_release(*block);
    *block = own;
    return true;
}

/* Adds the nodes of a level whose streams are missing, in blocks that nobody else knows. False when
 * memory is out. */
static bool add_missing(struct store *store, unsigned level)
{
    const struct level_window *window = &store->levels[level];
    const struct cell_rect *blocks = &window->blocks;
    struct stream_block **block = window->block;
    if (!courses_begin_level(&store->courses, rect_count(&window->cells)))
        return false;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++, block++) {
            const uint32_t nodes = nodes_in_rect(x, y, &window->cells);
            const uint32_t missing = nodes & ~(*block ? (*block)->made : 0);
            if (missing == 0)
                continue;
            if (!own_block(store, window->kind, block, x, y))
                return false;
            add_nodes(store, *block, missing);
        }
    return true;
}

/* Marks the streams of a window as made, and lets others find them. */
static void publish_made(const struct level_window *window)
{
    const struct cell_rect *blocks = &window->blocks;
    struct stream_block **block = window->block;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++, block++) {
            if ((*block)->cached.published)
                continue;
            (*block)->made |= nodes_in_rect(x, y, &window->cells);
            cache_publish(&(*block)->cached);
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
            if (!delta_list_add(&store->courses.deltas, store->network,
                                window_stream(window, x, y)))
                return false;
    return true;
}

bool store_load(struct store *store, const struct drainage_network *network,
                const struct cell_rect *leaves, struct store_view view)
{
    store->network = store->lists.network = network;
    store->lists.levels = store->levels;
    store->lists.builder.failed = false;
    courses_begin(&store->courses, network);
    if (!network_add_work(network, LOAD_WORK) || !plan_levels(store, leaves, view))
        return false;
    for (unsigned k = 0; k <= view.level; k++)
        if (!make_missing(store, k) || (k == 0 && !list_deltas(store)))
            return false;
    return true;
}

/* ---- what leaves need */

const struct list_builder *store_list_leaf(struct store *store, unsigned level, int64_t x,
                                           int64_t y, float reach)
{
    struct list_builder *list = &store->lists.builder;
    const struct cell_rect cells = leaf_cells((struct cell_rect){{x, y}, {x, y}});
    const unsigned shift = cell_shift(store->network, level);
    struct segment_list near = {.count = 0};
    if (level >= LEAF_LOG2) /* made first, in the same list */
        near = lists_get(&store->lists, LIST_NEAR, level - LEAF_LOG2, x, y);
    list_begin(list, shift + LEAF_LOG2, x, y, reach);
    list_add_list(list, near, 0.0f, 0.0f);
    for (unsigned up = LEAF_LOG2; up-- > 0;)
        if (level >= up) {
            const struct cell_rect around = rect_grow(rect_ancestors(cells, up), leaf_margin(up));
            list_add_streams(list, &store->levels[level - up], shift + up, &around);
        }
    return list->failed ? NULL : list;
}
