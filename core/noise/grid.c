/* Noise over a block of a grid, band by band from north to south.
 *
 * noise_grid_begin() prepares every octave once for the block; noise_grid_rows() then costs only
 * what differs from row to row. An octave is evaluated on one of five paths (evaluation_path_of):
 *
 * - Lattice rows: the lattice lies along the grid, so a column has the same place in its cells in
 *   every row (lattice_rows.h). Plain sums take 16 rows at once.
 * - Simplex rows: the same on the simplex lattice, whose points also stand in rows
 *   (simplex_rows.h).
 * - Displaced rows: the lattice lies along the grid but the samples are moved, in two dimensions
 *   (displaced_rows.h, with a window of lattice points).
 * - Turned rows: the lattice lies across the grid, moved or not, in two dimensions (turned_rows.h,
 *   with a window too).
 * - Positions: all else, which is turned lattices in more dimensions or with gradients, displaced
 *   gradients, and cellular noise. Each row is a list of arbitrary positions (sample_positions.h).
 *
 * The paths give the same bits, so which one is taken may depend on speed alone. All memory is the
 * caller's block: struct noise_grid, then the arrays of each octave, then its window. */
#include <string.h>

#include "core/base/lanes.h"
#include "core/noise/displaced_rows.h"
#include "core/noise/evaluation_path.h"
#include "core/noise/lattice_rows.h"
#include "core/noise/simplex_rows.h"
#include "core/noise/turned_rows.h"

struct noise_grid {
    const struct noise *noise;
    struct noise_block block;
    uint32_t padded; /* the columns that are computed: whole lanes, except on paths of rows */
    enum evaluation_path evaluation_path;
    bool plain_cells; /* a plain sum on PATH_DISPLACED_ROWS or PATH_TURNED_ROWS */
    unsigned active;  /* octaves with any detail, */
    float amplitudes[NOISE_OCTAVES_MAX]; /* and their amplitudes */
    struct prepared_octave octaves[NOISE_OCTAVES_MAX];
    union {
        struct lattice_rows rows[NOISE_OCTAVES_MAX];
        struct simplex_rows simplex[NOISE_OCTAVES_MAX];
        struct displaced_rows displaced[NOISE_OCTAVES_MAX];
        struct turned_rows turned[NOISE_OCTAVES_MAX];
    };
    struct kernel_window windows[NOISE_OCTAVES_MAX];
};

/* True if the lattice's lines lie along the grid's rows and columns: it is not turned and not
 * mirrored. */
static bool lattice_is_along_rows(const struct noise *noise)
{
    const struct noise_settings *settings = &noise->settings;
    return !settings->rotate_octaves && settings->domain.sine == 0.0 &&
           settings->domain.cosine >= 0.0;
}

enum evaluation_path evaluation_path_of(const struct noise *noise, bool displaced)
{
    const struct basis_variant *basis = basis_variant_of(noise);
    const bool along = lattice_is_along_rows(noise);
    if (displaced || !along) {
        const bool in_plane = basis->cell && basis->cell->fill_window && noise->dimensions == 2;
        if (!in_plane || fractal_needs_gradient(noise))
            return PATH_POSITIONS;
        return along ? PATH_DISPLACED_ROWS : PATH_TURNED_ROWS;
    }
    return basis->cell               ? PATH_LATTICE_ROWS
           : basis->has_simplex_rows ? PATH_SIMPLEX_ROWS
                                     : PATH_POSITIONS;
}

/* True if a window can hold the corners of the noise at arbitrary positions. */
static bool has_windows(const struct noise *noise)
{
    const struct cell_kernels *cell = basis_variant_of(noise)->cell;
    return cell && cell->fill_window;
}

static size_t header_size(void)
{
    return (sizeof(struct noise_grid) + 63) / 64 * 64;
}

/* The size of an octave's window; no columns if the path has no use for one. */
static struct kernel_window plan_window(const struct noise *noise, const struct noise_block *block,
                                        unsigned octave, enum evaluation_path evaluation_path)
{
    struct kernel_window window = {0};
    const struct noise_octave *own = &noise->octaves[octave];
    const double metres = (double)block->step * 0x1p-16 * block->columns;
    const bool turned = evaluation_path == PATH_TURNED_ROWS;
    if (turned || evaluation_path == PATH_DISPLACED_ROWS ||
        (evaluation_path == PATH_POSITIONS && has_windows(noise)))
        kernel_window_plan(metres / own->wavelength,
                           turned ? metres * (double)__builtin_fabsf(own->displacement[1][0]) : 0.0,
                           &window);
    return window;
}

