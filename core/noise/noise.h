/* Coherent noise over the plane, at a height z and a time t: value, gradient, simplex and cellular
 * noise in one to four dimensions, alone or summed over octaves (fBm).
 *
 * `struct noise` is one noise of a world, immutable. It is sampled over a block of a grid (columns
 * prepared once, then bands of rows) or at a list of places, optionally displaced by dx, dy metres
 * a sample. All functions evaluate the same float expressions in the same order, so their samples
 * agree bit for bit, whatever the block and the machine. Nothing here fails or allocates.
 *
 * z and t are the same for a whole block, so noise of three and four dimensions is sampled as a
 * slice: see slice.h.
 *
 * The bases and their papers are in the files of their names: value.c, perlin.c, simplex.c,
 * worley.c, perlin2002.c. fBm and ridged: F. K. Musgrave in Ebert et al., "Texturing and Modeling"
 * (3rd ed., 2003), chapter 16. Damping: I. Quilez, "Value noise derivatives" (2008). */
#ifndef TERRANE_NOISE_NOISE_H
#define TERRANE_NOISE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"
#include "core/noise/basis_rows.h"
#include "core/noise/lattice.h"

enum {
    NOISE_OCTAVES_MAX = 24,
    NOISE_ROW_MAX = 288, /* samples in a row at most; a multiple of NOISE_LANES */
    NOISE_LANES = 16,    /* positions that kernels take at a time */
};

/* The range of an octave's wavelength in metres (or seconds): the frequency has 63 bits. */
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
    NOISE_NONE, /* a cell has the value of its corner; no choice in formulas */
};
/* The coordinates of a request that are the lattice's axes. */
enum noise_axes { NOISE_XY, NOISE_X, NOISE_XYZ, NOISE_XYT, NOISE_XYZT };
static inline bool noise_axes_have_z(enum noise_axes axes)
{
    return axes == NOISE_XYZ || axes == NOISE_XYZT;
}
static inline bool noise_axes_have_t(enum noise_axes axes)
{
    return axes == NOISE_XYT || axes == NOISE_XYZT;
}
/* The result of cellular noise: the distance in cells to the nearest point, to the second nearest,
 * their difference, a value of the nearest point's cell, −1 … 1, the way to the nearest point along
 * the first and the second axis, in cells, or the distance to the border of what is nearest to that
 * point, in two dimensions only. */
enum noise_feature {
    NOISE_F1,
    NOISE_F2,
    NOISE_F2_F1,
    NOISE_CELL,
    NOISE_POINT_X,
    NOISE_POINT_Y,
    NOISE_EDGE,
};
enum noise_fractal {
    NOISE_SINGLE,
    NOISE_FBM,        /* Σ share·n */
    NOISE_BILLOW,     /* Σ share·(2|n| − 1) */
    NOISE_TURBULENCE, /* Σ share·|n| */
    NOISE_RIDGED,     /* Σ share·(1 − |n|)²·weight */
};
/* With damping, each octave is divided by 1 + damping·|Σ gradient|². The sum is over this and all
 * coarser octaves; a gradient is that of the folded octave, for one cell of its own. */
enum noise_result {
    NOISE_SAMPLE,
    NOISE_ZERO_DISTANCE, /* metres to the nearest zero, to first order, with the sign of the noise:
                            n / |∇n|, at most the wavelength; the weights of ridges count as
                            constants; not with damping */
};

/* The noise's plane in the world: a place is moved by the shift, then turned. All zero: neither. */
struct noise_domain {
    double cosine, sine; /* x' = cosine·x − sine·y, y' = sine·x + cosine·y; both 0: no turn */
    int64_t shift_x, shift_y; /* 2⁻¹⁶ m, at most ±2⁵⁶ */
};

