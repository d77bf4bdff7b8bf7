/* The headers that describe the samples of a chunk or volume. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_HEADERS_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_HEADERS_H

#include "core/base/buffer.h"
#include "server/render/chunk_maker.h"

/* Appends them to `out`, each as its name and its value, both terminated: those of all chunks of
 * the order, of the world with that fingerprint. */
void chunk_headers_write_common(const struct chunk_order *order, const char *world,
                                struct buffer *out);
/* Appends those of one chunk or volume. */
void chunk_headers_write_single(const struct chunk_order *order,
                                const struct chunk_address *address,
                                const struct chunk_prefix *prefix, struct buffer *out);

#endif