static size_t window_bytes(const struct kernel_window *window)
{
    return (kernel_window_floats(window) * sizeof(float) + 63) / 64 * 64;
}

static uint32_t whole_lanes(uint32_t columns)
{
    return (columns + NOISE_LANES - 1) / NOISE_LANES * NOISE_LANES;
}

size_t noise_grid_size(const struct noise *noise, const struct noise_block *block, bool displaced)
{
    const uint32_t lanes = whole_lanes(block->columns);
    const size_t walks_bytes = LATTICE_AXES * sizeof(struct kernel_walk);
    const bool with_gradient = fractal_needs_gradient(noise);
    const size_t bytes[] = {
        [PATH_LATTICE_ROWS] = lattice_rows_bytes(block->columns, with_gradient),
        [PATH_SIMPLEX_ROWS] = simplex_rows_bytes(lanes),
        [PATH_DISPLACED_ROWS] = walks_bytes + displaced_rows_bytes(lanes + NOISE_LANES),
        [PATH_TURNED_ROWS] = walks_bytes + turned_rows_bytes(),
        [PATH_POSITIONS] = walks_bytes,
    };
    const enum evaluation_path evaluation_path = evaluation_path_of(noise, displaced);
    size_t windows = 0;
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        const struct kernel_window window = plan_window(noise, block, i, evaluation_path);
        windows += window_bytes(&window);
    }
    return header_size() + noise->settings.octaves * bytes[evaluation_path] + windows;
}

static int64_t column_cell(const struct noise_grid *grid, unsigned index, uint32_t column)
{
    const struct prepared_octave *octave = &grid->octaves[index];
    const int64_t x = grid->block.x + column * grid->block.step;
    return lattice_split(slice_coordinate(octave->octave, 0, octave->origin[0], x, 0)).cell;
}

/* Computes the columns' cells and fractions. True if all columns have the same lattice key, which
 * is *key: only one place in 2³² cells has two. */
static bool column_coordinates(const struct noise_grid *grid, unsigned index, uint32_t *low,
                               float *t, uint32_t *key)
{
    const struct noise_block *block = &grid->block;
    const struct prepared_octave *octave = &grid->octaves[index];
    const int128 first = slice_coordinate(octave->octave, 0, octave->origin[0], block->x, 0);
    const int64_t west = int128_high(first), east = column_cell(grid, index, grid->padded - 1);
    struct kernel_walk walk;
    sample_positions_prepare_walk(octave, 0, block->step, &walk);
    kernel_walk_row(grid->padded, &walk, (uint32_t)west, int128_low(first), low, t);
    *key = lattice_key(grid->octaves[index].octave->key[0], west);
    return sample_positions_share_key(west, east);
}

/* Replaces the columns' cells in line_left by the hashes of the lattice lines to both sides. */
static void hash_lines(const struct noise_grid *grid, unsigned index, bool uniform,
                       uint32_t own_key)
{
    const struct lattice_rows *rows = &grid->rows[index];
    const uint64_t key_x = grid->octaves[index].octave->key[0];
    const bool unkeyed = basis_of(grid->noise)->unkeyed;
    uint32_t key[2] = {own_key, own_key};
    for (uint32_t i = 0; i < grid->block.columns; i++) {
        const uint32_t low = rows->line_left[i];
        if (!uniform) {
            const int64_t cell = column_cell(grid, index, i);
            key[0] = lattice_key(key_x, cell);
            key[1] = lattice_key(key_x, cell + 1);
        }
        rows->line_left[i] = unkeyed ? low : lattice_line_x(low, key[0]);
        rows->line_right[i] = unkeyed ? low + 1 : lattice_line_x(low + 1, key[1]);
    }
}

static void prepare_rows(struct noise_grid *grid, unsigned index, char **memory)
{
    struct lattice_rows *rows = &grid->rows[index];
    float t[NOISE_ROW_MAX];
    uint32_t key;
    lattice_rows_begin(rows, grid->block.columns, fractal_needs_gradient(grid->noise), memory);
    const bool uniform = column_coordinates(grid, index, rows->line_left, t, &key);
    hash_lines(grid, index, uniform, key);
    lattice_rows_finish(rows, grid->noise->settings.interpolation, t, grid->amplitudes[index]);
}

