#include "server/http/packed.h"

#include <stdlib.h>

enum {
    SLOTS = 32,
    KEPT_MAX = 1 << 17, /* bytes of a document */
};

struct slot {
    struct hash128 hash;
    enum coding coding; /* CODING_IDENTITY: empty */
    struct buffer bytes;
};

struct packed {
    struct coder *coder;
    struct slot slots[SLOTS];
};

struct packed *packed_new(void)
{
    struct packed *packed = calloc(1, sizeof *packed);
    if (!packed)
        return NULL;
    packed->coder = coder_new();
    if (packed->coder)
        return packed;
    free(packed);
    return NULL;
}

void packed_free(struct packed *packed)
{
    if (!packed)
        return;
    for (size_t i = 0; i < SLOTS; i++)
        buffer_free(&packed->slots[i].bytes);
    coder_free(packed->coder);
    free(packed);
}

static bool has(const struct slot *slot, struct hash128 hash, enum coding coding)
{
    return slot->coding == coding && slot->hash.high == hash.high && slot->hash.low == hash.low;
}

/* Without memory nothing is kept. */
static void keep(struct slot *slot, struct hash128 hash, enum coding coding,
                 const struct buffer *bytes)
{
    buffer_clear(&slot->bytes);
    buffer_append(&slot->bytes, bytes->data, bytes->length);
    slot->hash = hash;
    slot->coding = slot->bytes.failed ? CODING_IDENTITY : coding;
}

bool packed_apply(struct packed *packed, struct hash128 hash, enum coding coding,
                  struct buffer *body)
{
    struct slot *slot = &packed->slots[(hash.low + (uint64_t)coding) % SLOTS];
    const struct coding_order order = {coding, CODING_SERVE};
    struct buffer made = {0};
    bool done;
    if (has(slot, hash, coding)) {
        buffer_append(&made, slot->bytes.data, slot->bytes.length);
        done = !made.failed;
    } else {
        done = coder_append(packed->coder, order, body, &made, NULL);
        if (done && made.length <= KEPT_MAX)
            keep(slot, hash, coding, &made);
    }
    buffer_free(body);
    if (done)
        *body = made;
    else
        buffer_free(&made);
    return done;
}
