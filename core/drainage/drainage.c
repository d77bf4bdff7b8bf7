/* See drainage.h and walk.h. The one file that knows both the store and the land: it decides when
 * streams are loaded, and which leaves a request holds. */
#include "core/drainage/drainage.h"

#include <stdlib.h>
#include <string.h>

#include "core/drainage/land/land.h"
#include "core/drainage/network/scratch.h"
#include "core/drainage/store/follow.h"
#include "core/drainage/walk.h"

enum {
    SCRATCH_MOST = 4 << 20, /* bytes of scratch memory that a request may begin with */
    AHEAD_MOST = 8,         /* leaves to the south that are loaded for what comes next */
    PART_SIDE = 32,         /* cells whose streams are loaded together */
    SAMPLE_WORK = 60,       /* of a sample, nanoseconds (core/base/work_meter.h) */
};

/* A leaf around a part of a request. */
struct part_leaf {
    struct leaf *leaf; /* null: not known yet */
    uint16_t cells;    /* that samples are in: a bit for each */
    bool lacks_cells;  /* a leaf was found that does not have them all */
};

struct drainage {
    struct store store;
    struct land land;
    struct part_leaf *leaves; /* row by row */
    size_t leaf_capacity;
};

float drainage_river_width(float flow)
{
    return 2.0f * channel_half_width(flow);
}

struct drainage *drainage_new(struct drainage_cache *cache)
{
    struct drainage *drainage = calloc(1, sizeof *drainage);
    if (drainage)
        drainage->store.cache = drainage_cache_retain(cache);
    return drainage;
}

void drainage_free(struct drainage *drainage)
{
    if (!drainage)
        return;
    store_free(&drainage->store);
    land_free(&drainage->land);
    drainage_cache_release(drainage->store.cache);
    free(drainage->leaves);
    free(drainage);
}

size_t drainage_memory(const struct drainage *drainage)
{
    return sizeof *drainage + store_bytes(&drainage->store) + land_bytes(&drainage->land) +
           drainage->leaf_capacity * sizeof *drainage->leaves;
}

/* ---- loading */

/* Gives up windows that a wide request made large, unless the next load needs nothing else. */
static void free_wide(struct drainage *drainage, const struct drainage_network *network,
                      const struct cell_rect *cells, struct store_view view)
{
    if (drainage_memory(drainage) > SCRATCH_MOST &&
        !store_has_loaded(&drainage->store, network, cells, view))
        store_free_windows(&drainage->store);
}

/* Begins a request, or a part of one: loads what cells need. */
static bool load(struct drainage *drainage, const struct drainage_network *network,
                 const struct cell_rect *cells, struct store_view view)
{
    free_wide(drainage, network, cells, view);
    return store_load(&drainage->store, network, cells, view);
}

/* ---- samples */

/* A request, or the part of it that is computed now: samples of a network at a level. */
struct request {
    struct drainage *drainage;
    const struct drainage_network *network;
    unsigned level;
    double metres;
    struct sample_part part;
    struct cell_rect loaded; /* leaves around which streams are loaded */
};

static bool load_cells(struct request *request, struct cell_rect cells)
{
    request->loaded = RECT_EMPTY;
    return load(request->drainage, request->network, &cells,
                (struct store_view){request->level, request->metres});
}

static bool load_leaves(struct request *request, struct cell_rect leaves)
{
    if (!load_cells(request, rect_descendants(leaves, LEAF_LOG2)))
        return false;
    request->loaded = leaves;
    return true;
}

/* Finds a leaf if it is kept with all cells that samples are in. */
static void find_leaf(const struct request *request, int64_t x, int64_t y, struct part_leaf *found)
{
    const struct leaf_place place = {request->level, request->metres, x, y};
    struct leaf *leaf = leaf_find(&request->drainage->land, request->drainage->store.cache,
                                  request->network, &place);
    found->lacks_cells = leaf && found->cells & ~leaf->cells;
    if (found->lacks_cells)
        leaf_release(leaf);
    else
        found->leaf = leaf;
}

/* Makes a leaf: where few of its cells have samples, at first for these alone, as around a whole
 * leaf there are twice as many streams as around one cell. Null when memory or work is out. */
static struct leaf *make_leaf(struct request *request, int64_t x, int64_t y,
                              const struct part_leaf *wanted)
{
    struct drainage *drainage = request->drainage;
    const struct leaf_place place = {request->level, request->metres, x, y};
    struct cell_rect cells = rect_descendants((struct cell_rect){{x, y}, {x, y}}, LEAF_LOG2);
    const bool loaded = rect_has(&request->loaded, x, y);
    if (!loaded && !wanted->lacks_cells)
        cells = rect_of_nodes(x, y, wanted->cells);
    if (!loaded && !load_cells(request, cells))
        return NULL;
    return leaf_make(&drainage->land, &drainage->store, &place,
                     (uint16_t)nodes_in_rect(x, y, &cells));
}

