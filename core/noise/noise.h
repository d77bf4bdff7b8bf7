/* Coherent noise over the plane: value and gradient noise, alone or summed over octaves.
 *
 * `struct noise` is one noise of a world, immutable. It is sampled either over a block of a grid
 * (columns prepared once, then bands of rows) or at a list of places; optionally displaced by
 * dx, dy metres a sample. All ways evaluate the same float expressions in the same order, so they
 * agree bit for bit.
 *
 * Perlin noise: K. Perlin, "Improving Noise" (2002), with unit gradients in any direction and a
 * hash without a period, times √2 so that its range is −1 … 1. fBm and ridged: F. K. Musgrave in
 * Ebert et al., "Texturing and Modeling" (3rd ed., 2003), chapter 16. */
#ifndef TERRANE_NOISE_NOISE_H
#define TERRANE_NOISE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/place.h"
#include "core/noise/lattice.h"

enum {
    NOISE_OCTAVES_MAX = 24,
    NOISE_ROW_MAX = 288, /* samples a row kernel takes at once; a multiple of the vector length */
    NOISE_LANES = 16,    /* rows are a multiple of this long */
};

/* Wavelengths in metres, of every octave: the frequency has 64 bits. */
#define NOISE_WAVELENGTH_MIN 0.01
#define NOISE_WAVELENGTH_MAX 1e9

enum noise_basis { NOISE_VALUE, NOISE_PERLIN };
enum noise_interpolation {
    NOISE_LINEAR,
    NOISE_COSINE,
    NOISE_CUBIC,
    NOISE_QUINTIC,
    NOISE_NONE, /* a cell has one value: with NOISE_VALUE, white noise */
};
enum noise_fractal {
    NOISE_SINGLE,
    NOISE_FBM,        /* Σ share·n */
    NOISE_BILLOW,     /* Σ share·(2|n| − 1) */
    NOISE_TURBULENCE, /* Σ share·|n| */
    NOISE_RIDGED,     /* Σ share·(1 − |n|)²·weight */
};

struct noise_settings {
    enum noise_basis basis;
    enum noise_interpolation interpolation;
    enum noise_fractal fractal;
    unsigned octaves;   /* 1 … NOISE_OCTAVES_MAX; 1 for NOISE_SINGLE */
    double wavelength;  /* metres, of the first octave */
    double lacunarity;  /* each octave's frequency over the last's */
    double persistence; /* each octave's amplitude over the last's */
    float feedback;     /* NOISE_RIDGED: how much an octave is held back by the one before */
    uint64_t key;       /* seed, layer and salt in one */
};

struct noise_octave {
    double wavelength;
    uint64_t frequency;          /* 2⁵⁶ / wavelength */
    uint64_t offset_x, offset_y; /* lattice offset: 32 bits of cell, 32 of fraction */
    uint64_t key_x, key_y;
    float cells_per_metre;
    float share; /* persistenceⁱ / Σ persistenceⁱ */
};

struct noise {
    struct noise_settings settings;
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

/* Rows that kernels work in; one per thread. */
struct noise_scratch {
    _Alignas(64) uint32_t low_x[NOISE_ROW_MAX], low_y[NOISE_ROW_MAX];
    _Alignas(64) float t_x[NOISE_ROW_MAX], t_y[NOISE_ROW_MAX];
    _Alignas(64) float s_x[NOISE_ROW_MAX], s_y[NOISE_ROW_MAX];
    _Alignas(64) uint32_t base_x[NOISE_ROW_MAX], base_y[NOISE_ROW_MAX];
    _Alignas(64) float fraction_x[NOISE_ROW_MAX], fraction_y[NOISE_ROW_MAX];
    _Alignas(64) float one[NOISE_ROW_MAX], weight[NOISE_ROW_MAX];
    int64_t cell_x[NOISE_ROW_MAX], cell_y[NOISE_ROW_MAX];
};

/* A block of a grid, any number of rows, best taken north to south. */
struct noise_block {
    int64_t x, step;  /* the first column, and the distance of columns and of rows (2⁻¹⁶ m) */
    uint32_t columns; /* a multiple of NOISE_LANES up to NOISE_ROW_MAX */
    double spacing;   /* level of detail */
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
struct noise_list {
    const struct place *places;
    size_t count;
    double spacing;
    const float *dx, *dy; /* both or neither */
};
void noise_points(const struct noise *noise, const struct noise_list *list,
                  struct noise_scratch *scratch, float *out);

#endif
