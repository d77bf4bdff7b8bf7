/* Coherent noise over the plane, at a height z and a time t: value, gradient, simplex and cellular
 * noise in one to four dimensions, alone or summed over octaves (fBm).
 *
 * `struct noise` is one noise of a world, immutable. It is sampled either over a block of a grid
 * (columns prepared once, then bands of rows) or at a list of places; optionally displaced by
 * dx, dy metres a sample. All ways evaluate the same float expressions in the same order, so they
 * agree bit for bit.
 *
 * z and t are the same for a whole block, so noise of three and four dimensions is sampled as a
 * slice: see slice.h.
 *
 * Perlin noise: K. Perlin, "Improving Noise" (2002), with unit gradients in any direction and a
 * hash without a period, times 2/√n in n dimensions so that its range is −1 … 1. Simplex noise: the
 * same paper's successor, after S. Gustavson, "Simplex noise demystified" (2005), with falloff
 * (½ − d²)⁴, which has no seams. Cellular noise: S. Worley, "A Cellular Texture Basis Function"
 * (1996), one point a cell, exact. fBm and ridged: F. K. Musgrave in Ebert et al., "Texturing and
 * Modeling" (3rd ed., 2003), chapter 16. Damping: I. Quilez, "Value noise derivatives" (2008). */
#ifndef TERRANE_NOISE_NOISE_H
#define TERRANE_NOISE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"
#include "core/noise/basis_rows.h"
#include "core/noise/lattice.h"

enum {
    NOISE_OCTAVES_MAX = 24,
    NOISE_ROW_MAX = 288, /* samples a row kernel takes at once; a multiple of the vector length */
    NOISE_LANES = 16,    /* rows are a multiple of this long */
};

/* Wavelengths in metres (or seconds), of every octave: the frequency has 63 bits. */
#define NOISE_WAVELENGTH_MIN 0.01
#define NOISE_WAVELENGTH_MAX 1e9

/* The bases, from the rows of basis_rows.h. */
#define NOISE_BASIS_CONSTANT(id, name, parameters, summary) id,
enum noise_basis { NOISE_BASIS_ROWS(NOISE_BASIS_CONSTANT) NOISE_BASES };
enum noise_interpolation {
    NOISE_LINEAR,
    NOISE_COSINE,
    NOISE_CUBIC,
    NOISE_QUINTIC,
    NOISE_NONE, /* a cell has the value of its corner; for NOISE_WHITE alone */
};
/* Which of a request's coordinates the lattice has as its axes. */
enum noise_axes { NOISE_XY, NOISE_X, NOISE_XYZ, NOISE_XYT, NOISE_XYZT };
/* What NOISE_WORLEY gives: the distance to the nearest point, to the second, their difference, or a
 * value of the nearest point's, −1 … 1. */
enum noise_feature { NOISE_F1, NOISE_F2, NOISE_F2_F1, NOISE_CELL };
enum noise_fractal {
    NOISE_SINGLE,
    NOISE_FBM,        /* Σ share·n */
    NOISE_BILLOW,     /* Σ share·(2|n| − 1) */
    NOISE_TURBULENCE, /* Σ share·|n| */
    NOISE_RIDGED,     /* Σ share·(1 − |n|)²·weight */
};
/* With damping each octave is divided by 1 + damping·|Σ gradient|²: the sum of the gradients of
 * this and all coarser octaves, folded as they are, by their own cells. */
enum noise_result {
    NOISE_SAMPLE,
    NOISE_ZERO_DISTANCE, /* metres to its nearest zero, to first order: |n| / |∇n|, at most the
                            wavelength; takes damping and the weights of ridges for constants */
};

/* How the noise's plane lies in the world: a place is moved by the shift, then turned. All zero:
 * neither. */
struct noise_domain {
    double cosine, sine; /* x' = cosine·x − sine·y, y' = sine·x + cosine·y; both 0: as it is */
    int64_t shift_x, shift_y; /* 2⁻¹⁶ m, at most ±2⁵⁶ */
};

struct noise_settings {
    enum noise_basis basis;
    enum noise_interpolation interpolation;
    enum noise_axes axes;
    enum noise_feature feature; /* NOISE_WORLEY alone; in fractals it is NOISE_F1 */
    enum noise_fractal fractal;
    enum noise_result result;
    unsigned octaves;    /* 1 … NOISE_OCTAVES_MAX; 1 for NOISE_SINGLE */
    double wavelength;   /* metres, of the first octave */
    double wavelength_z; /* the same along z, if that is an axis */
    double wavelength_t; /* seconds, if t is an axis */
    double lacunarity;   /* each octave's frequency over the last's */
    double persistence;  /* each octave's amplitude over the last's */
    float feedback;      /* NOISE_RIDGED: how much an octave is held back by the one before */
    float damping;       /* fractals: how much steepness holds octaves back; 0 for not */
    bool rotate_octaves; /* each octave is turned by 36.87° (3-4-5) against the last, about z */
    struct noise_domain domain;
    uint64_t key; /* seed, layer and salt in one */
};