/* Adds to leaves those that samples to the south of the part will need. */
static struct cell_rect add_leaves_ahead(const struct request *request, struct cell_rect leaves)
{
    const double width = (double)request->part.width * LEAF_SIDE;
    const double ahead = request->part.samples->metres_after / width + 1.0;
    if (ahead > 1.0)
        leaves.high[1] += ahead < AHEAD_MOST ? (int64_t)ahead : AHEAD_MOST;
    return leaves;
}

/* The cells of a leaf that a part may have samples in. */
static struct cell_rect cells_of_leaf(const struct sample_part *part, int64_t x, int64_t y)
{
    const struct cell_rect leaf = {{x, y}, {x, y}};
    return rect_intersection(rect_descendants(leaf, LEAF_LOG2), part->cells);
}

/* The cells of a leaf that have samples: a bit for each. */
static uint16_t cells_with_samples(const struct request *request, int64_t x, int64_t y)
{
    const struct sample_part *part = &request->part;
    const struct cell_rect cells = cells_of_leaf(part, x, y);
    unsigned bits = 0;
    for (int64_t row = cells.low[1]; row <= cells.high[1]; row++)
        for (int64_t column = cells.low[0]; column <= cells.high[0]; column++)
            if (groups_count(&request->drainage->land.groups, part, row, column, column))
                bits |= 1u << node_in_block(column, row);
    return (uint16_t)bits;
}

/* Finds the part's leaves that are kept, and loads what missing ones need, at once if most of what
 * is loaded is needed. */
static bool find_leaves(struct request *request)
{
    const struct cell_rect leaves = part_leaves(&request->part);
    struct part_leaf *leaf = request->drainage->leaves;
    struct cell_rect missing = RECT_EMPTY;
    uint64_t count = 0;
    for (int64_t y = leaves.low[1]; y <= leaves.high[1]; y++)
        for (int64_t x = leaves.low[0]; x <= leaves.high[0]; x++, leaf++) {
            leaf->cells = cells_with_samples(request, x, y);
            if (leaf->cells == 0)
                continue;
            find_leaf(request, x, y, leaf);
            if (!leaf->leaf) {
                missing = rect_union(missing, (struct cell_rect){{x, y}, {x, y}});
                count++;
            }
        }
    return count < 2 || rect_count(&missing) > 4 * count ||
           load_leaves(request, add_leaves_ahead(request, missing));
}

/* Samples what is in a leaf. */
static bool sample_leaf(struct request *request, int64_t x, int64_t y, const struct leaf *leaf)
{
    struct land *land = &request->drainage->land;
    const struct cell_rect cells = cells_of_leaf(&request->part, x, y);
    struct cell_place cell;
    for (cell.y = cells.low[1]; cell.y <= cells.high[1]; cell.y++)
        for (cell.x = cells.low[0]; cell.x <= cells.high[0]; cell.x++)
            if (!groups_sample_cell(&land->groups, &request->part, &cell, leaf, &land->cull))
                return false;
    return true;
}

/* Samples what is in the leaves of a part. */
static bool sample_leaves(struct request *request)
{
    const struct cell_rect leaves = part_leaves(&request->part);
    struct part_leaf *leaf = request->drainage->leaves;
    for (int64_t y = leaves.low[1]; y <= leaves.high[1]; y++)
        for (int64_t x = leaves.low[0]; x <= leaves.high[0]; x++, leaf++) {
            if (leaf->cells == 0)
                continue;
            leaf->leaf = leaf->leaf ? leaf->leaf : make_leaf(request, x, y, leaf);
            if (!leaf->leaf || !sample_leaf(request, x, y, leaf->leaf))
                return false;
        }
    return true;
}

static bool sample_part(struct request *request)
{
    struct drainage *drainage = request->drainage;
    const struct sample_part *part = &request->part;
    const struct cell_rect leaves = part_leaves(part);
    const size_t count = rect_count(&leaves);
    if (!groups_sort(&drainage->land.groups, part) ||
        !network_add_work(request->network, part->count * SAMPLE_WORK) ||
        !reserve_items(&drainage->leaves, &drainage->leaf_capacity, count,
                       sizeof *drainage->leaves))
        return false;
    memset(drainage->leaves, 0, count * sizeof *drainage->leaves);
    const bool sampled = find_leaves(request) && sample_leaves(request);
    for (size_t i = 0; i < count; i++)
        leaf_release(drainage->leaves[i].leaf);
    return sampled;
}

