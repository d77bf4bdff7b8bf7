/* See cache.h. A table of slots in sets of WAYS, where an item may be in any slot of one set.
 *
 * A slot is one word: the item, and how many references to it were taken from the slot. So looking
 * at a slot and taking a reference is one compare-and-swap, and no item is freed in between. What
 * was taken is added to the item's own count when it leaves the slot, or when the slot's count gets
 * large; what is given back is always subtracted from the item's own count, which IN_CACHE keeps
 * above 0 as long as the item is in a slot. (This is called split reference counting.) */
#include "core/drainage/store/cache.h"

#include <stdlib.h>

enum {
    WAYS = 8,
    SLOTS_LEAST = 1024,
    ITEM_BYTES = 2048, /* as small as items are: the bytes a slot is made for */
    ITEM_SHIFT = 3,    /* the bits of an address that are 0 */
    COUNT_BITS = 16,
    COUNT_LARGE = 1 << 14,
};
static const uint64_t COUNT_MASK = ((uint64_t)1 << COUNT_BITS) - 1;
static const int64_t IN_CACHE = (int64_t)1 << 40;

struct drainage_cache {
    size_t limit;
    size_t slot_count;       /* a power of two */
    _Atomic uint64_t *slots; /* items and counts */
    _Atomic uint32_t *tags;  /* parts of hashes: most items that are not wanted are told by them */
    _Atomic uint8_t *used;   /* 1 if the item was found since it was last looked at */
    _Atomic size_t bytes;    /* of items in slots, */
    _Atomic size_t held;     /* and of all items */
    _Atomic uint64_t looks;  /* for items to give up */
    _Atomic uint32_t references;
};

static struct cached *item_of(uint64_t word)
{
    return (struct cached *)(uintptr_t)(word >> COUNT_BITS << ITEM_SHIFT);
}

static uint64_t word_of(const struct cached *item)
{
    return (uint64_t)(uintptr_t)item >> ITEM_SHIFT << COUNT_BITS;
}

struct drainage_cache *drainage_cache_new(size_t bytes)
{
    struct drainage_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->limit = bytes;
    for (cache->slot_count = SLOTS_LEAST; cache->slot_count < bytes / ITEM_BYTES;)
        cache->slot_count *= 2;
    cache->slots = calloc(cache->slot_count, sizeof *cache->slots);
    cache->tags = calloc(cache->slot_count, sizeof *cache->tags);
    cache->used = calloc(cache->slot_count, sizeof *cache->used);
    cache->references = 1;
    if (cache->slots && cache->tags && cache->used)
        return cache;
    drainage_cache_release(cache);
    return NULL;
}

struct drainage_cache *drainage_cache_retain(struct drainage_cache *cache)
{
    atomic_fetch_add_explicit(&cache->references, 1, memory_order_relaxed);
    return cache;
}

static void free_item(struct cached *item)
{
    atomic_fetch_sub_explicit(&item->cache->held, item->bytes, memory_order_relaxed);
    free(item);
}

/* Adds to an item's references, or takes some away; frees it if there is none left. */
static void add_references(struct cached *item, int64_t count)
{
    if (atomic_fetch_add_explicit(&item->references, count, memory_order_acq_rel) + count == 0)
        free_item(item);
}

void cache_release(struct cached *item)
{
    if (item)
        add_references(item, -1);
}

/* Puts an item, or none, into a slot that has `word`. False if it has another one by now. */
static bool replace_word(struct drainage_cache *cache, size_t slot, uint64_t word,
                         const struct cached *by)
{
    if (!atomic_compare_exchange_strong_explicit(&cache->slots[slot], &word, word_of(by),
                                                 memory_order_acq_rel, memory_order_relaxed))
        return false;
    struct cached *item = item_of(word);
    if (item) {
        atomic_fetch_sub_explicit(&cache->bytes, item->bytes, memory_order_relaxed);
        add_references(item, (int64_t)(word & COUNT_MASK) - IN_CACHE);
    }
    return true;
}

