#include "server/http/response/compressed_cache.h"

#include <stdlib.h>

enum {
    SLOTS = 32,
    STORED_BYTES_MAX = 1 << 17, /* bytes of a document */
};

struct slot {
    struct hash128 hash;
    enum coding coding; /* CODING_IDENTITY: empty */
    struct buffer bytes;
};

struct compressed_cache {
    struct coder *coder;
    struct slot slots[SLOTS];
};

struct compressed_cache *compressed_cache_new(void)
{
    struct compressed_cache *compressed_cache = calloc(1, sizeof *compressed_cache);
    if (!compressed_cache)
        return NULL;
    compressed_cache->coder = coder_new();
    if (compressed_cache->coder)
        return compressed_cache;
    free(compressed_cache);
    return NULL;
}

void compressed_cache_free(struct compressed_cache *compressed_cache)
{
    if (!compressed_cache)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        buffer_free(&compressed_cache->slots[i].bytes);
    coder_free(compressed_cache->coder);
    free(compressed_cache);
}

static bool slot_matches(const struct slot *slot, struct hash128 hash, enum coding coding)
{
    return slot->coding == coding && slot->hash.high == hash.high && slot->hash.low == hash.low;
}

/* Without memory nothing is kept. */
static void store_slot(struct slot *slot, struct hash128 hash, enum coding coding,
                       const struct buffer *bytes)
{
    buffer_clear(&slot->bytes);
    buffer_append(&slot->bytes, bytes->data, bytes->length);
    slot->hash = hash;
    slot->coding = slot->bytes.failed ? CODING_IDENTITY : coding;
}

bool compressed_cache_encode(struct compressed_cache *compressed_cache, struct hash128 hash,
                             enum coding coding, struct buffer *body)
{
    struct slot *slot = &compressed_cache->slots[(hash.low + (uint64_t)coding) % SLOTS];
    const struct coding_order order = {coding, CODING_SERVE};
    struct buffer made = {0};
    bool done;
    if (slot_matches(slot, hash, coding)) {
        buffer_append(&made, slot->bytes.data, slot->bytes.length);
        done = !made.failed;
    } else {
        done = coder_append(compressed_cache->coder, order, body, &made, NULL);
        if (done && made.length <= STORED_BYTES_MAX)
            store_slot(slot, hash, coding, &made);
    }
    buffer_free(body);
    if (done)
        *body = made;
    else
        buffer_free(&made);
    return done;
}
