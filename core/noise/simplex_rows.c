/* Simplex noise over the rows of a grid. A row of samples lies between two lattice rows of a plane,
 * and in three dimensions between two such planes. Each lattice row keeps the gradients of the
 * points to the left and right of every column, so a sample costs a few multiplications for each of
 * its four (or eight) points, and no hash. Only points of the sample's simplex have a contribution
 * other than 0: adding the fourth is cheaper than finding out which one it is. */
#include "core/noise/simplex_rows.h"

#include <string.h>

#include "core/noise/simplex.h"

enum { ARRAYS = 2 * 4 + 4 * 8 }; /* of 4 bytes a column: of the columns, of the rows */

size_t simplex_rows_bytes(uint32_t columns)
{
    return ARRAYS * (columns + NOISE_LANES) * sizeof(float);
}

void simplex_rows_begin(struct simplex_rows *rows, uint32_t columns, char **memory)
{
    const size_t bytes = (columns + NOISE_LANES) * sizeof(float);
    for (int i = 0; i < 2; i++)
        for (int side = 0; side < 2; side++, *memory += 2 * bytes) {
            rows->columns[i].line[side] = (uint32_t *)(void *)*memory;
            rows->columns[i].x[side] = (float *)(void *)(*memory + bytes);
        }
    for (int i = 0; i < 4; i++) {
        struct simplex_row *row = &rows->rows[i >> 1][i & 1];
        row->valid = false;
        for (int side = 0; side < 2; side++, *memory += 4 * bytes) {
            row->along[side] = (float *)(void *)*memory;
            row->x[side] = (float *)(void *)(*memory + bytes);
            row->y[side] = (float *)(void *)(*memory + 2 * bytes);
            row->z[side] = (float *)(void *)(*memory + 3 * bytes);
        }
    }
}

void simplex_rows_column(struct simplex_rows *rows, uint32_t column, uint32_t low, float t,
                         const uint32_t key[3])
{
    const bool first_half = t < 0.5f;
    const float moved = first_half ? t + 0.5f : t - 0.5f;
    const uint32_t before = lattice_line_x(low - 1, key[0]);
    const uint32_t own = lattice_line_x(low, key[1]);
    const uint32_t next = lattice_line_x(low + 1, key[2]);
    struct simplex_columns *columns = rows->columns;
    columns[0].line[0][column] = own;
    columns[0].line[1][column] = next;
    columns[0].x[0][column] = t;
    columns[0].x[1][column] = t - 1.0f;
    columns[1].line[0][column] = first_half ? before : own;
    columns[1].line[1][column] = first_half ? own : next;
    columns[1].x[0][column] = moved;
    columns[1].x[1][column] = moved - 1.0f;
}

TERRANE_CLONES
static void scale(uint32_t count, float by, float *restrict values)
{
    for (uint32_t i = 0; i < count; i++)
        values[i] *= by;
}

void simplex_rows_finish(struct simplex_rows *rows, uint32_t columns, unsigned dimensions,
                         float amplitude)
{
    rows->amplitude = amplitude;
    for (int i = 0; i < 4 && dimensions == 2; i++)
        scale(columns, SIMPLEX_SIDE2, rows->columns[i >> 1].x[i & 1]);
}

/* The points on one side of the columns in one lattice row. */
struct lattice_points {
    const uint32_t *line_x;
    const float *x;
    uint32_t line_y;
    float *along, *gradient_x, *y, *z;
};

TERRANE_INLINE void make_lattice_points(bool is_3d, uint32_t count,
                                        const struct lattice_points *lattice_points)
{
    const uint32_t *restrict line_x = lattice_points->line_x, line_y = lattice_points->line_y;
    const float *restrict x = lattice_points->x;
    float *restrict along = lattice_points->along, *restrict y = lattice_points->y,
                    *restrict z = lattice_points->z;
    float *restrict gradient_x = lattice_points->gradient_x;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        const struct simplex_gradient g =
            simplex_gradient_of(is_3d, lattice_hash(line_x[i], line_y));
        along[i] = g.x * x[i];
        gradient_x[i] = g.x;
        y[i] = g.y;
        if (is_3d)
            z[i] = g.z;
    }
}

TERRANE_CLONES
static void make_lattice_points2(uint32_t count, const struct lattice_points *lattice_points)
{
    make_lattice_points(false, count, lattice_points);
}

TERRANE_CLONES
static void make_lattice_points3(uint32_t count, const struct lattice_points *lattice_points)
{
    make_lattice_points(true, count, lattice_points);
}

/* A row of samples between two rows of a plane: its distances in wavelengths from the upper and the
 * lower row and from the plane, and the squared radius that they leave for x². */
struct height {
    float y[2], remaining[2], z;
};

/* Rows of samples between the same two rows. */
enum { BAND_ROWS = 16 };
struct between {
    const struct simplex_row *row[2];
    const struct simplex_columns *at[2];
    const struct height *heights;
    float amplitude;
};

