/* The names of a world: its tongues, and fixed names for places.
 *
 * The region around a place decides the tongue. Regions are the cells of a lattice of
 * NAME_REGION_KM: each is the land nearest to a point that lies at random in the middle half of a
 * square. Integers alone, so a region is the same on every machine. */
#ifndef TERRANE_NAMES_NAMES_H
#define TERRANE_NAMES_NAMES_H

#include "core/base/place.h"
#include "core/names/tongue.h"

enum {
    NAME_REGION_KM = 4000,
    NAME_TONGUES_MAX = 32,    /* of a world */
    NAME_OWN_TONGUES_MAX = 8, /* of these its own: so reading them takes at most some 20 ms */
    NAME_PLACES_MAX = 256,    /* fixed names of a world */
    NAMES_RULES = 2, /* counts changes of what names and labels are made by, but for words: it is a
                        part of fingerprints, so that caches forget names of other rules */
};

/* A name that a world's maker gives: that of the feature of its kind nearest to the place. */
struct name_place {
    enum name_kind kind;
    struct place place;
    const char *text; /* 1 to 96 bytes, UTF-8 */
};

/* Immutable. */
struct names {
    const struct tongue *const *tongues;
    uint32_t tongue_count; /* 0: nothing has a name but by its place */
    const struct name_place *places;
    uint32_t place_count;
};

/* All tongues of the program, no fixed names: those of a world that says nothing of names. */
extern const struct names names_default;

/* The tongue of the region around a place: an index in names->tongues. Needs a tongue. */
uint32_t names_tongue_at(const struct names *names, uint64_t seed, struct place place);

/* The fixed name of that kind nearest to a place, of equals the first of the file, if it lies
 * within the reach of the kind (name_kind_reach()); null if there is none. */
const struct name_place *names_place_near(const struct names *names, enum name_kind kind,
                                          struct place place);

/* A number in 0 … count − 1 from field 0 … 3 of a hash: its bits 16 field … 16 field + 15. */
static inline uint32_t names_choose(uint64_t hash, unsigned field, uint32_t count)
{
    enum { FIELD_BITS = 16 };
    return (uint32_t)((hash >> (field * FIELD_BITS) & 0xFFFF) * count >> FIELD_BITS);
}

#endif
