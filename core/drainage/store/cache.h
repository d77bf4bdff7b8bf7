/* The cache of a network's parts: blocks of streams (blocks.h), blocks of field samples
 * (kept_fields.h) and leaves (land.h); and of what is found in worlds: summits
 * (terrain/summit_blocks.h) and labels (core/labels). Its memory is bounded. Any number of threads
 * may use one at a time: it has no lock, and nobody ever waits in it. Internal to these folders,
 * but for drainage_cache_new() and drainage_cache_release() (cache_share.h).
 *
 * An item is found by owner, kind, level, place, metres and pieces. It is made by one thread,
 * which then publishes it; from then on it never changes. A thread that finds an item has a
 * reference to it, and gives that back: an item that the cache has given up lives until then. Where
 * two threads make the same item, the later one replaces the other. Either may lack streams or
 * samples that the other has: those are made again. What both have is the same bits.
 *
 * When the memory is used up, items are given up that were not used since they were last looked at;
 * which are looked at is random. So lists of places that come back again and again, of a little
 * more land than there is memory for, still find most of it: the least recently used item would be
 * the very one that is needed next. */
#ifndef TERRANE_DRAINAGE_STORE_CACHE_H
#define TERRANE_DRAINAGE_STORE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/hash.h"
#include "core/drainage/store/cache_share.h"

enum cache_kind {
    CACHE_STREAMS,
    CACHE_POTENTIAL, /* samples of the field of that name, */
    CACHE_FIELDS,    /* and of the others */
    CACHE_LEAF,
    CACHE_SUMMITS, /* of terrain/summit_blocks.h */
    CACHE_LABEL_CELL,
    CACHE_LABEL_STREAMS,
    CACHE_LABEL_OUTLET,
};
struct cache_key {
    struct hash128 owner; /* the network, or a world and all else that the item depends on */
    int64_t x, y;         /* in units of the item's own width */
    enum cache_kind kind;
    unsigned level;
    double metres;   /* between samples, of leaves */
    unsigned pieces; /* of each stream, of streams */
};

/* The beginning of each item. */
struct cached {
    struct cache_key key;
    struct drainage_cache *cache; /* must live until the item is released */
    size_t bytes;
    bool published; /* others may find it: it must not be changed any more */
    _Atomic int64_t references;
};

/* The item, or null. The caller releases it. */
struct cached *cache_find(struct drainage_cache *cache, const struct cache_key *key);
/* A new item of `bytes`, of which only the beginning is written: the caller writes the rest. Only
 * the caller knows it, and releases it; null when memory is out. */
struct cached *cache_new_item(struct drainage_cache *cache, const struct cache_key *key,
                              size_t bytes);
/* Lets others find an item, instead of one with the same key: until it is given up, or not at all
 * if it is larger than the cache. Only once for each item. The caller's reference remains. */
void cache_publish(struct cached *item);
void cache_release(struct cached *item); /* null is allowed */

#endif
