/* Facts of layers that limits and prices are made of. */
#ifndef TERRANE_PRICE_LAYERS_H
#define TERRANE_PRICE_LAYERS_H

#include "core/program/program.h"

/* The noise evaluations (octaves) that one sample of all these layers needs at full detail;
 * operations that they share count once. */
unsigned layers_octaves(const struct program *program, const unsigned *layers, unsigned count);

/* How far from 0 most samples of a layer are, at most; infinite if nothing is known of it. */
double layer_magnitude(const struct program *program, unsigned layer);

#endif