bool drainage_sample(struct drainage *drainage, const struct drainage_network *network,
                     double metres, size_t count, const struct drainage_samples *samples,
                     float *const outputs[DRAINAGE_OUTPUTS])
{
    const unsigned level = drainage_level(network->spacing_log2, metres);
    struct drainage_network seen = *network; /* in the view */
    seen.deltas = level < DRAINAGE_DELTAS_LEVEL ? 0.0f : network->deltas;
    struct request request = {
        .drainage = drainage,
        .network = &seen,
        .level = level,
        .metres = metres,
        .part = {.samples = samples, .outputs = outputs, .width = cell_width(network, level)},
        .loaded = RECT_EMPTY};
    for (size_t first = 0; first < count; first += request.part.count) {
        part_take(&request.part, first, count);
        if (!sample_part(&request))
            return false;
    }
    return true;
}

/* ---- walks */

/* Loads the streams around the leaves of cells of a level. */
static bool load_around(struct drainage *drainage, const struct drainage_network *network,
                        unsigned level, struct cell_rect cells)
{
    cells = rect_descendants(rect_ancestors(cells, LEAF_LOG2), LEAF_LOG2);
    return load(drainage, network, &cells, (struct store_view){level, 0.0});
}

/* Loads the streams from the nodes of some cells. */
static bool load_streams(struct drainage *drainage, const struct drainage_network *network,
                         unsigned level, const struct cell_rect *cells)
{
    free_wide(drainage, network, cells, (struct store_view){level, 0.0});
    return store_load_streams(&drainage->store, network, cells, level);
}

static struct cell_rect cell_of(const struct drainage_node *node)
{
    return (struct cell_rect){{node->x, node->y}, {node->x, node->y}};
}

/* The whole leaf that a cell is in, around which streams are loaded. Null when memory or work is
 * out. */
static struct leaf *leaf_around(struct drainage *drainage, const struct drainage_network *network,
                                const struct drainage_node *cell)
{
    const struct leaf_place at = {cell->level, 0.0, cell->x >> LEAF_LOG2, cell->y >> LEAF_LOG2};
    struct leaf *leaf = leaf_find(&drainage->land, drainage->store.cache, network, &at);
    if (leaf && leaf->cells == LEAF_WHOLE)
        return leaf;
    leaf_release(leaf);
    return leaf_make(&drainage->land, &drainage->store, &at, LEAF_WHOLE);
}

bool drainage_find(struct drainage *drainage, const struct drainage_network *network,
                   struct place place, struct drainage_position *position)
{
    const unsigned level = drainage_level(network->spacing_log2, 0.0);
    const unsigned shift = cell_shift(network, level);
    const struct drainage_node cell = {level, place.x >> shift, place.y >> shift};
    if (!load_around(drainage, network, level, cell_of(&cell)))
        return false;
    struct leaf *leaf = leaf_around(drainage, network, &cell);
    if (!leaf)
        return false;
    struct land_owner owner;
    const bool found = leaf_owner(&drainage->store, leaf, place, &owner);
    leaf_release(leaf);
    if (found) /* always */
        *position = position_on(network, owner.segment, owner.along, owner.place);
    return found;
}

bool drainage_follow(struct drainage *drainage, const struct drainage_network *network,
                     const struct drainage_position *position, struct drainage_stream *stream)
{
    const struct cell_rect cell = cell_of(&position->node);
    if (!load_streams(drainage, network, position->node.level, &cell))
        return false;
    follow_stream(&drainage->store, position, stream);
    return true;
}

/* The part of an interval that is in a square of PART_SIDE cells. */
static int64_t part_end(int64_t from, int64_t high)
{
    const int64_t end = from | (PART_SIDE - 1);
    return end < high ? end : high;
}

bool drainage_streams(struct drainage *drainage, const struct drainage_network *network,
                      unsigned level, const int64_t low[2], const int64_t high[2],
                      bool (*take)(void *context, const struct drainage_stream *stream),
                      void *context)
{
    const struct stream_taker taker = {take, context};
    struct cell_rect part;
    for (part.low[1] = low[1]; part.low[1] <= high[1]; part.low[1] = part.high[1] + 1) {
        part.high[1] = part_end(part.low[1], high[1]);
        for (part.low[0] = low[0]; part.low[0] <= high[0]; part.low[0] = part.high[0] + 1) {
            part.high[0] = part_end(part.low[0], high[0]);
            if (!load_streams(drainage, network, level, &part) ||
                !follow_cells(&drainage->store, level, part, &taker))
                return false;
        }
    }
    return true;
}