static void prepare_simplex(struct noise_grid *grid, unsigned index, char **memory)
{
    struct simplex_rows *rows = &grid->simplex[index];
    const uint64_t key_x = grid->octaves[index].octave->key[0];
    const uint32_t columns = grid->block.columns;
    uint32_t low[NOISE_ROW_MAX], key[3];
    float t[NOISE_ROW_MAX];
    const bool uniform = column_coordinates(grid, index, low, t, &key[1]);
    key[0] = key[2] = key[1];
    simplex_rows_begin(rows, whole_lanes(columns), memory);
    for (uint32_t i = 0; i < columns; i++) {
        const int64_t cell = uniform ? 0 : column_cell(grid, index, i);
        for (int k = 0; !uniform && k < 3; k++)
            key[k] = lattice_key(key_x, cell + k - 1);
        simplex_rows_column(rows, i, low[i], t[i], key);
    }
    simplex_rows_finish(rows, columns, grid->noise->dimensions, grid->amplitudes[index]);
}

static void prepare_displaced(struct noise_grid *grid, unsigned index, char **memory)
{
    struct displaced_rows *rows = &grid->displaced[index];
    displaced_rows_begin(rows, grid->padded, memory);
    rows->uniform = column_coordinates(grid, index, rows->base, rows->fraction, &rows->key_x);
    displaced_rows_finish(rows, grid->padded);
}

/* Also for the octaves of displaced rows, whose rows at a change of keys are positions. */
static void prepare_walks(struct noise_grid *grid, unsigned index, char **memory)
{
    struct prepared_octave *octave = &grid->octaves[index];
    struct kernel_walk *walks = (struct kernel_walk *)(void *)*memory;
    for (unsigned axis = 0; axis < octave->axes; axis++)
        sample_positions_prepare_walk(octave, axis, grid->block.step, &walks[axis]);
    octave->walk = walks;
    *memory += LATTICE_AXES * sizeof *walks;
}

static void prepare_window(struct noise_grid *grid, unsigned index, char **memory)
{
    const struct cell_kernels *cell = basis_variant_of(grid->noise)->cell;
    struct kernel_window *window = &grid->windows[index];
    *window = plan_window(grid->noise, &grid->block, index, grid->evaluation_path);
    kernel_window_begin(window, cell ? cell->fill_window : NULL, (float *)(void *)*memory);
    *memory += window_bytes(window);
    grid->octaves[index].window = window;
}

static bool evaluates_rows(const struct noise_grid *grid)
{
    return grid->evaluation_path == PATH_LATTICE_ROWS || grid->evaluation_path == PATH_SIMPLEX_ROWS;
}

struct noise_grid *noise_grid_begin(const struct noise *noise, const struct noise_block *block,
                                    bool displaced, void *memory)
{
    struct noise_grid *grid = memory;
    grid->noise = noise;
    grid->block = *block;
    grid->evaluation_path = evaluation_path_of(noise, displaced);
    grid->padded = evaluates_rows(grid) ? block->columns : whole_lanes(block->columns);
    char *arrays = (char *)memory + header_size();
    grid->active = 0;
    grid->plain_cells =
        fractal_is_plain_sum(noise) &&
        (grid->evaluation_path == PATH_DISPLACED_ROWS || grid->evaluation_path == PATH_TURNED_ROWS);
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        if (!fractal_octave_is_active(noise, i, block->uniforms.spacing))
            break;
        grid->amplitudes[grid->active++] = fractal_amplitude(noise, i, block->uniforms.spacing);
        sample_positions_prepare(noise, i, &block->uniforms, &grid->octaves[i]);
        if (grid->evaluation_path == PATH_LATTICE_ROWS)
            prepare_rows(grid, i, &arrays);
        else if (grid->evaluation_path == PATH_SIMPLEX_ROWS)
            prepare_simplex(grid, i, &arrays);
        else
            prepare_walks(grid, i, &arrays);
        if (grid->evaluation_path == PATH_DISPLACED_ROWS)
            prepare_displaced(grid, i, &arrays);
        if (grid->evaluation_path == PATH_TURNED_ROWS)
            turned_rows_begin(&grid->turned[i], &grid->octaves[i], block, grid->padded, &arrays);
        prepare_window(grid, i, &arrays);
    }
    return grid;
}

