/* The arrays of an octave lie one after another in the memory of the grid. The pair of lattice rows
 * is kept from call to call: a row of samples in the same cells needs no hash at all, the next cell
 * to the south needs one new lattice row, and any other cell needs two. Rows of samples between the
 * same lattice rows go through the kernel together. */
#include "core/noise/lattice_rows.h"

/* Arrays of 4 bytes a column; further ones for gradients. */
enum { LINE_ARRAYS = 2, ARRAYS = 10, GRADIENT_ARRAYS = 9 };
enum { BAND_ROWS = 16 }; /* rows that are added at once at most */

/* Whole lanes, and some more: at a power of two, all arrays would share the same lines of a cache.
 */
static size_t array_bytes(uint32_t columns)
{
    return ((columns + NOISE_LANES - 1) / NOISE_LANES + 1) * NOISE_LANES * sizeof(float);
}

size_t lattice_rows_bytes(uint32_t columns, bool with_gradient)
{
    const size_t arrays = LINE_ARRAYS + ARRAYS + (with_gradient ? (size_t)GRADIENT_ARRAYS : 0);
    return arrays * array_bytes(columns);
}

static void lay_out(float **const *arrays, int count, size_t bytes, char **memory)
{
    for (int i = 0; i < count; i++, *memory += bytes)
        *arrays[i] = (float *)(void *)*memory;
}

void lattice_rows_begin(struct lattice_rows *rows, uint32_t columns, bool with_gradient,
                        char **memory)
{
    const size_t bytes = array_bytes(columns);
    struct kernel_weights *weights = &rows->weights;
    struct kernel_slopes *slopes = &rows->slopes;
    struct kernel_pair *noise = &rows->pair[0], *along_x = &rows->pair[1];
    float **const arrays[ARRAYS] = {
        &weights->left, &weights->right, &weights->left_t, &weights->right_t, &noise->a0,
        &noise->b0,     &noise->a1,      &noise->b1,       &noise->k2,        &noise->k3};
    float **const gradient_arrays[GRADIENT_ARRAYS] = {
        &slopes->right, &slopes->left_t, &slopes->right_t, &along_x->a0, &along_x->b0,
        &along_x->a1,   &along_x->b1,    &along_x->k2,     &along_x->k3};
    *rows = (struct lattice_rows){.columns = columns, .with_gradient = with_gradient};
    lay_out(arrays, ARRAYS, bytes, memory);
    if (with_gradient)
        lay_out(gradient_arrays, GRADIENT_ARRAYS, bytes, memory);
    rows->line_left = (uint32_t *)(void *)*memory;
    rows->line_right = (uint32_t *)(void *)(*memory + bytes);
    *memory += LINE_ARRAYS * bytes;
}

void lattice_rows_finish(struct lattice_rows *rows, enum noise_interpolation interpolation,
                         const float *t, float amplitude)
{
    /* Both are free until the first lattice row. */
    float *fade = rows->pair[0].a0, *derivative = rows->pair[1].a0;
    kernel_fade(interpolation, rows->columns, t, fade, derivative);
    kernel_column_weights(rows->columns, t, fade, amplitude, &rows->weights);
    if (rows->with_gradient)
        kernel_column_slopes(rows->columns, t, derivative, amplitude, &rows->weights,
                             &rows->slopes);
}

/* Computes a lattice row as the upper (0) or lower (1) one of the pair. */
static void make_lattice_row(const struct lattice_rows *rows, const struct prepared_octave *octave,
                             int64_t cell, int lower)
{
    const struct kernel_pair *pair = rows->pair;
    const struct kernel_columns columns = {rows->line_left, rows->line_right, rows->weights,
                                           rows->slopes};
    struct kernel_line line = {
        .low = (uint32_t)cell,
        .key = lattice_key(octave->octave->key[1], cell),
        .slice = &octave->slice,
        .terms = {pair[0].a0, pair[0].b0},
        .slopes = {pair[1].a0, pair[1].b0},
    };
    if (lower) {
        line.terms = (struct kernel_terms){pair[0].a1, pair[0].b1};
        line.slopes = (struct kernel_terms){pair[1].a1, pair[1].b1};
    }
    octave->basis->cell->lattice_row[rows->with_gradient](rows->columns, &columns, &line);
}

static void swap(float **a, float **b)
{
    float *kept = *a;
    *a = *b;
    *b = kept;
}

/* Prepares the pair of lattice rows around `cell`, unless it is the last one. */
static void ensure_pair(struct lattice_rows *rows, const struct prepared_octave *octave,
                        int64_t cell)
{
    const int polynomials = rows->with_gradient ? 2 : 1;
    if (rows->valid && cell == rows->cell)
        return;
    const bool next = rows->valid && cell == rows->cell + 1;
    for (int i = 0; next && i < polynomials; i++) {
        swap(&rows->pair[i].a0, &rows->pair[i].a1);
        swap(&rows->pair[i].b0, &rows->pair[i].b1);
    }
    if (!next)
        make_lattice_row(rows, octave, cell, 0);
    make_lattice_row(rows, octave, cell + 1, 1);
    for (int i = 0; i < polynomials; i++)
        kernel_pair_coefficients(rows->columns, &rows->pair[i]);
    rows->cell = cell;
    rows->valid = true;
}

static struct lattice_point height_of(const struct prepared_octave *octave, int64_t y)
{
    return lattice_split(slice_coordinate(octave->octave, 1, octave->origin[1], 0, y));
}

/* Adds at most BAND_ROWS rows: those between the same lattice rows at once. */
static void add_band(struct lattice_rows *rows, const struct prepared_octave *octave,
                     const struct row_band *band, float *out)
{
    float t[BAND_ROWS], s[BAND_ROWS];
    int64_t cell[BAND_ROWS];
    for (uint32_t i = 0; i < band->rows; i++) {
        const struct lattice_point at = height_of(octave, band->y + i * band->step);
        t[i] = lattice_fraction(at.fraction);
        cell[i] = at.cell;
    }
    kernel_fade(octave->noise->settings.interpolation, band->rows, t, s, NULL);
    for (uint32_t i = 0, next; i < band->rows; i = next) {
        for (next = i + 1; next < band->rows && cell[next] == cell[i];)
            next++;
        const struct kernel_rows at = {t + i, s + i, band->columns};
        ensure_pair(rows, octave, cell[i]);
        kernel_add_rows(rows->columns, next - i, rows->pair, &at, out + (size_t)i * band->columns);
    }
}

void lattice_rows_add(struct lattice_rows *rows, const struct prepared_octave *octave,
                      const struct row_band *band, float *out)
{
    struct row_band some = *band;
    for (uint32_t done = 0; done < band->rows; done += some.rows) {
        some.y = band->y + done * band->step;
        some.rows = band->rows - done < BAND_ROWS ? band->rows - done : BAND_ROWS;
        add_band(rows, octave, &some, out + (size_t)done * band->columns);
    }
}

void lattice_rows_gradient(struct lattice_rows *rows, const struct prepared_octave *octave,
                           int64_t y, const struct kernel_out *out)
{
    const enum noise_interpolation interpolation = octave->noise->settings.interpolation;
    const struct lattice_point point = height_of(octave, y);
    struct kernel_height at = {.t = lattice_fraction(point.fraction)};
    kernel_fade(interpolation, 1, &at.t, &at.s, &at.slope);
    if (octave->noise->dimensions == 1) /* the row's own y is no axis of the noise */
        at.slope = 0.0f;
    ensure_pair(rows, octave, point.cell);
    kernel_row_gradient(rows->columns, rows->pair, &at, out);
}
