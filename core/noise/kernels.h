/* The loops that do the work: kernels over rows of samples. Rows have at most NOISE_ROW_MAX
 * samples; rows of arbitrary positions are a multiple of NOISE_LANES long. Kernels that do not
 * depend on the basis are functions here; those that do are a basis' cell_kernels. All are compiled
 * for several instruction sets (TERRANE_CLONES). Internal to this folder. */
#ifndef TERRANE_NOISE_KERNELS_H
#define TERRANE_NOISE_KERNELS_H

#include "core/noise/slice.h"

/* The largest displacement in cells; beyond it a float has no bits left for the fraction. */
#define KERNEL_CELLS_MAX 0x1p20f

/* fade[i] is the interpolation's weight of the next lattice line at the fraction t[i], 0 … 1;
 * derivative[i] is its derivative by t, if that is not null. */
void kernel_fade(enum noise_interpolation interpolation, uint32_t count, const float *t,
                 float *fade, float *derivative);

/* The weights of the lattice lines to the left and right of each column, multiplied by the
 * amplitude (struct column_weights), and their derivatives by t (struct column_slopes). */
struct kernel_weights {
    float *left, *right, *left_t, *right_t;
};
struct kernel_slopes {
    float *right, *left_t, *right_t;
};
void kernel_column_weights(uint32_t count, const float *t, const float *fade, float amplitude,
                           const struct kernel_weights *out);
void kernel_column_slopes(uint32_t count, const float *t, const float *fade_derivative,
                          float amplitude, const struct kernel_weights *weights,
                          const struct kernel_slopes *out);

/* One lattice row under a row of columns. Each column's two gradients (or values) contribute a part
 * `a` that is constant in ty and a part `b` in proportion to it; their derivatives by x are slopes.
 */
struct kernel_columns {
    const uint32_t *line_left, *line_right;
    struct kernel_weights weights;
    struct kernel_slopes slopes;
};
struct kernel_terms {
    float *a, *b;
};
struct kernel_line {
    uint32_t low, key; /* of the lattice row */
    const struct slice *slice;
    struct kernel_terms terms, slopes;
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
/* Sets the noise and its derivatives in one row of samples, from the polynomials of the noise and
 * of its derivative by x. */
struct kernel_height {
    float t, s, slope; /* the row's fraction ty, its fade and the fade's derivative */
};
struct kernel_out;
void kernel_row_gradient(uint32_t count, const struct kernel_pair pair[2],
                         const struct kernel_height *at, const struct kernel_out *out);

/* The coordinates along a row on one axis, each the low half of a cell and 64 bits of fraction,
 * from the first sample's. Prepared once for all rows with the same step. */
struct kernel_walk {
    _Alignas(64) uint32_t cell[NOISE_LANES], high[NOISE_LANES], low[NOISE_LANES]; /* of a chunk */
    uint32_t chunk_cell; /* from a chunk to the next */
    uint64_t chunk_fraction;
    bool stands; /* the step is 0 */
};
void kernel_walk_prepare(uint32_t cell_step, uint64_t fraction_step, struct kernel_walk *walk);
void kernel_walk_row(uint32_t count, const struct kernel_walk *walk, uint32_t cell,
                     uint64_t fraction, uint32_t *low, float *t);

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
/* t[i] = lattice_fraction(fractions[i]) */
void kernel_fractions(uint32_t count, const uint32_t *fractions, float *t);
/* The box around the places: its corners in the north-west and the south-east. */
struct kernel_place_box {
    struct place low, high;
};
struct kernel_place_box kernel_find_box(uint32_t count, const struct place *places);
/* The distances of the places from the box's corner `low`, which must fit into 32 bits. */
void kernel_place_distances(uint32_t count, const struct place *places, struct place low,
                            uint32_t *east, uint32_t *south);

/* Displaces the samples of one axis by dx, dy metres of `cells` each: changes low and t. Returns
 * the least and the greatest distance of a sample's cell from `cell`. */
struct kernel_displacement {
    const float *cells; /* two: for dx, for dy */
    const float *dx, *dy;
    uint32_t cell;
    bool in_range; /* no sample is displaced by KERNEL_CELLS_MAX */
};
struct kernel_span {
    int32_t least, most;
};
struct kernel_span kernel_displace(uint32_t count, const struct kernel_displacement *displacement,
                                   uint32_t *low, float *t);

/* The noise at a position, and its derivatives by cells along x and y. */
struct gradient_sample {
    float n, x, y;
};

/* The output of an octave. Without x and y, the noise is added to n; with them, n is set to the
 * noise and x and y to its derivatives for one cell of the octave. */
struct kernel_out {
    float amplitude;
    float *n, *x, *y;
};

/* The lattice points around the last rows of an octave (see kernels_window.c): of a point its
 * gradient, or its value and 0. */
enum { KERNEL_WINDOW_ROWS_MAX = 64 }; /* unless a row of samples needs more */
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
/* Sets the size of a window for rows that span so many cells, and lie across so many lattice rows:
 * no columns if there are hardly fewer cells than samples. */
void kernel_window_plan(double cells, double lattice_rows, struct kernel_window *window);
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
    bool monotonic; /* along each axis: what holds for the ends of a run, holds for all of it */
    const struct kernel_window *window; /* with all corners of the samples' cells, or null */
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
};

