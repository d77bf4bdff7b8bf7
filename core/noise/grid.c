/* Noise over a block of a grid. Columns are prepared once for the block; a lattice row is hashed
 * once and serves all sample rows between it and the next. */
#include "core/noise/fractal.h"
#include "core/noise/sites.h"

#include <string.h>

/* An octave whose columns are fixed: everything a column contributes, and the two lattice rows the
 * last sample row lay between. */
struct octave_rows {
    uint32_t *line_left, *line_right;
    struct kernel_weights weights;
    struct kernel_pair pair;
    int64_t cell; /* of the pair's upper row */
    bool known;
};

/* An octave whose samples are moved about: the columns' places before that. */
struct octave_sites {
    int64_t *cell;
    uint32_t *base;
    float *fraction;
    struct kernel_chunks chunks;
    struct kernel_cell last;
    float amplitude;
    uint32_t key_x, key_y; /* key_y: of the cells whose high half is high_y */
    int64_t high_y;
    bool keyed;
    bool uniform; /* see sites.h */
};

struct noise_grid {
    const struct noise *noise;
    struct noise_block block;
    struct octave_rows rows[NOISE_OCTAVES_MAX];
    struct octave_sites sites[NOISE_OCTAVES_MAX];
};

enum { ROWS_ARRAYS = 12, SITES_ARRAYS = 4 }; /* of 4 bytes a column */

static size_t header_size(void)
{
    return (sizeof(struct noise_grid) + 63) / 64 * 64;
}

size_t noise_grid_size(const struct noise *noise, const struct noise_block *block, bool displaced)
{
    size_t arrays = displaced ? SITES_ARRAYS : ROWS_ARRAYS;
    return header_size() +
           noise->settings.octaves * arrays * (block->columns + NOISE_LANES) * sizeof(float);
}

static void prepare_rows(struct noise_grid *grid, unsigned index, char **memory)
{
    const struct noise_octave *octave = &grid->noise->octaves[index];
    struct octave_rows *rows = &grid->rows[index];
    size_t bytes = (grid->block.columns + NOISE_LANES) * sizeof(float);
    float **arrays[] = {&rows->weights.left,    &rows->weights.right, &rows->weights.left_t,
                        &rows->weights.right_t, &rows->pair.a0,       &rows->pair.b0,
                        &rows->pair.a1,         &rows->pair.b1,       &rows->pair.k2,
                        &rows->pair.k3};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++, *memory += bytes)
        *arrays[i] = (float *)(void *)*memory;
    rows->line_left = (uint32_t *)(void *)*memory;
    rows->line_right = (uint32_t *)(void *)(*memory + bytes);
    *memory += 2 * bytes;

    lattice_wide at = lattice_product(grid->block.x, octave->frequency, octave->offset_x);
    lattice_wide step = (lattice_wide)grid->block.step * (lattice_wide)octave->frequency;
    float *t = rows->pair.a0, *fade = rows->pair.b0; /* free until the first lattice row */
    struct lattice_point last = {0};
    uint32_t key[2] = {0};
    for (uint32_t i = 0; i < grid->block.columns; i++, at += step) {
        struct lattice_point point = lattice_split(at);
        if (i == 0 || point.cell != last.cell) {
            key[0] = lattice_key(octave->key_x, point.cell);
            key[1] = lattice_key(octave->key_x, point.cell + 1);
        }
        last = point;
        rows->line_left[i] = lattice_line_x((uint32_t)point.cell, key[0]);
        rows->line_right[i] = lattice_line_x((uint32_t)point.cell + 1, key[1]);
        t[i] = lattice_fraction(point.fraction);
    }
    kernel_fade(grid->noise->settings.interpolation, grid->block.columns, t, fade);
    kernel_weigh(grid->block.columns, t, fade,
                 fractal_amplitude(grid->noise, index, grid->block.spacing), &rows->weights);
    rows->known = false;
}

static void prepare_sites(struct noise_grid *grid, unsigned index, char **memory)
{
    const struct noise_octave *octave = &grid->noise->octaves[index];
    struct octave_sites *sites = &grid->sites[index];
    uint32_t columns = grid->block.columns;
    sites->cell = (int64_t *)(void *)*memory;
    sites->base = (uint32_t *)(sites->cell + columns);
    sites->fraction = (float *)(sites->base + columns);
    *memory += SITES_ARRAYS * columns * sizeof(float);
    lattice_wide at = lattice_product(grid->block.x, octave->frequency, octave->offset_x);
    lattice_wide step = (lattice_wide)grid->block.step * (lattice_wide)octave->frequency;
    for (uint32_t i = 0; i < columns; i++, at += step) {
        struct lattice_point point = lattice_split(at);
        sites->cell[i] = point.cell;
        sites->base[i] = (uint32_t)point.cell;
        sites->fraction[i] = lattice_fraction(point.fraction);
    }
    kernel_survey(columns, sites->base, sites->fraction, &sites->chunks);
    sites->last.known = sites->keyed = false;
    sites->amplitude = fractal_amplitude(grid->noise, index, grid->block.spacing);
    sites->key_x = lattice_key(octave->key_x, sites->cell[0]);
    sites->uniform = sites_share_key(sites->cell[0], sites->cell[columns - 1]);
}

