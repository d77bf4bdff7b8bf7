/* Samples of the network's fields that are kept. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_KEPT_FIELDS_H
#define TERRANE_DRAINAGE_STORE_KEPT_FIELDS_H

#include "core/drainage/network/fields.h"
#include "core/drainage/store/cache.h"

struct field_block;

/* A lattice that a request needs, the blocks that it is in, and their samples that are missing. */
struct kept_fields {
    struct field_lattice lattice;
    struct field_block **blocks; /* with a reference each, for the time of a call */
    struct place *places;
    struct drainage_fields samples;
    size_t block_count;
    size_t value_capacity, block_capacity, place_capacity, sample_capacity;
};

/* Makes fields->lattice have a part of the network's fields, of which blocks are kept in a cache.
 * False when memory or work is out. */
bool kept_fields_sample(struct kept_fields *fields, struct drainage_cache *cache,
                        const struct drainage_network *network, const struct field_part *part);
void kept_fields_free(struct kept_fields *fields);
size_t kept_fields_bytes(const struct kept_fields *fields);

#endif
