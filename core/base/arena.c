/* Blocks in a linked list; each is filled from the front. A block is as large as all blocks before
 * it, from 512 bytes to 16 KB, or larger for a larger request: a world has hundreds of arenas that
 * stay small. The rest of a block that is too small for the next request is never used: requests
 * are small compared with a block. Blocks come from calloc(), so nothing has to be cleared later.
 */
#include "core/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK_MIN = 512, BLOCK_MAX = 16 * 1024 };

struct arena_block {
    struct arena_block *previous;
    size_t used, size;
    max_align_t bytes[];
};

void arena_free(struct arena *arena)
{
    while (arena->last) {
        struct arena_block *previous = arena->last->previous;
        free(arena->last);
        arena->last = previous;
    }
    arena->bytes = 0;
}

static struct arena_block *arena_block_new(struct arena *arena, size_t needed)
{
    size_t size = arena->bytes < BLOCK_MIN ? BLOCK_MIN : arena->bytes;
    size = size > BLOCK_MAX ? BLOCK_MAX : size;
    size = needed > size ? needed : size;
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->size = size;
    block->previous = arena->last;
    arena->last = block;
    arena->bytes += sizeof *block + size;
    return block;
}

void *arena_allocate(struct arena *arena, size_t count, size_t size)
{
    const size_t align = _Alignof(max_align_t);
    if (size && count > (SIZE_MAX / 2) / size)
        return NULL;
    size_t needed = (count * size + align - 1) / align * align;
    struct arena_block *block = arena->last;
    if (!block || block->size - block->used < needed)
        block = arena_block_new(arena, needed);
    if (!block)
        return NULL;
    void *bytes = (char *)block->bytes + block->used;
    block->used += needed;
    return bytes;
}

char *arena_copy(struct arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX ? arena_allocate(arena, length + 1, 1) : NULL;
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}
