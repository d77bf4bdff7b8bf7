/* Finds the cells of a whole band at once, in rows of memory that grow to the longest band and are
 * kept. Samples beyond the limit of their scope are moved to the cell at its edge. */
#include "core/sampling/band_cells.h"

#include <stdlib.h>

#include "core/sampling/row_kernels_coarse.h"

bool band_reserve(void *items, size_t *capacity, size_t count, size_t size)
{
    void **memory = items;
    if (count <= *capacity)
        return true;
    free(*memory);
    count += count / 2;
    *memory = aligned_alloc(64, (count * size + 63) / 64 * 64);
    *capacity = *memory ? count : 0;
    return *memory != NULL;
}

/* The four rows always have room for equally many. */
static bool reserve_rows(struct band_cells *found, size_t count)
{
    const size_t had = found->capacity;
    for (int axis = 0; axis < 2; axis++) {
        size_t cells = had, fractions = had;
        found->capacity = 0;
        if (!band_reserve(&found->at.cell[axis], &cells, count, sizeof(int64_t)) ||
            !band_reserve(&found->at.t[axis], &fractions, count, sizeof(float)))
            return false;
        found->capacity = cells;
    }
    return true;
}

/* Writes the cells of a band on an axis, before displacement. */
static void write_axis(const struct scope_cells *scope, const struct band *band, unsigned axis,
                       const struct noise_cells_samples *samples)
{
    struct noise_cells_samples at = *samples;
    if (band->places)
        noise_cells_list(&scope->cells, axis, band->places, band->count, &at);
    for (uint32_t row = 0; !band->places && row < band->rows; row++) {
        const struct noise_cells_places places = {
            {band->x, band->y + row * band->step}, band->step, band->columns};
        noise_cells_row(&scope->cells, axis, &places, &at);
        at.cell[axis] += band->columns;
        at.t[axis] += band->columns;
    }
    row_kernel_limit_cells(band->count, scope->limit, samples->cell[axis]);
}

bool band_cells_find(struct band_cells *found, const struct scope_cells *scope,
                     const struct band *band, const float *const moved[2])
{
    if (!reserve_rows(found, band->count))
        return false;
    for (unsigned axis = 0; axis < 2; axis++)
        write_axis(scope, band, axis, &found->at);
    if (moved[0])
        noise_cells_displace(&scope->cells, moved[0], moved[1], band->count, &found->at);
    return true;
}

void band_cells_free(struct band_cells *found)
{
    for (int axis = 0; axis < 2; axis++) {
        free(found->at.cell[axis]);
        free(found->at.t[axis]);
    }
}
