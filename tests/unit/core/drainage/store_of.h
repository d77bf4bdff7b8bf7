/* Stores with a window of streams, for tests. */
#ifndef TERRANE_TESTS_DRAINAGE_STORE_OF_H
#define TERRANE_TESTS_DRAINAGE_STORE_OF_H

#include <cmocka.h>

#include "core/drainage/store/store.h"
#include "tests/unit/core/drainage/network_of.h"

enum { WINDOW_SIDE = 40 };

/* A coast, ranges and plains in rough ground: the middle of the windows, in metres. */
static const struct place MIDDLE = {-1650000 * PLACE_METRE, 2330000 * PLACE_METRE};

/* A store that is loaded around the leaves of cells of a view's level, with streams made anew. */
static inline struct store *store_in_view(struct cell_rect cells, struct store_view view,
                                          const struct drainage_network *network)
{
    struct store *store = calloc(1, sizeof *store);
    cells = rect_descendants(rect_ancestors(cells, LEAF_LOG2), LEAF_LOG2);
    assert_non_null(store);
    store->cache = drainage_cache_new(KEPT);
    assert_non_null(store->cache);
    assert_true(store_load(store, network, &cells, view));
    return store;
}

/* The same at full detail: with all pieces of streams. */
static inline struct store *store_around(struct cell_rect cells, unsigned level,
                                         const struct drainage_network *network)
{
    return store_in_view(cells, (struct store_view){level, 0.0}, network);
}

/* The same around WINDOW_SIDE × WINDOW_SIDE cells whose middle is a place. */
static inline struct store *window_around(struct place middle, unsigned level,
                                          const struct drainage_network *network)
{
    enum { HALF = WINDOW_SIDE / 2 };
    const unsigned shift = cell_shift(network, level);
    const int64_t x = middle.x >> shift, y = middle.y >> shift;
    return store_around((struct cell_rect){{x - HALF, y - HALF}, {x + HALF - 1, y + HALF - 1}},
                        level, network);
}

static inline void close_store(struct store *store)
{
    store_free(store);
    drainage_cache_release(store->cache);
    free(store);
}

static inline bool has_stream(const struct store *store, unsigned level, int64_t x, int64_t y)
{
    return window_has(&store->levels[level], x, y);
}

static inline const struct segment *stream_of(const struct store *store, unsigned level, int64_t x,
                                              int64_t y)
{
    return window_stream(&store->levels[level], x, y);
}

#endif
