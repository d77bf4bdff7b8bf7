/* A column has the same place in its cells in every row, so what differs from row to row is y. */
#include "core/noise/displaced_rows.h"

#include "core/noise/slice.h"

size_t displaced_rows_bytes(uint32_t columns)
{
    return 2 * columns * sizeof(float);
}

void displaced_rows_begin(struct displaced_rows *rows, uint32_t columns, char **memory)
{
    rows->base = (uint32_t *)(void *)*memory;
    rows->fraction = (float *)(rows->base + columns);
    rows->has_key_y = false;
    *memory += displaced_rows_bytes(columns);
}

void displaced_rows_finish(struct displaced_rows *rows, uint32_t columns)
{
    kernel_chunks_prepare(columns, rows->base, rows->fraction, &rows->chunks);
}

bool displaced_rows_find(struct displaced_rows *rows, const struct prepared_octave *octave,
                         const struct sample_positions *samples, const struct kernel_bounds *bounds,
                         struct kernel_job *job)
{
    const struct lattice_point y =
        lattice_split(slice_coordinate(octave->octave, 1, octave->origin[1], 0, samples->y));
    if (!rows->uniform || !sample_positions_share_key(y.cell, y.cell))
        return false;
    if (!rows->has_key_y || rows->high_y != y.cell >> 32) {
        rows->key_y = lattice_key(octave->octave->key[1], y.cell);
        rows->high_y = y.cell >> 32;
        rows->has_key_y = true;
    }
    job->count = samples->count;
    job->bounds = bounds;
    job->window = octave->window;
    job->row = (struct kernel_row){
        .base_x = rows->base,
        .fraction_x = rows->fraction,
        .chunks = &rows->chunks,
        .base_y = (uint32_t)y.cell,
        .fraction_y = lattice_fraction(y.fraction),
        .dx = samples->dx,
        .dy = samples->dy,
        .cells_per_metre = octave->octave->cells_per_metre,
        .key_x = {rows->key_x, rows->key_x},
        .key_y = {rows->key_y, rows->key_y},
    };
    kernel_find_cells(job);
    return true;
}
