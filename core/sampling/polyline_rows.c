/* Samples of path() and area(): places are taken to the plane of the scope, and the polyline is
 * searched from there.
 *
 * In a scope that is neither turned nor scaled a place stays whole units of 2⁻¹⁶ m, which are exact
 * anywhere, and a displacement adds units and a part of one. A scope that is turned or scaled is
 * computed in doubles: to within 2⁻¹² m at the edge of the world. A grid is searched in squares of
 * places, as neighbours share what is near them. */
#include "core/sampling/polyline_rows.h"

#include <float.h>
#include <math.h>

#include "core/base/extremes.h"
#include "core/polylines/nearest.h"

_Static_assert(POLYLINE_SQUARE *POLYLINE_SQUARE <= POLYLINE_PLACES_MAX,
               "a square is searched at once");

/* Beyond, a place is moved to this edge: it is farther from all vertices than any reach. */
#define POSITION_MAX 0x1p58
#define UNITS 0x1p16 /* in a metre */

/* `whole` is within ±2⁶², `units` are added to it. */
static void set_axis(struct polyline_position *position, int axis, int64_t whole, double units)
{
    const double limited = double_max(double_min(units, 2.0 * POSITION_MAX), -2.0 * POSITION_MAX);
    const double floor = __builtin_floor(limited);
    const int64_t edge = (int64_t)POSITION_MAX, at = whole + (int64_t)floor;
    const bool beyond = at < -edge || at > edge;
    position->at[axis] = at < -edge ? -edge : at > edge ? edge : at;
    position->part[axis] = beyond ? 0.0 : (limited - floor) / UNITS;
}

static bool is_plain(const struct polyline_view *view)
{
    return view->scale == 1.0 && view->domain.sine == 0.0 && view->domain.cosine >= 0.0;
}

struct polyline_position polyline_rows_position(const struct polyline_view *view,
                                                struct place place, double dx, double dy)
{
    const struct noise_domain *domain = &view->domain;
    const int64_t x = place.x + domain->shift_x, y = place.y + domain->shift_y;
    struct polyline_position position;
    if (is_plain(view)) {
        set_axis(&position, 0, x, dx * UNITS);
        set_axis(&position, 1, y, dy * UNITS);
        return position;
    }
    const double east = (double)x + dx * UNITS, south = (double)y + dy * UNITS;
    const bool turned = domain->cosine != 0.0 || domain->sine != 0.0;
    const double cosine = turned ? domain->cosine : 1.0, sine = domain->sine;
    set_axis(&position, 0, 0, (cosine * east - sine * south) / view->scale);
    set_axis(&position, 1, 0, (sine * east + cosine * south) / view->scale);
    return position;
}

/* What an operation is of the nearest point. */
typedef float nearest_value(const struct polyline *line, double reach,
                            const struct polyline_nearest *nearest,
                            const struct polyline_position *position);

static float distance_within(double reach, const struct polyline_nearest *nearest)
{
    return (float)(nearest->squared < reach * reach ? __builtin_sqrt(nearest->squared) : reach);
}

static float distance_value(const struct polyline *line, double reach,
                            const struct polyline_nearest *nearest,
                            const struct polyline_position *position)
{
    (void)line, (void)position;
    return distance_within(reach, nearest);
}

static float along_value(const struct polyline *line, double reach,
                         const struct polyline_nearest *nearest,
                         const struct polyline_position *position)
{
    (void)reach, (void)position;
    return nearest->squared <= DBL_MAX ? (float)polyline_along(line, nearest) : 0.0f;
}

static float side_value(const struct polyline *line, double reach,
                        const struct polyline_nearest *nearest,
                        const struct polyline_position *position)
{
    (void)reach;
    if (!(nearest->squared <= DBL_MAX))
        return 0.0f;
    return polyline_is_right(line, nearest, position) ? 1.0f : -1.0f;
}

static float x_value(const struct polyline *line, double reach,
                     const struct polyline_nearest *nearest,
                     const struct polyline_position *position)
{
    (void)reach;
    return nearest->squared <= DBL_MAX ? (float)polyline_offset(line, nearest, position, 0) : 0.0f;
}

static float y_value(const struct polyline *line, double reach,
                     const struct polyline_nearest *nearest,
                     const struct polyline_position *position)
{
    (void)reach;
    return nearest->squared <= DBL_MAX ? (float)polyline_offset(line, nearest, position, 1) : 0.0f;
}

static float signed_value(const struct polyline *line, double reach,
                          const struct polyline_nearest *nearest,
                          const struct polyline_position *position)
{
    (void)line, (void)position;
    const float distance = distance_within(reach, nearest);
    return nearest->inside && distance > 0.0f ? -distance : distance;
}

static nearest_value *const values[OP_COUNT] = {
    [OP_POLYLINE_DISTANCE] = distance_value,
    [OP_POLYLINE_ALONG] = along_value,
    [OP_POLYLINE_SIDE] = side_value,
    [OP_POLYLINE_X] = x_value,
    [OP_POLYLINE_Y] = y_value,
    [OP_POLYLINE_SIGNED] = signed_value,
    [OP_POLYLINE_MOVE] = along_value,
};

/* Samples that are searched together: their places, and where they are in the band. */
struct square {
    struct polyline_position positions[POLYLINE_PLACES_MAX];
    size_t samples[POLYLINE_PLACES_MAX], count;
};

/* A run of an operation over a band. */
struct run {
    const struct polyline_rows *rows;
    const struct polyline_view *view;
    struct polyline_query query; /* without positions */
    float *out;
};

