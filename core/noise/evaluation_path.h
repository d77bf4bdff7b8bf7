/* The ways in which an octave is evaluated over a grid: see grid.c. Internal to core. */
#ifndef TERRANE_NOISE_EVALUATION_PATH_H
#define TERRANE_NOISE_EVALUATION_PATH_H

#include "core/noise/noise.h"

enum evaluation_path {
    PATH_LATTICE_ROWS,
    PATH_SIMPLEX_ROWS,
    PATH_DISPLACED_ROWS,
    PATH_TURNED_ROWS,
    PATH_POSITIONS,
};

enum evaluation_path evaluation_path_of(const struct noise *noise, bool displaced);

#endif
