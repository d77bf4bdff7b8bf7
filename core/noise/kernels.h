/* The loops inside the noises, for the files of this folder. Rows have at most
 * NOISE_ROW_MAX samples; those at arbitrary places are a multiple of NOISE_LANES. */
#ifndef TERRANE_NOISE_KERNELS_H
#define TERRANE_NOISE_KERNELS_H

#include "core/noise/slice.h"

/* The largest displacement in cells; beyond it a float has no bits left for the place in a cell. */
#define KERNEL_CELLS_MAX 0x1p20f

/* fade[i] = the interpolation's weight of t[i] in 0 … 1. */
void kernel_fade(enum noise_interpolation interpolation, uint32_t count, const float *t,
                 float *fade);
/* Its derivative. */
void kernel_fade_derivative(enum noise_interpolation interpolation, uint32_t count, const float *t,
                            float *derivative);

/* What a column weighs on the lattice lines at its left and right, amplitude included. */
struct kernel_weights {
    float *left, *right;     /* (1−s)·a, s·a */
    float *left_t, *right_t; /* t·(1−s)·a, (t−1)·s·a */
};
void kernel_column_weights(uint32_t count, const float *t, const float *fade, float amplitude,
                           const struct kernel_weights *out);

/* One lattice row under a row of columns: what each column's two gradients (or values) contribute,
 * constant in ty (a) and in proportion to it (b). */
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
/* Rows of samples between the same two lattice rows, where they are and their fades; `stride` is
 * from one row of `out` to the next. Adds the polynomial. */
struct kernel_rows {
    const float *t, *s;
    size_t stride;
};
void kernel_add_rows(uint32_t count, uint32_t rows, const struct kernel_pair *pair,
                     const struct kernel_rows *at, float *out);

/* A row of an axis' coordinates: the first one and the step, each a cell's low half and 64 bits
 * below it. */
struct kernel_row_coordinates {
    uint32_t cell, cell_step;
    uint64_t fraction, fraction_step;
};
void kernel_row_coordinates(uint32_t count, const struct kernel_row_coordinates *walk,
                            uint32_t *low, float *t);

/* An axis' coordinates of places: `cell` and 64 bits below it are those of a corner, each place is
 * east and south of that by less than 2³¹ units, and a unit takes it `form` further (signed, in
 * units of 2⁻⁶⁴ cell, two's complement). Tells the least and the most cells that a place is from
 * the corner's, of which there must be less than 2³¹. */
struct kernel_places {
    uint32_t cell;
    uint64_t fraction;
    uint64_t form[2];
    const uint32_t *east, *south;
};
struct kernel_span {
    int32_t least, most;
};
struct kernel_span kernel_place_coordinates(uint32_t count, const struct kernel_places *places,
                                            uint32_t *low, float *t);

/* Moves an axis by dx, dy metres, `cells` for each of them: low and t become those of the place. */
struct kernel_displacement {
    const float *cells; /* two: for dx, for dy */
    const float *dx, *dy;
};
void kernel_displace(uint32_t count, const struct kernel_displacement *displacement, uint32_t *low,
                     float *t);

/* What octaves at arbitrary places add to, or, if x and y are not null, set: the noise and its
 * derivatives by cells of the octave. */
struct kernel_out {
    float amplitude;
    float *n, *x, *y;
};

/* The lattice points around the last rows of an octave: a row of samples mostly lies among those of
 * the row before. A point's gradient (or its value and 0) is at row y and column x, each modulo the
 * window's size; a column and a row more than that repeat the first. */
enum { KERNEL_WINDOW_ROWS_MAX = 64 };
/* A row of the window to fill in. */
struct window_line {
    uint32_t key_x, line_y, first_x, columns;
    float *points; /* columns + 1 */
};
typedef void window_fill(const struct window_line *line);
struct kernel_window {
    window_fill *fill;
    float *points;          /* kernel_window_floats(), or null for no window */
    uint32_t columns, rows; /* powers of two */
    uint32_t first_x;       /* of the points in the known rows */
    uint32_t key_x, key_y;  /* theirs */
    uint32_t row_y[KERNEL_WINDOW_ROWS_MAX];
    bool valid[KERNEL_WINDOW_ROWS_MAX];
};
/* The size of a window for rows that span so many cells: no columns where there are hardly fewer
 * cells than samples. */
