/* An octave at arbitrary positions: for displaced grids, for lists of places, and for rows of
 * noises whose lattice does not lie along the grid. Internal to this folder. */
#ifndef TERRANE_NOISE_SAMPLE_POSITIONS_H
#define TERRANE_NOISE_SAMPLE_POSITIONS_H

#include "core/noise/basis.h"
#include "core/noise/fractal.h"

/* An octave prepared for one height and time. */
struct prepared_octave {
    const struct noise *noise;
    const struct noise_octave *octave;
    const struct basis_variant *basis;
    unsigned axes; /* lattice axes that the kernel takes by sample, the others being the slice's */
    int128 origin[LATTICE_AXES];
    struct slice slice;           /* of bases with cell_kernels */
    struct kernel_window *window; /* for rows of a grid, or null */
};
void sample_positions_prepare(const struct noise *noise, unsigned octave,
                              const struct noise_uniforms *uniforms,
                              struct prepared_octave *prepared);

/* Places less than this many units apart get their coordinates from one corner's. With the shortest
 * wavelength that is still less than 2³¹ cells. */
#define SAMPLE_POSITIONS_NEAR_MAX ((int64_t)1 << 30)

/* The samples' places: a row of a grid, or a list. */
struct sample_positions {
    uint32_t count;             /* a multiple of NOISE_LANES up to NOISE_ROW_MAX */
    const struct place *places; /* null for a row */
    uint32_t place_count;       /* places in the list; the last one fills the rest of the count */
    struct place corner, far;   /* the corners of the places' box: north-west and south-east */
    const uint32_t *east,
        *south; /* units from the corner; null if some are SAMPLE_POSITIONS_NEAR_MAX or more */
    int64_t x, y, step;   /* the row: its first sample, and the distance to the next */
    const float *dx, *dy; /* each sample's displacement in metres, or null */
};
/* Adds the octave to out->n, or sets out->n, x and y if x is not null. Uses the scratch's low, t
 * and fade rows. */
void sample_positions_add(const struct prepared_octave *octave,
                          const struct sample_positions *sample_positions,
                          struct noise_scratch *scratch, const struct kernel_out *out);

/* Computes the cells (low halves) and fractions of an axis along a row, exactly. */
struct position_row {
    struct place first;
    int64_t step; /* along x */
    uint32_t count;
};
void sample_positions_walk_row(const struct prepared_octave *octave, unsigned axis,
                               const struct position_row *row, uint32_t *low, float *t);

/* True if the cells first … last, and all cells that a displacement can reach from them, have the
 * same high half and so the same lattice key. False only near one line in 2³² cells of an axis. */
bool sample_positions_share_key(int64_t first, int64_t last);

#endif
