/* Octaves at arbitrary places: what displaced grids, lists of places, and all noises whose lattice
 * does not lie along the rows of a grid have in common. Internal to this folder. */
#ifndef TERRANE_NOISE_SAMPLE_POSITIONS_H
#define TERRANE_NOISE_SAMPLE_POSITIONS_H

#include "core/noise/basis.h"
#include "core/noise/fractal.h"

/* An octave prepared for a moment. */
struct prepared_octave {
    const struct noise *noise;
    const struct noise_octave *octave;
    const struct basis_variant *basis;
    unsigned axes; /* that differ from place to place, or that kernels want as if they did */
    int128 origin[LATTICE_AXES];
    struct slice slice;           /* of lattice bases */
    struct kernel_window *window; /* for rows of a grid, or null */
};
void sample_positions_prepare(const struct noise *noise, unsigned octave,
                              const struct noise_uniforms *uniforms,
                              struct prepared_octave *prepared);

/* Units that places may be apart so that their coordinates are found from one corner's: with the
 * shortest wavelength that is still less than 2³¹ cells. */
#define SAMPLE_POSITIONS_NEAR_MAX ((int64_t)1 << 30)

/* Where the samples are: a row of a grid, or places. */
struct sample_positions {
    uint32_t count;             /* a multiple of NOISE_LANES up to NOISE_ROW_MAX */
    const struct place *places; /* null for a row */
    uint32_t place_count;       /* that many places; the last stands for the rest of the count */
    struct place corner;        /* the north-west corner of the places' box */
    const uint32_t *east,
        *south; /* how far each is from it; null if some are SAMPLE_POSITIONS_NEAR_MAX or more */
    int64_t x, y, step;   /* the row: the first sample and the way to the next */
    const float *dx, *dy; /* metres each is moved by, or null */
};
/* Uses the scratch's low, t and fade rows. */
void sample_positions_add(const struct prepared_octave *octave,
                          const struct sample_positions *sample_positions,
                          struct noise_scratch *scratch, const struct kernel_out *out);

/* An axis' cells and fractions along a row, exact. */
struct position_row {
    struct place first;
    int64_t step; /* along x */
    uint32_t count;
};
void sample_positions_walk_row(const struct prepared_octave *octave, unsigned axis,
                               const struct position_row *row, uint32_t *low, float *t);

/* Whether cells first … last, and all that a displacement can reach from there, have one high half
 * and so one lattice key. Only one place in 2³² cells along an axis has not. */
bool sample_positions_share_key(int64_t first, int64_t last);

#endif
