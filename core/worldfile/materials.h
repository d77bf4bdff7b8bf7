/* Materials of the ground: from weights, as their formulas give them, to shares of a whole.
 *
 * Shares are whole numbers from 0 to 255 whose sum is exactly 255, so they fit into bytes, and a
 * blend by them neither gains nor loses light. Weights that are not above 0 have no share. Each
 * share is its weight's part of 255, rounded down; what is missing then goes, one each, to those
 * with the largest remainders, of equal ones to the first (the method of largest remainders). Where
 * no weight is above 0, the first material has all. Weights below 2⁻²⁴ of the largest have no
 * share. The bits are the same everywhere: all but one division is in whole numbers. */
#ifndef TERRANE_WORLDFILE_MATERIALS_H
#define TERRANE_WORLDFILE_MATERIALS_H

#include <stddef.h>

enum { MATERIALS_WHOLE = 255 };

/* Turns weights into shares, in place: weights[k] are finite samples of material k, `count` of
 * which there are 1 to WORLD_MATERIALS_MAX. */
void materials_share(float *const *weights, unsigned count, size_t samples);

#endif
