/* Memory for values that are kept for long: allocated by one thread, freed by any other. Takes no
 * lock. Why malloc() does not do is said in block.c. */
#ifndef TERRANE_SERVER_CACHE_BLOCK_H
#define TERRANE_SERVER_CACHE_BLOCK_H

#include <stddef.h>

/* Aligned for every type. Null when memory is out. */
void *block_new(size_t size);
void block_free(void *block); /* null is allowed */
/* Bytes of memory that the block occupies, its header and rounding included. */
size_t block_memory(const void *block);

#endif
