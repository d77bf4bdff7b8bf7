/* See drainage.h and walk.h. The one file that knows both the store and the land: it decides when
 * streams are loaded, and how much memory blocks of streams and leaves have. */
#include "core/drainage/drainage.h"

#include <stdlib.h>

#include "core/drainage/land/land.h"
#include "core/drainage/store/follow.h"
#include "core/drainage/walk.h"

enum {
    KEPT_SHARE = 3,    /* one in so many bytes is for blocks at full detail */
    SCRATCH_SHARE = 4, /* one in so many bytes may be scratch when a request begins */
    PART_SIDE = 32,    /* cells whose streams are loaded together */
    SAMPLE_WORK = 60,  /* of a sample, nanoseconds (core/base/work_meter.h) */
};

struct drainage {
    size_t bytes;     /* that may be held */
    bool full_detail; /* of the last samples */
    struct store store;
    struct land land;
};

float drainage_river_width(float flow)
{
    return 2.0f * channel_half_width(flow);
}

struct drainage *drainage_new(size_t bytes_kept)
{
    struct drainage *drainage = calloc(1, sizeof *drainage);
    if (!drainage)
        return NULL;
    drainage->bytes = bytes_kept;
    if (store_init(&drainage->store) && land_init(&drainage->land))
        return drainage;
    drainage_free(drainage);
    return NULL;
}

void drainage_free(struct drainage *drainage)
{
    if (!drainage)
        return;
    store_free(&drainage->store);
    land_free(&drainage->land);
    free(drainage);
}

size_t drainage_memory(const struct drainage *drainage)
{
    return sizeof *drainage + store_bytes(&drainage->store) + land_bytes(&drainage->land);
}

/* ---- loading */

static size_t scratch_memory(const struct drainage *drainage)
{
    return drainage_memory(drainage) - drainage->store.blocks.bytes - drainage->land.leaves.bytes;
}

/* The memory for scratch. A window that one wide request made large is given up, or nothing could
 * be kept from then on. */
static size_t limit_scratch(struct drainage *drainage)
{
    if (scratch_memory(drainage) > drainage->bytes / SCRATCH_SHARE)
        store_free_windows(&drainage->store);
    return scratch_memory(drainage);
}

/* Begins a request, or a part of one: gives up what is too much, and loads what leaves need. Leaves
 * and blocks share the room by use: a tile that is made again needs its leaves alone, neighbouring
 * tiles each other's blocks. But lists of points come back to the same leaves, which new ones and
 * their blocks must not displace. */
static bool load(struct drainage *drainage, const struct drainage_network *network,
                 const struct cell_rect *leaves, struct store_view view)
{
    struct kept_table *kept = &drainage->land.leaves, *blocks = &drainage->store.blocks;
    const size_t scratch = limit_scratch(drainage);
    const size_t room = drainage->bytes > scratch ? drainage->bytes - scratch : 0;
    if (drainage->full_detail) {
        kept_begin(kept, room - room / KEPT_SHARE);
        kept_begin(blocks, room / KEPT_SHARE);
    } else {
        kept_begin_both(kept, blocks, room);
    }
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
    return leaf_find(&request->drainage->land, request->network, &place);
}

/* The leaf with that number. Null when memory or work is out. */
static struct leaf *get_leaf(struct request *request, int64_t x, int64_t y)
{
    const struct leaf_place place = {request->level, request->metres, x, y};
    struct leaf *leaf = find_leaf(request, x, y);
    if (leaf)
        return leaf;
    if (!rect_has(&request->loaded, x, y) &&
        !load_leaves(request, (struct cell_rect){{x, y}, {x, y}}))
        return NULL;
    return leaf_make(&request->drainage->land, &request->drainage->store, &place);
}

/* Loads what the part's missing leaves need, at once if most of what is loaded is needed. */
static bool load_missing(struct request *request)
{
    const struct cell_rect *leaves = &request->part.leaves;
    const uint32_t *end = request->drainage->land.groups.ends + LEAF_KEYS - 1;
    struct cell_rect missing = {{0, 0}, {-1, -1}};
    uint64_t count = 0;
    uint32_t from = 0;
    for (int64_t y = leaves->low[1]; y <= leaves->high[1]; y++)
        for (int64_t x = leaves->low[0]; x <= leaves->high[0]; x++, end += LEAF_KEYS) {
            if (*end > from && !find_leaf(request, x, y)) {
                missing = rect_union(missing, (struct cell_rect){{x, y}, {x, y}});
                count++;
            }
            from = *end;
        }
    return count < 2 || rect_count(&missing) > 4 * count || load_leaves(request, missing);
}

static bool sample_part(struct request *request)
{
    struct land *land = &request->drainage->land;
    const struct sample_part *part = &request->part;
    const struct cell_rect *leaves = &part->leaves;
    if (!groups_sort(&land->groups, part) ||
        !network_add_work(request->network, part->count * SAMPLE_WORK) || !load_missing(request))
        return false;
    struct leaf_samples some = {0, land->groups.ends};
    for (int64_t y = leaves->low[1]; y <= leaves->high[1]; y++)
        for (int64_t x = leaves->low[0]; x <= leaves->high[0]; x++) {
            const uint32_t end = some.ends[LEAF_KEYS - 1];
            if (end > some.from) {
                struct leaf *leaf = get_leaf(request, x, y);
                if (!leaf || !groups_sample_leaf(&land->groups, part, &some, leaf, &land->cull))
                    return false;
            }
            some.from = end;
            some.ends += LEAF_KEYS;
        }
    return true;
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
    drainage->full_detail = metres == 0.0;
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

bool drainage_find(struct drainage *drainage, const struct drainage_network *network,
                   struct place place, struct drainage_position *position)
{
    const unsigned level = drainage_level(network->spacing_log2, 0.0);
    const unsigned shift = cell_shift(network, level);
    const struct drainage_node cell = {level, place.x >> shift, place.y >> shift};
    const struct leaf_place at = {level, 0.0, cell.x >> LEAF_LOG2, cell.y >> LEAF_LOG2};
    if (!load_around(drainage, network, level, cell_of(&cell)))
        return false;
    struct leaf *leaf = leaf_find(&drainage->land, network, &at);
    leaf = leaf ? leaf : leaf_make(&drainage->land, &drainage->store, &at);
    if (!leaf)
        return false;
    float along;
    const struct segment *segment =
        leaf_owner(&drainage->land, &drainage->store, leaf, place, &along);
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