void drainage_cache_release(struct drainage_cache *cache)
{
    if (!cache || atomic_fetch_sub_explicit(&cache->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t slot = 0; cache->slots && slot < cache->slot_count; slot++)
        replace_word(cache, slot, cache->slots[slot], NULL);
    free(cache->slots);
    free(cache->tags);
    free(cache->used);
    free(cache);
}

size_t drainage_cache_bytes(const struct drainage_cache *cache)
{
    return sizeof *cache + cache->held +
           cache->slot_count * (sizeof *cache->slots + sizeof *cache->tags + sizeof *cache->used);
}

/* ---- finding */

static uint64_t hash_of(const struct cache_key *key)
{
    const uint64_t kind = (uint64_t)key->kind << 16 | key->level << 8 | key->pieces;
    const uint64_t hash = (uint64_t)key->x * 0x9E3779B97F4A7C15u + key->network.low + kind;
    return hash_number(hash_mix(hash) + (uint64_t)key->y, key->metres);
}

static bool same_key(const struct cache_key *a, const struct cache_key *b)
{
    return a->x == b->x && a->y == b->y && a->kind == b->kind && a->level == b->level &&
           a->metres == b->metres && a->pieces == b->pieces && a->network.low == b->network.low &&
           a->network.high == b->network.high;
}

/* The first slot of the set where items with a hash may be. */
static size_t set_of(const struct drainage_cache *cache, uint64_t hash)
{
    return hash & (cache->slot_count - 1) & ~(size_t)(WAYS - 1);
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* Moves what was taken from a slot to the item's own count. The caller holds a reference. */
static void settle_count(struct drainage_cache *cache, size_t slot, struct cached *item)
{
    uint64_t word = atomic_load_explicit(&cache->slots[slot], memory_order_relaxed);
    const int64_t count = (int64_t)(word & COUNT_MASK);
    if (item_of(word) != item || count < COUNT_LARGE)
        return;
    /* First more than there are, so that the item cannot be freed meanwhile. */
    add_references(item, count);
    if (!atomic_compare_exchange_strong_explicit(&cache->slots[slot], &word, word & ~COUNT_MASK,
                                                 memory_order_acq_rel, memory_order_relaxed))
        add_references(item, -count);
}

/* Takes a reference to the item in a slot; null if there is none. */
static struct cached *take_item(struct drainage_cache *cache, size_t slot)
{
    uint64_t word = atomic_load_explicit(&cache->slots[slot], memory_order_relaxed);
    do {
        if (!item_of(word))
            return NULL;
    } while (!atomic_compare_exchange_weak_explicit(&cache->slots[slot], &word, word + 1,
                                                    memory_order_acquire, memory_order_relaxed));
    struct cached *item = item_of(word);
    if ((word & COUNT_MASK) >= COUNT_LARGE)
        settle_count(cache, slot, item);
    return item;
}

/* The slot that has an item with a key, to which a reference is taken; slot_count if none has. */
static size_t find_slot(struct drainage_cache *cache, const struct cache_key *key, uint64_t hash,
                        struct cached **item)
{
    const size_t set = set_of(cache, hash);
    const uint32_t tag = tag_of(hash);
    for (size_t slot = set; slot < set + WAYS; slot++) {
        if (atomic_load_explicit(&cache->tags[slot], memory_order_relaxed) != tag)
            continue;
        *item = take_item(cache, slot);
        if (*item && same_key(&(*item)->key, key))
            return slot;
        cache_release(*item);
    }
    *item = NULL;
    return cache->slot_count;
}

struct cached *cache_find(struct drainage_cache *cache, const struct cache_key *key)
{
    struct cached *item;
    const size_t slot = find_slot(cache, key, hash_of(key), &item);
    if (item && !atomic_load_explicit(&cache->used[slot], memory_order_relaxed))
        atomic_store_explicit(&cache->used[slot], 1, memory_order_relaxed);
    return item;
}

/* ---- adding */

struct cached *cache_new_item(struct drainage_cache *cache, const struct cache_key *key,
                              size_t bytes)
{
    struct cached *item = calloc(1, bytes);
    if (!item)
        return NULL;
    item->key = *key;
    item->cache = cache;
    item->bytes = bytes;
    item->references = 1;
    atomic_fetch_add_explicit(&cache->held, bytes, memory_order_relaxed);
    return item;
}

static size_t random_number(struct drainage_cache *cache)
{
    return (size_t)hash_mix(
        atomic_fetch_add_explicit(&cache->looks, 0x9E3779B97F4A7C15u, memory_order_relaxed));
}

/* The slot of a set that a new item takes: an empty one, else any that was not used lately. */
static size_t choose_slot(struct drainage_cache *cache, size_t set)
{
    const size_t first = random_number(cache);
    size_t chosen = set + first % WAYS;
    for (size_t i = 0; i < WAYS; i++) {
        const size_t slot = set + (first + i) % WAYS;
        if (!item_of(atomic_load_explicit(&cache->slots[slot], memory_order_relaxed)))
            return slot;
        if (!atomic_load_explicit(&cache->used[slot], memory_order_relaxed))
            chosen = slot;
    }
    return chosen;
}

/* Gives up items until the rest fits the memory. */
static void give_up(struct drainage_cache *cache)
{
    for (size_t looks = 0; looks < cache->slot_count; looks++) {
        if (atomic_load_explicit(&cache->bytes, memory_order_relaxed) <= cache->limit)
            return;
        const size_t slot = random_number(cache) & (cache->slot_count - 1);
        const uint64_t word = atomic_load_explicit(&cache->slots[slot], memory_order_relaxed);
        if (item_of(word) && !atomic_exchange_explicit(&cache->used[slot], 0, memory_order_relaxed))
            replace_word(cache, slot, word, NULL);
    }
}

void cache_publish(struct cached *item)
{
    struct drainage_cache *cache = item->cache;
    const uint64_t hash = hash_of(&item->key);
    struct cached *same;
    item->published = true;
    if (item->bytes > cache->limit)
        return;
    size_t slot = find_slot(cache, &item->key, hash, &same);
    slot = same ? slot : choose_slot(cache, set_of(cache, hash));
    add_references(item, IN_CACHE);
    atomic_fetch_add_explicit(&cache->bytes, item->bytes, memory_order_relaxed);
    if (replace_word(cache, slot, atomic_load_explicit(&cache->slots[slot], memory_order_relaxed),
                     item)) {
        atomic_store_explicit(&cache->tags[slot], tag_of(hash), memory_order_relaxed);
        atomic_store_explicit(&cache->used[slot], 0, memory_order_relaxed);
    } else { /* another thread was faster: the item is as good as given up */
        atomic_fetch_sub_explicit(&cache->bytes, item->bytes, memory_order_relaxed);
        add_references(item, -IN_CACHE);
    }
    cache_release(same);
    give_up(cache);
}
