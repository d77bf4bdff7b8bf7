/* Open addressing with linear probing, at most half full. A slot keeps the hash of its item, so
 * that growing needs no item, and most slots of other items are passed without looking at the item.
 */
#include "core/base/hash_index.h"

#include <stdlib.h>

enum { FIRST_SIZE = 64 };

void hash_index_free(struct hash_index *index)
{
    free(index->slots);
    *index = (struct hash_index){0};
}

static void insert(struct hash_index *index, struct hash_index_slot slot)
{
    uint32_t at = slot.hash & (index->size - 1);
    while (index->slots[at].item)
        at = (at + 1) & (index->size - 1);
    index->slots[at] = slot;
}

static bool grow(struct hash_index *index)
{
    const struct hash_index old = *index;
    const uint32_t size = old.size ? 2 * old.size : FIRST_SIZE;
    struct hash_index_slot *slots = calloc(size, sizeof *slots);
    if (!slots)
        return false;
    index->slots = slots;
    index->size = size;
    for (uint32_t i = 0; i < old.size; i++)
        if (old.slots[i].item)
            insert(index, old.slots[i]);
    free(old.slots);
    return true;
}

bool hash_index_add(struct hash_index *index, uint64_t hash, uint32_t item)
{
    if (2 * (index->count + 1) > index->size && !grow(index))
        return false;
    insert(index, (struct hash_index_slot){(uint32_t)hash, item + 1});
    index->count++;
    return true;
}

int32_t hash_index_next(const struct hash_index *index, uint64_t hash, uint32_t *probe)
{
    while (*probe < index->size) {
        const uint32_t at = ((uint32_t)hash + (*probe)++) & (index->size - 1);
        if (!index->slots[at].item)
            break;
        if (index->slots[at].hash == (uint32_t)hash)
            return (int32_t)(index->slots[at].item - 1);
    }
    return -1;
}
