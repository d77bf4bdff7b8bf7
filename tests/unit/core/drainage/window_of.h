/* Windows of streams, for tests. */
#ifndef TERRANE_TESTS_DRAINAGE_WINDOW_OF_H
#define TERRANE_TESTS_DRAINAGE_WINDOW_OF_H

#include <cmocka.h>

#include "core/drainage/drainage_private.h"
#include "tests/unit/core/drainage/network_of.h"

enum { SIDE = 40 };

/* A coast, ranges and plains in rough ground: the middle of the windows, in metres. */
static const struct place MIDDLE = {-1650000 * PLACE_METRE, 2330000 * PLACE_METRE};

/* A window of SIDE × SIDE cells of a level around a place, of streams made anew. */
static inline struct drainage *window_around(struct place middle, unsigned level,
                                             const struct drainage_network *network)
{
    struct drainage *drainage = drainage_new(KEPT);
    const unsigned shift = cell_shift(network, level);
    const int64_t x = middle.x >> shift, y = middle.y >> shift;
    const struct cell_rect cells = {{x - SIDE / 2, y - SIDE / 2},
                                    {x + SIDE / 2 - 1, y + SIDE / 2 - 1}};
    const struct cell_rect leaves = rect_ancestors(cells, LEAF_LOG2);
    assert_non_null(drainage);
    drainage->network = network;
    kept_begin(&drainage->blocks, KEPT);
    assert_true(window_load(drainage, &leaves, level));
    return drainage;
}

static inline const struct segment *stream_of(const struct drainage *drainage, unsigned level,
                                              int64_t x, int64_t y)
{
    return block_stream(window_block(&drainage->levels[level], x, y), node_in_block(x, y));
}

#endif
