/* See cache.h. A table of slots in sets of WAYS, where an item may be in any slot of one set.
 *
 * A slot is one word: the item, and how many references to it were taken from the slot. So looking
 * at a slot and taking a reference is one compare-and-swap, and no item is freed in between. What
 * was taken is added to the item's own count when it leaves the slot, or when the slot's count gets
 * large; what is given back is always subtracted from the item's own count, which IN_CACHE keeps
 * above 0 as long as the item is in a slot. (This is called split reference counting.)
 *
 * Order between threads: a slot's word is written with release and taken with acquire, so a thread
 * that finds an item sees all that its maker wrote. An item's count is changed with both, so the
 * thread that frees it comes after all use of it. All else is relaxed, as nothing depends on it but
 * what is kept: a tag that is written late, or for an item that has been replaced meanwhile, hides
 * an item until it is given up; the key of an item that is taken is always compared. */
#include "core/drainage/store/cache.h"

#include <stdlib.h>

enum {
    WAYS = 8,
    SLOTS_LEAST = 1024,
    ITEM_BYTES = 2048, /* of small items: there is a slot for so many bytes of memory */
    ITEM_SHIFT = 3,    /* the bits of an address that are 0: see fits_slot() */
    COUNT_BITS = 16,
    COUNT_LARGE = 1 << 14, /* from here on a count is moved to the item: a quarter of what fits */
};
static const uint64_t COUNT_MASK = ((uint64_t)1 << COUNT_BITS) - 1;
/* What an item in a slot has in its own count for that: more than there ever are references. */
static const int64_t IN_CACHE = (int64_t)1 << 40;

