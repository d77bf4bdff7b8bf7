/* Makes chunks and volumes in every format: samples and encodes in the memory of one thread. */
#ifndef TERRANE_SERVER_RENDER_CHUNK_MAKER_H
#define TERRANE_SERVER_RENDER_CHUNK_MAKER_H

#include "core/base/buffer.h"
#include "core/tile/style.h"
#include "server/render/chunk_order.h"
#include "server/render/coding.h"

enum { CHUNK_DIGEST_TEXT = 33, CHUNK_DIGEST_LENGTH = CHUNK_DIGEST_TEXT - 1 };

struct chunk_times {
    uint32_t render, encode; /* microseconds */
};

/* Facts about a chunk's samples, which stand in front of its bytes in caches: the digest and, for a
 * volume, the least and the greatest sample, 4 bytes each. */
struct chunk_prefix {
    char digest[CHUNK_DIGEST_TEXT];
    float low, high;
};
size_t chunk_prefix_length(const struct chunk_order *order);
/* `low` and `high` are 0 for a chunk that has none. */
struct chunk_prefix chunk_prefix_read(const struct chunk_order *order, const uint8_t *bytes);

struct chunk_maker;
/* Samples and paints in the canvas, which the maker borrows. Null when memory is out. */
struct chunk_maker *chunk_maker_new(struct canvas *canvas);
void chunk_maker_free(struct chunk_maker *maker); /* null is allowed */

/* Samples all chunks of an area, of a flat order, at once, which costs less than each alone (half,
 * at 64 steps a side). Until chunk_maker_forget(), chunk_make() takes their samples from there. All
 * chunks of the area must be in range. */
bool chunk_maker_prepare(struct chunk_maker *maker, const struct chunk_order *order,
                         const struct chunk_area *area, struct error *error);
void chunk_maker_forget(struct chunk_maker *maker);

/* Appends the chunk's bytes to `out`, and adds to the times. The address must be in range. */
bool chunk_make(struct chunk_maker *maker, const struct chunk_order *order,
                const struct chunk_address *address, struct buffer *out, struct error *error);
/* Samples the chunk for chunk_maker_digest() alone. The address must be in range. */
bool chunk_make_digest(struct chunk_maker *maker, const struct chunk_order *order,
                       const struct chunk_address *address, struct error *error);
/* Appends the prefix of the recipe's order and the chunk's bytes in the recipe's coding: a chunk as
 * caches keep it. After a failure `out` is as long as it happens to be. */
bool chunk_make_record(struct chunk_maker *maker, const struct chunk_recipe *recipe,
                       struct buffer *out, struct error *error);
/* The digest of the last chunk's samples, all layers: terrane_digest() of core/terrane.h. */
const char *chunk_maker_digest(const struct chunk_maker *maker);
/* The time spent since the last call. */
struct chunk_times chunk_maker_take_times(struct chunk_maker *maker);
/* Compresses the bytes from `start` on in place. */
bool chunk_compress(struct chunk_maker *maker, enum coding coding, size_t start,
                    struct buffer *bytes, struct error *error);

#endif
