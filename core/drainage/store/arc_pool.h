/* Memory for the arcs of a load: they stay where they are until the next. Internal to
 * core/drainage.
 */
#ifndef TERRANE_DRAINAGE_STORE_ARC_POOL_H
#define TERRANE_DRAINAGE_STORE_ARC_POOL_H

#include "core/drainage/network/arc.h"

/* All zero to begin with. */
struct arc_pool {
    struct arc **chunks;
    size_t chunk_count, chunk_capacity;
    size_t chunk, used; /* the chunk that arcs are taken from, and how many of it are */
};

enum { ARC_CHUNK = 256 }; /* arcs */

/* So many arcs in a row, at most ARC_CHUNK; null when memory is out. */
struct arc *arc_pool_take(struct arc_pool *pool, size_t count);
/* Takes all arcs back. */
void arc_pool_clear(struct arc_pool *pool);
void arc_pool_free(struct arc_pool *pool);
size_t arc_pool_bytes(const struct arc_pool *pool);

#endif
