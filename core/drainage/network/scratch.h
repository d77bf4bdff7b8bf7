/* Scratch memory that grows. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_NETWORK_SCRATCH_H
#define TERRANE_DRAINAGE_NETWORK_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Makes room for `count` items of so many bytes in *items, a pointer to memory that the caller
 * frees; what they were is kept. False when memory is out. */
bool reserve_items(void *items, size_t *capacity, size_t count, size_t size);

#endif
