/* The parts of a noise basis. A basis is one file, which defines a `const struct basis`, and one
 * row in basis_rows.h. No other file of the program depends on which bases there are, but that
 * fractals have NOISE_PERLIN where a formula names none (core/language/functions*.c).
 *
 * A basis that interpolates between the corners of cells gives cell_kernels (kernels_cell.h makes
 * them from one function, the corner) and gains rows, slices and windows by them. Any other gives
 * a kernel for samples at arbitrary positions. Internal to core. */
#ifndef TERRANE_NOISE_BASIS_H
#define TERRANE_NOISE_BASIS_H

#include "core/noise/kernels.h"

/* The scale of the noise to −1 … 1, and the means of the scaled noise n: E n, E|n| and
 * E[(1 − |n|)²], measured over 10⁷ samples and more with quintic interpolation. */
struct basis_statistics {
    float scale, mean, mean_absolute, mean_ridged;
};

/* The nanoseconds that an octave takes for a sample: see work.c. */
struct basis_work {
    float row;       /* in the rows of a grid along the lattice, if cells are large, */
    float row_cells; /* and for each cell from a sample to the next; */
    float few, many; /* at other positions, if neighbours share cells, and if they do not */
};

/* A basis in one number of dimensions. */
struct basis_variant {
    unsigned weight; /* of an octave, in octaves of two-dimensional lattice noise */
    struct basis_statistics statistics;
    struct basis_work work;
    /* The kernels of a basis that interpolates between the corners of cells; null for any other, */
    const struct cell_kernels *cell;
    /* which has a kernel for samples at arbitrary positions: it adds to out->n, or sets out->n, x
     * and y. */
    void (*add)(const struct noise *noise, const struct kernel_positions *positions,
                const struct kernel_out *out);
    bool has_simplex_rows; /* simplex_rows.h evaluates it over the rows of a grid */
    /* By interpolation, the greatest gradient of the noise in cells: the maximum over all places of
     * a cell, all directions, and all gradients or values of its corners, found numerically and
     * rounded up. Null where it is not known; needed in two dimensions only. */
    const double *steepness;
};

struct basis {
    enum noise_interpolation interpolation; /* without `interpolates`, the only one */
    bool interpolates;                      /* takes any interpolation */
    bool unkeyed; /* a published function: lattice lines are their cells, without key or offset */
    unsigned dimensions_min; /* axes xy are a slice of so many dimensions */
    /* Changes a linear form of cells of the cubic lattice, for 1 m or s along x, y, z and t by
     * axis, into one of the basis' own lattice; or null. */
    void (*transform_form)(unsigned dimensions, double cells[LATTICE_AXES][4]);
    /* The means of features that are not summed in a fractal, by feature and dimensions; or null,
     * where the statistics' mean holds. */
    const float (*feature_means)[LATTICE_AXES + 1];
    struct basis_variant variants[LATTICE_AXES + 1]; /* by dimensions, 1 … 4 */
};

extern const struct basis *const noise_bases[NOISE_BASES];

static inline const struct basis *basis_of(const struct noise *noise)
{
    return noise_bases[noise->settings.basis];
}

static inline const struct basis_variant *basis_variant_of(const struct noise *noise)
{
    return &basis_of(noise)->variants[noise->dimensions];
}

/* The basis with that name in formulas, or NOISE_BASES. */
enum noise_basis noise_basis_find(const char *name);

#endif