TERRANE_INLINE float contribution(bool is_3d, const struct simplex_row *row, int side, uint32_t i,
                                  float x, const struct height *height, int which)
{
    float dot = row->along[side][i];
    if (is_3d)
        dot += row->z[side][i] * height->z;
    dot += row->y[side][i] * height->y[which];
    return simplex_contribution(height->remaining[which], x, dot);
}

/* Adds one or two rows of samples at a time; the points are loaded once for both. */
TERRANE_INLINE void add_rows(bool is_3d, uint32_t count, int rows, const struct between *between,
                             float *restrict out)
{
    const struct simplex_row upper = *between->row[0], lower = *between->row[1];
    const float *restrict upper_left = between->at[0]->x[0];
    const float *restrict upper_right = between->at[0]->x[1];
    const float *restrict lower_left = between->at[1]->x[0];
    const float *restrict lower_right = between->at[1]->x[1];
    const float amplitude = between->amplitude;
    struct height heights[2] = {between->heights[0], between->heights[rows - 1]};
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
#pragma GCC unroll 2
        for (int r = 0; r < rows; r++) {
            const struct height *at = &heights[r];
            const float above = contribution(is_3d, &upper, 0, i, upper_left[i], at, 0) +
                                contribution(is_3d, &upper, 1, i, upper_right[i], at, 0);
            const float below = contribution(is_3d, &lower, 0, i, lower_left[i], at, 1) +
                                contribution(is_3d, &lower, 1, i, lower_right[i], at, 1);
            out[i + (size_t)r * count] += (above + below) * amplitude;
        }
    }
}

#define ADD_BETWEEN(name, is_3d)                                                                   \
    TERRANE_CLONES                                                                                 \
    static void name(uint32_t count, uint32_t rows, const struct between *all,                     \
                     float *restrict out)                                                          \
    {                                                                                              \
        struct between between = *all;                                                             \
        for (; rows >= 2; rows -= 2, between.heights += 2, out += 2 * (size_t)count)               \
            add_rows(is_3d, count, 2, &between, out);                                              \
        if (rows)                                                                                  \
            add_rows(is_3d, count, 1, &between, out);                                              \
    }
ADD_BETWEEN(add_between2, false)
ADD_BETWEEN(add_between3, true)

/* The point of a row on one side of a column, seen from the row of samples. */
TERRANE_INLINE struct simplex_point point_at(const struct simplex_row *row, int side, uint32_t i,
                                             float x, const struct height *height, int which)
{
    return (struct simplex_point){.g = {row->x[side][i], row->y[side][i], row->z[side][i]},
                                  .x = x,
                                  .y = height->y[which],
                                  .z = height->z,
                                  .remaining = height->remaining[which]};
}

TERRANE_INLINE void add_gradient(bool is_3d, uint32_t count, const struct between *between,
                                 const struct kernel_out *out)
{
    const struct simplex_row rows[] = {*between->row[0], *between->row[1]};
    const float *restrict x[] = {between->at[0]->x[0], between->at[0]->x[1], between->at[1]->x[0],
                                 between->at[1]->x[1]};
    const struct height at = *between->heights;
    const float amplitude = between->amplitude;
    float *restrict out_n = out->n, *restrict out_x = out->x, *restrict out_y = out->y;
    TERRANE_INDEPENDENT
    for (uint32_t i = 0; i < count; i++) {
        struct gradient_sample points[4];
#pragma GCC unroll 4
        for (int k = 0; k < 4; k++) {
            const struct simplex_point point =
                point_at(&rows[k >> 1], k & 1, i, x[k][i], &at, k >> 1);
            points[k] = simplex_contribution_of(true, is_3d, &point);
        }
        out_n[i] += ((points[0].n + points[1].n) + (points[2].n + points[3].n)) * amplitude;
        out_x[i] += ((points[0].x + points[1].x) + (points[2].x + points[3].x)) * amplitude;
        out_y[i] += ((points[0].y + points[1].y) + (points[2].y + points[3].y)) * amplitude;
    }
}

TERRANE_CLONES
static void add_gradient2(uint32_t count, const struct between *between,
                          const struct kernel_out *out)
{
    add_gradient(false, count, between, out);
}

TERRANE_CLONES
static void add_gradient3(uint32_t count, const struct between *between,
                          const struct kernel_out *out)
{
    add_gradient(true, count, between, out);
}

/* The columns of even rows or of shifted ones, whichever the row is. */
static const struct simplex_columns *columns_of(const struct simplex_rows *rows,
                                                const int64_t cell[2])
{
    return &rows->columns[(cell[0] ^ cell[1]) & 1];
}

