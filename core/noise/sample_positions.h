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
    struct slice slice; /* of bases with cell_kernels */
    /* For rows of a grid, else null: by axis, and the lattice points around the last rows. */
    const struct kernel_walk *walk;
    struct kernel_window *window;
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
        *south;   /* units from the corner; null if some are SAMPLE_POSITIONS_NEAR_MAX or more */
    bool squares; /* a list of squares of 4 × 4 places, row by row, whose four x and y are alike */
    int64_t x, y, step;   /* the row: its first sample, and the distance to the next */
    const float *dx, *dy; /* each sample's displacement in metres, or null, */
    float reach;          /* and a bound of |dx| + |dy|, or infinity */
};
/* Adds the octave to out->n, or sets out->n, x and y if x is not null. Uses the scratch's low, t
 * and fade rows. */
void sample_positions_add(const struct prepared_octave *octave,
                          const struct sample_positions *sample_positions,
                          struct noise_scratch *scratch, const struct kernel_out *out);

/* Rows of a grid, for bases that evaluate several at once. `y` is the first row's and `step` the
 * distance to the next, in 2⁻¹⁶ m; `columns` is also the distance from one row of samples to the
 * next. */
struct row_band {
    int64_t y, step;
    uint32_t columns, rows;
};

/* Prepares the coordinates of an axis along rows of a grid. */
void sample_positions_prepare_walk(const struct prepared_octave *octave, unsigned axis,
                                   int64_t step, struct kernel_walk *walk);

/* True if the cells first … last, and all cells that a displacement can reach from them, have the
 * same high half and so the same lattice key. False only near one line in 2³² cells of an axis. */
bool sample_positions_share_key(int64_t first, int64_t last);
/* True if no displacement with |dx| + |dy| up to `reach` needs to be clamped. */
bool sample_positions_in_range(const struct noise_octave *octave, unsigned axis, float reach);

#endif
