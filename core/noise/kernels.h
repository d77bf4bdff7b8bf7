/* The loops that do the work: kernels over rows of samples. Rows have at most NOISE_ROW_MAX
 * samples; rows of arbitrary positions are a multiple of NOISE_LANES long. Kernels that do not
 * depend on the basis are functions here; those that do are a basis' cell_kernels. All are compiled
 * for several instruction sets (TERRANE_CLONES). Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_H
#define TERRANE_NOISE_KERNELS_H

#include "core/noise/slice.h"

/* The largest displacement in cells; beyond it a float has no bits left for the fraction. */
#define KERNEL_CELLS_MAX 0x1p20f

/* fade[i] is the interpolation's weight of the next lattice line at the fraction t[i], 0 … 1. */
void kernel_fade(enum noise_interpolation interpolation, uint32_t count, const float *t,
                 float *fade);
/* The fade's derivative by t. */
void kernel_fade_derivative(enum noise_interpolation interpolation, uint32_t count, const float *t,
                            float *derivative);

/* The weights of the lattice lines to the left and right of a column, multiplied by the amplitude.
 */
struct kernel_weights {
    float *left, *right;     /* (1−s)·a, s·a */
    float *left_t, *right_t; /* t·(1−s)·a, (t−1)·s·a */
};
void kernel_column_weights(uint32_t count, const float *t, const float *fade, float amplitude,
                           const struct kernel_weights *out);

/* One lattice row under a row of columns. Each column's two gradients (or values) contribute a part
 * `a` that is constant in ty and a part `b` in proportion to it. */
struct kernel_columns {
    const uint32_t *line_left, *line_right;
    struct kernel_weights weights;
};
struct kernel_line {
    uint32_t low, key; /* of the lattice row */
    const struct slice *slice;
    float *a, *b;
};

/* The two lattice rows around a row of samples, as the polynomial
 * ((a0 + b0·ty) + k2·sy) + k3·(ty·sy). */
struct kernel_pair {
    float *a0, *b0, *a1, *b1, *k2, *k3;
};
void kernel_pair_coefficients(uint32_t count, const struct kernel_pair *pair);
/* Rows of samples between the same two lattice rows: their fractions ty and fades sy; `stride` is
 * the distance from one row of `out` to the next. Adds the polynomial. */
struct kernel_rows {
    const float *t, *s;
    size_t stride;
};
void kernel_add_rows(uint32_t count, uint32_t rows, const struct kernel_pair *pair,
                     const struct kernel_rows *at, float *out);

/* The coordinates of a row on one axis: the first one and the step, each the low half of a cell and
 * 64 bits of fraction. */
struct kernel_row_coordinates {
    uint32_t cell, cell_step;
    uint64_t fraction, fraction_step;
};
void kernel_row_coordinates(uint32_t count, const struct kernel_row_coordinates *coordinates,
                            uint32_t *low, float *t);

/* The coordinates of places on one axis: `cell` and `fraction` (2⁻⁶⁴ cell) are those of a corner,
 * each place is `east` and `south` of it by less than 2³¹ units, and `form` is the distance in 2⁻⁶⁴
 * cell for one unit of each. `near` promises that one form is 0, the other is not negative, and all
 * places are less than a cell away from the corner. */
struct kernel_places {
    uint32_t cell;
    uint64_t fraction;
    uint64_t form[2];
    const uint32_t *east, *south;
    bool near;
};
void kernel_place_coordinates(uint32_t count, const struct kernel_places *places, uint32_t *low,
                              float *t);
/* The box around the places: its corners in the north-west and the south-east. */
struct kernel_place_box {
    struct place low, high;
};
struct kernel_place_box kernel_find_box(uint32_t count, const struct place *places);
/* The distances of the places from the box's corner `low`, which must fit into 32 bits. */
void kernel_place_distances(uint32_t count, const struct place *places, struct place low,
                            uint32_t *east, uint32_t *south);