static void add_sample(const struct run *run, struct place place, size_t i, struct square *square)
{
    const float *const *moved = run->rows->moved;
    square->positions[square->count] =
        polyline_rows_position(run->view, place, moved[0] ? (double)moved[0][i] : 0.0,
                               moved[0] ? (double)moved[1][i] : 0.0);
    square->samples[square->count++] = i;
}

static struct place place_of(const struct band *band, size_t i)
{
    if (band->places)
        return band->places[i]; /* they have no columns */
    const int64_t column = (int64_t)(i % band->columns), row = (int64_t)(i / band->columns);
    return (struct place){band->x + column * band->step, band->y + row * band->step};
}

/* Replaces the metres along the line by those from each place to them in the plane of a profile. */
static void move_along(const struct run *run, const struct square *square,
                       const struct polyline_nearest *found)
{
    const struct polyline *line = run->view->line;
    const struct place origin = line->vertices[0];
    const bool east = run->rows->operation->k[1] == 0.0f;
    for (size_t i = 0; i < square->count; i++) {
        const struct place place = place_of(run->rows->band, square->samples[i]);
        const double along = found[i].squared <= DBL_MAX ? polyline_along(line, &found[i]) : 0.0;
        run->out[square->samples[i]] = (float)(east ? along - place_metres(place.x - origin.x)
                                                    : -place_metres(place.y - origin.y));
    }
}

static bool run_square(const struct run *run, const struct square *square)
{
    struct polyline_nearest found[POLYLINE_PLACES_MAX];
    nearest_value *const value = values[run->rows->operation->code];
    struct polyline_query query = run->query;
    query.positions = square->positions;
    query.count = square->count;
    if (!polyline_find_nearest(&query, found))
        return false;
    for (size_t i = 0; i < square->count; i++)
        run->out[square->samples[i]] =
            value(run->view->line, run->query.reach, &found[i], &square->positions[i]);
    if (run->rows->operation->code == OP_POLYLINE_MOVE)
        move_along(run, square, found);
    return true;
}

static bool run_list(const struct run *run)
{
    const struct band *band = run->rows->band;
    struct square square;
    for (size_t i = 0; i < band->count;) {
        for (square.count = 0; i < band->count && square.count < POLYLINE_PLACES_MAX; i++)
            add_sample(run, band->places[i], i, &square);
        if (!run_square(run, &square))
            return false;
    }
    return true;
}

/* Samples of a grid: so many columns and rows from the first one on. */
struct rectangle {
    uint32_t column, row, columns, rows;
};

/* Writes the samples of a rectangle that is far from the line, if it is. Of a grid that is not
 * displaced, in a scope whose places are those of the world. */
static bool run_far(const struct run *run, const struct rectangle *rectangle)
{
    const struct band *band = run->rows->band;
    const struct noise_domain *domain = &run->view->domain;
    const int64_t x = band->x + rectangle->column * band->step + domain->shift_x,
                  y = band->y + rectangle->row * band->step + domain->shift_y;
    const int64_t low[2] = {x, y}, high[2] = {x + (rectangle->columns - 1) * band->step,
                                              y + (rectangle->rows - 1) * band->step};
    const int64_t edge = (int64_t)POSITION_MAX;
    if (low[0] < -edge || low[1] < -edge || high[0] > edge || high[1] > edge)
        return false;
    const struct polyline_circle circle = polyline_circle(run->view->line, low, high);
    struct polyline_nearest none = {.squared = (double)INFINITY};
    if (!polyline_is_far(&run->query, &circle, &none.inside))
        return false;
    const float value = values[run->rows->operation->code](run->view->line, run->query.reach, &none,
                                                           &circle.middle);
    for (uint32_t i = 0; i < rectangle->rows; i++)
        row_kernel_fill(rectangle->columns, value,
                        run->out + (size_t)(rectangle->row + i) * band->columns +
                            rectangle->column);
    return true;
}

/* Column by column, so that halves of the places are narrow ones. */
static bool run_near(const struct run *run, const struct rectangle *rectangle)
{
    const struct band *band = run->rows->band;
    struct square square;
    square.count = 0;
    for (uint32_t i = 0; i < rectangle->columns; i++)
        for (uint32_t k = 0; k < rectangle->rows; k++) {
            const uint32_t column = rectangle->column + i, row = rectangle->row + k;
            const struct place place = {band->x + column * band->step, band->y + row * band->step};
            add_sample(run, place, (size_t)row * band->columns + column, &square);
        }
    return run_square(run, &square);
}

static uint32_t at_most(uint32_t value, uint32_t most)
{
    return value < most ? value : most;
}

static bool run_grid(const struct run *run)
{
    const struct band *band = run->rows->band;
    const bool along = is_plain(run->view) && !run->rows->moved[0] &&
                       run->rows->operation->code != OP_POLYLINE_MOVE;
    const struct rectangle all = {0, 0, band->columns, band->rows};
    if (along && run_far(run, &all))
        return true;
    for (uint32_t row = 0; row < band->rows; row += POLYLINE_SQUARE)
        for (uint32_t column = 0; column < band->columns; column += POLYLINE_SQUARE) {
            const struct rectangle rectangle = {column, row,
                                                at_most(band->columns - column, POLYLINE_SQUARE),
                                                at_most(band->rows - row, POLYLINE_SQUARE)};
            if (!(along && run_far(run, &rectangle)) && !run_near(run, &rectangle))
                return false;
        }
    return true;
}

bool polyline_rows_run(const struct polyline_rows *rows, float *out)
{
    const struct polyline_view *view = &rows->program->polyline_views[rows->operation->table_index];
    const struct run run = {
        .rows = rows,
        .view = view,
        .query = {.line = view->line, .reach = (double)rows->operation->k[0], .meter = rows->meter},
        .out = out};
    return rows->band->places ? run_list(&run) : run_grid(&run);
}