struct noise_octave {
    double wavelength;
    /* Cell coordinate u is Σ form[u][i]·(x, y, z, t)[i] + offset[u]. */
    int64_t form[LATTICE_AXES][4]; /* 2⁻⁶⁴ cell for 2⁻¹⁶ m or s */
    uint64_t offset[LATTICE_AXES]; /* 32 bits of cell, 32 of fraction */
    uint64_t key[LATTICE_AXES];
    float displacement[LATTICE_AXES][2]; /* cells a metre of displacement in x and y */
    float cells_per_metre;
    float share; /* persistenceⁱ / Σ persistenceⁱ */
    double rotation_cosine,
        rotation_sine; /* cosine and sine of its turn against the first octave */
};

struct noise {
    struct noise_settings settings;
    unsigned dimensions; /* 1 … 4 */
    struct noise_octave octaves[NOISE_OCTAVES_MAX];
};

/* Settings must be in range; nothing can fail. */
void noise_prepare(struct noise *noise, const struct noise_settings *settings);

/* How much of an octave remains at samples `spacing` metres apart: clamp(λ / (2·spacing) − 1, 0,
 * 1); 1 at spacing 0. */
float noise_detail(double wavelength, double spacing);

/* Where a coordinate stands in a period of so many metres, 0 … 1, moved by `metres`: exact at any
 * distance from the origin. The period is in NOISE_WAVELENGTH_MIN … NOISE_WAVELENGTH_MAX. */
float noise_cycle(int64_t position, float period, float metres);

/* The same along a direction, to 10⁻⁵ of a period 2⁴⁰ m out: `form` has the parts of a period for
 * 2⁻¹⁶ m of x and y, in 2⁻⁷²; the place is moved by `metres` of `period`. */
float noise_cycle_along(struct place place, const int64_t form[2], float period, float metres);

/* How many times the work of one two-dimensional lattice octave an octave of this noise is: what
 * limits on cost count. */
unsigned noise_octave_cost(const struct noise_settings *settings);

/* The height and the time of a request, and its level of detail. */
struct noise_uniforms {
    int64_t z, t;   /* 2⁻¹⁶ m and s, at most ±2⁵⁷ */
    double spacing; /* metres between samples; 0 is full detail */
};

/* Rows that kernels work in; one per thread, aligned to 64. */
struct noise_scratch {
    _Alignas(64) uint32_t low[LATTICE_AXES][NOISE_ROW_MAX];
    _Alignas(64) float t[LATTICE_AXES][NOISE_ROW_MAX];
    _Alignas(64) float fade[2][NOISE_ROW_MAX], fade_derivative[2][NOISE_ROW_MAX];
    _Alignas(64) float octave_noise[NOISE_ROW_MAX], weight[NOISE_ROW_MAX];
    _Alignas(64) float gradient[2][NOISE_ROW_MAX]; /* of the octave in `octave_noise` */
    /* of the octaves so far: see fractal.c */
    _Alignas(64) float damping_gradient[2][NOISE_ROW_MAX], result_gradient[2][NOISE_ROW_MAX];
    _Alignas(64) float fold_derivative[NOISE_ROW_MAX], damping_weight[NOISE_ROW_MAX],
        octave_part[NOISE_ROW_MAX];
};

/* A block of a grid, any number of rows, best taken north to south. */
struct noise_block {
    int64_t x, step;  /* the first column, and the distance of columns and of rows (2⁻¹⁶ m) */
    uint32_t columns; /* a multiple of NOISE_LANES up to NOISE_ROW_MAX */
    struct noise_uniforms uniforms;
};

struct noise_grid; /* one noise prepared for one block, in memory of the caller's */

/* Bytes a prepared noise takes; the memory must be aligned to 64. */
size_t noise_grid_size(const struct noise *noise, const struct noise_block *block, bool displaced);
/* `displaced` says which of the two functions below will be called. */
struct noise_grid *noise_grid_begin(const struct noise *noise, const struct noise_block *block,
                                    bool displaced, void *memory);
/* `rows` rows from position y on, into out[rows × columns]. */
void noise_grid_rows(struct noise_grid *grid, int64_t y, uint32_t rows,
                     struct noise_scratch *scratch, float *out);
/* The same at places moved by dx[i], dy[i] metres. */
void noise_grid_displaced(struct noise_grid *grid, int64_t y, uint32_t rows, const float *dx,
                          const float *dy, struct noise_scratch *scratch, float *out);
/* A list of places, moved by dx[i], dy[i] metres if those are not null. */
struct noise_point_list {
    const struct place *places;
    size_t count;
    struct noise_uniforms uniforms;
    const float *dx, *dy; /* both or neither */
};
void noise_points(const struct noise *noise, const struct noise_point_list *list,
                  struct noise_scratch *scratch, float *out);

#endif
