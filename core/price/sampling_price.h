/* What prices of samples depend on, and what they are made of. */
#ifndef TERRANE_PRICE_SAMPLING_PRICE_H
#define TERRANE_PRICE_SAMPLING_PRICE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"

/* Where the samples of a request lie: what is near decides over prices of paths and areas. */
struct sampling_where {
    struct place low, high;     /* of the rectangle that holds all of them, inclusive */
    const struct place *places; /* those of a list; null for a grid, or if they are not known */
    size_t count;
};

/* How samples are taken. */
struct sampling {
    double step;    /* metres between the samples of a grid; 0 for single places */
    double spacing; /* level of detail: metres between samples; 0 is full detail */
    double across;  /* samples across a grid; 0 if that is not known: as many as in a tile */
    double extent;  /* metres across places that are near each other; 0 if they may be anywhere */
    double places;  /* how many those are; 0: as many as are sampled at once */
    double line;    /* metres from each place to the next, if they lie in a line; else 0 */
    double cluster; /* of places that may be anywhere: metres across each 16 of them; 0 if single */
    /* All places of the request, for what they share: metres across, and their number; 0 if that is
     * one, or not known. */
    double all_extent, all_places;
    const struct sampling_where *where; /* null if that is not known */
    bool in_plane; /* in the plane of the drainage network, where its warp has moved them to */
};

/* Places farther apart than this many metres are sampled as if they were anywhere. */
#define SAMPLING_NEAR 16384.0

/* Nanoseconds of one core of the machine of tests/bench/README.md, the unit of all prices: they are
 * the same on every machine. */
struct sampling_price {
    double call;   /* for each block of a grid or list of places, whatever its size */
    double sample; /* for each sample */
    double place; /* for each place besides, not for those that fill a vector: what is made there */
};

#endif
