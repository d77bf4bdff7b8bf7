/* The table of noise bases, one row each:
 *   its constant; its name in formulas, which is also the name of its `struct basis` (name_basis);
 *   the parameters that its function takes in formulas; its description in `terrane formulas`.
 * Everything else about a basis is its `struct basis`, in a file of its own: see basis.h.
 *
 * The parameters are SALTED (a wavelength, axes and a salt), INTERPOLATED or CELLULAR (the same and
 * an interpolation or a feature), or PUBLISHED (a fixed function: axes, but no salt). Fractals take
 * all bases but PUBLISHED ones, which therefore stand last. */
#ifndef TERRANE_NOISE_BASIS_ROWS_H
#define TERRANE_NOISE_BASIS_ROWS_H

/* clang-format off */
#define NOISE_BASIS_ROWS(ROW)                                                                      \
    ROW(NOISE_WHITE, white, SALTED, "one value for each lattice cell; -1 ... 1")                   \
    ROW(NOISE_VALUE, value, INTERPOLATED, "lattice values, interpolated; -1 ... 1")                \
    ROW(NOISE_PERLIN, perlin, INTERPOLATED, "gradient noise; -1 ... 1")                            \
    ROW(NOISE_SIMPLEX, simplex, SALTED, "gradient noise on the simplex lattice; -1 ... 1")         \
    ROW(NOISE_WORLEY, worley, CELLULAR, "cellular noise: distances in cells, or values of cells")  \
    ROW(NOISE_PERLIN2002, perlin2002, PUBLISHED,                                                   \
        "Ken Perlin's published noise: axes xy, xyz, xyt; period 256, no seed; -1 ... 1")
/* clang-format on */

#endif