/* Adds the octave to a band of rows: on PATH_LATTICE_ROWS and PATH_SIMPLEX_ROWS. */
static void add_octave(struct noise_grid *grid, unsigned index, int64_t y, uint32_t rows,
                       float *out)
{
    const struct prepared_octave *octave = &grid->octaves[index];
    const struct row_band band = {y, grid->block.step, grid->block.columns, rows};
    if (grid->evaluation_path == PATH_SIMPLEX_ROWS)
        simplex_rows_add(&grid->simplex[index], octave, &band, out);
    else
        lattice_rows_add(&grid->rows[index], octave, &band, out);
}

/* The row that fractal_row() sums: the context of the functions below. */
struct row {
    struct noise_grid *grid;
    int64_t y;
    const float *dx, *dy; /* or null */
    struct kernel_bounds bounds;
    float reach; /* of the displacement, see struct sample_positions */
    struct noise_scratch *scratch;
    union row_jobs *jobs; /* of each octave on PATH_DISPLACED_ROWS and PATH_TURNED_ROWS, */
    bool has_cells[NOISE_OCTAVES_MAX]; /* if its cells were found */
};
union row_jobs {
    struct kernel_job displaced;
    struct kernel_turned_job turned;
};

static void add_row(const void *context, unsigned octave, const struct kernel_out *out)
{
    const struct row *row = context;
    struct noise_grid *grid = row->grid;
    const struct prepared_octave *prepared = &grid->octaves[octave];
    if (!fractal_needs_gradient(grid->noise))
        add_octave(grid, octave, row->y, 1, out->n);
    else if (grid->evaluation_path == PATH_SIMPLEX_ROWS)
        simplex_rows_gradient(&grid->simplex[octave], prepared, grid->block.columns, row->y, out);
    else
        lattice_rows_gradient(&grid->rows[octave], prepared, row->y, out);
}

static struct sample_positions positions_of(const struct row *row)
{
    const struct noise_block *block = &row->grid->block;
    return (struct sample_positions){
        .count = row->grid->padded,
        .x = block->x,
        .y = row->y,
        .step = block->step,
        .dx = row->dx,
        .dy = row->dy,
        .reach = row->reach,
    };
}

static void add_positions(const void *context, unsigned octave, const struct kernel_out *out)
{
    const struct row *row = context;
    const struct sample_positions positions = positions_of(row);
    sample_positions_add(&row->grid->octaves[octave], &positions, row->scratch, out);
}

/* Finds the cells of all octaves on the two paths that need them. */
static void find_cells(struct row *row)
{
    struct noise_grid *grid = row->grid;
    const struct sample_positions positions = positions_of(row);
    for (unsigned i = 0; i < grid->active; i++)
        if (grid->evaluation_path == PATH_DISPLACED_ROWS)
            row->has_cells[i] =
                displaced_rows_find(&grid->displaced[i], &grid->octaves[i], &positions,
                                    &row->bounds, &row->jobs[i].displaced);
        else if (grid->evaluation_path == PATH_TURNED_ROWS)
            row->has_cells[i] = turned_rows_find(&grid->turned[i], &grid->octaves[i], &positions,
                                                 &row->bounds, &row->jobs[i].turned);
}

static void add_displaced(const void *context, unsigned octave, const struct kernel_out *out)
{
    const struct row *row = context;
    const struct prepared_octave *prepared = &row->grid->octaves[octave];
    struct kernel_job *job = &row->jobs[octave].displaced;
    if (!row->has_cells[octave]) {
        add_positions(context, octave, out);
        return;
    }
    job->amplitude = out->amplitude;
    job->out = out->n;
    prepared->basis->cell->add_displaced(prepared->noise->settings.interpolation, job);
}

static void add_turned(const void *context, unsigned octave, const struct kernel_out *out)
{
    const struct row *row = context;
    struct kernel_turned_job *job = &row->jobs[octave].turned;
    if (!row->has_cells[octave]) {
        add_positions(context, octave, out);
        return;
    }
    job->amplitude = out->amplitude;
    job->out = out->n;
    row->grid->octaves[octave].basis->cell->add_turned(job);
}

