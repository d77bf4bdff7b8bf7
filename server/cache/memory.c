/* A shard is a hash table with chains and a doubly linked list by use. The key's hash selects the
 * shard and the bucket.
 *
 * A full table is replaced by one of twice the size. Its entries do not move at once, as every
 * thread that needs the shard would wait for thousands of moves: each put moves four buckets, and
 * until all have moved a key is looked up in the old table if its bucket there has not moved yet.
 * Since the table doubles when there is an entry per bucket, the moves end long before it is full
 * again.
 *
 * Costs include the entry and its share of the table, so the capacity bounds the process's memory
 * and not only the bodies of responses. */
#include "server/cache/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHARDS_MAX = 16,
    BUCKETS_MIN = 64,
    BUCKETS_MOVED_PER_PUT = 4, /* into a larger table */
    EVICTIONS_PER_LOCK = 64,   /* when the capacity shrinks */
};

/* Keys are not spread evenly. A shard must hold a few dozen large tiles, or one shard evicts what
 * another has room for. */
#define SHARD_BYTES_MIN ((size_t)4 << 20)

struct entry {
    struct entry *next;          /* in its bucket */
    struct entry *newer, *older; /* by use */
    struct cache_value *value;
    struct cache_key key;
};

struct shard {
    pthread_mutex_t lock;
    struct entry **buckets; /* a power of two of them; null until the first entry */
    size_t bucket_count;
    struct entry **old_buckets; /* the smaller table; null unless entries are still to be moved */
    size_t moved_count;         /* of the old buckets: those in front of it are empty */
    struct entry *newest, *oldest;
    size_t bytes, entries;
    uint64_t evictions;
} __attribute__((aligned(64))); /* no two locks in one cache line */

struct memory_cache {
    size_t shard_capacity; /* atomic; without charges */
    const size_t *charges; /* atomic; or null */
    size_t shard_count;    /* a power of two */
    struct shard shards[];
};

void cache_value_init(struct cache_value *value, size_t size,
                      void (*destroy)(struct cache_value *value))
{
    value->references = 1;
    value->size = size;
    value->destroy = destroy;
}

void cache_value_retain(struct cache_value *value)
{
    __atomic_fetch_add(&value->references, 1, __ATOMIC_RELAXED);
}

void cache_value_release(struct cache_value *value)
{
    if (value && __atomic_sub_fetch(&value->references, 1, __ATOMIC_ACQ_REL) == 0)
        value->destroy(value);
}

size_t allocated_size(size_t size)
{
    /* glibc and musl alike: one word in front, rounded up to 16. */
    return (size + sizeof(size_t) + 15) & ~(size_t)15;
}

/* An entry's own memory, and its part of the bucket table (half full on average). */
static size_t entry_size(const struct cache_value *value)
{
    return value->size + allocated_size(sizeof(struct entry)) + 2 * sizeof(struct entry *);
}

struct memory_cache *memory_cache_new(size_t capacity)
{
    size_t count = 1;
    while (count < SHARDS_MAX && capacity / (count * 2) >= SHARD_BYTES_MIN)
        count *= 2;
    size_t size = sizeof(struct memory_cache) + count * sizeof(struct shard);
    struct memory_cache *cache = aligned_alloc(64, (size + 63) & ~(size_t)63);
    if (!cache)
        return NULL;
    memset(cache, 0, size);
    cache->shard_capacity = capacity / count;
    cache->shard_count = count;
    for (size_t i = 0; i < count; i++)
        pthread_mutex_init(&cache->shards[i].lock, NULL);
    return cache;
}

void memory_cache_free(struct memory_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < cache->shard_count; i++) {
        struct shard *shard = &cache->shards[i];
        for (struct entry *entry = shard->newest, *older; entry; entry = older) {
            older = entry->older;
            cache_value_release(entry->value);
            free(entry);
        }
        free(shard->buckets);
        free(shard->old_buckets);
        pthread_mutex_destroy(&shard->lock);
    }
    free(cache);
}

/* Shards take the hash's high half, buckets its low half. */
static struct shard *key_shard(struct memory_cache *cache, const struct cache_key *key)
{
    return &cache->shards[key->hash.high & (cache->shard_count - 1)];
}

static struct entry **key_bucket(const struct shard *shard, const struct cache_key *key)
{
    const size_t old_buckets = key->hash.low & (shard->bucket_count / 2 - 1);
    if (shard->old_buckets && old_buckets >= shard->moved_count)
        return &shard->old_buckets[old_buckets];
    return &shard->buckets[key->hash.low & (shard->bucket_count - 1)];
}

static bool keys_equal(const struct cache_key *a, const struct cache_key *b)
{
    return a->hash.low == b->hash.low && memcmp(a->bytes, b->bytes, CACHE_KEY_BYTES) == 0;
}

static struct entry *shard_find(const struct shard *shard, const struct cache_key *key)
{
    if (!shard->buckets)
        return NULL;
    struct entry *entry = *key_bucket(shard, key);
    while (entry && !keys_equal(&entry->key, key))
        entry = entry->next;
    return entry;
}

static void list_remove(struct shard *shard, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &shard->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &shard->oldest) = entry->newer;
}

static void list_push_newest(struct shard *shard, struct entry *entry)
{
    entry->newer = NULL;
    entry->older = shard->newest;
    *(shard->newest ? &shard->newest->newer : &shard->oldest) = entry;
    shard->newest = entry;
}

/* Moves a few buckets into the larger table. Returns the old table once it is empty, to be freed
 * outside the lock. */
