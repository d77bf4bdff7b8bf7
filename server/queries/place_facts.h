/* What is told of a place to people: a few lines of a name and a text, rounded, for a page that
 * shows the place. /at has all values, exactly. */
#ifndef TERRANE_SERVER_QUERIES_PLACE_FACTS_H
#define TERRANE_SERVER_QUERIES_PLACE_FACTS_H

#include "core/base/buffer.h"
#include "core/labels/label_place.h"

enum { PLACE_FACTS_MAX = 16, PLACE_FACT_TEXT = 512 };

struct place_fact {
    char name[64]; /* "Height" */
    char text[PLACE_FACT_TEXT];
};

struct place_facts {
    struct place place; /* set by the caller, as is */
    int64_t t;          /* the time in 2⁻¹⁶ s */
    /* Height, water, slope, biome, layers with a unit that is neither a length nor an area (the
     * climate), and names, as far as the world has them. */
    struct place_fact items[PLACE_FACTS_MAX];
    unsigned count;
    char name[NAME_TEXT]; /* of what the place is in, on or near; "" if nothing has a name */
};

/* False with the errors of sampler_points() and label_place_find(). */
bool place_facts_find(struct sampler *sampler, const struct world *world, struct place_facts *facts,
                      struct error *error);
/* Nanoseconds that it takes, at most. */
uint64_t place_facts_price(const struct world *world);

#endif
