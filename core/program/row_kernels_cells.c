/* The cells of a scope that the places of a band are in, for scatter(): where a place is in its
 * cell, and a number for each of the nine cells around it.
 *
 * The cell of a place is exact, as those of noises are (core/noise/cells.h). The number of a cell
 * hashes both its coordinates in 64 bits each and a key, so there is no period; it is a whole
 * number of 24 bits, which a float holds. In a grid along the cells a column's cell is found once
 * for all rows, and a hash is made where the cell changes. */
#include "core/program/row_kernels_cells.h"
#include "core/base/hash.h"

static void find_axis(const struct noise_cells *cells, const struct band *band,
                      struct band_part part, unsigned axis, struct some_cells *found)
{
    const struct noise_cells_samples at = {{found->cell[0], found->cell[1]},
                                           {found->t[0], found->t[1]}};
    if (band->places) {
        noise_cells_list(cells, axis, band->places + part.first, part.count, &at);
        return;
    }
    const int64_t row = (int64_t)(part.first / band->columns),
                  column = (int64_t)(part.first % band->columns);
    const struct noise_cells_places places = {
        {band->x + column * band->step, band->y + row * band->step}, band->step, part.count};
    noise_cells_row(cells, axis, &places, &at);
}

void some_cells_find(const struct noise_cells *cells, const struct band *band,
                     struct band_part part, const float *const moved[2], struct some_cells *found)
{
    const struct noise_cells_samples at = {{found->cell[0], found->cell[1]},
                                           {found->t[0], found->t[1]}};
    for (unsigned axis = 0; axis < 2; axis++)
        find_axis(cells, band, part, axis, found);
    if (moved[0])
        noise_cells_displace(cells, moved[0] + part.first, moved[1] + part.first, part.count, &at);
}

/* The numbers of the cells `east` and `south` of those that samples are in. */
static void write_numbers(const struct some_cells *found, size_t count, uint64_t key,
                          const int64_t away[2], float *out)
{
    int64_t x = 0, y = 0;
    float number = 0.0f;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || found->cell[0][i] != x || found->cell[1][i] != y) {
            x = found->cell[0][i];
            y = found->cell[1][i];
            const uint64_t row = hash_mix(key + (uint64_t)(y + away[1]));
            number = (float)(int32_t)(hash_mix(row + (uint64_t)(x + away[0])) >> 40);
        }
        out[i] = number;
    }
}

/* What an operation writes of the cells of a part of the band. */
typedef void part_writer(const struct operation *operation, const struct some_cells *found,
                         size_t count, float *out);

static void write_cell_numbers(const struct operation *operation, const struct some_cells *found,
                               size_t count, float *out)
{
    const int neighbour = (int)operation->k[0];
    const int64_t away[2] = {neighbour % 3 - 1, neighbour / 3 - 1};
    write_numbers(found, count, hash_mix((uint64_t)operation->k[1]), away, out);
}

static void write_cell_places(const struct operation *operation, const struct some_cells *found,
                              size_t count, float *out)
{
    const float *t = found->t[(int)operation->k[0]];
    for (size_t i = 0; i < count; i++)
        out[i] = t[i];
}

/* Runs a writer over all parts of a band. Where cells lie along the axes of a grid, those of x are
 * the same in all rows, and that of y is the same along a row. */
static void run_parts(const struct program *program, const struct operation *operation,
                      const struct band *band, const float *const moved[2], part_writer *write,
                      float *out)
{
    const struct node_grid *grid = &program->node_grids[operation->table_index];
    const size_t columns = band->places ? band->count : band->columns;
    const size_t rows = band->places ? 1 : band->rows;
    struct some_cells found;
    struct noise_cells cells;
    noise_cells_prepare(&cells, &grid->domain, grid->scale);
    const bool along = !band->places && !moved[0] && noise_cells_are_along(&cells);
    for (size_t column = 0; column < columns; column += SOME_CELLS)
        for (size_t row = 0; row < rows; row++) {
            const size_t left = columns - column;
            const struct band_part part = {row * columns + column,
                                           left < SOME_CELLS ? left : SOME_CELLS};
            if (along && row > 0)
                find_axis(&cells, band, part, 1, &found);
            else
                some_cells_find(&cells, band, part, moved, &found);
            write(operation, &found, part.count, out + part.first);
        }
}

void run_cell_number(const struct program *program, const struct operation *operation,
                     const struct band *band, const float *const operands[3], float *out)
{
    run_parts(program, operation, band, operands, write_cell_numbers, out);
}

void run_cell_place(const struct program *program, const struct operation *operation,
                    const struct band *band, const float *const operands[3], float *out)
{
    run_parts(program, operation, band, operands, write_cell_places, out);
}
