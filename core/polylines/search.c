/* Searches the tree of a polyline from one place, the nearer box first, and leaves out boxes that
 * are farther than the nearest segment so far. */
#include "core/polylines/search.h"

#include <math.h>

#include "core/base/extremes.h"

struct search {
    const struct polyline *line;
    const struct polyline_position *position;
    struct polyline_nearest best;
    double limit; /* metres²: boxes beyond are left out */
    uint64_t visits, most;
    bool any; /* ends with the first segment within the limit */
};

static void search_run(struct search *search, uint32_t index)
{
    uint32_t first, end;
    polyline_segments(search->line, 0, index, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        const struct polyline_nearest nearest = polyline_measure(search->line, i, search->position);
        if (!polyline_is_nearer(&nearest, &search->best) ||
            (search->any && nearest.squared > search->limit))
            continue;
        search->best = nearest;
        const double limit =
            polyline_square_with_slack(search->line, __builtin_sqrt(nearest.squared));
        search->limit = limit < search->limit ? limit : search->limit;
        search->most = search->any ? 0 : search->most;
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
    const double distances[2] = {polyline_box_distance(&below[0], search->position),
                                 both ? polyline_box_distance(&below[1], search->position)
                                      : (double)INFINITY};
    const uint32_t nearer = distances[1] < distances[0];
    search->visits += 2;
    if (search->visits >= search->most)
        return;
    if (distances[nearer] <= search->limit)
        search_box(search, level - 1, 2 * index + nearer);
    if (distances[1 - nearer] <= search->limit && search->visits < search->most)
        search_box(search, level - 1, 2 * index + 1 - nearer);
}

struct polyline_nearest polyline_search(const struct polyline *line,
                                        const struct polyline_position *position, double reach,
                                        struct polyline_effort *effort)
{
    const double most = effort->most - effort->visits;
    struct search search = {.line = line,
                            .position = position,
                            .best = {.squared = (double)INFINITY, .segment = line->segments},
                            .limit = polyline_square_with_slack(line, reach),
                            .visits = 1,
                            .most = most < 0x1p62 ? (uint64_t)double_max(most, 0.0) : UINT64_MAX};
    const uint32_t top = line->levels - 1;
    if (polyline_box_distance(line->boxes[top], position) <= search.limit)
        search_box(&search, top, 0);
    if (search.best.squared > reach * reach)
        search.best.squared = (double)INFINITY;
    effort->visits += (double)search.visits;
    return search.best;
}

bool polyline_is_near(const struct polyline *line, const struct polyline_circle *circle,
                      double reach, double *visits_left)
{
    struct search search = {.line = line,
                            .position = &circle->middle,
                            .best = {.squared = (double)INFINITY, .segment = line->segments},
                            .limit = polyline_square_with_slack(line, reach + circle->radius),
                            .visits = 1,
                            .most = (uint64_t)double_max(*visits_left, 0.0),
                            .any = true};
    const uint32_t top = line->levels - 1;
    if (polyline_box_distance(line->boxes[top], &circle->middle) <= search.limit)
        search_box(&search, top, 0);
    *visits_left -= (double)search.visits;
    return search.best.squared <= search.limit || *visits_left <= 0.0;
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
    const double turn =
        (double)(b.x - a.x) * POLYLINE_UNIT * polyline_position_offset(ray->from, 1, a.y) -
        (double)(b.y - a.y) * POLYLINE_UNIT * polyline_position_offset(ray->from, 0, a.x);
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

bool polyline_is_inside(const struct polyline *line, const struct polyline_position *position,
                        struct polyline_effort *effort)
{
    struct ray ray = {line, position, 0};
    const bool inside = line->closed && crosses_odd(&ray, line->levels - 1, 0);
    effort->visits += (double)ray.visits;
    return inside;
}
