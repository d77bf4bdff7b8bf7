/* See scratch.h. */
#include "core/drainage/network/scratch.h"

#include <stdlib.h>

bool reserve_items(void *items, size_t *capacity, size_t count, size_t size)
{
    void **memory = items;
    if (count <= *capacity)
        return true;
    count += count / 2 + 1;
    void *grown = realloc(*memory, count * size);
    if (!grown)
        return false;
    *memory = grown;
    *capacity = count;
    return true;
}
