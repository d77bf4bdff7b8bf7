/* Marching squares (Lorensen and Cline 1987, in two dimensions) for all levels together.
 *
 * One pass replaces each sample by its rank, the number of levels not above it. A cell is crossed
 * by the levels between the smallest and the largest rank of its corners, so a second pass lists
 * the crossed cells of every level by counting sort, and levels cost only the cells that they
 * cross. Then each line is walked from cell to cell: the corners above the level and the edge of
 * entry give the edge of exit from a table. Open lines are walked first, from the border; what is
 * left are rings.
 *
 * Walking needs no search and no joining of segments, and the points of a line come in order. A bit
 * for each edge of a cell marks it as used, as a saddle is crossed twice. Ranks, cell lists and
 * bits lie in one block of scratch memory of the result, which the next call uses again. */
#include "core/terrain/contour.h"

#include <string.h>

enum edge { EDGE_NORTH, EDGE_EAST, EDGE_SOUTH, EDGE_WEST, EDGE_NONE };
enum { NORTH_WEST = 1, NORTH_EAST = 2, SOUTH_EAST = 4, SOUTH_WEST = 8 }; /* corners above */
enum { SADDLE_FALLING = NORTH_WEST | SOUTH_EAST, SADDLE_RISING = NORTH_EAST | SOUTH_WEST };
enum { CASE_COUNT = 18 }; /* 16, and the two saddles with their low corners joined */

#define N EDGE_NORTH
#define E EDGE_EAST
#define S EDGE_SOUTH
#define W EDGE_WEST
#define O EDGE_NONE
/* The edge by which a line leaves a cell, by the corners that are above the level and the edge of
 * entry (north, east, south, west). The side above is on the left. */
static const uint8_t exits[CASE_COUNT][4] = {
    {O, O, O, O}, /* 0 */
    {O, O, O, N}, /* north-west */
    {E, O, O, O}, /* north-east */
    {O, O, O, E}, /* north */
    {O, S, O, O}, /* south-east */
    {O, N, O, S}, /* north-west and south-east, joined */
    {S, O, O, O}, /* east */
    {O, O, O, S}, /* all but south-west */
    {O, O, W, O}, /* south-west */
    {O, O, N, O}, /* west */
    {W, O, E, O}, /* north-east and south-west, joined */
    {O, O, E, O}, /* all but south-east */
    {O, W, O, O}, /* south */
    {O, N, O, O}, /* all but north-east */
    {W, O, O, O}, /* all but north-west */
    {O, O, O, O}, /* all */
    {O, S, O, N}, /* north-west and south-east, apart */
    {E, O, W, O}, /* north-east and south-west, apart */
};
#undef N
#undef E
#undef S
#undef W
#undef O

/* The state of a trace; its arrays are in the scratch memory of `out`. */
struct tracer {
    const struct contour_field *field;
    struct contours *out;
    uint32_t *starts; /* of each level's cells in `cells`, and their end */
    uint32_t *cells;  /* crossed by a level: level after level, row by row */
    uint16_t *ranks;  /* of each sample: the number of levels not above it */
    uint8_t
        *visited_edges; /* of each cell: the edges by which lines entered; zero between levels */
    uint32_t level;
    double value; /* the level */
};

/* A step of a walk: a line enters a cell by an edge. */
struct cell_entry {
    size_t cell; /* its north-west sample */
    enum edge edge;
};

/* Neighbouring samples have similar ranks, so each rank is found by stepping from the one before.
 */
static void rank_samples(const struct tracer *tracer, const float *levels, uint32_t count)
{
    size_t samples = (size_t)tracer->field->columns * tracer->field->rows;
    uint32_t rank = 0;
    for (size_t i = 0; i < samples; i++) {
        float value = tracer->field->samples[i];
        while (rank < count && levels[rank] <= value)
            rank++;
        while (rank > 0 && !(levels[rank - 1] <= value))
            rank--;
        tracer->ranks[i] = (uint16_t)rank;
    }
}

struct rank_range {
    uint32_t low, high;
};

static struct rank_range cell_ranks(const struct tracer *tracer, size_t cell)
{
    const uint16_t *above = tracer->ranks + cell, *below = above + tracer->field->columns;
    uint16_t low = above[0] < above[1] ? above[0] : above[1];
    uint16_t high = above[0] < above[1] ? above[1] : above[0];
    uint16_t south_low = below[0] < below[1] ? below[0] : below[1];
    uint16_t south_high = below[0] < below[1] ? below[1] : below[0];
    return (struct rank_range){low < south_low ? low : south_low,
                               high > south_high ? high : south_high};
}

