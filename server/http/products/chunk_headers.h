/* The headers that tell what a chunk's or volume's samples are. */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_HEADERS_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_HEADERS_H

#include "core/base/buffer.h"
#include "server/render/chunk_maker.h"

/* Appends them to `out`, each as its name and its value, both terminated: those of all chunks of
 * the order, of the world with that fingerprint. */
void chunk_headers_write_common(const struct chunk_order *order, const char *world,
                                struct buffer *out);
/* And those of one of them. */
void chunk_headers_write_single(const struct chunk_order *order,
                                const struct chunk_address *address, const char *digest,
                                struct buffer *out);

#endif
