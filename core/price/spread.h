/* The distances at which drainage() sees the neighbouring samples of a request in a displaced
 * scope: prices are made of them.
 *
 * A displacement may stretch, fold or scatter the plane of the network, and each part of it that is
 * seen has streams of its own. No formula tells how much: a jump may be rare or everywhere. So it
 * is measured when a world was made, at random places within ±2²¹ m of the origin, which are the
 * same for every world, for places that are 4⁻² … 4¹² m apart. */
#ifndef TERRANE_PRICE_SPREAD_H
#define TERRANE_PRICE_SPREAD_H

#include "core/program/program.h"

enum {
    SPREAD_PLACES = 16,
    SPREAD_DISTANCES = 15,
    SPREAD_FACTOR = 4, /* from a distance to the next */
};

/* The neighbours of a place to the east and to the south are so many times as far from it in the
 * scope as in the world. */
struct spread_ratios {
    float east, south;
};

/* By distance, at full detail and at the level of detail of samples that far apart. */
struct spread {
    float moved[2][SPREAD_PLACES]; /* metres by which the places are displaced, at full detail */
    struct spread_ratios full[SPREAD_DISTANCES][SPREAD_PLACES];
    struct spread_ratios level[SPREAD_DISTANCES][SPREAD_PLACES];
};

/* Measures the displaced scopes of drainage() in a program that nobody else reads yet, in at most a
 * few milliseconds. Those that would take longer remain unmeasured (spread_ratios_at()). False when
 * memory is out. */
bool spread_measure(struct program *program);

/* Takes over what was measured in the program that this one differs from by its seed alone. False
 * when memory is out. */
bool spread_copy(struct program *program, const struct program *base);

/* The metres between the places where two scopes of the same scale see the same sample, about:
 * infinite if that is not known. */
double spread_between(const struct node_grid *a, const struct node_grid *b);

/* The ratios at SPREAD_PLACES places, for samples `metres` apart with a level of detail of
 * `spacing` metres. A scope that was not measured has them from the bounds of its displacement. */
void spread_ratios_at(const struct program *program, const struct node_grid *grid, double metres,
                      double spacing, struct spread_ratios ratios[SPREAD_PLACES]);

/* Metres across the region of a scope where the places of a square of the world are seen that is
 * `metres` wide: the root of its area. */
double spread_metres(const struct program *program, const struct node_grid *grid, double metres,
                     double spacing);
/* The same at full detail for the plane of the world's network, which has one. */
double spread_network_metres(const struct program *program, double metres);

#endif
