/* Searches the tree of a polyline, the nearer box first, and leaves out boxes that are farther than
 * the nearest segment so far.
 *
 * Neighbouring places have few segments near: so places are searched together. Let D be the
 * distance of the middle of some places, and r the radius of a circle about it that holds them all.
 * None of them is farther than D + r from the line, so its nearest segment is within D + 2r of the
 * middle. If there are few such segments, each place looks at all of them; if not, the places are
 * halved.
 *
 * A place whose nearest point is within a segment is inside if it is on the inner side of that. If
 * the nearest point is a vertex, or beyond the reach, a ray tells it. Where D is more than r, none
 * of the places has the border between itself and the middle: so all are inside, or none.
 *
 * Distances are doubles of exact differences. What is left out must be farther than the nearest one
 * by more than rounding: by the slack below, which is above 8 times the error of a distance,
 * 2⁻⁵¹ of the distance and of the segment's length. So the result is always the least of the
 * distances to all segments. */
#include "core/polylines/nearest.h"

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
#define RELATIVE_SLACK 0x1p-40 /* of a distance, */
#define EXTENT_SLACK 0x1p-46   /* and of the polyline's extent */
#define UNIT 0x1p-16           /* metres */

/* Metres from a place of the plane to a position, along an axis. */
static double offset(const struct polyline_position *position, int axis, int64_t from)
{
    return (double)(position->at[axis] - from) * UNIT + position->part[axis];
}

/* The square of a distance within which nothing may be left out. */
static double square_with_slack(const struct polyline *line, double metres)
{
    const double most = metres * (1.0 + RELATIVE_SLACK) + line->extent * EXTENT_SLACK;
    return most * most;
}

/* ---- one place */

struct search {
    const struct polyline *line;
    const struct polyline_position *position;
    struct polyline_nearest best;
    double limit; /* metres²: boxes beyond are left out */
    uint64_t visits;
};

/* The nearest point of one segment. */
static struct polyline_nearest measure(const struct polyline *line, uint32_t segment,
                                       const struct polyline_position *position)
{
    const struct place a = line->vertices[segment], b = polyline_end(line, segment);
    const double east = (double)(b.x - a.x) * UNIT, south = (double)(b.y - a.y) * UNIT;
    double x = offset(position, 0, a.x), y = offset(position, 1, a.y);
    const double square = east * east + south * south, along = x * east + y * south;
    double t = 0.0;
    if (along >= square) { /* from the very vertex, as for the next segment: both are equal then */
        t = 1.0;
        x = offset(position, 0, b.x);
        y = offset(position, 1, b.y);
    } else if (along > 0.0) {
        t = along / square;
        x -= t * east;
        y -= t * south;
    }
    return (struct polyline_nearest){x * x + y * y, t, segment, false};
}

static bool is_nearer(const struct polyline_nearest *a, const struct polyline_nearest *b)
{
    return a->squared < b->squared || (a->squared == b->squared && a->segment < b->segment);
}

static double box_distance(const struct polyline_box *box, const struct polyline_position *position)
{
    double squared = 0.0;
    for (int axis = 0; axis < 2; axis++) {
        const double below = -offset(position, axis, box->low[axis]),
                     above = offset(position, axis, box->high[axis]);
        const double beside = below > 0.0 ? below : above > 0.0 ? above : 0.0;
        squared += beside * beside;
    }
    return squared;
}

static void search_run(struct search *search, uint32_t index)
{
    uint32_t first, end;
    polyline_segments(search->line, 0, index, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        const struct polyline_nearest nearest = measure(search->line, i, search->position);
        if (!is_nearer(&nearest, &search->best))
            continue;
        search->best = nearest;
        const double limit = square_with_slack(search->line, __builtin_sqrt(nearest.squared));
        search->limit = limit < search->limit ? limit : search->limit;
    }
    search->visits += end - first;
}

/* Searches under a box. As deep as the tree. */
static void search_box(struct search *search, uint32_t level, uint32_t index)
{
    if (level == 0) {
        search_run(search, index);
        return;
    }
    const struct polyline_box *below = search->line->boxes[level - 1] + 2 * index;
    const bool both = 2 * index + 1 < polyline_level_count(search->line, level - 1);
    const double distances[2] = {box_distance(&below[0], search->position),
                                 both ? box_distance(&below[1], search->position)
                                      : (double)INFINITY};
    const uint32_t nearer = distances[1] < distances[0];
    search->visits += 2;
    if (distances[nearer] <= search->limit)
        search_box(search, level - 1, 2 * index + nearer);
    if (distances[1 - nearer] <= search->limit)
        search_box(search, level - 1, 2 * index + 1 - nearer);
}

