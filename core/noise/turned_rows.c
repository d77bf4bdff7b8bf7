/* Coordinates are linear forms of the place: so those of a row are the ones at y = 0, moved by a
 * product for each axis. */
#include "core/noise/turned_rows.h"

size_t turned_rows_bytes(void)
{
    return 2 * sizeof(struct kernel_turned_walk);
}

void turned_rows_begin(struct turned_rows *rows, const struct prepared_octave *octave,
                       const struct noise_block *block, uint32_t columns, char **memory)
{
    const int64_t behind = block->x + columns * block->step;
    rows->walk = (struct kernel_turned_walk *)(void *)*memory;
    *memory += turned_rows_bytes();
    rows->packs = true;
    for (unsigned axis = 0; axis < 2; axis++) {
        const int128 origin = octave->origin[axis];
        rows->west[axis] = slice_coordinate(octave->octave, axis, origin, block->x, 0);
        rows->east[axis] = slice_coordinate(octave->octave, axis, origin, behind, 0);
        rows->high[axis] = int128_high(rows->west[axis]) >> 32;
        rows->key[axis] = lattice_key(octave->octave->key[axis], int128_high(rows->west[axis]));
        if (!kernel_turned_walk_prepare(&octave->walk[axis], &rows->walk[axis]))
            rows->packs = false;
    }
}

/* Sets the row's coordinates on one axis, and the lattice key; false if that is not the key of all
 * samples. */
static bool start_axis(struct turned_rows *rows, const struct prepared_octave *octave,
                       unsigned axis, int64_t y, struct kernel_turned_row *row)
{
    const int128 by = int128_multiply(y, octave->octave->form[axis][1]);
    const int128 west = int128_add(rows->west[axis], by), east = int128_add(rows->east[axis], by);
    const int64_t first = int128_high(west);
    if (!sample_positions_share_key(first, int128_high(east)))
        return false;
    if (rows->high[axis] != first >> 32) {
        rows->high[axis] = first >> 32;
        rows->key[axis] = lattice_key(octave->octave->key[axis], first);
    }
    row->cell[axis] = (uint32_t)first;
    row->behind[axis] = (uint32_t)int128_high(east);
    row->fraction[axis] = int128_low(west);
    row->key[axis] = rows->key[axis];
    return true;
}

bool turned_rows_find(struct turned_rows *rows, const struct prepared_octave *octave,
                      const struct sample_positions *samples, const struct kernel_bounds *bounds,
                      struct kernel_turned_job *job)
{
    job->count = samples->count;
    job->interpolation = octave->noise->settings.interpolation;
    job->window = octave->window;
    job->row.walk = rows->walk;
    job->row.displacement = octave->octave->displacement;
    job->row.dx = samples->dx;
    job->row.dy = samples->dy;
    job->row.bounds = bounds;
    if (!rows->packs || !octave->window->points)
        return false;
    for (unsigned axis = 0; axis < 2; axis++)
        if (!start_axis(rows, octave, axis, samples->y, &job->row) ||
            (samples->dx && !sample_positions_in_range(octave->octave, axis, samples->reach)))
            return false;
    return kernel_find_turned_cells(job);
}
