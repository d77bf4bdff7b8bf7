/* Finds the nearest points of many places at once, as neighbouring places have the same few
 * segments near; search.c searches from one place.
 *
 * Let D be the distance of the middle of some places, and r the radius of a circle about it that
 * holds them all. None of them is farther than D + r from the line, so its nearest segment is
 * within D + 2r of the middle. If there are few such segments, each place looks at all of them; if
 * not, the places are halved.
 *
 * A place whose nearest point is within a segment is inside if it is on the inner side of that. If
 * the nearest point is a vertex, or beyond the reach, a ray tells it. Where D is more than r, none
 * of the places has the border between itself and the middle: so all are inside, or none. */
#include "core/polylines/search.h"

#include <math.h>

#include "core/base/extremes.h"

enum {
    FEW = 3,          /* places that are searched for one by one; */
    FEW_CROWDED = 16, /* the same where they have more candidates than CANDIDATES_MAX */
    CANDIDATES_MAX = 32,
    /* So many candidates cost less than to halve the places: always, and of all places together. */
    CANDIDATES_FEW = 4,
    CANDIDATES_OF_ALL = 512,
};
#define SEARCHED_MAX 20000.0 /* visits of one search of an estimate */
#define ALL_VISITS 1.75      /* boxes and segments of a tree, for each segment, with halving */

/* ---- many places */

/* Some of the places of a query. */
struct part {
    const struct polyline_query *query;
    const struct polyline_position *positions;
    struct polyline_nearest *found;
    size_t count;
};

/* The segments near a circle. */
struct candidates {
    uint32_t segments[CANDIDATES_MAX], count;
    bool too_many;
    double limit; /* metres² from the middle */
    uint32_t visits;
};

struct polyline_circle polyline_circle(const struct polyline *line, const int64_t low[2],
                                       const int64_t high[2])
{
    struct polyline_circle circle = {0};
    double squared = 0.0;
    for (int axis = 0; axis < 2; axis++) {
        circle.middle.at[axis] = low[axis] + (high[axis] - low[axis]) / 2;
        const double half =
            (double)(high[axis] - low[axis] + 4) * (0.5 * POLYLINE_UNIT); /* with parts */
        squared += half * half;
    }
    circle.radius = __builtin_sqrt(squared) * (1.0 + POLYLINE_RELATIVE_SLACK) +
                    line->extent * POLYLINE_EXTENT_SLACK;
    return circle;
}

/* A circle that holds all places of a part. */
static struct polyline_circle circle_of(const struct part *part)
{
    const struct polyline_position *positions = part->positions;
    int64_t low[2] = {positions[0].at[0], positions[0].at[1]}, high[2] = {low[0], low[1]};
    for (size_t i = 1; i < part->count; i++)
        for (int axis = 0; axis < 2; axis++) {
            const int64_t at = positions[i].at[axis];
            low[axis] = at < low[axis] ? at : low[axis];
            high[axis] = at > high[axis] ? at : high[axis];
        }
    return polyline_circle(part->query->line, low, high);
}

static void collect_run(const struct polyline *line, const struct polyline_circle *circle,
                        uint32_t index, struct candidates *candidates)
{
    uint32_t first, end;
    polyline_segments(line, 0, index, &first, &end);
    candidates->visits += end - first;
    for (uint32_t i = first; i < end; i++) {
        if (polyline_measure(line, i, &circle->middle).squared > candidates->limit)
            continue;
        candidates->too_many |= candidates->count == CANDIDATES_MAX;
        if (!candidates->too_many)
            candidates->segments[candidates->count++] = i;
    }
}