/* The nearest point within `reach` metres; infinitely far if there is none. */
static struct polyline_nearest search_one(const struct polyline *line,
                                          const struct polyline_position *position, double reach,
                                          uint64_t *visits)
{
    struct search search = {.line = line,
                            .position = position,
                            .best = {.squared = (double)INFINITY, .segment = line->segments},
                            .limit = square_with_slack(line, reach),
                            .visits = 1};
    const uint32_t top = line->levels - 1;
    if (box_distance(line->boxes[top], position) <= search.limit)
        search_box(&search, top, 0);
    if (search.best.squared > reach * reach)
        search.best.squared = (double)INFINITY;
    *visits += search.visits;
    return search.best;
}

uint64_t polyline_count_visits(const struct polyline *line,
                               const struct polyline_position *position)
{
    uint64_t visits = 0;
    search_one(line, position, (double)INFINITY, &visits);
    return visits;
}

/* ---- inside or outside */

/* A ray from a position to the east. */
struct ray {
    const struct polyline *line;
    const struct polyline_position *from;
    uint64_t visits;
};

static bool is_south_of(const struct ray *ray, struct place place)
{
    return place.y > ray->from->at[1];
}

static bool crosses_segment(const struct ray *ray, uint32_t segment)
{
    const struct place a = ray->line->vertices[segment], b = polyline_end(ray->line, segment);
    if (is_south_of(ray, a) == is_south_of(ray, b))
        return false;
    const double turn = (double)(b.x - a.x) * UNIT * offset(ray->from, 1, a.y) -
                        (double)(b.y - a.y) * UNIT * offset(ray->from, 0, a.x);
    return b.y > a.y ? turn > 0.0 : turn < 0.0;
}

/* True if the ray crosses an odd number of the segments under a box. Where all of them are east of
 * where it begins, their first and their last vertex tell it. */
static bool crosses_odd(struct ray *ray, uint32_t level, uint32_t index)
{
    const struct polyline_box *box = &ray->line->boxes[level][index];
    const int64_t *at = ray->from->at;
    uint32_t first, end;
    bool odd = false;
    ray->visits++;
    if (box->high[1] <= at[1] || box->low[1] > at[1] || box->high[0] <= at[0])
        return false;
    polyline_segments(ray->line, level, index, &first, &end);
    if (box->low[0] > at[0])
        return is_south_of(ray, ray->line->vertices[first]) !=
               is_south_of(ray, polyline_end(ray->line, end - 1));
    for (uint32_t i = first; level == 0 && i < end; i++)
        odd ^= crosses_segment(ray, i);
    for (uint32_t i = 2 * index; level > 0 && i < 2 * index + 2; i++)
        if (i < polyline_level_count(ray->line, level - 1))
            odd ^= crosses_odd(ray, level - 1, i);
    return odd;
}

static bool is_inside(const struct polyline *line, const struct polyline_position *position,
                      uint64_t *visits)
{
    struct ray ray = {line, position, 0};
    const bool inside = line->closed && crosses_odd(&ray, line->levels - 1, 0);
    *visits += ray.visits;
    return inside;
}

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
    uint64_t visits;
};

struct polyline_circle polyline_circle(const struct polyline *line, const int64_t low[2],
                                       const int64_t high[2])
{
    struct polyline_circle circle = {0};
    double squared = 0.0;
    for (int axis = 0; axis < 2; axis++) {
        circle.middle.at[axis] = low[axis] + (high[axis] - low[axis]) / 2;
        const double half = (double)(high[axis] - low[axis] + 4) * (0.5 * UNIT); /* with parts */
        squared += half * half;
    }
    circle.radius = __builtin_sqrt(squared) * (1.0 + RELATIVE_SLACK) + line->extent * EXTENT_SLACK;
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
        if (measure(line, i, &circle->middle).squared > candidates->limit)
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
        box_distance(&line->boxes[level][index], &circle->middle) > candidates->limit)
        return;
    if (level == 0) {
        collect_run(line, circle, index, candidates);
        return;
    }
    for (uint32_t i = 2 * index; i < 2 * index + 2; i++)
        if (i < polyline_level_count(line, level - 1))
            collect(line, circle, (uint32_t[2]){level - 1, i}, candidates);
}

