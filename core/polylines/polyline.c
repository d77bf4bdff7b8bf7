/* Makes polylines: lengths, the tree of boxes, the digest.
 *
 * The tree follows the order of the segments and is not balanced by place: whoever draws a road or
 * a border draws neighbours one after the other, so the boxes of runs are small. A line that jumps
 * to and fro has large boxes, and searches in it look at more of them, which usual_visits tells. */
#include "core/polylines/polyline.h"

#include <math.h>
#include <string.h>

#include "core/polylines/search.h"

enum {
    PROBES = 64,
    PROBED_VISITS_MAX = 100000, /* of all probes: half a millisecond */
    PROBE_DISTANCES = 12,       /* 1 … 2¹¹ m from the line */
};

static void add_place(struct polyline_box *box, struct place place)
{
    const int64_t at[2] = {place.x, place.y};
    for (int axis = 0; axis < 2; axis++) {
        box->low[axis] = at[axis] < box->low[axis] ? at[axis] : box->low[axis];
        box->high[axis] = at[axis] > box->high[axis] ? at[axis] : box->high[axis];
    }
}

static struct polyline_box box_of_run(const struct polyline *line, uint32_t index)
{
    uint32_t first, end;
    polyline_segments(line, 0, index, &first, &end);
    const struct place start = line->vertices[first];
    struct polyline_box box = {{start.x, start.y}, {start.x, start.y}};
    for (uint32_t i = first; i < end; i++)
        add_place(&box, polyline_end(line, i));
    return box;
}

static struct polyline_box box_of_two(const struct polyline_box *below, bool both)
{
    struct polyline_box box = below[0];
    if (both) {
        add_place(&box, (struct place){below[1].low[0], below[1].low[1]});
        add_place(&box, (struct place){below[1].high[0], below[1].high[1]});
    }
    return box;
}

/* False when memory is out. */
static bool build_tree(struct polyline *line, struct arena *arena)
{
    do {
        const uint32_t level = line->levels++, count = polyline_level_count(line, level);
        struct polyline_box *boxes = arena_allocate(arena, count, sizeof *boxes);
        if (!boxes)
            return false;
        for (uint32_t i = 0; i < count; i++)
            boxes[i] = level == 0 ? box_of_run(line, i)
                                  : box_of_two(line->boxes[level - 1] + 2 * i,
                                               2 * i + 1 < polyline_level_count(line, level - 1));
        line->boxes[level] = boxes;
    } while (polyline_level_count(line, line->levels - 1) > 1);
    return true;
}

/* False when memory is out. */
static bool measure(struct polyline *line, struct arena *arena)
{
    double *starts = arena_allocate(arena, line->segments + 1, sizeof *starts);
    if (!starts)
        return false;
    for (uint32_t i = 0; i < line->segments; i++) {
        const struct place a = line->vertices[i], b = polyline_end(line, i);
        const double east = place_metres(b.x - a.x), south = place_metres(b.y - a.y);
        starts[i + 1] = starts[i] + __builtin_sqrt(east * east + south * south);
    }
    line->starts = starts;
    return true;
}

static double extent_of(const struct polyline *line)
{
    const struct polyline_box *box = line->boxes[line->levels - 1];
    const double east = place_metres(box->high[0] - box->low[0]),
                 south = place_metres(box->high[1] - box->low[1]);
    return __builtin_sqrt(east * east + south * south);
}

/* Bytes in an order of their own, as the digest is part of fingerprints. */
static void add_number(struct secure_hash *hash, uint64_t number)
{
    uint8_t bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(number >> 8 * i);
    secure_hash_add(hash, bytes, sizeof bytes);
}

static void make_digest(struct polyline *line)
{
    struct secure_hash hash = secure_hash_begin();
    add_number(&hash, line->closed);
    for (uint32_t i = 0; i < line->count; i++) {
        add_number(&hash, (uint64_t)line->vertices[i].x);
        add_number(&hash, (uint64_t)line->vertices[i].y);
    }
    secure_hash_end(&hash, line->digest);
}

/* By the turn at the westernmost vertex, the northernmost of them, where the border is convex. */
static bool is_clockwise(const struct polyline *line)
{
    uint32_t west = 0;
    for (uint32_t i = 1; i < line->count; i++) {
        const struct place at = line->vertices[i], least = line->vertices[west];
        west = at.x < least.x || (at.x == least.x && at.y < least.y) ? i : west;
    }
    const struct place before = line->vertices[(west > 0 ? west : line->count) - 1];
    return polyline_side(before, line->vertices[west], polyline_end(line, west)) > 0;
}

/* Searches from places beside the line, now on this side, now on that. */
static double find_usual_visits(const struct polyline *line)
{
    struct polyline_effort effort = {.most = (double)INFINITY};
    uint32_t probes = 0;
    for (; probes < PROBES && effort.visits < PROBED_VISITS_MAX; probes++) {
        const uint32_t segment = (uint32_t)((uint64_t)line->segments * probes / PROBES);
        const struct place a = line->vertices[segment];
        const int64_t away = PLACE_METRE << probes % PROBE_DISTANCES;
        const struct polyline_position at = {
            {a.x + (probes & 1 ? away : -away), a.y + (probes & 2 ? away : -away)}, {0.0, 0.0}};
        polyline_search(line, &at, (double)INFINITY, &effort);
    }
    return effort.visits / (double)probes;
}

struct polyline *polyline_new(struct arena *arena, const struct polyline_source *source)
{
    struct polyline *line = arena_allocate(arena, 1, sizeof *line);
    if (!line)
        return NULL;
    *line = (struct polyline){
        .name = source->name,
        .vertices = source->vertices,
        .count = source->count,
        .segments = source->closed ? source->count : source->count - 1,
        .closed = source->closed,
    };
    if (!measure(line, arena) || !build_tree(line, arena))
        return NULL;
    line->extent = extent_of(line);
    line->clockwise = line->closed && is_clockwise(line);
    make_digest(line);
    line->usual_visits = find_usual_visits(line);
    return line;
}
