/* Windows of lattice points, kept from row to row of a grid.
 *
 * Samples that are displaced or turned lie in other cells than their neighbours, but a row's cells
 * are mostly those of the row before. So the gradients of a rectangle of lattice points stay in
 * memory, and a row of points is computed when it is needed first. Where samples leave the
 * rectangle to the north or south, it moves and the rows that it still covers move within it; where
 * they leave it to the east or west, all rows are computed again. No point has two places, so the
 * four corners of a cell are always beside and below each other, and an index is a linear function
 * of the cell. */
#include "core/noise/kernels_window.h"

#include <string.h>

enum { COLUMNS_MAX = 304, GRAIN = 16 };

static uint32_t whole_grains(double points)
{
    return ((uint32_t)points + GRAIN) / GRAIN * GRAIN;
}

void kernel_window_plan(double cells, double lattice_rows, struct kernel_window *window)
{
    const double wanted = cells * 1.75 + 8.0; /* a displacement can stretch a row, and shifts it */
    const uint32_t needed = whole_grains(lattice_rows * 1.25); /* with room to move */
    window->columns = wanted < COLUMNS_MAX ? whole_grains(wanted) : 0;
    window->rows =
        window->columns < KERNEL_WINDOW_ROWS_MAX ? window->columns : KERNEL_WINDOW_ROWS_MAX;
    if (window->columns > 0 && window->rows < needed)
        window->rows = needed;
}

size_t kernel_window_floats(const struct kernel_window *window)
{
    if (window->columns == 0)
        return 0;
    return ((size_t)(window->rows + WINDOW_ROWS_BEYOND) * window->columns + WINDOW_POINTS_BEYOND) *
           2;
}

void kernel_window_begin(struct kernel_window *window, window_fill *fill, float *points)
{
    window->fill = fill;
    window->points = window->columns ? points : NULL;
    window->first_x = window->key_x = window->key_y = 0;
    window->first_y = window->valid_from = window->valid_to = 0;
}

static float *row_points(const struct kernel_window *window, uint32_t row)
{
    return window->points + (size_t)row * window->columns * 2;
}

/* Computes a row of the points. */
static void fill_row(const struct kernel_window *window, uint32_t row)
{
    const struct window_line line = {
        .key_x = window->key_x,
        .line_y = lattice_line_y(window->first_y + row, window->key_y),
        .first_x = window->first_x,
        .columns = window->columns,
        .points = row_points(window, row),
    };
    window->fill(&line);
}

/* Moves the window south by `by` rows, or north if it is negative. */
static void move_rows(struct kernel_window *window, int32_t by)
{
    const int32_t rows = (int32_t)window->rows;
    int32_t from = (int32_t)window->valid_from - by, to = (int32_t)window->valid_to - by;
    from = from < 0 ? 0 : from > rows ? rows : from;
    to = to < from ? from : to > rows ? rows : to;
    window->first_y += (uint32_t)by;
    window->valid_from = (uint32_t)from;
    window->valid_to = (uint32_t)to;
    if (to > from)
        memmove(row_points(window, (uint32_t)from), row_points(window, (uint32_t)(from + by)),
                (size_t)(to - from) * window->columns * 2 * sizeof *window->points);
}

/* Makes the window contain `rows` rows from y on, with room in the direction in which the samples
 * went. */
static void contain_rows(struct kernel_window *window, uint32_t y, uint32_t rows)
{
    const int32_t spare = (int32_t)(window->rows - rows);
    const int32_t north = (int32_t)(y - window->first_y), far = (int32_t)window->rows;
    if (north >= 0 && north <= spare)
        return;
    if (north >= far || north <= -far) {
        window->first_y = y;
        window->valid_from = window->valid_to = 0;
    } else {
        move_rows(window, north < 0 ? north - spare : north);
    }
}

/* Computes those of `rows` rows from `row` on that are not valid, and any between. */
static void compute_rows(struct kernel_window *window, uint32_t row, uint32_t rows)
{
    if (window->valid_from >= window->valid_to)
        window->valid_from = window->valid_to = row;
    while (window->valid_from > row)
        fill_row(window, --window->valid_from);
    while (window->valid_to < row + rows)
        fill_row(window, window->valid_to++);
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
        window->valid_from = window->valid_to = 0;
    }
    contain_rows(window, box->north, rows);
    compute_rows(window, box->north - window->first_y, rows);
    return true;
}