/* Counts each level's cells into starts[level + 1]. Returns their sum. */
static size_t count_cells(const struct tracer *tracer)
{
    const struct contour_field *field = tracer->field;
    size_t sum = 0;
    for (uint32_t row = 0; row + 1 < field->rows; row++) {
        for (uint32_t column = 0; column + 1 < field->columns; column++) {
            struct rank_range range = cell_ranks(tracer, (size_t)row * field->columns + column);
            sum += range.high - range.low;
            for (uint32_t level = range.low; level < range.high; level++)
                tracer->starts[level + 1]++;
        }
    }
    return sum;
}

/* Sorts the cells by level (counting sort). starts[level] moves to the end of the level and back.
 */
static void list_cells(const struct tracer *tracer, uint32_t count)
{
    const struct contour_field *field = tracer->field;
    uint32_t *starts = tracer->starts;
    for (uint32_t level = 0; level < count; level++)
        starts[level + 1] += starts[level];
    for (uint32_t row = 0; row + 1 < field->rows; row++) {
        for (uint32_t column = 0; column + 1 < field->columns; column++) {
            size_t cell = (size_t)row * field->columns + column;
            struct rank_range range = cell_ranks(tracer, cell);
            for (uint32_t level = range.low; level < range.high; level++)
                tracer->cells[starts[level]++] = (uint32_t)cell;
        }
    }
    memmove(starts + 1, starts, count * sizeof *starts);
    starts[0] = 0;
}

/* The row of `exits` for a cell. */
static unsigned cell_case(const struct tracer *tracer, size_t cell)
{
    uint32_t columns = tracer->field->columns;
    const uint16_t *ranks = tracer->ranks + cell;
    unsigned above = (ranks[0] > tracer->level ? NORTH_WEST : 0u) |
                     (ranks[1] > tracer->level ? NORTH_EAST : 0u) |
                     (ranks[columns + 1] > tracer->level ? SOUTH_EAST : 0u) |
                     (ranks[columns] > tracer->level ? SOUTH_WEST : 0u);
    if (above != SADDLE_FALLING && above != SADDLE_RISING)
        return above;
    const float *samples = tracer->field->samples + cell;
    double sum = (double)samples[0] + (double)samples[1] + (double)samples[columns] +
                 (double)samples[columns + 1];
    if (sum * 0.25 >= tracer->value)
        return above;
    return above == SADDLE_FALLING ? 16 : 17;
}

/* The position of the level between two samples, `margin` … CONTOUR_ONE − margin. */
static int32_t interpolate_crossing(double from, double to, double level, int32_t margin)
{
    double part = (level - from) / (to - from) * CONTOUR_ONE + 0.5;
    if (!(part >= margin))
        return margin;
    return part < CONTOUR_ONE - margin ? (int32_t)part : CONTOUR_ONE - margin;
}

static void add_crossing(const struct tracer *tracer, size_t cell, enum edge edge)
{
    uint32_t columns = tracer->field->columns;
    size_t from = cell + (edge == EDGE_EAST ? 1 : 0) + (edge == EDGE_SOUTH ? columns : 0);
    bool across = edge == EDGE_NORTH || edge == EDGE_SOUTH;
    const float *sample = tracer->field->samples + from;
    int32_t margin = tracer->field->margin > 0 ? tracer->field->margin : 1;
    int32_t part = interpolate_crossing((double)sample[0], (double)sample[across ? 1 : columns],
                                        tracer->value, margin);
    int32_t x = (int32_t)(from % columns) * CONTOUR_ONE;
    int32_t y = (int32_t)(from / columns) * CONTOUR_ONE;
    contours_add_point(tracer->out, x + (across ? part : 0), y + (across ? 0 : part));
}

/* True if the edge of a cell is on the border of the field. */
static bool edge_is_outer(const struct tracer *tracer, size_t cell, enum edge edge)
{
    uint32_t columns = tracer->field->columns;
    switch (edge) {
    case EDGE_NORTH:
        return cell < columns;
    case EDGE_EAST:
        return cell % columns == columns - 2;
    case EDGE_SOUTH:
        return cell / columns == tracer->field->rows - 2;
    default:
        return cell % columns == 0;
    }
}

/* The cell on the other side of an inner edge, entered by that edge. */
static struct cell_entry enter_neighbour(const struct tracer *tracer, size_t cell, enum edge edge)
{
    const size_t columns = tracer->field->columns;
    switch (edge) {
    case EDGE_NORTH:
        return (struct cell_entry){cell - columns, EDGE_SOUTH};
    case EDGE_EAST:
        return (struct cell_entry){cell + 1, EDGE_WEST};
    case EDGE_SOUTH:
        return (struct cell_entry){cell + columns, EDGE_NORTH};
    default:
        return (struct cell_entry){cell - 1, EDGE_EAST};
    }
}

