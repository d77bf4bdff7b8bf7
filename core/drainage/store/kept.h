/* Tables of items that are kept from load to load, in bounded memory: blocks of streams
 * (blocks.h) and of field samples (kept_fields.h) in one table, leaves (land.h) in another.
 * Internal to core/drainage.
 *
 * An item is found by network, level, place and metres. Items that the present load has used
 * stay until the next one begins, however many they are; then those used least recently go, until
 * the rest fits the memory. */
#ifndef TERRANE_DRAINAGE_STORE_KEPT_H
#define TERRANE_DRAINAGE_STORE_KEPT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/hash.h"

struct kept_key {
    struct hash128 network;
    int64_t x, y; /* in units of the item's own width */
    unsigned level;
    double metres; /* between samples, of leaves; of all others, kinds: below 0 */
};

/* The beginning of each item. */
struct kept {
    struct kept_key key;
    struct kept *next;          /* in its slot of the table */
    struct kept *newer, *older; /* by last use */
    uint64_t load;              /* that used it last */
    size_t bytes;
};

struct kept_table {
    struct kept **slots;
    size_t slot_count; /* a power of two */
    size_t count, bytes;
    struct kept *newest, *oldest;
    uint64_t load;
};

bool kept_init(struct kept_table *table);
void kept_free(struct kept_table *table);
/* Begins a load: gives up what is more than so many bytes. */
void kept_begin(struct kept_table *table, size_t bytes);
/* Begins a load of two tables, which have had the same number of loads, for as many bytes
 * together: gives up what was used least recently, of the first table before the second. */
void kept_begin_both(struct kept_table *first, struct kept_table *second, size_t bytes);
/* The item, or null. */
struct kept *kept_find(struct kept_table *table, const struct kept_key *key);
/* A new item of `bytes`, zeroed but for its beginning; null when memory is out. */
struct kept *kept_add(struct kept_table *table, const struct kept_key *key, size_t bytes);

#endif
