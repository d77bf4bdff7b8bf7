/* Comparing the digest of a chunk with the one that another program computed, to find out whether
 * its samples are the same. Shared by /verify and `terrane check --digest`. */
#ifndef TERRANE_SERVER_RENDER_CHUNK_DIGEST_H
#define TERRANE_SERVER_RENDER_CHUNK_DIGEST_H

#include "core/base/json_writer.h"
#include "server/render/chunk_maker.h"
#include "server/worlds/catalog.h"

enum chunk_sameness {
    CHUNK_NOT_COMPARED, /* no digest was expected */
    CHUNK_SAME,
    CHUNK_DIFFERS,
};

struct chunk_digest {
    struct chunk_order order; /* initialised by chunk_digest_begin() */
    struct chunk_address address;
    char expected[CHUNK_DIGEST_TEXT]; /* "" for none */
    char digest[CHUNK_DIGEST_TEXT];   /* the actual one, by chunk_digest_make() */
};

/* Size 64, step 1 m, the chunk 0, 0, and no layers yet. */
void chunk_digest_begin(struct chunk_digest *digest);
/* "cx,cy". False for any other text. */
bool chunk_digest_address(struct chunk_digest *digest, const char *text);
/* 32 hex digits, of either case. False for any other text. */
bool chunk_digest_expect(struct chunk_digest *digest, const char *text);
/* Samples the chunk, whose order is complete and whose address is in range. */
bool chunk_digest_make(struct chunk_digest *digest, struct chunk_maker *maker, struct error *error);
enum chunk_sameness chunk_digest_compare(const struct chunk_digest *digest);
/* Writes the members of the order that a digest depends on: "size":…,"step":…,"apron":…,
 * "layers":…,"t":… */
void chunk_order_json(const struct chunk_order *order, struct json_writer *json);
/* {"same":…,"digest":…,"expected":…,"world":…,"seed":…,"fingerprint":…,"chunk":[cx,cy], …}; `same`
 * and `expected` are null if nothing was compared. */
void chunk_digest_json(const struct chunk_digest *digest, const struct catalog_world *world,
                       bool pretty, struct buffer *out);

#endif
