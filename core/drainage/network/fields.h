/* The network's fields near the streams of a level. Internal to core/drainage.
 *
 * The fields of a level are defined by samples on a square lattice, anchored at 0, whose places are
 * two cells' widths apart, on levels 0 and 1 one, but 1024 m or more; their level of detail is half
 * of that. Elsewhere they are interpolated, bilinearly. So they depend on the level and the place
 * alone, as do samples at nodes and joints, but these are many times as many. */
#ifndef TERRANE_DRAINAGE_NETWORK_FIELDS_H
#define TERRANE_DRAINAGE_NETWORK_FIELDS_H

#include "core/drainage/network/network.h"

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

/* Which fields of a level are needed, and where: at one place or more. */
struct field_part {
    unsigned level;
    bool potential; /* the potential; else target, relief and, where streams have them, lakes */
    const struct place *places;
    size_t count;
};

/* Part of a lattice, row by row. Its values are known around the places of a part. */
struct field_lattice {
    int64_t x, y;   /* of the first place, in distances of two */
    unsigned shift; /* log2 of that distance, in units of 2⁻¹⁶ m */
    uint32_t columns, rows;
    struct drainage_fields values;
};

/* True if streams of a level may have lakes: long ones, of 4 pieces or more. */
bool level_has_lakes(const struct drainage_network *network, unsigned level);
/* log2 of the distance in metres between the places of a level's lattice: the fields of levels that
 * have the same are the same. */
unsigned field_log2(const struct drainage_network *network, unsigned level);
/* Makes a lattice, but for its values, the least that has all places of a part. */
void lattice_cover(struct field_lattice *lattice, const struct drainage_network *network,
                   const struct field_part *part);
/* The distance between the places of a lattice as the level of detail of its samples, metres. */
double lattice_spacing(const struct field_lattice *lattice);
/* One of lattice->values at a place of the part. */
float field_at(const struct field_lattice *lattice, const float *values, struct place place);

#endif
