/* Windows of lattice points, kept from row to row of a grid.
 *
 * Samples that are displaced or turned lie in other cells than their neighbours, but a row's cells
 * are mostly those of the row before. So the gradients of a rectangle of lattice points stay in
 * memory as a ring in both directions: a point is at its coordinates modulo the window's size, and
 * a row of points is computed when it is needed first. The rectangle moves east or west as a whole,
 * which makes all rows unknown. The extra column and row repeat the first ones, so that the four
 * corners of a cell are always beside and below each other. */
#include "core/noise/kernels_window.h"

#include <string.h>

enum { COLUMNS_MIN = 16, COLUMNS_MAX = 256 };

void kernel_window_plan(double cells, struct kernel_window *window)
{
    const double wanted = cells * 1.5 + 8.0; /* a displacement can stretch a row, and shifts it */
    uint32_t columns = COLUMNS_MIN;
    while (columns < wanted && columns <= COLUMNS_MAX)
        columns *= 2;
    window->columns = columns <= COLUMNS_MAX ? columns : 0;
    window->rows = columns < KERNEL_WINDOW_ROWS_MAX ? columns : KERNEL_WINDOW_ROWS_MAX;
}

size_t kernel_window_floats(const struct kernel_window *window)
{
    return window->columns ? (size_t)(window->rows + 1) * window_pitch(window) : 0;
}

static void invalidate_rows(struct kernel_window *window)
{
    memset(window->valid, 0, sizeof window->valid);
}

void kernel_window_begin(struct kernel_window *window, window_fill *fill, float *points)
{
    window->fill = fill;
    window->points = window->columns ? points : NULL;
    window->first_x = window->key_x = window->key_y = 0;
    invalidate_rows(window);
}

/* Computes row y of the points, if the window has not got it. */
static void ensure_row(struct kernel_window *window, const struct kernel_box *box, uint32_t y)
{
    const size_t pitch = window_pitch(window);
    const uint32_t row = y & (window->rows - 1);
    const struct window_line line = {
        .key_x = box->key_x,
        .line_y = lattice_line_y(y, box->key_y),
        .first_x = window->first_x,
        .columns = window->columns,
        .points = window->points + row * pitch,
    };
    if (window->valid[row] && window->row_y[row] == y)
        return;
    window->fill(&line);
    if (row == 0)
        memcpy(line.points + window->rows * pitch, line.points, pitch * sizeof *line.points);
    window->row_y[row] = y;
    window->valid[row] = true;
}

bool kernel_window_ensure(struct kernel_window *window, const struct kernel_box *box)
{
    const uint32_t columns = box->east - box->west + 2, rows = box->south - box->north + 2;
    if (columns > window->columns || rows > window->rows)
        return false;
    const uint32_t spare = window->columns - columns;
    if (box->west - window->first_x > spare || box->key_x != window->key_x ||
        box->key_y != window->key_y) {
        window->first_x = box->west - spare / 2;
        window->key_x = box->key_x;
        window->key_y = box->key_y;
        invalidate_rows(window);
    }
    for (uint32_t i = 0; i < rows; i++)
        ensure_row(window, box, box->north + i);
    return true;
}
