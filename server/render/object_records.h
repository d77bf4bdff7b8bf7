/* Objects in binary, as /objects.bin and batches of chunks have them, and the price of finding
 * them.
 *
 * A record has OBJECT_RECORD_BYTES bytes, the low byte of numbers first: u64 id; i64 x and y in
 * 2⁻¹⁶ m; f32 height of the ground in metres, scale, and rotation in degrees; u32 kind, the index
 * among the world's objects. */
#ifndef TERRANE_SERVER_RENDER_OBJECT_RECORDS_H
#define TERRANE_SERVER_RENDER_OBJECT_RECORDS_H

#include "core/base/buffer.h"
#include "core/terrain/objects.h"
#include "server/render/price.h"

enum { OBJECT_RECORD_BYTES = 40 };

/* Appends a record for each object, in the order of the list; out->failed without memory. */
void object_records_write(const struct object_list *objects, struct buffer *out);
/* Finds the objects of a search and appends their records. False with an error of objects_find() or
 * ERROR_MEMORY; then some may have been appended. The sampler is one thread's. */
bool object_records_find(struct sampler *sampler, const struct world *world,
                         const struct object_search *search, struct buffer *out,
                         struct error *error);
/* Objects that a search has at most, by its cells and its limit. Pure, like the price. */
double object_search_most(const struct world *world, const struct object_search *search);
/* The price of a search whose objects are written in `each` nanoseconds: of the density at every
 * candidate of each kind, and of the ground under those that may stand. `spread` is of the searches
 * of one request, a piece each; null if this is the only one. */
uint64_t price_object_search(const struct world *world, const struct object_search *search,
                             double each, const struct chunk_spread *spread);

#endif