/* Plain sums along the lattice, octave by octave over many rows: an octave's coefficients stay in
 * the cache while the rows of a cell are added. */
static void add_octave_bands(struct noise_grid *grid, int64_t y, uint32_t rows, float *out)
{
    memset(out, 0, (size_t)rows * grid->block.columns * sizeof *out);
    for (unsigned i = 0; i < grid->active; i++)
        add_octave(grid, i, y, rows, out);
}

typedef void add_to_row(const void *context, unsigned octave, const struct kernel_out *out);

/* Plain sums on the paths of cells in the plane, whose bases have the mean 0. */
static void add_octaves(const struct row *row, add_to_row *add, float *sum)
{
    const struct noise_grid *grid = row->grid;
    memset(sum, 0, grid->padded * sizeof *sum);
    for (unsigned i = 0; i < grid->active; i++)
        add(row, i, &(struct kernel_out){.amplitude = grid->amplitudes[i], .n = sum});
}

/* Sums the octaves of a row. Rows of positions are computed in whole lanes, so that they may need a
 * row of their own. */
static void sum_row(const struct row *row, add_to_row *add, float *out)
{
    const struct noise_grid *grid = row->grid;
    const struct fractal_source source = {grid->noise, grid->block.uniforms.spacing, add, row};
    const bool whole = grid->padded == grid->block.columns;
    float *sum = whole ? out : row->scratch->padded[0];
    if (grid->plain_cells)
        add_octaves(row, add, sum);
    else
        fractal_row(&source, grid->padded, row->scratch, sum);
    if (!whole)
        memcpy(out, sum, grid->block.columns * sizeof *out);
}

void noise_grid_rows(struct noise_grid *grid, int64_t y, uint32_t rows,
                     struct noise_scratch *scratch, float *out)
{
    const bool along_lattice = evaluates_rows(grid);
    if (along_lattice && fractal_is_plain_sum(grid->noise)) {
        add_octave_bands(grid, y, rows, out);
        return;
    }
    add_to_row *const add = along_lattice                               ? add_row
                            : grid->evaluation_path == PATH_TURNED_ROWS ? add_turned
                                                                        : add_positions;
    union row_jobs jobs[NOISE_OCTAVES_MAX];
    struct row row = {.grid = grid, .scratch = scratch, .jobs = jobs};
    for (uint32_t i = 0; i < rows; i++, out += grid->block.columns) {
        row.y = y + i * grid->block.step;
        find_cells(&row);
        sum_row(&row, add, out);
    }
}

/* A row of displacements in whole lanes: the last one is repeated. */
static const float *pad(const struct noise_grid *grid, const float *row, float *padded)
{
    const uint32_t columns = grid->block.columns;
    if (grid->padded == columns)
        return row;
    memcpy(padded, row, columns * sizeof *padded);
    for (uint32_t i = columns; i < grid->padded; i++)
        padded[i] = row[columns - 1];
    return padded;
}

static float reach_of(const struct kernel_bounds *bounds)
{
    return max_float(-bounds->row_dx_low, bounds->row_dx_high) +
           max_float(-bounds->row_dy_low, bounds->row_dy_high);
}

void noise_grid_displaced(struct noise_grid *grid, const struct noise_displaced_rows *band,
                          struct noise_scratch *scratch, float *out)
{
    const uint32_t columns = grid->block.columns;
    const float *dx = band->dx, *dy = band->dy;
    add_to_row *const add = grid->evaluation_path == PATH_DISPLACED_ROWS ? add_displaced
                            : grid->evaluation_path == PATH_TURNED_ROWS  ? add_turned
                                                                         : add_positions;
    union row_jobs jobs[NOISE_OCTAVES_MAX];
    struct row row = {.grid = grid, .scratch = scratch, .jobs = jobs};
    for (uint32_t i = 0; i < band->rows; i++, out += columns, dx += columns, dy += columns) {
        row.y = band->y + i * grid->block.step;
        row.dx = pad(grid, dx, scratch->padded[1]);
        row.dy = pad(grid, dy, scratch->padded[2]);
        kernel_displacement_bounds(grid->padded, row.dx, row.dy, &row.bounds);
        row.reach = reach_of(&row.bounds);
        find_cells(&row);
        sum_row(&row, add, out);
    }
}
