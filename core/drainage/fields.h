/* The network's fields near the streams of a level. Internal to this folder.
 *
 * The fields of a level are defined by samples on a square lattice, anchored at 0, whose places are
 * a cell's width apart, but 1024 m or more; their level of detail is half of that. Elsewhere they
 * are interpolated, bilinearly. So they depend on the level and the place alone, as do samples at
 * nodes and joints, but these are several times as many. */
#ifndef TERRANE_DRAINAGE_FIELDS_H
#define TERRANE_DRAINAGE_FIELDS_H

#include "core/drainage/drainage.h"

struct drainage;
struct field_block;

/* Part of a lattice, row by row. */
struct field_lattice {
    int64_t x, y;   /* of the first place, in distances of two */
    unsigned shift; /* log2 of that distance, in units of 2⁻¹⁶ m */
    uint32_t columns, rows;
    struct drainage_fields values;
    /* The blocks that it is in, and their samples that are missing. */
    struct field_block **blocks;
    struct place *places;
    struct drainage_fields samples;
    size_t block_count;
    size_t value_capacity, block_capacity, place_capacity, sample_capacity;
};

/* The least rectangle that holds places. */
struct place_bounds {
    struct place low, high;
};
static inline void bounds_add(struct place_bounds *bounds, struct place place)
{
    bounds->low.x = place.x < bounds->low.x ? place.x : bounds->low.x;
    bounds->low.y = place.y < bounds->low.y ? place.y : bounds->low.y;
    bounds->high.x = place.x > bounds->high.x ? place.x : bounds->high.x;
    bounds->high.y = place.y > bounds->high.y ? place.y : bounds->high.y;
}

/* Makes drainage->fields the lattice of a level as far as places in the bounds need it: of the
 * potential, or of target and relief. False when memory is out. */
bool fields_sample(struct drainage *drainage, unsigned level, const struct place_bounds *bounds,
                   bool potential);
/* One of lattice->values at a place within the bounds. */
float field_at(const struct field_lattice *lattice, const float *values, struct place place);
void fields_free(struct field_lattice *lattice);
size_t fields_bytes(const struct field_lattice *lattice);

#endif