struct noise_grid *noise_grid_begin(const struct noise *noise, const struct noise_block *block,
                                    bool displaced, void *memory)
{
    struct noise_grid *grid = memory;
    grid->noise = noise;
    grid->block = *block;
    char *arrays = (char *)memory + header_size();
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        if (!fractal_octave_counts(noise, i, block->spacing))
            continue;
        if (displaced)
            prepare_sites(grid, i, &arrays);
        else
            prepare_rows(grid, i, &arrays);
    }
    return grid;
}

static void make_lattice_row(struct noise_grid *grid, unsigned index, int64_t cell, float *a,
                             float *b)
{
    const struct noise_octave *octave = &grid->noise->octaves[index];
    struct octave_rows *rows = &grid->rows[index];
    const struct kernel_columns columns = {rows->line_left, rows->line_right, rows->weights};
    uint32_t line = lattice_line_y((uint32_t)cell, lattice_key(octave->key_y, cell));
    kernel_lattice_row(grid->noise->settings.basis, grid->block.columns, &columns, line, a, b);
}

static void swap(float **a, float **b)
{
    float *kept = *a;
    *a = *b;
    *b = kept;
}

/* Makes the pair of lattice rows around `cell` current; going south, the lower becomes the upper.
 */
static void enter_cell(struct noise_grid *grid, unsigned index, int64_t cell)
{
    struct octave_rows *rows = &grid->rows[index];
    struct kernel_pair *pair = &rows->pair;
    if (rows->known && cell == rows->cell)
        return;
    if (rows->known && cell == rows->cell + 1) {
        swap(&pair->a0, &pair->a1);
        swap(&pair->b0, &pair->b1);
    } else {
        make_lattice_row(grid, index, cell, pair->a0, pair->b0);
    }
    make_lattice_row(grid, index, cell + 1, pair->a1, pair->b1);
    kernel_join_rows(grid->block.columns, pair);
    rows->cell = cell;
    rows->known = true;
}

enum { OCTAVE_ROWS = 16 }; /* that add_octave() takes at once */

/* Adds the octave to `rows` rows from y on. */
static void add_octave(struct noise_grid *grid, unsigned index, int64_t y, uint32_t rows,
                       float *out)
{
    const struct noise_octave *octave = &grid->noise->octaves[index];
    uint32_t columns = grid->block.columns;
    float t[OCTAVE_ROWS] = {0}, s[OCTAVE_ROWS];
    int64_t cell[OCTAVE_ROWS];
    for (uint32_t i = 0; i < rows; i++) {
        struct lattice_point point = lattice_split(
            lattice_product(y + i * grid->block.step, octave->frequency, octave->offset_y));
        t[i] = lattice_fraction(point.fraction);
        cell[i] = point.cell;
    }
    kernel_fade(grid->noise->settings.interpolation, rows, t, s);
    for (uint32_t i = 0, next; i < rows; i = next) {
        const struct kernel_rows at = {t + i, s + i, columns};
        for (next = i + 1; next < rows && cell[next] == cell[i];)
            next++;
        enter_cell(grid, index, cell[i]);
        kernel_add_rows(columns, next - i, &grid->rows[index].pair, &at, out + (size_t)i * columns);
    }
}

static void clear(float *out, size_t count)
{
    memset(out, 0, count * sizeof *out);
}

/* A row of a fractal that folds, octave by octave, each from `add`. */
struct row_source {
    void (*add)(struct noise_grid *grid, unsigned octave, const void *row, float *out);
    const void *row;
};

static void folded_row(struct noise_grid *grid, const struct row_source *source,
                       struct noise_scratch *scratch, float *out)
{
    const struct noise *noise = grid->noise;
    uint32_t columns = grid->block.columns;
    double spacing = grid->block.spacing;
    for (uint32_t i = 0; i < columns; i++)
        scratch->weight[i] = 1.0f;
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        if (!fractal_octave_counts(noise, i, spacing)) {
            fractal_fold_rest(noise, i, columns, scratch->weight, out);
            break;
        }
        clear(scratch->one, columns);
        source->add(grid, i, source->row, scratch->one);
        fractal_fold(noise, i, spacing, columns, scratch, out);
    }
}

