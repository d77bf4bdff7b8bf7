/* Samples of the network's fields that are kept. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_KEPT_FIELDS_H
#define TERRANE_DRAINAGE_STORE_KEPT_FIELDS_H

#include "core/drainage/network/fields.h"
#include "core/drainage/store/cache.h"

struct field_block;

/* The part of a lattice that is in a block, to which there is a reference: a bit for each place. */
struct kept_part {
    struct field_block *block;
    uint64_t needed, missing;
    size_t first; /* of the missing places in the list of all */
};

/* A grid of places: the first one, in distances of two; no columns: there is none. */
struct kept_grid {
    int64_t x, y;
    size_t columns;
};

/* A lattice that a request needs, the blocks that it is in, and their samples that are missing. */
struct kept_fields {
    struct field_lattice lattice;
    uint8_t *needed;         /* of the lattice: 1 at places that are */
    struct kept_part *parts; /* for the time of a call */
    struct place *places;
    struct drainage_fields samples;
    struct kept_grid grid; /* the places of the samples, if they are one */
    size_t part_count;
    size_t value_capacity, part_capacity, place_capacity, sample_capacity, needed_capacity;
};

/* Makes fields->lattice have a part of the network's fields, of which blocks are kept in a cache.
 * False when memory or work is out. */
bool kept_fields_sample(struct kept_fields *fields, struct drainage_cache *cache,
                        const struct drainage_network *network, const struct field_part *part);
void kept_fields_free(struct kept_fields *fields);
size_t kept_fields_bytes(const struct kept_fields *fields);

#endif
