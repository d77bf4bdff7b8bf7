/* Interpolates: loads the nodes that a band of samples needs, unless they are there, and runs the
 * kernels on them. */
#include <stdlib.h>
#include <string.h>

#include "core/sampling/coarse_private.h"

enum {
    STRIP_ROWS = 512,        /* rows of samples whose nodes are loaded at once, at most */
    RECT_NODES_LEAST = 1024, /* nodes that a rectangle may have, however few samples there are */
};

/* The rectangle of nodes around cells. False if it has more than `most` nodes. */
static bool make_rect(const struct cell_box *box, size_t most, struct node_rect *rect)
{
    const uint64_t columns = (uint64_t)(box->high[0] - box->low[0]) + 4;
    const uint64_t rows = (uint64_t)(box->high[1] - box->low[1]) + 4;
    if (columns > most || rows > most || columns * rows > most)
        return false;
    *rect = (struct node_rect){box->low[0] - 1, box->low[1] - 1, (uint32_t)columns, (uint32_t)rows};
    return true;
}

static bool rect_holds(const struct node_rect *rect, const struct cell_box *box)
{
    return box->low[0] > rect->x && box->high[0] + 2 < rect->x + rect->columns &&
           box->low[1] > rect->y && box->high[1] + 2 < rect->y + rect->rows;
}

static bool load_rect(struct coarse *coarse, struct coarse_window *window,
                      const struct node_rect *rect)
{
    const struct node_group *group = &coarse->groups[window->group];
    const size_t stride = ((size_t)rect->columns * rect->rows + 15) / 16 * 16;
    window->block = 0;
    window->load = ++coarse->loads;
    if (!band_reserve(&window->nodes, &window->node_capacity, group->count * stride,
                      sizeof(float)) ||
        !node_reader_rect(coarse->reader, coarse->program, group, rect, window->nodes, stride))
        return false;
    window->rect = *rect;
    window->stride = stride;
    window->pitch = rect->columns;
    window->block = coarse->block;
    return true;
}

