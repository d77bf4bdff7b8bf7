/* What a sample near a line takes follows from the place: searches from some of the samples are
 * estimated (core/polylines/nearest.h), in the units that the meter of work counts in.
 *
 * The rectangle of a grid is quartered, and quartered again, as long as there are few quarters that
 * the line is within the reach of: the others cost next to nothing. Squares of samples in some of
 * the quarters that are left stand for all. Of a list, or where samples lie anywhere in a
 * rectangle, some places are looked at. What looks at too much, as in the middle of a circle,
 * counts as if it looked at every segment.
 *
 * Where the place is not known, or formulas move it far, searches from near the line stand for all
 * (usual_visits), and in a grid how long segments are: where they are much longer than samples are
 * apart, neighbours have few segments to look at; where they are much shorter, most samples are
 * beyond the reach. */
#include "core/price/polyline.h"

#include "core/base/extremes.h"
#include "core/sampling/polyline_rows.h"

enum {
    QUARTERS_MAX = 128,
    PROBES_MAX = 12,
    PROBES_SIDE = 4, /* of places anywhere in a rectangle */
    SQUARE = POLYLINE_SQUARE,
};
#define MOVED_MAX 0x1p20 /* metres: a place that moves farther is not known */
#define VISITS_MAX 30000.0
#define MARGIN 1.75      /* for what lies between the squares that are looked at */
#define FAR 2.0          /* in a grid, beyond the reach */
#define PLACE 50.0       /* at a place, */
#define PLACE_VISIT 25.0 /* and for each visit, few of which find their memory in the cache */
#define GRID 20.0        /* in a grid, */
#define GRID_VISIT 1.0   /* for each visit, */
#define ALONE_VISIT 6.0  /* and for each visit of samples that are as far apart as vertices */
#define ALIKE 8.0        /* times as far apart or near each other, at most */

/* ---- where the place is not known */

static double usual_price(const struct polyline_view *view, struct sampling sampling)
{
    const struct polyline *line = view->line;
    const double visits = line->usual_visits;
    if (sampling.step <= 0.0)
        return PLACE + PLACE_VISIT * visits;
    const double length = line->starts[line->segments] / line->segments,
                 step = sampling.step / view->scale;
    const double alone = double_min(1.0, ALIKE * double_min(step / length, length / step));
    return GRID + (GRID_VISIT + ALONE_VISIT * alone) * visits;
}

/* ---- where it is */

/* What is priced. */
struct subject {
    const struct polyline_view *view;
    double reach;
    double moved[2];  /* metres by which places are moved, */
    double margin[2]; /* and as much more or less */
    double visits_left;
};

/* A rectangle of places. */
struct quarter {
    struct place low, high;
};

/* False if places are moved too far to be known. */
static bool find_moves(const struct program *program, struct subject *subject)
{
    const int32_t moves[2] = {subject->view->dx, subject->view->dy};
    for (int axis = 0; axis < 2 && moves[axis] >= 0; axis++) {
        const struct interval bounds = program->operations[moves[axis]].bounds;
        const double low = (double)bounds.low, high = (double)bounds.high;
        if (double_max(-low, high) > MOVED_MAX)
            return false;
        subject->moved[axis] = 0.5 * (low + high);
        subject->margin[axis] = 0.5 * (high - low);
    }
    return true;
}

static struct polyline_position position_of(const struct subject *subject, struct place place)
{
    return polyline_rows_position(subject->view, place, subject->moved[0], subject->moved[1]);
}

/* True if the line may be within the reach of a place in the quarter. */
static bool is_near(struct subject *subject, struct quarter quarter)
{
    const int64_t more[2] = {place_from_metres(subject->margin[0]),
                             place_from_metres(subject->margin[1])};
    int64_t low[2] = {INT64_MAX, INT64_MAX}, high[2] = {INT64_MIN, INT64_MIN};
    for (int corner = 0; corner < 4; corner++) {
        const struct place place = {corner & 1 ? quarter.low.x - more[0] : quarter.high.x + more[0],
                                    corner & 2 ? quarter.low.y - more[1]
                                               : quarter.high.y + more[1]};
        const struct polyline_position position = position_of(subject, place);
        for (int axis = 0; axis < 2; axis++) {
            low[axis] = position.at[axis] < low[axis] ? position.at[axis] : low[axis];
            high[axis] = position.at[axis] > high[axis] ? position.at[axis] : high[axis];
        }
    }
    const struct polyline_circle circle = polyline_circle(subject->view->line, low, high);
    return polyline_is_near(subject->view->line, &circle, subject->reach, &subject->visits_left);
}

static struct place middle_of(struct quarter quarter)
{
    return (struct place){quarter.low.x + (quarter.high.x - quarter.low.x) / 2,
                          quarter.low.y + (quarter.high.y - quarter.low.y) / 2};
}

/* Replaces the quarters by those of their own quarters that are near the line. */
static uint32_t divide(struct subject *subject, struct quarter quarters[QUARTERS_MAX],
                       uint32_t count)
{
    struct quarter whole[QUARTERS_MAX / 4];
    uint32_t near = 0;
    for (uint32_t i = 0; i < count; i++)
        whole[i] = quarters[i];
    for (uint32_t i = 0; i < 4 * count; i++) {
        const struct quarter from = whole[i / 4];
        const struct place middle = middle_of(from);
        const struct quarter quarter = {
            {i & 1 ? middle.x : from.low.x, i & 2 ? middle.y : from.low.y},
            {i & 1 ? from.high.x : middle.x, i & 2 ? from.high.y : middle.y}};
        if (is_near(subject, quarter))
            quarters[near++] = quarter;
    }
    return near;
}

