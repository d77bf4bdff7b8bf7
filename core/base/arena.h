/* Memory that is freed all at once: that of a world, a style, a JSON document or a compilation. Not
 * shared between threads while it grows. */
#ifndef TERRANE_BASE_ARENA_H
#define TERRANE_BASE_ARENA_H

#include <stddef.h>

struct arena_block;
struct arena {
    struct arena_block *last;
    size_t bytes; /* of all blocks */
};

/* A zeroed struct is an empty arena. */
void arena_free(struct arena *arena);
/* Zeroed, aligned for every type; null when memory is out or `count * size` overflows. */
void *arena_allocate(struct arena *arena, size_t count, size_t size);
/* A terminated copy of `length` bytes. */
char *arena_copy(struct arena *arena, const char *text, size_t length);

#endif
