/* Memory of values that are kept: made by one thread, and freed by another long afterwards.
 *
 * The allocator gives each thread a heap of its own, and what is freed goes back to the heap it
 * came from, so large values leave holes there which other threads cannot fill: a cache of 64 MB of
 * tiles of 128 KB took 166 MB. One heap for all would not (108 MB), but its lock is then held by
 * render threads that run at idle priority, and event loops wait for them: three to five times as
 * many waits of more than a millisecond were counted on a busy machine. Hence large blocks are
 * mappings of their own, which the system has back, whoever frees them; a few are kept for the next
 * ones of about that size, as a fresh mapping costs a fault and a cleared page for each 4 KB.
 * Without locks, from any thread. */
#ifndef TERRANE_SERVER_CACHE_BLOCK_H
#define TERRANE_SERVER_CACHE_BLOCK_H

#include <stddef.h>

/* Aligned for every type. Null when memory is out. */
void *block_new(size_t size);
void block_free(void *block); /* null is allowed */
/* Bytes of memory that it takes. */
size_t block_memory(const void *block);

#endif