/* Nanoseconds of a sample in a square around a place. */
static double square_time(struct subject *subject, struct place middle, double step)
{
    struct polyline_position positions[SQUARE * SQUARE];
    const int64_t apart = place_from_metres(step);
    for (int i = 0; i < SQUARE * SQUARE; i++)
        positions[i] =
            position_of(subject, (struct place){middle.x + (i / SQUARE - SQUARE / 2) * apart,
                                                middle.y + (i % SQUARE - SQUARE / 2) * apart});
    const struct polyline_query query = {.line = subject->view->line,
                                         .reach = subject->reach,
                                         .positions = positions,
                                         .count = SQUARE * SQUARE};
    return polyline_estimate_time(&query, &subject->visits_left) / (SQUARE * SQUARE);
}

static double grid_price(struct subject *subject, struct sampling sampling)
{
    struct quarter quarters[QUARTERS_MAX] = {{sampling.where->low, sampling.where->high}};
    const double width = place_metres(quarters[0].high.x - quarters[0].low.x),
                 height = place_metres(quarters[0].high.y - quarters[0].low.y);
    uint32_t count = is_near(subject, quarters[0]), probes = 0;
    double share = 1.0, side = double_max(width, height) / sampling.step, time = 0.0;
    for (; 0 < count && count <= QUARTERS_MAX / 4 && side > SQUARE; side /= 2.0, share /= 4.0)
        count = divide(subject, quarters, count);
    for (; probes < count && probes < PROBES_MAX && subject->visits_left > 0.0; probes++)
        time += square_time(
            subject,
            middle_of(quarters[probes * count / (count < PROBES_MAX ? count : PROBES_MAX)]),
            sampling.step);
    if (count > 0 && probes == 0) /* all visits went into the quarters */
        return usual_price(subject->view, sampling);
    return FAR + (probes > 0 ? share * count * (GRID + MARGIN * time / probes) : 0.0);
}

/* One of the places of a request. */
static struct place probe_of(const struct sampling_where *where, uint32_t i, uint32_t probes)
{
    const int64_t width = where->high.x - where->low.x, height = where->high.y - where->low.y;
    if (where->places)
        return where->places[i * where->count / probes];
    return (struct place){where->low.x + width / PROBES_SIDE * (i % PROBES_SIDE),
                          where->low.y + height / PROBES_SIDE * (i / PROBES_SIDE)};
}

static double place_price(struct subject *subject, const struct sampling_where *where)
{
    const uint32_t most = PROBES_SIDE * PROBES_SIDE,
                   count = where->places && where->count < most ? (uint32_t)where->count : most;
    double time = 0.0;
    uint32_t probes = 0;
    for (; probes < count && subject->visits_left > 0.0; probes++) {
        const struct polyline_position position =
            position_of(subject, probe_of(where, probes, count));
        const struct polyline_query query = {.line = subject->view->line,
                                             .reach = subject->reach,
                                             .positions = &position,
                                             .count = 1};
        time += polyline_estimate_time(&query, &subject->visits_left);
    }
    return PLACE + (probes > 0 ? MARGIN * PLACE_VISIT / POLYLINE_VISIT_TIME * time / probes : 0.0);
}

bool price_polyline_is_far(const struct program *program, const struct operation *operation,
                           const struct sampling_where *where)
{
    float most = operation->k[0];
    if (operation->code != OP_LESS || operation->a < 0 || !where || where->places ||
        (operation->b >= 0 && !program_is_constant(program, operation->b, &most)))
        return false;
    const struct operation *distance = &program->operations[operation->a];
    if (distance->code != OP_POLYLINE_DISTANCE || most > distance->k[0])
        return false;
    struct subject subject = {.view = &program->polyline_views[distance->table_index],
                              .reach = (double)distance->k[0],
                              .visits_left = VISITS_MAX};
    return find_moves(program, &subject) &&
           !is_near(&subject, (struct quarter){where->low, where->high});
}

double price_polyline(const struct program *program, const struct operation *operation,
                      struct sampling sampling, struct polyline_price *last)
{
    struct subject subject = {.view = &program->polyline_views[operation->table_index],
                              .reach = (double)operation->k[0],
                              .visits_left = VISITS_MAX};
    if (last->view == operation->table_index && last->reach == operation->k[0])
        return last->time;
    last->view = operation->table_index;
    last->reach = operation->k[0];
    if (!sampling.where || !find_moves(program, &subject))
        last->time = usual_price(subject.view, sampling);
    else if (last->visits_left < VISITS_MAX)
        last->time = double_max(last->most_time, usual_price(subject.view, sampling));
    else if (sampling.step > 0.0)
        last->time = grid_price(&subject, sampling);
    else
        last->time = place_price(&subject, sampling.where);
    last->visits_left -= VISITS_MAX - subject.visits_left;
    last->most_time = double_max(last->most_time, last->time);
    return last->time;
}
