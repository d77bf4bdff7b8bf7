/* Growth of arrays that double their capacity. */
#ifndef TERRANE_BASE_ARRAY_H
#define TERRANE_BASE_ARRAY_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

/* Room for one more element behind `count`: `items` itself, or the larger array it was moved to,
 * and *capacity is updated. Null when memory is out; `items` is then as before. `items` may be null
 * while *capacity is 0. Sizes are in bytes, counts in elements. */
static inline void *array_reserve(void *items, size_t count, size_t *capacity, size_t size)
{
    enum { FIRST = 32 };
    if (count < *capacity)
        return items;
    const size_t wanted = *capacity ? 2 * *capacity : FIRST;
    void *larger = wanted <= SIZE_MAX / 2 / size ? realloc(items, wanted * size) : NULL;
    if (larger)
        *capacity = wanted;
    return larger;
}

#endif
