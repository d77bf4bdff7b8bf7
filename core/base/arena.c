/* Blocks in a linked list, each filled from the front. The first has 1 KB, each further one twice
 * the size of the one before, up to 16 KB, or more for a larger request: there are thousands of
 * painters of a few hundred bytes, and worlds of 100 KB. The rest of a block that is too small for
 * the next request is never used. Blocks come from calloc(), so nothing has to be cleared later. */
#include "core/base/arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BLOCK = 1024, LARGEST_BLOCK = 16 * 1024 }; /* bytes, without its header */

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
}

size_t arena_memory(const struct arena *arena)
{
    size_t bytes = 0;
    for (const struct arena_block *block = arena->last; block; block = block->previous)
        bytes += sizeof *block + block->size;
    return bytes;
}

static struct arena_block *arena_block_new(struct arena *arena, size_t needed)
{
    size_t size = arena->last ? 2 * arena->last->size : FIRST_BLOCK;
    size = size < LARGEST_BLOCK ? size : LARGEST_BLOCK;
    size = size > needed ? size : needed;
    struct arena_block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->size = size;
    block->previous = arena->last;
    arena->last = block;
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
