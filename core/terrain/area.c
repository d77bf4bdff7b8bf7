/* The step is the longer side divided by the samples, rounded down to a whole number of 2⁻¹⁶ m. */
#include "core/terrain/area.h"

static uint32_t cells_along(int64_t side, int64_t step, uint32_t most)
{
    int64_t cells = (side + step / 2) / step;
    return cells < 1 ? 1 : cells > most ? most : (uint32_t)cells;
}

struct sample_grid area_grid(const struct area *area, uint32_t samples)
{
    int64_t width = area->high.x - area->low.x, height = area->high.y - area->low.y;
    int64_t step = (width > height ? width : height) / samples;
    if (step < 1)
        step = 1;
    struct sample_grid grid = {
        .step = step,
        .columns = cells_along(width, step, samples),
        .rows = cells_along(height, step, samples),
    };
    grid.x = area->low.x + (width - (int64_t)(grid.columns - 1) * step) / 2;
    grid.y = area->low.y + (height - (int64_t)(grid.rows - 1) * step) / 2;
    return grid;
}