static size_t greater(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Rows from the band's first on whose nodes are worth loading at once. */
static uint32_t strip_rows(const struct coarse *coarse, const struct band *band)
{
    const uint32_t rows = coarse->rows_left < STRIP_ROWS ? coarse->rows_left : STRIP_ROWS;
    return rows > band->rows ? rows : band->rows;
}

/* Finds the cells of the block's columns. False when memory is out. */
static bool prepare_columns(const struct coarse *coarse, const struct band *band,
                            struct coarse_view *view)
{
    int64_t cells[NOISE_ROW_MAX];
    float t[NOISE_ROW_MAX];
    const struct noise_cells_samples samples = {{cells, NULL}, {t, NULL}};
    if (view->block == coarse->block)
        return true;
    if (!view->columns)
        view->columns = aligned_alloc(64, sizeof *view->columns);
    if (!view->columns)
        return false;
    const struct noise_cells_places places = {{band->x, 0}, band->step, band->columns};
    noise_cells_row(&view->scope.cells, 0, &places, &samples);
    row_kernel_limit_cells(band->columns, view->scope.limit, cells);
    for (uint32_t i = 0; i < band->columns; i++)
        view->columns->node[i] = (uint32_t)(cells[i] - cells[0]);
    view->west = cells[0];
    view->east = cells[band->columns - 1];
    row_kernel_coarse_columns(view->columns, band->columns, t);
    view->block = coarse->block;
    return true;
}

struct row_position {
    int64_t cell;
    float t;
};

/* The position of a row of the band, or of one after it. */
static struct row_position position_of_row(const struct coarse_view *view, const struct band *band,
                                           uint32_t row)
{
    struct row_position position;
    const struct place place = {0, band->y + row * band->step};
    const struct noise_cells_samples samples = {{NULL, &position.cell}, {NULL, &position.t}};
    noise_cells_list(&view->scope.cells, 1, &place, 1, &samples);
    row_kernel_limit_cells(1, view->scope.limit, &position.cell);
    return position;
}

/* Loads the rectangle of nodes under the block from a band on. *sparse becomes true if too few of
 * its nodes were used. False when memory is out. */
static bool load_rows(struct coarse *coarse, struct coarse_window *window, const struct band *band,
                      bool *sparse)
{
    const struct coarse_view *view = &coarse->views[window->view];
    const uint32_t rows = strip_rows(coarse, band);
    struct cell_box box = {{view->west, position_of_row(view, band, 0).cell},
                           {view->east, position_of_row(view, band, band->rows - 1).cell}};
    struct node_rect rect;
    if (window->block == coarse->block && rect_holds(&window->rect, &box))
        return true;
    box.high[1] = position_of_row(view, band, rows - 1).cell;
    *sparse = !make_rect(&box, greater(RECT_NODES_LEAST, (size_t)band->columns * rows), &rect);
    return *sparse || load_rect(coarse, window, &rect);
}

/* Writes a band whose rows and columns lie along the nodes. */
static void write_rows(const struct coarse *coarse, struct coarse_operation *operation,
                       const struct band *band, float *out)
{
    const struct coarse_window *window = &coarse->windows[operation->window];
    const struct coarse_view *view = &coarse->views[window->view];
    const float *nodes = window->nodes + operation->index * window->stride;
    struct row_position at = position_of_row(view, band, 0);
    float t[STRIP_ROWS];
    if (operation->load != window->load)
        operation->band->valid = false;
    operation->load = window->load;
    for (uint32_t first = 0, row = 0; first < band->rows; first = row) {
        struct coarse_rows rows = {.top = at.cell - 1, .pitch = window->pitch, .t = t};
        while (row < band->rows && row - first < STRIP_ROWS && at.cell - 1 == rows.top) {
            t[row++ - first] = at.t;
            at = position_of_row(view, band, row);
        }
        rows.count = row - first;
        rows.nodes = nodes + (size_t)(rows.top - window->rect.y) * window->pitch;
        row_kernel_coarse_rows(view->columns, &rows, operation->band,
                               out + (size_t)first * band->columns);
    }
}

static struct cell_box box_of(const struct noise_cells_samples *at, size_t count)
{
    struct cell_box box;
    for (int axis = 0; axis < 2; axis++)
        row_kernel_cell_range(count, at->cell[axis], &box.low[axis], &box.high[axis]);
    return box;
}

/* Finds the cells of a band, unless they are there. False when memory is out. */
static bool find_positions(struct coarse *coarse, uint32_t number, const struct band *band,
                           const float *const moved[2])
{
    struct coarse_positions *positions = &coarse->positions;
    const struct coarse_view *view = &coarse->views[number];
    if (positions->band == coarse->band && positions->view == number)
        return true;
    positions->band = 0;
    if (!band_cells_find(&positions->cells, &view->scope, band, moved))
        return false;
    positions->box = box_of(&positions->cells.at, band->count);
    positions->view = number;
    positions->band = coarse->band;
    return true;
}

/* The cells of `rows` rows from the band's first on, before displacement: those of their corners,
 * as a cell is a linear form of the place. */
static struct cell_box box_of_rows(const struct coarse_view *view, const struct band *band,
                                   uint32_t rows)
{
    const int64_t east = band->x + (band->columns - 1) * band->step;
    const int64_t south = band->y + (rows - 1) * band->step;
    const struct place corners[4] = {
        {band->x, band->y}, {east, band->y}, {band->x, south}, {east, south}};
    int64_t cell[2][4];
    float t[4];
    const struct noise_cells_samples samples = {{cell[0], cell[1]}, {t, t}};
    for (unsigned axis = 0; axis < 2; axis++) {
        noise_cells_list(&view->scope.cells, axis, corners, 4, &samples);
        row_kernel_limit_cells(4, view->scope.limit, cell[axis]);
    }
    return box_of(&samples, 4);
}

/* The cells that the rest of the block will reach, if displacement moves it as far as the band, and
 * differs there by a quarter more on each side. Each time that this was too little for a block, it
 * is doubled. */
static struct cell_box expected_box(const struct coarse *coarse, struct coarse_window *window,
                                    const struct band *band)
{
    const struct coarse_view *view = &coarse->views[window->view];
    const struct cell_box *box = &coarse->positions.box;
    const struct cell_box own = box_of_rows(view, band, band->rows);
    struct cell_box expected = box_of_rows(view, band, strip_rows(coarse, band));
    for (int axis = 0; axis < 2; axis++) {
        const int64_t low = box->low[axis] - own.low[axis], high = box->high[axis] - own.high[axis];
        const int64_t differs = high > low ? high - low : low - high;
        const int64_t twice = window->block == coarse->block ? 2 * window->margin[axis] + 1 : 0;
        window->margin[axis] = differs / 4 > twice ? differs / 4 : twice;
        expected.low[axis] += low - window->margin[axis];
        expected.high[axis] += high + window->margin[axis];
    }
    return expected;
}

/* Loads a rectangle of nodes that holds the samples of a band. *sparse becomes true if it had too
 * many. False when memory is out. */
static bool load_box(struct coarse *coarse, struct coarse_window *window, const struct band *band,
                     bool *sparse)
{
    const struct cell_box *box = &coarse->positions.box;
    const size_t left = (size_t)band->columns * strip_rows(coarse, band);
    struct node_rect rect;
    if (window->block == coarse->block && rect_holds(&window->rect, box))
        return true;
    const struct cell_box expected = expected_box(coarse, window, band);
    if (make_rect(&expected, greater(RECT_NODES_LEAST, left), &rect) && rect_holds(&rect, box))
        return load_rect(coarse, window, &rect);
    *sparse = !make_rect(box, greater(RECT_NODES_LEAST, band->count), &rect);
    return *sparse || load_rect(coarse, window, &rect);
}

/* The number of the cell in the list, which it is added to unless it is there. */
static uint32_t find_cell(struct coarse_cells *list, struct place cell)
{
    const uint64_t hash = hash_mix((uint64_t)cell.x * 0x9E3779B97F4A7C15u + (uint64_t)cell.y);
    uint32_t *slot = &list->index[hash % COARSE_CELL_SLOTS];
    if (*slot == 0 || list->cells[*slot - 1].x != cell.x || list->cells[*slot - 1].y != cell.y) {
        list->cells[list->count] = cell;
        *slot = ++list->count;
    }
    return *slot - 1;
}

/* Loads the nodes around each place. False when memory is out. */
static bool load_cells(struct coarse *coarse, struct coarse_window *window, size_t count)
{
    const struct noise_cells_samples *at = &coarse->positions.cells.at;
    const struct node_group *group = &coarse->groups[window->group];
    struct coarse_cells *list = &coarse->cells;
    if (!band_reserve(&list->cells, &list->capacity, count, sizeof *list->cells))
        return false;
    list->count = 0;
    memset(list->index, 0, sizeof list->index);
    for (size_t i = 0; i < count; i++)
        window->first[i] = 16 * find_cell(list, (struct place){at->cell[0][i], at->cell[1][i]});
    window->block = 0;
    window->pitch = 4;
    window->stride = 16 * (size_t)list->count;
    return band_reserve(&window->nodes, &window->node_capacity, group->count * window->stride,
                        sizeof(float)) &&
           node_reader_cells(coarse->reader, coarse->program, group, list->cells, list->count,
                             window->nodes, window->stride);
}

/* Finds the nodes around each sample of a band, for the first operation of the window that needs
 * them. */
static bool load_samples(struct coarse *coarse, struct coarse_window *window,
                         const struct band *band, const float *const moved[2])
{
    bool sparse = band->places != NULL;
    if (!find_positions(coarse, window->view, band, moved))
        return false;
    if (window->band == coarse->band)
        return true;
    window->band = 0;
    if (!band_reserve(&window->first, &window->first_capacity, band->count,
                      sizeof *window->first) ||
        (!sparse && !load_box(coarse, window, band, &sparse)))
        return false;
    if (sparse && !load_cells(coarse, window, band->count))
        return false;
    const int64_t *const cells[2] = {coarse->positions.cells.at.cell[0],
                                     coarse->positions.cells.at.cell[1]};
    const int64_t origin[2] = {window->rect.x + 1, window->rect.y + 1};
    if (!sparse)
        row_kernel_first_nodes(band->count, cells, origin, (uint32_t)window->pitch, window->first);
    window->band = coarse->band;
    return true;
}

bool coarse_run(struct coarse *coarse, uint32_t number, const struct band *band,
                const float *const moved[2], float *out)
{
    struct coarse_operation *operation = &coarse->operations[coarse->numbers[number]];
    struct coarse_window *window = &coarse->windows[operation->window];
    struct coarse_view *view = &coarse->views[window->view];
    bool sparse = false;
    if (view->along && !band->places) {
        if (!operation->band)
            operation->band = aligned_alloc(64, sizeof *operation->band);
        if (!operation->band || !prepare_columns(coarse, band, view) ||
            !load_rows(coarse, window, band, &sparse))
            return false;
        if (!sparse) {
            write_rows(coarse, operation, band, out);
            return true;
        }
    }
    if (!load_samples(coarse, window, band, moved))
        return false;
    const struct coarse_samples samples = {window->first, coarse->positions.cells.at.t[0],
                                           coarse->positions.cells.at.t[1]};
    row_kernel_coarse_samples((uint32_t)band->count, &samples,
                              window->nodes + operation->index * window->stride, window->pitch,
                              out);
    return true;
}

void coarse_by_spacing(size_t count, const float *const rows[2], double metres, float spacing,
                       float *out)
{
    if (rows[0] && rows[1])
        row_kernel_mix(count, rows[0], rows[1], coarse_direct_share(metres, spacing), out);
    else
        memcpy(out, rows[0] ? rows[0] : rows[1], count * sizeof *out);
}