/* Collects the segments under a box, in their order. As deep as the tree. */
static void collect(const struct polyline *line, const struct polyline_circle *circle,
                    uint32_t node[2], struct candidates *candidates)
{
    const uint32_t level = node[0], index = node[1];
    candidates->visits++;
    if (candidates->too_many ||
        polyline_box_distance(&line->boxes[level][index], &circle->middle) > candidates->limit)
        return;
    if (level == 0) {
        collect_run(line, circle, index, candidates);
        return;
    }
    for (uint32_t i = 2 * index; i < 2 * index + 2; i++)
        if (i < polyline_level_count(line, level - 1))
            collect(line, circle, (uint32_t[2]){level - 1, i}, candidates);
}

static bool add_work(const struct polyline_query *query, struct polyline_effort effort)
{
    return work_add(query->meter, (uint64_t)polyline_effort_time(effort));
}

/* Whether a place is inside, by its nearest point. */
static bool is_inside_by(const struct polyline *line, const struct polyline_nearest *nearest,
                         const struct polyline_position *position, struct polyline_effort *effort)
{
    if (line->closed && nearest->squared < (double)INFINITY && nearest->t > 0.0 && nearest->t < 1.0)
        return polyline_is_right(line, nearest, position) == line->clockwise;
    return polyline_is_inside(line, position, effort);
}

static bool find_one_by_one(const struct part *part)
{
    const struct polyline *line = part->query->line;
    for (size_t i = 0; i < part->count; i++) {
        struct polyline_effort effort = {.most = (double)INFINITY};
        part->found[i] = polyline_search(line, &part->positions[i], part->query->reach, &effort);
        part->found[i].inside = is_inside_by(line, &part->found[i], &part->positions[i], &effort);
        if (!add_work(part->query, effort))
            return false;
    }
    return true;
}

/* All places are beyond the reach, on the same side. */
static void fill_far(const struct part *part, bool inside)
{
    for (size_t i = 0; i < part->count; i++)
        part->found[i] = (struct polyline_nearest){
            .squared = (double)INFINITY, .segment = part->query->line->segments, .inside = inside};
}

static struct polyline_nearest nearest_of(const struct part *part, size_t i,
                                          const struct candidates *candidates)
{
    const struct polyline *line = part->query->line;
    struct polyline_nearest best = {.squared = (double)INFINITY, .segment = line->segments};
    for (uint32_t k = 0; k < candidates->count; k++) {
        const struct polyline_nearest nearest =
            polyline_measure(line, candidates->segments[k], &part->positions[i]);
        best = polyline_is_nearer(&nearest, &best) ? nearest : best;
    }
    if (best.squared > part->query->reach * part->query->reach)
        best.squared = (double)INFINITY;
    return best;
}

/* What is near a circle: its middle's nearest point, as far as it is within the reach of a place.
 */
struct surroundings {
    struct polyline_nearest middle;
    bool at_border, inside; /* the border may be between two places; else all are inside or none */
};

static struct surroundings look_around(const struct polyline_query *query,
                                       const struct polyline_circle *circle,
                                       struct polyline_effort *effort)
{
    const struct polyline *line = query->line;
    const double r = circle->radius;
    struct surroundings around = {
        .middle = polyline_search(line, &circle->middle, query->reach + r, effort)};
    around.at_border = line->closed && around.middle.squared <= polyline_square_with_slack(line, r);
    around.inside = !around.at_border && polyline_is_inside(line, &circle->middle, effort);
    return around;
}

static void find_among(const struct part *part, const struct candidates *candidates,
                       const struct surroundings *around, struct polyline_effort *effort)
{
    const struct polyline *line = part->query->line;
    for (size_t i = 0; i < part->count; i++) {
        struct polyline_nearest *found = &part->found[i];
        *found = nearest_of(part, i, candidates);
        found->inside = around->at_border ? is_inside_by(line, found, &part->positions[i], effort)
                                          : around->inside;
    }
    effort->listed += (double)part->count * candidates->count;
}

static bool find_part(const struct part *part);

static bool find_halves(const struct part *part)
{
    const size_t half = part->count / 2;
    const struct part first = {part->query, part->positions, part->found, half};
    const struct part second = {part->query, part->positions + half, part->found + half,
                                part->count - half};
    return find_part(&first) && find_part(&second);
}