struct kernel_job;        /* an octave over a displaced row, and over a row across the lattice: */
struct kernel_turned_job; /* kernels_rows.h */
/* The kernels of a basis that interpolates between the corners of cells, in one number of
 * dimensions; see kernels_cell.h. */
struct cell_kernels {
    /* One lattice row under a row of columns; [1] with the slopes. */
    void (*lattice_row[2])(uint32_t count, const struct kernel_columns *columns,
                           const struct kernel_line *line);
    /* Adds an octave at arbitrary positions; [1] sets the noise and its derivatives instead. */
    void (*add[2])(const struct cell_job *job);
    /* In two dimensions, else null: a row of a window, and an octave over a displaced row, or over
     * a row across the lattice, whose cells were found. */
    window_fill *fill_window;
    void (*add_displaced)(enum noise_interpolation interpolation, const struct kernel_job *job);
    void (*add_turned)(const struct kernel_turned_job *job);
};

/* The way in which an octave n of a fractal becomes its part of the sum. Its share of detail d
 * replaces the rest by the mean: part = share·(mean + d·(f(n) − mean)). */
enum kernel_folding {
    KERNEL_PLAIN,    /* f(n) = n */
    KERNEL_ABSOLUTE, /* f(n) = gain·|n| + bias */
    KERNEL_RIDGE, /* f(n) = (1 − |n|)²; the part is multiplied by a weight that it sets anew */
};
struct kernel_fold {
    enum kernel_folding folding;
    float share, detail, mean; /* the mean of f(n) */
    float gain, bias;          /* KERNEL_ABSOLUTE */
    float feedback;            /* KERNEL_RIDGE */
};
/* Adds an octave's parts, and sets n to 0 for the next octave. `weight` is used by KERNEL_RIDGE
 * alone. */
void kernel_add_folded(uint32_t count, const struct kernel_fold *fold, float *n, float *weight,
                       float *out);
/* kernel_add_folded() for the first octave, to sums of 0 with weights of 1. */
void kernel_begin_folded(uint32_t count, const struct kernel_fold *fold, float *n, float *weight,
                         float *out);
/* Adds the octaves of ridged noise that have no detail left, in one pass: shares[0 … octaves). */
void kernel_ridge_faded(uint32_t count, const struct kernel_fold *fold, const float *shares,
                        uint32_t octaves, float *weight, float *out);

/* A sum of octaves with their gradients, over a row. */
struct kernel_gradient_sum {
    const struct kernel_out *octave; /* with the gradient in the directions of its own lattice */
    float cosine, sine;              /* the lattice's turn against the first octave */
    float *x, *y;                    /* the sum of the gradients */
    float *weight, *out;
};
/* Adds an octave whose part is divided by 1 + damping·|Σ gradient|²; the sum includes this octave's
 * folded gradient, for one cell of its own. */
void kernel_add_damped(uint32_t count, const struct kernel_fold *fold, float damping,
                       const struct kernel_gradient_sum *sum);
/* out += part / (1 + damping·|Σ gradient|²), for parts without a gradient. */
void kernel_damp(uint32_t count, float damping, const struct kernel_gradient_sum *sum,
                 const float *part);
/* Adds an octave, and the gradient of its part for one metre. The weights of ridges count as
 * constants. */
void kernel_add_with_gradient(uint32_t count, const struct kernel_fold *fold, float cells_per_metre,
                              const struct kernel_gradient_sum *sum);
/* out = out / |Σ gradient|, within ±limit. */
void kernel_zero_distance(uint32_t count, const struct kernel_gradient_sum *sum, float limit);

#endif
