/* See kept.h. A table of chained slots, and a list of all items by last use. */
#include "core/drainage/store/kept.h"

#include <stdlib.h>

enum { SLOTS_FIRST = 1024 };

bool kept_init(struct kept_table *table)
{
    *table = (struct kept_table){.slot_count = SLOTS_FIRST};
    table->slots = calloc(SLOTS_FIRST, sizeof *table->slots);
    return table->slots != NULL;
}

static struct kept **slot_of(const struct kept_table *table, const struct kept_key *key)
{
    uint64_t hash = (uint64_t)key->x * 0x9E3779B97F4A7C15u + key->network.low + key->level;
    hash = hash_number(hash_mix(hash) + (uint64_t)key->y, key->metres);
    return &table->slots[hash & (table->slot_count - 1)];
}

static bool same_key(const struct kept_key *a, const struct kept_key *b)
{
    return a->x == b->x && a->y == b->y && a->level == b->level && a->metres == b->metres &&
           a->network.low == b->network.low && a->network.high == b->network.high;
}

static void unlink_use(struct kept_table *table, struct kept *item)
{
    *(item->newer ? &item->newer->older : &table->newest) = item->older;
    *(item->older ? &item->older->newer : &table->oldest) = item->newer;
}

static void link_newest(struct kept_table *table, struct kept *item)
{
    item->newer = NULL;
    item->older = table->newest;
    *(table->newest ? &table->newest->newer : &table->oldest) = item;
    table->newest = item;
    item->load = table->load;
}

static void drop(struct kept_table *table, struct kept *item)
{
    struct kept **link = slot_of(table, &item->key);
    while (*link != item)
        link = &(*link)->next;
    *link = item->next;
    unlink_use(table, item);
    table->count--;
    table->bytes -= item->bytes;
    free(item);
}

void kept_free(struct kept_table *table)
{
    while (table->newest)
        drop(table, table->newest);
    free(table->slots);
}

void kept_begin(struct kept_table *table, size_t bytes)
{
    table->load++;
    while (table->oldest && table->bytes > bytes)
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): drop() makes a newer one the oldest. */
        drop(table, table->oldest);
}

void kept_begin_both(struct kept_table *first, struct kept_table *second, size_t bytes)
{
    /* NOLINTBEGIN(clang-analyzer-unix.Malloc): drop() makes a newer one the oldest. */
    while (first->bytes + second->bytes > bytes) {
        const struct kept *a = first->oldest, *b = second->oldest;
        struct kept_table *older = a && (!b || a->load <= b->load) ? first : second;
        drop(older, older->oldest);
    }
    /* NOLINTEND(clang-analyzer-unix.Malloc) */
    first->load++;
    second->load++;
}

struct kept *kept_find(struct kept_table *table, const struct kept_key *key)
{
    struct kept *item = *slot_of(table, key);
    while (item && !same_key(&item->key, key))
        item = item->next;
    if (item && item->load != table->load) {
        unlink_use(table, item);
        link_newest(table, item);
    }
    return item;
}

/* Twice as many slots; when memory is out, chains grow longer instead. */
static void grow_slots(struct kept_table *table)
{
    struct kept **grown = calloc(2 * table->slot_count, sizeof *grown);
    if (!grown)
        return;
    free(table->slots);
    table->slots = grown;
    table->slot_count *= 2;
    for (struct kept *item = table->newest; item; item = item->older) {
        struct kept **slot = slot_of(table, &item->key);
        item->next = *slot;
        *slot = item;
    }
}

struct kept *kept_add(struct kept_table *table, const struct kept_key *key, size_t bytes)
{
    struct kept *item = calloc(1, bytes);
    if (!item)
        return NULL;
    item->key = *key;
    item->bytes = bytes;
    if (++table->count > table->slot_count)
        grow_slots(table);
    struct kept **slot = slot_of(table, key);
    item->next = *slot;
    *slot = item;
    table->bytes += bytes;
    link_newest(table, item);
    return item;
}