/* Displaces the samples of one axis by dx, dy metres of `cells` each: changes low and t. */
struct kernel_displacement {
    const float *cells; /* two: for dx, for dy */
    const float *dx, *dy;
};
void kernel_displace(uint32_t count, const struct kernel_displacement *displacement, uint32_t *low,
                     float *t);

/* The output of an octave. Without x and y, the noise is added to n; with them, n is set to the
 * noise and x and y to its derivatives for one cell of the octave. */
struct kernel_out {
    float amplitude;
    float *n, *x, *y;
};

/* The lattice points around the last rows of an octave (see kernels_window.c): of a point its
 * gradient, or its value and 0. */
enum { KERNEL_WINDOW_ROWS_MAX = 64 };
/* A row of the window to fill in. */
struct window_line {
    uint32_t key_x, line_y, first_x, columns;
    float *points; /* columns */
};
typedef void window_fill(const struct window_line *line);
struct kernel_window {
    window_fill *fill;
    float *points;                 /* kernel_window_floats() of them, or null for no window */
    uint32_t columns, rows;        /* multiples of 16 */
    uint32_t first_x, first_y;     /* the point in the north-west corner */
    uint32_t valid_from, valid_to; /* the rows that are computed, without the last */
    uint32_t key_x, key_y;         /* their lattice keys */
};
/* Sets the size of a window for rows that span so many cells: no columns if there are hardly fewer
 * cells than samples. */
void kernel_window_plan(double cells, struct kernel_window *window);
size_t kernel_window_floats(const struct kernel_window *window);
/* Begins the window with no valid rows, in kernel_window_floats() floats. */
void kernel_window_begin(struct kernel_window *window, window_fill *fill, float *points);

/* A box of cells, the last ones included, by their low halves, and the keys of its lines. */
struct kernel_box {
    uint32_t west, east, north, south;
    uint32_t key_x, key_y;
};
/* Computes the rows that the box' corners need; false if the box is too large for the window. */
bool kernel_window_ensure(struct kernel_window *window, const struct kernel_box *box);

/* Arbitrary positions on an octave's lattice: cells and fractions by axis. The keys are those of
 * the cells from two before a sample's own to two after it. */
enum { KERNEL_KEYS = 5, KERNEL_KEY_OWN = 2 };
struct kernel_positions {
    uint32_t count; /* a multiple of NOISE_LANES */
    const uint32_t *low[LATTICE_AXES];
    const float *t[LATTICE_AXES];
    uint32_t key[LATTICE_AXES][KERNEL_KEYS];
    struct kernel_window *window; /* of bases with cell_kernels.fill_window, or null */
};
/* The fades of both axes, and their derivatives if out has x and y. */
struct kernel_fades {
    const float *x, *y, *derivative_x, *derivative_y;
};
/* An octave at arbitrary positions, by the corners of their cells. */
struct cell_job {
    const struct kernel_positions *positions;
    const struct slice *slice;
    const struct kernel_fades *fades;
    const struct kernel_out *out;
    bool windowed; /* set by the kernel: the window has all corners */
};

enum { KERNEL_CHUNKS_MAX = NOISE_ROW_MAX / NOISE_LANES };

/* The columns of a row before displacement, by chunks of NOISE_LANES. */
struct kernel_chunks {
    uint32_t base[KERNEL_CHUNKS_MAX]; /* of the first column */
    float span[KERNEL_CHUNKS_MAX];    /* cells from the first column's to the last one's */
    float fraction_first[KERNEL_CHUNKS_MAX], fraction_last[KERNEL_CHUNKS_MAX];
    uint32_t row_one_base; /* 1 if all columns of the row have it */
    float row_fraction_last;
};
void kernel_chunks_prepare(uint32_t count, const uint32_t *base, const float *fraction,
                           struct kernel_chunks *chunks);

/* The least and greatest displacement in each chunk of a row; entries beyond its chunks repeat the
 * first. */
