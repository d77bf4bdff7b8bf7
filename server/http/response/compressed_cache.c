/* A direct-mapped table: the hash and the coding choose a slot, and a document that finds another
 * one there replaces it. 32 slots are enough for the documents of a server (world descriptions,
 * TileJSON, styles, capabilities), so nothing more elaborate is needed. Each loop has a table of
 * its own, without a lock. */
#include "server/http/response/compressed_cache.h"

#include <stdlib.h>

enum {
    SLOTS = 32,
    STORED_BYTES_MAX = 1 << 17, /* of a compressed document */
};

struct slot {
    struct hash128 hash;
    enum coding coding; /* CODING_IDENTITY: empty */
    struct buffer bytes;
};

struct compressed_cache {
    struct coder *coder;
    size_t *account; /* atomic */
    struct slot slots[SLOTS];
};

struct compressed_cache *compressed_cache_new(size_t *account)
{
    struct compressed_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->account = account;
    cache->coder = coder_new();
    if (cache->coder)
        return cache;
    free(cache);
    return NULL;
}

void compressed_cache_free(struct compressed_cache *cache)
{
    if (!cache)
        return;
    for (size_t i = 0; i < SLOTS; i++) {
        __atomic_fetch_sub(cache->account, cache->slots[i].bytes.capacity, __ATOMIC_RELAXED);
        buffer_free(&cache->slots[i].bytes);
    }
    coder_free(cache->coder);
    free(cache);
}

static bool slot_matches(const struct slot *slot, struct hash128 hash, enum coding coding)
{
    return slot->coding == coding && slot->hash.high == hash.high && slot->hash.low == hash.low;
}

/* Without memory the slot stays empty. Its buffer never shrinks. */
static void store_slot(struct compressed_cache *cache, struct slot *slot, struct hash128 hash,
                       enum coding coding, const struct buffer *bytes)
{
    const size_t before = slot->bytes.capacity;
    buffer_clear(&slot->bytes);
    buffer_append(&slot->bytes, bytes->data, bytes->length);
    __atomic_fetch_add(cache->account, slot->bytes.capacity - before, __ATOMIC_RELAXED);
    slot->hash = hash;
    slot->coding = slot->bytes.failed ? CODING_IDENTITY : coding;
}

bool compressed_cache_encode(struct compressed_cache *cache, struct hash128 hash,
                             enum coding coding, struct buffer *body)
{
    struct slot *slot = &cache->slots[(hash.low + (uint64_t)coding) % SLOTS];
    const struct coding_order order = {coding, CODING_SERVE};
    struct buffer made = {0};
    /* What is left of a body that failed is not what the hash stands for. */
    bool done = !body->failed;
    if (done && slot_matches(slot, hash, coding)) {
        buffer_append(&made, slot->bytes.data, slot->bytes.length);
        done = !made.failed;
    } else if (done) {
        done = coder_append(cache->coder, order, body, &made, NULL);
        if (done && made.length <= STORED_BYTES_MAX)
            store_slot(cache, slot, hash, coding, &made);
    }
    buffer_free(body);
    if (done)
        *body = made;
    else
        buffer_free(&made);
    return done;
}
