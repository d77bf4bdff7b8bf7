/* The pieces of a batch of chunks or volumes: which are made together, and their records.
 *
 * A chunk's record is little-endian: "TRNC", u16 version, u16 status, i64 cx, i64 cy, u32 bytes of
 * the payload, u32 CRC-32 of the payload; and the payload. A volume's begins with "TRNV", and has
 * i64 cz, f32 minimum and f32 maximum of the samples behind cy. A chunk that cannot be made has a
 * status that says so and no payload: the others are still of use. A volume without the surface
 * that the batch asks for has status 204. In a batch with objects a record with the same members
 * that begins with "TRNO" follows each chunk's; its payload are records of object_records.h. It has
 * a status of its own, such as 413 for too many objects.
 *
 * An example: the batch {"size":1,"chunks":[[3,-2],[1099511627776,0]]} in r32f, of a world whose
 * height is x. The second chunk lies beyond the edge of the world.
 *
 *       0  54 52 4e 43 01 00 c8 00                          "TRNC", version 1, status 200
 *       8  03 00 00 00 00 00 00 00 fe ff ff ff ff ff ff ff  cx 3, cy -2
 *      24  10 00 00 00 f7 ac ec 32                          16 bytes, CRC-32 0x32ecacf7
 *      32  00 00 40 40 00 00 80 40 00 00 40 40 00 00 80 40  the samples: 3, 4, 3, 4
 *      48  54 52 4e 43 01 00 94 01                          "TRNC", version 1, status 404
 *      56  00 00 00 00 00 01 00 00 00 00 00 00 00 00 00 00  cx 2⁴⁰, cy 0
 *      72  00 00 00 00 00 00 00 00                          no bytes, the CRC-32 of none
 */
#ifndef TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_PIECES_H
#define TERRANE_SERVER_HTTP_PRODUCTS_CHUNK_PIECES_H

#include "server/http/jobs/workers.h"
#include "server/http/products/chunk_cache_lookup.h"
#include "server/render/price.h"

/* The number of chunks from `first` on that make a piece, at least 1. *area is the area that they
 * lie in. */
size_t chunk_piece_plan(const struct chunk_batch *batch, size_t first, struct chunk_area *area);
/* The price of each of the first `count` chunks, by what they share. */
struct chunk_price chunk_batch_price(const struct chunk_batch *batch, size_t count,
                                     enum coding coding);
/* The price of the first `count` chunks if `cached` of the whole batch are cached. */
uint64_t chunk_batch_total(const struct chunk_batch *batch, size_t count, enum coding coding,
                           size_t cached);
/* The price of a piece of which `missing` chunks are not cached. */
uint64_t chunk_piece_price(const struct chunk_price *price, const struct chunk_area *area,
                           size_t missing);
/* The price of the objects of a piece of so many chunks, which are not cached; 0 without any. */
uint64_t chunk_piece_objects_price(const struct chunk_price *price, const struct chunk_area *area,
                                   size_t count);
/* On a render thread: appends the chunks of the piece as records, with their objects if the batch
 * has them. Those that the lookup has are copied; the others are rendered and added to it. False
 * only if memory is out for the records. */
bool chunk_piece_render(struct chunk_cache_lookup *lookup, struct worker_context *worker,
                        struct buffer *out);
/* Appends a record with this status for each chunk of a piece that cannot be rendered. */
bool chunk_piece_fail(const struct chunk_batch *batch, size_t first, unsigned status,
                      struct buffer *out);
/* Bytes of the records of a piece, at most. */
size_t chunk_piece_estimate_bytes(const struct chunk_batch *batch);

#endif
