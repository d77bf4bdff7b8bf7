/* An index of an array's items by their hashes, so that an item is found without a search through
 * the array. Items are known by their number; the caller compares them, as only it knows what makes
 * two items equal.
 *
 *   uint32_t probe = 0;
 *   for (int32_t i; (i = hash_index_next(&index, hash, &probe)) >= 0;)
 *       if (is_equal(&items[i], item))
 *           return i;
 *
 * Used by one thread at a time. */
#ifndef TERRANE_BASE_HASH_INDEX_H
#define TERRANE_BASE_HASH_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_index_slot {
    uint32_t hash;
    uint32_t item; /* its number and 1; 0 for a free slot */
};

/* A zeroed struct is an empty index. */
struct hash_index {
    struct hash_index_slot *slots;
    uint32_t size, count; /* slots, and those taken */
};

void hash_index_free(struct hash_index *index);
/* Adds an item; its number is below 2³¹. False when memory is out; the index is then as before. */
bool hash_index_add(struct hash_index *index, uint64_t hash, uint32_t item);
/* The number of the next item that was added with this hash, or, very rarely, with another one; -1
 * after the last. `probe` is 0 for the first call. */
int32_t hash_index_next(const struct hash_index *index, uint64_t hash, uint32_t *probe);

#endif
