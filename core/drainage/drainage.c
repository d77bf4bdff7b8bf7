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
    AHEAD_MOST = 4,         /* leaves to the south that are loaded for what comes next */
    PART_SIDE = 32,         /* cells whose streams are loaded together */
    SAMPLE_WORK = 60,       /* of a sample, nanoseconds (core/base/work_meter.h) */
};

struct drainage {
    struct store store;
    struct land land;
    struct leaf **leaves; /* of a part of a request, row by row; null: not known yet */
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

/* Begins a request, or a part of one: loads what leaves need. Windows that a wide request made
 * large are given up. */
static bool load(struct drainage *drainage, const struct drainage_network *network,
                 const struct cell_rect *leaves, struct store_view view)
{
    if (drainage_memory(drainage) > SCRATCH_MOST)
        store_free_windows(&drainage->store);
    return store_load(&drainage->store, network, leaves, view);
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

static bool rect_has(const struct cell_rect *rect, int64_t x, int64_t y)
{
    return x >= rect->low[0] && x <= rect->high[0] && y >= rect->low[1] && y <= rect->high[1];
}

static bool load_leaves(struct request *request, struct cell_rect leaves)
{
    request->loaded = (struct cell_rect){{0, 0}, {-1, -1}};
    if (!load(request->drainage, request->network, &leaves,
              (struct store_view){request->level, request->metres}))
        return false;
    request->loaded = leaves;
    return true;
}

static struct leaf *find_leaf(const struct request *request, int64_t x, int64_t y)
{
    const struct leaf_place place = {request->level, request->metres, x, y};
    return leaf_find(&request->drainage->land, request->drainage->store.cache, request->network,
                     &place);
}

/* Makes a leaf. Null when memory or work is out. */
static struct leaf *make_leaf(struct request *request, int64_t x, int64_t y)
{
    const struct leaf_place place = {request->level, request->metres, x, y};
    if (!rect_has(&request->loaded, x, y) &&
        !load_leaves(request, (struct cell_rect){{x, y}, {x, y}}))
        return NULL;
    return leaf_make(&request->drainage->land, &request->drainage->store, &place);
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

/* Finds the part's leaves that are kept, and loads what missing ones need, at once if most of what
 * is loaded is needed. */
static bool find_leaves(struct request *request)
{
    struct drainage *drainage = request->drainage;
    const struct cell_rect *leaves = &request->part.leaves;
    const uint32_t *end = drainage->land.groups.ends + LEAF_KEYS - 1;
    struct leaf **leaf = drainage->leaves;
    struct cell_rect missing = {{0, 0}, {-1, -1}};
    uint64_t count = 0;
    uint32_t from = 0;
    for (int64_t y = leaves->low[1]; y <= leaves->high[1]; y++)
        for (int64_t x = leaves->low[0]; x <= leaves->high[0]; x++, end += LEAF_KEYS, leaf++) {
            if (*end > from && !(*leaf = find_leaf(request, x, y))) {
                missing = rect_union(missing, (struct cell_rect){{x, y}, {x, y}});
                count++;
            }
            from = *end;
        }
    return count < 2 || rect_count(&missing) > 4 * count ||
           load_leaves(request, add_leaves_ahead(request, missing));
}

/* Samples what is in the leaves of a part. */
static bool sample_leaves(struct request *request)
{
    struct land *land = &request->drainage->land;
    const struct sample_part *part = &request->part;
    const struct cell_rect *leaves = &part->leaves;
    struct leaf **leaf = request->drainage->leaves;
    struct leaf_samples some = {0, land->groups.ends};
    for (int64_t y = leaves->low[1]; y <= leaves->high[1]; y++)
        for (int64_t x = leaves->low[0]; x <= leaves->high[0]; x++, leaf++) {
            const uint32_t end = some.ends[LEAF_KEYS - 1];
            if (end > some.from) {
                *leaf = *leaf ? *leaf : make_leaf(request, x, y);
                if (!*leaf || !groups_sample_leaf(&land->groups, part, &some, *leaf, &land->cull))
                    return false;
            }
            some.from = end;
            some.ends += LEAF_KEYS;
        }
    return true;
}

static bool sample_part(struct request *request)
{
    struct drainage *drainage = request->drainage;
    const struct sample_part *part = &request->part;
    const size_t count = rect_count(&part->leaves);
    if (!groups_sort(&drainage->land.groups, part) ||
        !network_add_work(request->network, part->count * SAMPLE_WORK) ||
        !reserve_items(&drainage->leaves, &drainage->leaf_capacity, count,
                       sizeof *drainage->leaves))
        return false;
    memset(drainage->leaves, 0, count * sizeof *drainage->leaves);
    const bool sampled = find_leaves(request) && sample_leaves(request);
    for (size_t i = 0; i < count; i++)
        leaf_release(drainage->leaves[i]);
    return sampled;
}

bool drainage_sample(struct drainage *drainage, const struct drainage_network *network,
                     double metres, size_t count, const struct drainage_samples *samples,
                     float *const outputs[DRAINAGE_OUTPUTS])
{
    const unsigned level = drainage_level(network->spacing_log2, metres);
    struct request request = {
        .drainage = drainage,
        .network = network,
        .level = level,
        .metres = metres,
        .part = {.samples = samples, .outputs = outputs, .width = cell_width(network, level)},
        .loaded = {{0, 0}, {-1, -1}}};
    for (size_t first = 0; first < count; first += request.part.count) {
        part_take(&request.part, first, count);
        if (!sample_part(&request))
            return false;
    }
    return true;
}

/* ---- walks */

/* Loads the streams around cells of a level. */
static bool load_around(struct drainage *drainage, const struct drainage_network *network,
                        unsigned level, struct cell_rect cells)
{
    const struct cell_rect leaves = rect_ancestors(cells, LEAF_LOG2);
    return load(drainage, network, &leaves, (struct store_view){level, 0.0});
}

static struct cell_rect cell_of(const struct drainage_node *node)
{
    return (struct cell_rect){{node->x, node->y}, {node->x, node->y}};
}

/* The leaf that a cell is in, around which streams are loaded. Null when memory or work is out. */
static struct leaf *leaf_around(struct drainage *drainage, const struct drainage_network *network,
                                const struct drainage_node *cell)
{
    const struct leaf_place at = {cell->level, 0.0, cell->x >> LEAF_LOG2, cell->y >> LEAF_LOG2};
    struct leaf *leaf = leaf_find(&drainage->land, drainage->store.cache, network, &at);
    return leaf ? leaf : leaf_make(&drainage->land, &drainage->store, &at);
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
    float along;
    const struct segment *segment =
        leaf_owner(&drainage->land, &drainage->store, leaf, place, &along);
    leaf_release(leaf);
    if (!segment) /* never */
        return false;
    *position = position_on(network, segment, along);
    return true;
}

bool drainage_follow(struct drainage *drainage, const struct drainage_network *network,
                     const struct drainage_position *position, struct drainage_stream *stream)
{
    if (!load_around(drainage, network, position->node.level, cell_of(&position->node)))
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
            if (!load_around(drainage, network, level, part) ||
                !follow_cells(&drainage->store, level, part, &taker))
                return false;
        }
    }
    return true;
}