struct drainage_cache {
    size_t limit;
    size_t slot_count;       /* a power of two */
    _Atomic uint64_t *slots; /* words: items and counts */
    _Atomic uint32_t *tags;  /* by slot: part of the item's hash, so that few others are taken */
    _Atomic uint8_t *used;   /* by slot: 1 if the item was found since give_up() looked at it */
    _Atomic size_t bytes;    /* of items in slots, */
    _Atomic size_t held;     /* and of all items: also those in the making, and given up but used */
    _Atomic uint64_t looks;  /* the state of random_number() */
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

/* True if a word has room for an item's address. It has 51 bits, which is more than programs
 * usually get; but 5 levels of page tables have up to 57, and addresses with a tag (Android,
 * HWASan) 64. */
static bool fits_slot(const struct cached *item)
{
    return item_of(word_of(item)) == item;
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

/* Puts an item, or none, into a slot instead of `old`, which may be none, too. False if the slot
 * has another one by now. References that others take meanwhile do not matter: `old` leaves with
 * all of them. (The slot may have got another item at the address of `old`: that leaves instead.)
 */
static bool replace_item(struct drainage_cache *cache, size_t slot, const struct cached *old,
                         const struct cached *by)
{
    uint64_t word = atomic_load_explicit(&cache->slots[slot], memory_order_relaxed);
    do {
        if (item_of(word) != old)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&cache->slots[slot], &word, word_of(by),
                                                    memory_order_acq_rel, memory_order_relaxed));
    struct cached *item = item_of(word);
    if (item) {
        atomic_fetch_sub_explicit(&cache->bytes, item->bytes, memory_order_relaxed);
        add_references(item, (int64_t)(word & COUNT_MASK) - IN_CACHE);
    }
    return true;
}

static struct cached *item_in(const struct drainage_cache *cache, size_t slot)
{
    return item_of(atomic_load_explicit(&cache->slots[slot], memory_order_relaxed));
}

void drainage_cache_release(struct drainage_cache *cache)
{
    if (!cache || atomic_fetch_sub_explicit(&cache->references, 1, memory_order_acq_rel) != 1)
        return;
    for (size_t slot = 0; cache->slots && slot < cache->slot_count; slot++)
        replace_item(cache, slot, item_in(cache, slot), NULL);
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
    const uint64_t hash = (uint64_t)key->x * 0x9E3779B97F4A7C15u + key->owner.low + kind;
    return hash_number(hash_mix(hash) + (uint64_t)key->y, key->metres);
}

static bool same_key(const struct cache_key *a, const struct cache_key *b)
{
    return a->x == b->x && a->y == b->y && a->kind == b->kind && a->level == b->level &&
           a->metres == b->metres && a->pieces == b->pieces && a->owner.low == b->owner.low &&
           a->owner.high == b->owner.high;
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

/* Moves the count of a slot, if it is large, to the item's own; not if another thread changes the
 * slot meanwhile: the next one that takes the item tries again. The caller holds a reference. */
static void settle_count(struct drainage_cache *cache, size_t slot, struct cached *item)
{
    uint64_t word = atomic_load_explicit(&cache->slots[slot], memory_order_relaxed);
    const int64_t count = (int64_t)(word & COUNT_MASK);
    if (item_of(word) != item || count < COUNT_LARGE)
        return;
    /* Added here before they leave the slot: counted twice for a moment, but never not at all. As
     * the caller has one, none of these is the last. */
    atomic_fetch_add_explicit(&item->references, count, memory_order_relaxed);
    if (!atomic_compare_exchange_strong_explicit(&cache->slots[slot], &word, word & ~COUNT_MASK,
                                                 memory_order_acq_rel, memory_order_relaxed))
        atomic_fetch_sub_explicit(&item->references, count, memory_order_relaxed);
}

/* Takes a reference to the item in a slot; null if there is none, or if the count is full: one more
 * would change the address. (So many settle_count() can fail only where dozens of threads take the
 * same item all the time. Then it is as good as not kept, until it leaves the slot.) */
static struct cached *take_item(struct drainage_cache *cache, size_t slot)
{
    uint64_t word = atomic_load_explicit(&cache->slots[slot], memory_order_relaxed);
    do {
        if (!item_of(word) || (word & COUNT_MASK) == COUNT_MASK)
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
    struct cached *item = malloc(bytes);
    if (!item)
        return NULL;
    *item = (struct cached){.key = *key, .cache = cache, .bytes = bytes, .references = 1};
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
        if (!item_in(cache, slot))
            return slot;
        if (!atomic_load_explicit(&cache->used[slot], memory_order_relaxed))
            chosen = slot;
    }
    return chosen;
}

/* Gives up items until the rest fits the memory: random ones that were not used lately; if those do
 * not suffice, as where a few large items are hard to meet by chance, any. */
static void give_up(struct drainage_cache *cache)
{
    const size_t count = cache->slot_count;
    for (size_t looks = 0; looks < 2 * count; looks++) {
        if (atomic_load_explicit(&cache->bytes, memory_order_relaxed) <= cache->limit)
            return;
        const bool any = looks >= count;
        const size_t slot = (any ? looks : random_number(cache)) & (count - 1);
        const struct cached *item = item_in(cache, slot);
        if (item && (!atomic_exchange_explicit(&cache->used[slot], 0, memory_order_relaxed) || any))
            replace_item(cache, slot, item, NULL);
    }
}

void cache_publish(struct cached *item)
{
    struct drainage_cache *cache = item->cache;
    const uint64_t hash = hash_of(&item->key);
    struct cached *same;
    item->published = true;
    if (item->bytes > cache->limit || !fits_slot(item))
        return;
    size_t slot = find_slot(cache, &item->key, hash, &same);
    slot = same ? slot : choose_slot(cache, set_of(cache, hash));
    /* The caller has a reference: none of these is the first or the last. */
    atomic_fetch_add_explicit(&item->references, IN_CACHE, memory_order_relaxed);
    atomic_fetch_add_explicit(&cache->bytes, item->bytes, memory_order_relaxed);
    if (replace_item(cache, slot, same ? same : item_in(cache, slot), item)) {
        atomic_store_explicit(&cache->tags[slot], tag_of(hash), memory_order_relaxed);
        atomic_store_explicit(&cache->used[slot], 0, memory_order_relaxed);
    } else { /* another thread was faster: the item is as good as given up */
        atomic_fetch_sub_explicit(&cache->bytes, item->bytes, memory_order_relaxed);
        add_references(item, -IN_CACHE);
    }
    cache_release(same);
    give_up(cache);
}
