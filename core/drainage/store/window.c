/* See window.h. */
#include "core/drainage/store/window.h"

#include <stdlib.h>

#include "core/drainage/network/scratch.h"

bool window_find_blocks(struct level_window *window, struct kept_table *table,
                        const struct drainage_network *network)
{
    window->blocks = rect_ancestors(window->cells, BLOCK_LOG2);
    window->missing = (struct cell_rect){{0, 0}, {-1, -1}};
    const struct cell_rect *blocks = &window->blocks;
    const size_t count = rect_count(blocks);
    if (!reserve_items(&window->block, &window->capacity, count, sizeof(struct stream_block *)))
        return false;
    struct stream_block **next = window->block;
    for (int64_t y = blocks->low[1]; y <= blocks->high[1]; y++)
        for (int64_t x = blocks->low[0]; x <= blocks->high[0]; x++, next++) {
            *next = block_find(table, network, window->kind, x, y);
            const uint32_t missing =
                nodes_in_rect(x, y, &window->cells) & ~(*next ? (*next)->made : 0);
            window->missing = rect_union(window->missing, rect_of_nodes(x, y, missing));
        }
    return true;
}

void window_free(struct level_window *window)
{
    free(window->block);
    *window = (struct level_window){0};
}

size_t window_bytes(const struct level_window *window)
{
    return window->capacity * sizeof *window->block;
}