static struct entry **shard_move_buckets(struct shard *shard)
{
    for (size_t i = 0; i < BUCKETS_MOVED_PER_PUT && shard->old_buckets; i++) {
        struct entry *entry = shard->old_buckets[shard->moved_count++];
        for (struct entry *next; entry; entry = next) {
            struct entry **bucket = key_bucket(shard, &entry->key);
            next = entry->next;
            entry->next = *bucket;
            *bucket = entry;
        }
        if (shard->moved_count == shard->bucket_count / 2) {
            struct entry **emptied = shard->old_buckets;
            shard->old_buckets = NULL;
            return emptied;
        }
    }
    return NULL;
}

/* Allocates the first table, or one of twice the size for a full one. False only if there is no
 * table at all: a full table works too. */
static bool shard_grow(struct shard *shard)
{
    if (shard->buckets && (shard->old_buckets || shard->entries < shard->bucket_count))
        return true;
    size_t count = shard->buckets ? shard->bucket_count * 2 : BUCKETS_MIN;
    struct entry **buckets = calloc(count, sizeof *buckets);
    if (!buckets)
        return shard->buckets != NULL;
    shard->old_buckets = shard->buckets;
    shard->moved_count = 0;
    shard->buckets = buckets;
    shard->bucket_count = count;
    return true;
}

static void shard_remove(struct shard *shard, struct entry *entry)
{
    struct entry **link = key_bucket(shard, &entry->key);
    while (*link != entry)
        link = &(*link)->next;
    *link = entry->next;
    list_remove(shard, entry);
    shard->bytes -= entry_size(entry->value);
    shard->entries--;
}

static void shard_insert(struct shard *shard, struct entry *entry)
{
    struct entry **bucket = key_bucket(shard, &entry->key);
    entry->next = *bucket;
    *bucket = entry;
    list_push_newest(shard, entry);
    shard->bytes += entry_size(entry->value);
    shard->entries++;
}

/* Removes the least recently used entries, at most `most`, until the shard fits into `capacity`.
 * Returns them linked by `next`. */
static struct entry *shard_evict(struct shard *shard, size_t capacity, size_t most)
{
    struct entry *evicted = NULL;
    for (; shard->bytes > capacity && shard->oldest && most > 0; most--) {
        struct entry *entry = shard->oldest;
        shard_remove(shard, entry);
        shard->evictions++;
        entry->next = evicted;
        evicted = entry;
    }
    return evicted;
}

struct cache_value *memory_cache_get(struct memory_cache *cache, const struct cache_key *key)
{
    struct shard *shard = key_shard(cache, key);
    struct cache_value *value = NULL;
    pthread_mutex_lock(&shard->lock);
    struct entry *entry = shard_find(shard, key);
    if (entry) {
        if (entry != shard->newest) {
            list_remove(shard, entry);
            list_push_newest(shard, entry);
        }
        value = entry->value;
        cache_value_retain(value);
    }
    pthread_mutex_unlock(&shard->lock);
    return value;
}

static void entries_release(struct entry *entry)
{
    for (struct entry *next; entry; entry = next) {
        /* The analyzer cannot know that each entry is in the chain once.
         * NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        next = entry->next;
        cache_value_release(entry->value);
        free(entry);
    }
}

/* The bytes that a shard may hold beside the charges. */
static size_t uncharged_capacity(const struct memory_cache *cache)
{
    const size_t capacity = __atomic_load_n(&cache->shard_capacity, __ATOMIC_RELAXED);
    if (!cache->charges)
        return capacity;
    const size_t charge = __atomic_load_n(cache->charges, __ATOMIC_RELAXED) / cache->shard_count;
    return capacity - (charge < capacity / 2 ? charge : capacity / 2);
}

void memory_cache_put(struct memory_cache *cache, const struct cache_key *key,
                      struct cache_value *value)
{
    struct shard *shard = key_shard(cache, key);
    const size_t capacity = uncharged_capacity(cache);
    if (entry_size(value) > capacity)
        return;
    struct entry *entry = malloc(sizeof *entry);
    if (!entry)
        return;
    entry->key = *key;
    entry->value = value;
    cache_value_retain(value);
    pthread_mutex_lock(&shard->lock);
    struct entry **emptied = shard_move_buckets(shard);
    struct entry *old = shard_find(shard, key), *evicted = NULL;
    if (old)
        shard_remove(shard, old);
    if (shard_grow(shard)) {
        shard_insert(shard, entry);
        evicted = shard_evict(shard, capacity, SIZE_MAX);
        entry = NULL;
    }
    pthread_mutex_unlock(&shard->lock);
    free(emptied);
    if (old)
        old->next = NULL;
    if (entry)
        entry->next = NULL;
    entries_release(old);
    entries_release(entry);
    entries_release(evicted);
}

void memory_cache_share_capacity(struct memory_cache *cache, const size_t *charges)
{
    cache->charges = charges;
}

void memory_cache_resize(struct memory_cache *cache, size_t capacity)
{
    __atomic_store_n(&cache->shard_capacity, capacity / cache->shard_count, __ATOMIC_RELAXED);
    const size_t each = uncharged_capacity(cache);
    for (size_t i = 0; i < cache->shard_count; i++) {
        struct shard *shard = &cache->shards[i];
        struct entry *evicted;
        do {
            pthread_mutex_lock(&shard->lock);
            evicted = shard_evict(shard, each, EVICTIONS_PER_LOCK);
            pthread_mutex_unlock(&shard->lock);
            entries_release(evicted);
        } while (evicted);
    }
}

struct memory_statistics memory_cache_statistics(struct memory_cache *cache)
{
    struct memory_statistics sum = {0};
    for (size_t i = 0; i < cache->shard_count; i++) {
        struct shard *shard = &cache->shards[i];
        pthread_mutex_lock(&shard->lock);
        sum.bytes += shard->bytes;
        sum.entries += shard->entries;
        sum.evictions += shard->evictions;
        pthread_mutex_unlock(&shard->lock);
    }
    return sum;
}