enum { KERNEL_CHUNKS_PADDED = 32 };
struct kernel_bounds {
    float dx_low[KERNEL_CHUNKS_PADDED], dx_high[KERNEL_CHUNKS_PADDED];
    float dy_low[KERNEL_CHUNKS_PADDED], dy_high[KERNEL_CHUNKS_PADDED];
    float row_dx_low, row_dx_high, row_dy_low, row_dy_high; /* of all chunks */
};
void kernel_displacement_bounds(uint32_t count, const float *dx, const float *dy,
                                struct kernel_bounds *bounds);

/* A row of a grid before displacement, and its displacement. */
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
    struct kernel_window *window;
    float *out;
};
/* The kernels of a basis that interpolates between the corners of cells, in one number of
 * dimensions; see kernels_cell.h. */
struct cell_kernels {
    /* One lattice row under a row of columns. */
    void (*lattice_row)(uint32_t count, const struct kernel_columns *columns,
                        const struct kernel_line *line);
    /* Adds an octave at arbitrary positions; [1] sets the noise and its derivatives instead. */
    void (*add[2])(struct cell_job *job);
    /* In two dimensions, else null: a row of a window, and an octave over a displaced row. */
    window_fill *fill_window;
    void (*add_displaced)(enum noise_interpolation interpolation, const struct kernel_job *job);
};

/* Adds one octave of billow or turbulence: gain·|n| + bias, whose mean is `mean`. */
struct kernel_fold {
    float share, detail, gain, bias, mean;
};
void kernel_fold(uint32_t count, const struct kernel_fold *fold, const float *n, float *out);

/* Adds one octave of ridged noise. `mean` replaces the share 1 − detail of it. */
struct kernel_ridge {
    float share, detail, feedback, mean;
};
void kernel_ridge(uint32_t count, const struct kernel_ridge *ridge, const float *n, float *weight,
                  float *out);

/* Adds the octaves of ridged noise that have no detail left, in one pass: shares[0 … octaves). */
void kernel_ridge_faded(uint32_t count, const struct kernel_ridge *ridge, const float *shares,
                        uint32_t octaves, float *weight, float *out);

/* The derivatives of the folded octaves by n, without their share. Ridged noise needs its own
 * before kernel_ridge() changes the weight. */
void kernel_fold_derivative(uint32_t count, const struct kernel_fold *fold, const float *n,
                            float *fold_derivative);
void kernel_ridge_derivative(uint32_t count, const struct kernel_ridge *ridge, const float *n,
                             const float *weight, float *fold_derivative);

/* An octave's gradient in the directions of its own lattice, and the lattice's turn against the
 * first octave. */
struct kernel_gradients {
    const float *x, *y;
    float cosine, sine;
};
/* Adds fold_derivative·gradient to the sum, and sets damping_weight = 1 / (1 + damping·|sum|²). */
struct kernel_damping {
    float damping;
    float *sum_x, *sum_y, *damping_weight;
};
void kernel_damping(uint32_t count, const struct kernel_damping *terms,
                    const struct kernel_gradients *octave, const float *fold_derivative);
/* out += octave_part·damping_weight, and out += n·amplitude. */
void kernel_add_damped(uint32_t count, const float *damping_weight, const float *octave_part,
                       float *out);
void kernel_add_scaled(uint32_t count, float amplitude, const float *n, float *out);
/* (x, y) += fold_derivative·damping_weight·scale·gradient. */
struct kernel_result_gradient {
    const float *fold_derivative, *damping_weight;
    float scale;
    float *x, *y;
};
void kernel_result_gradient(uint32_t count, const struct kernel_gradients *octave,
                            const struct kernel_result_gradient *result_gradient);
/* out = |out| / |total gradient|, at most `limit`. */
void kernel_zero_distance(uint32_t count, const float *total_x, const float *total_y, float limit,
                          float *out);

#endif