/* The lattice row of that number and plane, computed if it is not the one that is kept. */
static const struct simplex_row *find_row(struct simplex_rows *rows,
                                          const struct prepared_octave *octave, uint32_t count,
                                          const int64_t cell[2])
{
    struct simplex_row *row = &rows->rows[cell[1] & 1][cell[0] & 1];
    if (row->valid && row->cell[0] == cell[0] && row->cell[1] == cell[1])
        return row;
    const bool is_3d = octave->noise->dimensions == 3;
    const uint64_t *keys = octave->octave->key;
    uint32_t key = lattice_key(keys[1], cell[0]);
    if (is_3d)
        key ^= simplex_plane_key((uint32_t)cell[1], lattice_key(keys[2], cell[1]));
    const struct simplex_columns *columns = columns_of(rows, cell);
    for (int side = 0; side < 2; side++) {
        const struct lattice_points lattice_points = {
            columns->line[side], columns->x[side], lattice_line_y((uint32_t)cell[0], key),
            row->along[side],    row->x[side],     row->y[side],
            row->z[side]};
        (is_3d ? make_lattice_points3 : make_lattice_points2)(count, &lattice_points);
    }
    row->cell[0] = cell[0];
    row->cell[1] = cell[1];
    row->valid = true;
    return row;
}

/* The position of a row of samples on the lattice's second and third axes. */
struct level {
    int64_t cell[2];
    float t[2];
};

static struct level level_of(const struct prepared_octave *octave, int64_t y)
{
    struct level level = {0};
    for (unsigned axis = 1; axis < octave->noise->dimensions; axis++) {
        const struct lattice_point at =
            lattice_split(slice_coordinate(octave->octave, axis, octave->origin[axis], 0, y));
        level.cell[axis - 1] = at.cell;
        level.t[axis - 1] = lattice_fraction(at.fraction);
    }
    return level;
}

static struct height height_of(bool is_3d, const struct level *level, int plane)
{
    struct height height = {.z = (level->t[1] - (float)plane) * SIMPLEX_ROW};
    const float radius_squared =
        is_3d ? SIMPLEX_RADIUS_SQUARED - height.z * height.z : SIMPLEX_RADIUS_SQUARED;
    for (int k = 0; k < 2; k++) {
        height.y[k] = (level->t[0] - (float)k) * SIMPLEX_ROW;
        height.remaining[k] = radius_squared - height.y[k] * height.y[k];
    }
    return height;
}

/* Finds the two lattice rows of a plane around a row of samples. */
static struct between between_of(struct simplex_rows *rows, const struct prepared_octave *octave,
                                 uint32_t columns, const struct level *level, int plane)
{
    struct between between = {.amplitude = rows->amplitude};
    for (int k = 0; k < 2; k++) {
        const int64_t cell[] = {level->cell[0] + k, level->cell[1] + plane};
        between.row[k] = find_row(rows, octave, columns, cell);
        between.at[k] = columns_of(rows, cell);
    }
    return between;
}

/* Adds band->rows rows of samples, at most BAND_ROWS, that lie in the same cell. */
static void add_band(struct simplex_rows *rows, const struct prepared_octave *octave,
                     const struct row_band *band, const struct level *levels, float *out)
{
    const bool is_3d = octave->noise->dimensions == 3;
    struct height heights[BAND_ROWS];
    for (int plane = 0; plane < (is_3d ? 2 : 1); plane++) {
        struct between between = between_of(rows, octave, band->columns, levels, plane);
        between.heights = heights;
        for (uint32_t i = 0; i < band->rows; i++)
            heights[i] = height_of(is_3d, &levels[i], plane);
        (is_3d ? add_between3 : add_between2)(band->columns, band->rows, &between, out);
    }
}

void simplex_rows_add(struct simplex_rows *rows, const struct prepared_octave *octave,
                      const struct row_band *band, float *out)
{
    struct level levels[BAND_ROWS];
    for (uint32_t done = 0, some; done < band->rows; done += some) {
        const uint32_t rows_left = band->rows - done;
        for (some = 0; some < rows_left && some < BAND_ROWS; some++) {
            levels[some] = level_of(octave, band->y + (int64_t)(done + some) * band->step);
            if (memcmp(levels[some].cell, levels[0].cell, sizeof levels[0].cell) != 0)
                break;
        }
        const struct row_band shared = {.columns = band->columns, .rows = some};
        add_band(rows, octave, &shared, levels, out + (size_t)done * band->columns);
    }
}

void simplex_rows_gradient(struct simplex_rows *rows, const struct prepared_octave *octave,
                           uint32_t columns, int64_t y, const struct kernel_out *out)
{
    const bool is_3d = octave->noise->dimensions == 3;
    const struct level level = level_of(octave, y);
    memset(out->n, 0, columns * sizeof *out->n);
    memset(out->x, 0, columns * sizeof *out->x);
    memset(out->y, 0, columns * sizeof *out->y);
    for (int plane = 0; plane < (is_3d ? 2 : 1); plane++) {
        const struct height height = height_of(is_3d, &level, plane);
        struct between between = between_of(rows, octave, columns, &level, plane);
        between.heights = &height;
        (is_3d ? add_gradient3 : add_gradient2)(columns, &between, out);
    }
}
