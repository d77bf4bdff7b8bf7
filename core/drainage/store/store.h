/* The store: the streams of a network that are kept, and those that a request works with. Internal
 * to core/drainage.
 *
 * Kept in a cache (cache.h), which other threads may share: blocks of streams (blocks.h) and blocks
 * of samples of the fields (kept_fields.h). For the time of a load, from one store_load() to the
 * next: a window for each level (window.h), and lists of segments near cells (lists.h). What is not
 * kept is made by courses (courses.h), for which the store is the source. */
#ifndef TERRANE_DRAINAGE_STORE_STORE_H
#define TERRANE_DRAINAGE_STORE_STORE_H

#include "core/drainage/course/courses.h"
#include "core/drainage/store/kept_fields.h"
#include "core/drainage/store/lists.h"
#include "core/drainage/store/needs.h"

/* Leaves: the squares of 4 × 4 cells that requests are for. */
enum {
    LEAF_LOG2 = 2,
    LEAF_SIDE = 1 << LEAF_LOG2, /* cells */
    LEAF_CELLS = LEAF_SIDE * LEAF_SIDE,
};

/* What is looked at: the finest level, for samples so many metres apart (0: full detail). */
struct store_view {
    unsigned level;
    double metres;
};

/* The last load, if it was complete and of whole leaves. */
struct store_loaded {
    struct hash128 network;
    float deltas; /* as of the network: a view may have none */
    struct store_view view;
    struct cell_rect cells;
    bool complete;
};

/* Of one thread. All zero to begin with, but for the cache. Must stay where it is. */
struct store {
    const struct drainage_network *network; /* of the request */
    struct drainage_cache *cache;
    struct store_loaded loaded;
    struct level_window levels[DRAINAGE_LEVELS_MAX];
    struct stream_needs needs;
    struct stream_lists lists;
    struct kept_fields fields;
    struct courses courses;
};

/* Frees all but the cache, which must live until then. */
void store_free(struct store *store);
/* The bytes that are held besides the store itself and its cache. */
size_t store_bytes(const struct store *store);
/* Frees the windows and lists of the last load. */
void store_free_windows(struct store *store);

/* True if the last load has what cells of a view's level need. */
bool store_has_loaded(const struct store *store, const struct drainage_network *network,
                      const struct cell_rect *cells, struct store_view view);
/* Begins a load of what cells of a view's level need, which is all streams that come near, and
 * makes those that are not kept; nothing if the last load has it. Pointers that were found before
 * are no longer valid. False when memory or work is out. */
bool store_load(struct store *store, const struct drainage_network *network,
                const struct cell_rect *cells, struct store_view view);

/* Which courses matter in a leaf: those that come as near to its middle as the limit, in metres, as
 * land of samples so many metres apart has them. */
struct leaf_reach {
    float limit;
    double metres;
};
/* The same of the streams from the nodes of some cells of a level alone, for walks: much less, as
 * no land is asked for. */
bool store_load_streams(struct store *store, const struct drainage_network *network,
                        const struct cell_rect *cells, unsigned level);

/* Lists the courses that matter in a leaf, in some cells of which the store is loaded: at least
 * those whose land, up to SHAPE_LAND_WIDTHS wide, reaches into these cells. Valid until the next
 * call; null when memory is out. */
const struct list_builder *store_list_leaf(struct store *store, unsigned level, int64_t x,
                                           int64_t y, struct leaf_reach reach);

#endif
