/* The loops inside the noises, for the files of this folder. Rows have at most
 * NOISE_ROW_MAX samples; kernel_add_sites() takes a multiple of NOISE_LANES. */
#ifndef TERRANE_NOISE_KERNELS_H
#define TERRANE_NOISE_KERNELS_H

#include "core/noise/noise.h"

/* The largest displacement in cells; beyond it a float has no bits left for the place in a cell. */
#define KERNEL_CELLS_MAX 0x1p20f

/* fade[i] = the interpolation's weight of t[i] in 0 … 1. */
void kernel_fade(enum noise_interpolation interpolation, uint32_t count, const float *t,
                 float *fade);

/* What a column weighs on the lattice lines at its left and right, amplitude included. */
struct kernel_weights {
    float *left, *right;     /* (1−s)·a, s·a */
    float *left_t, *right_t; /* t·(1−s)·a, (t−1)·s·a */
};
void kernel_weigh(uint32_t count, const float *t, const float *fade, float amplitude,
                  const struct kernel_weights *out);

/* One lattice row under a row of columns: what each column's two gradients (or values) contribute,
 * constant in ty (a) and in proportion to it (b). */
struct kernel_columns {
    const uint32_t *line_left, *line_right;
    struct kernel_weights weights;
};
void kernel_lattice_row(enum noise_basis basis, uint32_t count,
                        const struct kernel_columns *columns, uint32_t line_y, float *a, float *b);

/* The two lattice rows around a row of samples, as the polynomial
 * ((a0 + b0·ty) + k2·sy) + k3·(ty·sy). */
struct kernel_pair {
    float *a0, *b0, *a1, *b1, *k2, *k3;
};
void kernel_join_rows(uint32_t count, const struct kernel_pair *pair);
/* Rows of samples between the same two lattice rows, where they are and their fades; `stride` is
 * from one row of `out` to the next. Adds the polynomial. */
struct kernel_rows {
    const float *t, *s;
    size_t stride;
};
void kernel_add_rows(uint32_t count, uint32_t rows, const struct kernel_pair *pair,
                     const struct kernel_rows *at, float *out);

/* Moves an axis by metres: cells and fractions of t + metres·cells_per_metre. */
struct kernel_axis {
    const uint32_t *base;
    const float *fraction, *metres;
    float cells_per_metre;
};
void kernel_displace(uint32_t count, const struct kernel_axis *axis, uint32_t *low, float *t);

/* Adds one octave at arbitrary places of which low, t and s (fade) are known for both axes. The
 * keys belong to a cell's own line and the next. */
struct kernel_sites {
    const uint32_t *low_x, *low_y;
    const float *t_x, *t_y, *s_x, *s_y;
    uint32_t key_x[2], key_y[2];
    float amplitude;
};
void kernel_add_sites(enum noise_basis basis, uint32_t count, const struct kernel_sites *sites,
                      float *out);

enum { KERNEL_CHUNKS_MAX = NOISE_ROW_MAX / NOISE_LANES };

/* What is known of a row's columns before displacement, by chunks of NOISE_LANES. */
struct kernel_chunks {
    uint32_t base[KERNEL_CHUNKS_MAX];     /* of the first column */
    uint32_t one_base[KERNEL_CHUNKS_MAX]; /* 1 if all columns have it */
    float fraction_first[KERNEL_CHUNKS_MAX], fraction_last[KERNEL_CHUNKS_MAX];
    uint32_t row_one_base; /* 1 if all columns of the row have it */
    float row_fraction_last;
};
void kernel_survey(uint32_t count, const uint32_t *base, const float *fraction,
                   struct kernel_chunks *chunks);

/* The least and greatest displacement in each chunk of a row. */
struct kernel_bounds {
    float dx_low[KERNEL_CHUNKS_MAX], dx_high[KERNEL_CHUNKS_MAX];
    float dy_low[KERNEL_CHUNKS_MAX], dy_high[KERNEL_CHUNKS_MAX];
    float row_dx_low, row_dx_high, row_dy_low, row_dy_high; /* of all chunks */
};
void kernel_bound(uint32_t count, const float *dx, const float *dy, struct kernel_bounds *bounds);

/* The corners of the cell that a run was last in: the next row's is mostly the same. */
struct kernel_cell {
    uint32_t low_x, low_y;
    bool known;
    float corners[8];
};

/* A row of a grid before displacement, and what moves it. */
struct kernel_row {
    const uint32_t *base_x;
    const float *fraction_x;
    const struct kernel_chunks *chunks;
    uint32_t base_y;
    float fraction_y;
    const float *dx, *dy; /* metres */
    float cells_per_metre, amplitude;
    uint32_t key_x[2], key_y[2];
};
struct kernel_job {
    uint32_t count; /* a multiple of NOISE_LANES */
    const struct kernel_row *row;
    const struct kernel_bounds *bounds;
    struct kernel_cell *cell;
    float *out;
};
/* Adds one octave at the displaced places of a row. */
void kernel_add_displaced(const struct noise_settings *settings, const struct kernel_job *job);

/* One octave of billow or turbulence: gain·|n| + bias, of which `mean` is the mean. */
struct kernel_fold {
    float share, detail, gain, bias, mean;
};
void kernel_fold(uint32_t count, const struct kernel_fold *fold, const float *n, float *out);

/* One octave of ridged noise: n[i] is its noise. `mean` stands in for the part 1 − detail. */
struct kernel_ridge {
    float share, detail, feedback, mean;
};
void kernel_ridge(uint32_t count, const struct kernel_ridge *ridge, const float *n, float *weight,
                  float *out);

/* The octaves of ridged noise that have no detail left, in one pass: shares[0 … octaves). */
void kernel_ridge_rest(uint32_t count, const struct kernel_ridge *ridge, const float *shares,
                       uint32_t octaves, float *weight, float *out);

#endif