struct noise_settings {
    enum noise_basis basis;
    enum noise_interpolation interpolation;
    enum noise_axes axes;
    enum noise_feature feature; /* cellular noise alone; else, and in fractals, NOISE_F1 */
    enum noise_fractal fractal;
    enum noise_result result;
    unsigned octaves;    /* 1 … NOISE_OCTAVES_MAX; 1 for NOISE_SINGLE */
    double wavelength;   /* metres, of the first octave */
    double wavelength_z; /* metres, if z is an axis */
    double wavelength_t; /* seconds, if t is an axis */
    double lacunarity;   /* each octave's frequency over that of the one before */
    double persistence;  /* each octave's amplitude over that of the one before */
    float feedback;      /* NOISE_RIDGED: an octave's result times this is the next one's weight */
    float damping;       /* fractals: the factor of |Σ gradient|²; 0 for no damping */
    bool rotate_octaves; /* each octave is turned by 36.87° (3-4-5) against the one before, about z
                          */
    struct noise_domain domain;
    uint64_t key; /* hash of the seed, the layer and the salt */
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

#define NOISE_SHARED UINT32_MAX /* several do, as they may one whose key is 0 */

struct noise {
    struct noise_settings settings;
    uint32_t formula;    /* of the maker's: which of its formulas calls it, or NOISE_SHARED */
    unsigned dimensions; /* 1 … 4 */
    struct noise_octave octaves[NOISE_OCTAVES_MAX];
};

/* The bytes of a struct noise up to its last octave: nothing reads or writes further ones. */
static inline size_t noise_size(unsigned octaves)
{
    return offsetof(struct noise, octaves) + octaves * sizeof(struct noise_octave);
}

bool noise_domain_equal(const struct noise_domain *a, const struct noise_domain *b);
/* True if two noises are the same: every setting is compared, and 0 equals -0. */
bool noise_settings_equal(const struct noise_settings *a, const struct noise_settings *b);

/* Prepares the octaves. The settings must be in range. */
void noise_prepare(struct noise *noise, const struct noise_settings *settings);

/* The share of an octave that remains in samples `spacing` metres apart: clamp(λ / (2·spacing) − 1,
 * 0, 1); 1 at spacing 0. */
float noise_detail(double wavelength, double spacing);

/* The position of a coordinate in a period of so many metres, 0 … 1, after a move by `metres`:
 * exact at any distance from the origin. The period is in NOISE_WAVELENGTH_MIN …
 * NOISE_WAVELENGTH_MAX. */
float noise_cycle(int64_t position, float period, float metres);

/* noise_cycle() along a direction, exact to 10⁻⁵ of a period at 2⁴⁰ m from the origin. `form` has
 * the parts of a period for 2⁻¹⁶ m of x and of y, in 2⁻⁷². */
float noise_cycle_along(struct place place, const int64_t form[2], float period, float metres);

/* The work of one octave of this noise, in octaves of two-dimensional lattice noise: the unit of
 * limits on octaves. */
unsigned noise_octave_weight(const struct noise_settings *settings);

/* The height and the time of a request, and its level of detail. */
struct noise_uniforms {
    int64_t z, t;   /* 2⁻¹⁶ m and s, at most ±2⁵⁷ */
    double spacing; /* metres between samples; 0 is full detail */
};

/* Rows that kernels work in: one scratch for each thread, aligned to 64. */
struct noise_scratch {
    _Alignas(64) uint32_t low[LATTICE_AXES][NOISE_ROW_MAX];
    _Alignas(64) float t[LATTICE_AXES][NOISE_ROW_MAX];
    _Alignas(64) float fade[2][NOISE_ROW_MAX], fade_derivative[2][NOISE_ROW_MAX];
    _Alignas(64) float octave_noise[NOISE_ROW_MAX], weight[NOISE_ROW_MAX];
    _Alignas(64) float gradient[2][NOISE_ROW_MAX];     /* of the octave in `octave_noise` */
    _Alignas(64) float sum_gradient[2][NOISE_ROW_MAX]; /* of the octaves so far: see fractal.c */
    _Alignas(64) float padded[3][NOISE_ROW_MAX];       /* rows in whole lanes: samples, dx, dy */
};

/* True if no octave has any detail at this spacing. The noise is then the same everywhere, and has
 * the value that the second function returns. */
bool noise_is_faded(const struct noise *noise, double spacing);
float noise_faded_value(const struct noise *noise, double spacing, struct noise_scratch *scratch);

/* A block of a grid with any number of rows; sampling them from north to south is fastest. */
struct noise_block {
    int64_t x, step;  /* 2⁻¹⁶ m: the first column, and the distance between columns and rows */
    uint32_t columns; /* 1 … NOISE_ROW_MAX */
    struct noise_uniforms uniforms;
};

struct noise_grid; /* one noise prepared for one block, in the caller's memory */

/* The size of a prepared noise in bytes; its memory must be aligned to 64. */
size_t noise_grid_size(const struct noise *noise, const struct noise_block *block, bool displaced);
/* Prepares the noise in `memory`. `displaced` chooses which of the two functions below may be
 * called. */
struct noise_grid *noise_grid_begin(const struct noise *noise, const struct noise_block *block,
                                    bool displaced, void *memory);
/* Writes `rows` rows from position y on to out[rows × columns]. */
void noise_grid_rows(struct noise_grid *grid, int64_t y, uint32_t rows,
                     struct noise_scratch *scratch, float *out);
/* Rows from position y on whose sample i is displaced by dx[i], dy[i] metres. */
struct noise_displaced_rows {
    int64_t y;
    uint32_t rows;
    const float *dx, *dy;
};
/* noise_grid_rows() for displaced rows. */
void noise_grid_displaced(struct noise_grid *grid, const struct noise_displaced_rows *band,
                          struct noise_scratch *scratch, float *out);
/* A list of places, displaced by dx[i], dy[i] metres if those are not null. */
struct noise_point_list {
    const struct place *places;
    size_t count;
    struct noise_uniforms uniforms;
    const float *dx, *dy; /* both or neither */
};
void noise_points(const struct noise *noise, const struct noise_point_list *list,
                  struct noise_scratch *scratch, float *out);

#endif
