/* An encoded tile, chunk or volume with the answers it is sent in. Answers are made once and shared
 * by all who ask (cheaper than one for each), so a tile lives in the cache together with them.
 * Counted; immutable but for the answers, which any thread may cause to be made. */
#ifndef TERRANE_SERVER_HTTP_TILE_H
#define TERRANE_SERVER_HTTP_TILE_H

#include "server/cache/memory.h"
#include "server/http/recipe.h"
#include "server/http/response.h"

struct tile;

struct tile_content {
    const uint8_t *bytes; /* with the prefix: product.h */
    size_t length;
    struct reserve *reserve; /* of which `reserved` bytes are given back when the bytes are freed */
    size_t reserved;
};

/* With a copy of the bytes and one reference; `hash` is that of the recipe's key. Null when memory
 * is out; what is reserved is still the caller's then. */
struct tile *tile_new(const struct recipe *recipe, struct hash128 hash,
                      const struct tile_content *content, struct tile_times times);
void tile_release(struct tile *tile); /* null is allowed */
struct cache_value *tile_value(struct tile *tile);
struct tile *tile_of_value(struct cache_value *value); /* null gives null */

/* What is sent of it, without the prefix; borrowed. */
const uint8_t *tile_bytes(const struct tile *tile, size_t *length);

/* Fills the exchange's answer from its `tile`: 200 or 304. `rendered` says that it was made for
 * this very exchange; the exchange's `tier`, that it was found there for it. */
enum handled tile_answer(struct exchange *exchange, bool rendered, enum cache_policy policy);

#endif