void kernel_window_plan(double cells, struct kernel_window *window);
size_t kernel_window_floats(const struct kernel_window *window);
/* Begins it with no rows known, in so many floats. */
void kernel_window_begin(struct kernel_window *window, window_fill *fill, float *points);

/* Cells by their low halves, the last ones included, and the keys of their lines. */
struct kernel_box {
    uint32_t west, east, north, south;
    uint32_t key_x, key_y;
};
/* Whether the window has, now, all corners of the box' cells. */
bool kernel_window_ensure(struct kernel_window *window, const struct kernel_box *box);

/* Arbitrary places on an octave's lattice: cells and where in them, by axis. Keys belong to the
 * cells from two before a place's own to two after it. */
enum { KERNEL_KEYS = 5, KERNEL_KEY_OWN = 2 };
struct kernel_positions {
    uint32_t count; /* a multiple of NOISE_LANES */
    const uint32_t *low[LATTICE_AXES];
    const float *t[LATTICE_AXES];
    uint32_t key[LATTICE_AXES][KERNEL_KEYS];
    struct kernel_window *window; /* of bases with cell_kernels.fill_window, or null */
};
/* Fades of both axes, and their derivatives if out has x and y. */
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

/* What is known of a row's columns before displacement, by chunks of NOISE_LANES. */
struct kernel_chunks {
    uint32_t base[KERNEL_CHUNKS_MAX];     /* of the first column */
    uint32_t one_base[KERNEL_CHUNKS_MAX]; /* 1 if all columns have it */
    float fraction_first[KERNEL_CHUNKS_MAX], fraction_last[KERNEL_CHUNKS_MAX];
    uint32_t row_one_base; /* 1 if all columns of the row have it */
    float row_fraction_last;
};
void kernel_chunks_prepare(uint32_t count, const uint32_t *base, const float *fraction,
                           struct kernel_chunks *chunks);

/* The least and greatest displacement in each chunk of a row. */
struct kernel_bounds {
    float dx_low[KERNEL_CHUNKS_MAX], dx_high[KERNEL_CHUNKS_MAX];
    float dy_low[KERNEL_CHUNKS_MAX], dy_high[KERNEL_CHUNKS_MAX];
    float row_dx_low, row_dx_high, row_dy_low, row_dy_high; /* of all chunks */
};
void kernel_displacement_bounds(uint32_t count, const float *dx, const float *dy,
                                struct kernel_bounds *bounds);

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
void kernel_ridge_faded(uint32_t count, const struct kernel_ridge *ridge, const float *shares,
                        uint32_t octaves, float *weight, float *out);

/* The derivatives of those by n, without their share; before kernel_ridge() moves the weight on. */
void kernel_fold_derivative(uint32_t count, const struct kernel_fold *fold, const float *n,
                            float *fold_derivative);
void kernel_ridge_derivative(uint32_t count, const struct kernel_ridge *ridge, const float *n,
                             const float *weight, float *fold_derivative);

/* An octave's gradient, in its own directions, and its turn against the first octave. */
struct kernel_gradients {
    const float *x, *y;
    float cosine, sine;
};
/* Damping: factor·gradient joins the sum, and held = 1 / (1 + damping·|sum|²). */
struct kernel_damping {
    float damping;
    float *sum_x, *sum_y, *damping_weight;
};
void kernel_damping(uint32_t count, const struct kernel_damping *hold,
                    const struct kernel_gradients *octave, const float *fold_derivative);
/* out += part·held, and out += n·amplitude. */
void kernel_add_damped(uint32_t count, const float *damping_weight, const float *octave_part,
                       float *out);
void kernel_add_scaled(uint32_t count, float amplitude, const float *n, float *out);
/* total += factor·held·scale·gradient. */
struct kernel_result_gradient {
    const float *fold_derivative, *damping_weight;
    float scale;
    float *x, *y;
};
void kernel_result_gradient(uint32_t count, const struct kernel_gradients *octave,
                            const struct kernel_result_gradient *result_gradient);
/* out = |out| / |total|, at most `limit`. */
void kernel_zero_distance(uint32_t count, const float *total_x, const float *total_y, float limit,
                          float *out);

#endif