static bool is_few(const struct candidates *candidates, size_t places)
{
    return !candidates->too_many &&
           (candidates->count <= CANDIDATES_FEW || candidates->count * places <= CANDIDATES_OF_ALL);
}

/* How some places are searched. */
enum part_way {
    PART_FAR,    /* all are beyond the reach */
    PART_LISTED, /* each looks at the few segments near all of them */
    PART_SINGLE, /* one by one */
    PART_HALVED,
};

static enum part_way plan_part(const struct part *part, struct surroundings *around,
                               struct candidates *candidates, struct polyline_effort *effort)
{
    const struct polyline *line = part->query->line;
    const double reach = part->query->reach;
    if (part->count <= FEW)
        return PART_SINGLE;
    const struct polyline_circle circle = circle_of(part);
    const double r = circle.radius;
    *around = look_around(part->query, &circle, effort);
    if (around->middle.squared == (double)INFINITY)
        return PART_FAR;
    const double most = double_min(__builtin_sqrt(around->middle.squared) + 2.0 * r, reach + r);
    candidates->limit = polyline_square_with_slack(line, most);
    collect(line, &circle, (uint32_t[2]){line->levels - 1, 0}, candidates);
    effort->visits += candidates->visits;
    if (is_few(candidates, part->count))
        return PART_LISTED;
    return candidates->too_many && part->count <= FEW_CROWDED ? PART_SINGLE : PART_HALVED;
}

/* As deep as the logarithm of the places. */
static bool find_part(const struct part *part)
{
    struct polyline_effort effort = {.most = (double)INFINITY};
    struct candidates candidates = {.count = 0};
    struct surroundings around;
    const enum part_way way = plan_part(part, &around, &candidates, &effort);
    if (way == PART_FAR)
        fill_far(part, around.inside);
    if (way == PART_LISTED)
        find_among(part, &candidates, &around, &effort);
    if (!add_work(part->query, effort))
        return false;
    return way == PART_SINGLE ? find_one_by_one(part) : way != PART_HALVED || find_halves(part);
}

/* The work after plan_part(), if it is not to halve the places: one of them, in the middle, stands
 * for all. */
static struct polyline_effort estimate_part(const struct part *part, enum part_way way,
                                            const struct surroundings *around,
                                            const struct candidates *candidates,
                                            double *visits_left)
{
    const struct polyline *line = part->query->line;
    const struct polyline_position *middle = &part->positions[part->count / 2];
    struct polyline_effort one = {.most = SEARCHED_MAX};
    if (way == PART_SINGLE)
        polyline_search(line, middle, part->query->reach, &one);
    *visits_left -= one.visits;
    if (one.visits >= SEARCHED_MAX)
        one.visits = ALL_VISITS * line->segments;
    if (way == PART_SINGLE || (way == PART_LISTED && around->at_border))
        polyline_is_inside(line, middle, &one);
    return (struct polyline_effort){
        .visits = one.visits * (double)part->count,
        .listed = way == PART_LISTED ? (double)part->count * candidates->count : 0.0};
}

double polyline_estimate_time(const struct polyline_query *query, double *visits_left)
{
    struct part part = {query, query->positions, NULL, query->count};
    enum part_way way = PART_HALVED;
    double time = 0.0;
    for (uint32_t parts = 1; way == PART_HALVED; parts *= 2) {
        struct polyline_effort plan = {.most = SEARCHED_MAX};
        struct candidates candidates = {.count = 0};
        struct surroundings around = {.inside = false};
        way = plan_part(&part, &around, &candidates, &plan);
        *visits_left -= plan.visits;
        if (plan.visits >= SEARCHED_MAX)
            way = PART_SINGLE;
        const struct polyline_effort each =
            estimate_part(&part, way, &around, &candidates, visits_left);
        time += parts * (polyline_effort_time(plan) + polyline_effort_time(each));
        /* Now the second half, now the first one. */
        const size_t half = part.count / 2;
        part.positions += parts % 3 == 1 ? half : 0;
        part.count = parts % 3 == 1 ? part.count - half : half;
    }
    return time;
}