static void add_plain(struct noise_grid *grid, unsigned octave, const void *row, float *out)
{
    add_octave(grid, octave, *(const int64_t *)row, 1, out);
}

void noise_grid_rows(struct noise_grid *grid, int64_t y, uint32_t rows,
                     struct noise_scratch *scratch, float *out)
{
    const struct noise *noise = grid->noise;
    uint32_t columns = grid->block.columns;
    clear(out, (size_t)rows * columns);
    if (fractal_folds(noise)) {
        for (uint32_t row = 0; row < rows; row++) {
            int64_t place = y + row * grid->block.step;
            const struct row_source source = {add_plain, &place};
            folded_row(grid, &source, scratch, out + (size_t)row * columns);
        }
        return;
    }
    for (unsigned i = 0; i < noise->settings.octaves; i++) {
        if (!fractal_octave_counts(noise, i, grid->block.spacing))
            continue;
        for (uint32_t row = 0; row < rows; row += OCTAVE_ROWS) {
            uint32_t some = rows - row < OCTAVE_ROWS ? rows - row : OCTAVE_ROWS;
            add_octave(grid, i, y + row * grid->block.step, some, out + (size_t)row * columns);
        }
    }
}

struct displaced_row {
    int64_t y;
    const float *dx, *dy;
    const struct kernel_bounds *bounds;
    struct noise_scratch *scratch;
};

/* The octave where lattice keys change within reach of the row. */
static void add_across_keys(struct noise_grid *grid, unsigned index,
                            const struct displaced_row *row, struct lattice_point y, float *out)
{
    struct noise_scratch *scratch = row->scratch;
    for (uint32_t i = 0; i < grid->block.columns; i++) {
        scratch->cell_y[i] = y.cell;
        scratch->base_y[i] = (uint32_t)y.cell;
        scratch->fraction_y[i] = lattice_fraction(y.fraction);
    }
    const struct sites sites = {
        .count = grid->block.columns,
        .cell_x = grid->sites[index].cell,
        .cell_y = scratch->cell_y,
        .base_x = grid->sites[index].base,
        .base_y = scratch->base_y,
        .fraction_x = grid->sites[index].fraction,
        .fraction_y = scratch->fraction_y,
        .dx = row->dx,
        .dy = row->dy,
    };
    sites_add(grid->noise, index, grid->block.spacing, &sites, scratch, out);
}

static void add_displaced(struct noise_grid *grid, unsigned index, const void *data, float *out)
{
    const struct displaced_row *row = data;
    const struct noise_octave *octave = &grid->noise->octaves[index];
    struct octave_sites *columns = &grid->sites[index];
    struct lattice_point y =
        lattice_split(lattice_product(row->y, octave->frequency, octave->offset_y));
    if (!columns->uniform || !sites_share_key(y.cell, y.cell)) {
        add_across_keys(grid, index, row, y, out);
        return;
    }
    if (!columns->keyed || columns->high_y != y.cell >> 32) {
        columns->key_y = lattice_key(octave->key_y, y.cell);
        columns->high_y = y.cell >> 32;
        columns->last.known = false;
        columns->keyed = true;
    }
    const struct kernel_row kernel = {
        .base_x = columns->base,
        .fraction_x = columns->fraction,
        .chunks = &columns->chunks,
        .base_y = (uint32_t)y.cell,
        .fraction_y = lattice_fraction(y.fraction),
        .dx = row->dx,
        .dy = row->dy,
        .cells_per_metre = octave->cells_per_metre,
        .amplitude = columns->amplitude,
        .key_x = {columns->key_x, columns->key_x},
        .key_y = {columns->key_y, columns->key_y},
    };
    const struct kernel_job job = {grid->block.columns, &kernel, row->bounds, &columns->last, out};
    kernel_add_displaced(&grid->noise->settings, &job);
}

void noise_grid_displaced(struct noise_grid *grid, int64_t y, uint32_t rows, const float *dx,
                          const float *dy, struct noise_scratch *scratch, float *out)
{
    const struct noise *noise = grid->noise;
    uint32_t columns = grid->block.columns;
    struct kernel_bounds bounds;
    clear(out, (size_t)rows * columns);
    for (uint32_t i = 0; i < rows; i++, out += columns, dx += columns, dy += columns) {
        const struct displaced_row row = {y + i * grid->block.step, dx, dy, &bounds, scratch};
        kernel_bound(columns, dx, dy, &bounds);
        if (fractal_folds(noise)) {
            const struct row_source source = {add_displaced, &row};
            folded_row(grid, &source, scratch, out);
            continue;
        }
        for (unsigned octave = 0; octave < noise->settings.octaves; octave++)
            if (fractal_octave_counts(noise, octave, grid->block.spacing))
                add_displaced(grid, octave, &row, out);
    }
}