/* Walks a line from an edge to the border of the field, or back to the edge, and adds it. */
static void walk_line(const struct tracer *tracer, struct cell_entry entry)
{
    bool closed = false;
    while (!closed) {
        tracer->visited_edges[entry.cell] |= (uint8_t)(1u << entry.edge);
        add_crossing(tracer, entry.cell, entry.edge);
        enum edge exit_edge = exits[cell_case(tracer, entry.cell)][entry.edge];
        if (edge_is_outer(tracer, entry.cell, exit_edge)) {
            add_crossing(tracer, entry.cell, exit_edge);
            break;
        }
        entry = enter_neighbour(tracer, entry.cell, exit_edge);
        closed = tracer->visited_edges[entry.cell] >> entry.edge & 1;
    }
    contours_add_line(tracer->out, tracer->level, closed);
}

/* Walks the lines of the level that begin at the border of the field, or all remaining lines. */
static void walk_lines(const struct tracer *tracer, bool open)
{
    for (uint32_t i = tracer->starts[tracer->level]; i < tracer->starts[tracer->level + 1]; i++) {
        size_t cell = tracer->cells[i];
        const uint8_t *exit_edge = exits[cell_case(tracer, cell)];
        for (unsigned edge = EDGE_NORTH; edge < EDGE_NONE; edge++) {
            if (exit_edge[edge] != EDGE_NONE && !(tracer->visited_edges[cell] >> edge & 1) &&
                (!open || edge_is_outer(tracer, cell, edge)))
                walk_line(tracer, (struct cell_entry){cell, edge});
        }
    }
}

static void trace_level(struct tracer *tracer, uint32_t level, float value)
{
    tracer->level = level;
    tracer->value = (double)value;
    walk_lines(tracer, true);
    walk_lines(tracer, false);
    for (uint32_t i = tracer->starts[level]; i < tracer->starts[level + 1]; i++)
        tracer->visited_edges[tracer->cells[i]] = 0;
}

/* Lays the arrays out in the scratch memory. The cells come last, as their number is known only
 * when the others are filled. */
static bool lay_out_scratch(struct tracer *tracer, uint32_t count, size_t cells)
{
    size_t samples = (size_t)tracer->field->columns * tracer->field->rows;
    size_t even = (samples + 3) / 4 * 4; /* keeps what follows aligned */
    size_t bytes = (count + 1) * sizeof(uint32_t) + even * sizeof(uint16_t) + even;
    uint8_t *memory = contours_scratch(tracer->out, bytes + cells * sizeof(uint32_t));
    if (!memory)
        return false;
    tracer->starts = (uint32_t *)(void *)memory;
    tracer->ranks = (uint16_t *)(tracer->starts + count + 1);
    tracer->visited_edges = (uint8_t *)(tracer->ranks + even);
    tracer->cells = (uint32_t *)(void *)(memory + bytes);
    return true;
}

static bool check_field(const struct contour_field *field, struct error *error)
{
    if (field->columns >= 2 && field->columns <= CONTOUR_SIDE_MAX && field->rows >= 2 &&
        field->rows <= CONTOUR_SIDE_MAX)
        return true;
    return error_set(error, ERROR_VALUE,
                     "contours need a field of 2 to %d columns and rows, not %u × %u",
                     CONTOUR_SIDE_MAX, (unsigned)field->columns, (unsigned)field->rows);
}

bool contour_trace(const struct contour_field *field, const float *levels, uint32_t count,
                   struct contours *out, struct error *error)
{
    contours_clear(out);
    if (!check_field(field, error))
        return false;
    if (count > CONTOUR_LEVELS_MAX)
        return error_set(error, ERROR_LIMIT, "%u contour levels; at most %d are allowed",
                         (unsigned)count, CONTOUR_LEVELS_MAX);
    struct tracer tracer = {.field = field, .out = out};
    if (!lay_out_scratch(&tracer, count, 0))
        return error_memory(error);
    memset(tracer.starts, 0, (count + 1) * sizeof *tracer.starts);
    memset(tracer.visited_edges, 0, (size_t)field->columns * field->rows);
    rank_samples(&tracer, levels, count);
    size_t cells = count_cells(&tracer);
    if (cells > CONTOUR_CROSSINGS_MAX)
        return error_set(error, ERROR_LIMIT,
                         "the contours cross %zu cells; at most %d are allowed: ask for fewer "
                         "levels",
                         cells, CONTOUR_CROSSINGS_MAX);
    if (!lay_out_scratch(&tracer, count, cells))
        return error_memory(error);
    list_cells(&tracer, count);
    for (uint32_t level = 0; level < count; level++)
        trace_level(&tracer, level, levels[level]);
    return out->failed ? error_memory(error) : true;
}