bool polyline_is_far(const struct polyline_query *query, const struct polyline_circle *circle,
                     bool *inside)
{
    struct polyline_effort effort = {.most = (double)INFINITY};
    const struct surroundings around = look_around(query, circle, &effort);
    *inside = around.inside;
    return add_work(query, effort) && around.middle.squared == (double)INFINITY;
}

bool polyline_find_nearest(const struct polyline_query *query, struct polyline_nearest *found)
{
    const struct part all = {query, query->positions, found, query->count};
    return find_part(&all);
}

/* ---- what else is known of the nearest point */

double polyline_along(const struct polyline *line, const struct polyline_nearest *nearest)
{
    const double start = line->starts[nearest->segment], end = line->starts[nearest->segment + 1];
    return start + nearest->t * (end - start);
}

/* The last segment that starts at most so many metres along the line. */
static uint32_t segment_along(const struct polyline *line, double along)
{
    uint32_t first = 0, end = line->segments;
    while (end - first > 1) {
        const uint32_t middle = first + (end - first) / 2;
        first = line->starts[middle] <= along ? middle : first;
        end = first == middle ? end : middle;
    }
    return first;
}

static int64_t coordinate(struct place place, int axis)
{
    return axis == 0 ? place.x : place.y;
}

double polyline_point(const struct polyline *line, double along, int axis)
{
    const uint32_t segment = segment_along(line, along);
    const double start = line->starts[segment], length = line->starts[segment + 1] - start;
    const double t = double_max(double_min((along - start) / length, 1.0), 0.0);
    const int64_t from = coordinate(line->vertices[segment], axis),
                  to = coordinate(polyline_end(line, segment), axis);
    return (double)(from - coordinate(line->vertices[0], axis)) * POLYLINE_UNIT +
           t * ((double)(to - from) * POLYLINE_UNIT);
}

double polyline_offset(const struct polyline *line, const struct polyline_nearest *nearest,
                       const struct polyline_position *position, int axis)
{
    const struct place start = line->vertices[nearest->segment],
                       end = polyline_end(line, nearest->segment);
    const int64_t from = coordinate(start, axis), to = coordinate(end, axis);
    if (nearest->t >= 1.0)
        return polyline_position_offset(position, axis, to);
    return polyline_position_offset(position, axis, from) -
           nearest->t * ((double)(to - from) * POLYLINE_UNIT);
}

/* Adds the direction of a segment, of length 1. */
static void add_direction(const struct polyline *line, uint32_t segment, double direction[2])
{
    const struct place a = line->vertices[segment], b = polyline_end(line, segment);
    const double length = line->starts[segment + 1] - line->starts[segment];
    direction[0] += (double)(b.x - a.x) * POLYLINE_UNIT / length;
    direction[1] += (double)(b.y - a.y) * POLYLINE_UNIT / length;
}

bool polyline_is_right(const struct polyline *line, const struct polyline_nearest *nearest,
                       const struct polyline_position *position)
{
    const uint32_t segment = nearest->segment;
    const bool at_end = nearest->t >= 1.0, at_start = nearest->t <= 0.0;
    const struct place from = at_end ? polyline_end(line, segment) : line->vertices[segment];
    double direction[2] = {0.0, 0.0};
    add_direction(line, segment, direction);
    if (at_end && (line->closed || segment + 1 < line->segments))
        add_direction(line, segment + 1 < line->segments ? segment + 1 : 0, direction);
    if (at_start && (line->closed || segment > 0))
        add_direction(line, segment > 0 ? segment - 1 : line->segments - 1, direction);
    return direction[0] * polyline_position_offset(position, 1, from.y) >=
           direction[1] * polyline_position_offset(position, 0, from.x);
}
