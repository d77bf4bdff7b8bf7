/* Noises with equal salts in two layers. A noise belongs to the layer whose formula calls it, so
 * they are independent, which is seldom meant: `terrane check` warns of them. */
#ifndef TERRANE_WORLDFILE_SHARED_SALTS_H
#define TERRANE_WORLDFILE_SHARED_SALTS_H

#include "core/worldfile/world.h"

/* Calls of one function with one salt and one wavelength, in the formulas of two layers. */
struct shared_salt {
    const char *function, *salt; /* texts of the world */
    const char *first, *second;  /* the names of the layers, in the order of the file */
};

enum { SHARED_SALTS_MAX = 8 };

/* Fills in `found`, each pair of layers and salt once; their number. */
unsigned shared_salts_find(const struct world *world, struct shared_salt found[SHARED_SALTS_MAX]);

#endif