static bool add_work(const struct polyline_query *query, uint64_t visits)
{
    return work_add(query->meter, (uint64_t)((double)visits * POLYLINE_VISIT_TIME));
}

/* Whether a place is inside, by its nearest point. */
static bool is_inside_by(const struct polyline *line, const struct polyline_nearest *nearest,
                         const struct polyline_position *position, uint64_t *visits)
{
    if (line->closed && nearest->squared < (double)INFINITY && nearest->t > 0.0 && nearest->t < 1.0)
        return polyline_is_right(line, nearest, position) == line->clockwise;
    return is_inside(line, position, visits);
}

static bool find_one_by_one(const struct part *part)
{
    const struct polyline *line = part->query->line;
    for (size_t i = 0; i < part->count; i++) {
        uint64_t visits = 0;
        part->found[i] = search_one(line, &part->positions[i], part->query->reach, &visits);
        part->found[i].inside = is_inside_by(line, &part->found[i], &part->positions[i], &visits);
        if (!add_work(part->query, visits))
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
            measure(line, candidates->segments[k], &part->positions[i]);
        best = is_nearer(&nearest, &best) ? nearest : best;
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
                                       const struct polyline_circle *circle, uint64_t *visits)
{
    const struct polyline *line = query->line;
    const double r = circle->radius;
    struct surroundings around = {.middle =
                                      search_one(line, &circle->middle, query->reach + r, visits)};
    around.at_border = line->closed && around.middle.squared <= square_with_slack(line, r);
    around.inside = !around.at_border && is_inside(line, &circle->middle, visits);
    return around;
}

static void find_among(const struct part *part, const struct candidates *candidates,
                       const struct surroundings *around, uint64_t *visits)
{
    const struct polyline *line = part->query->line;
    for (size_t i = 0; i < part->count; i++) {
        struct polyline_nearest *found = &part->found[i];
        *found = nearest_of(part, i, candidates);
        found->inside = around->at_border ? is_inside_by(line, found, &part->positions[i], visits)
                                          : around->inside;
    }
    *visits += part->count * candidates->count;
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

/* As deep as the logarithm of the places. */
static bool find_part(const struct part *part)
{
    const struct polyline *line = part->query->line;
    const double reach = part->query->reach;
    if (part->count <= FEW)
        return find_one_by_one(part);
    const struct polyline_circle circle = circle_of(part);
    const double r = circle.radius;
    uint64_t visits = 0;
    const struct surroundings around = look_around(part->query, &circle, &visits);
    if (around.middle.squared == (double)INFINITY) {
        fill_far(part, around.inside);
        return add_work(part->query, visits);
    }
    const double most = double_min(__builtin_sqrt(around.middle.squared) + 2.0 * r, reach + r);
    struct candidates candidates = {.limit = square_with_slack(line, most)};
    collect(line, &circle, (uint32_t[2]){line->levels - 1, 0}, &candidates);
    visits += candidates.visits;
    const bool few = is_few(&candidates, part->count);
    if (few)
        find_among(part, &candidates, &around, &visits);
    if (!add_work(part->query, visits))
        return false;
    if (candidates.too_many && part->count <= FEW_CROWDED)
        return find_one_by_one(part);
    return few || find_halves(part);
}

bool polyline_is_far(const struct polyline_query *query, const struct polyline_circle *circle,
                     bool *inside)
{
    uint64_t visits = 0;
    const struct surroundings around = look_around(query, circle, &visits);
    *inside = around.inside;
    return add_work(query, visits) && around.middle.squared == (double)INFINITY;
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

double polyline_offset(const struct polyline *line, const struct polyline_nearest *nearest,
                       const struct polyline_position *position, int axis)
{
    const struct place start = line->vertices[nearest->segment],
                       end = polyline_end(line, nearest->segment);
    const int64_t from = axis == 0 ? start.x : start.y, to = axis == 0 ? end.x : end.y;
    if (nearest->t >= 1.0)
        return offset(position, axis, to);
    return offset(position, axis, from) - nearest->t * ((double)(to - from) * UNIT);
}

/* Adds the direction of a segment, of length 1. */
static void add_direction(const struct polyline *line, uint32_t segment, double direction[2])
{
    const struct place a = line->vertices[segment], b = polyline_end(line, segment);
    const double length = line->starts[segment + 1] - line->starts[segment];
    direction[0] += (double)(b.x - a.x) * UNIT / length;
    direction[1] += (double)(b.y - a.y) * UNIT / length;
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
    return direction[0] * offset(position, 1, from.y) >= direction[1] * offset(position, 0, from.x);
}
