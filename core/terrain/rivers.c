/* A box of the map lies in the network's plane where the warp moves it to: in a box around a few
 * places of it, grown by what lies between them, as a warp that does not fold the plane moves two
 * places by less than their distance. The streams that come near that box are made, from nodes a
 * few cells around; then their lines are moved to the map. In a box of many cells nodes are looked
 * for in a smaller image, of more places. */
#include "core/terrain/rivers.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/extremes.h"

enum {
    REACH = 3, /* cells from its node within which a stream ends (core/drainage/store/store.c) */
    SIDE = 9,  /* places along a side of a box, */
    SIDE_MAX = 33,  /* or of a box of many cells: so many that they are not more than */
    APART_CELLS = 4 /* cells apart */
};

void river_list_free(struct river_list *list)
{
    free(list->rivers);
    course_free(&list->course);
    *list = (struct river_list){0};
}

static double cell_width(const struct world *world, unsigned level)
{
    return (double)((uint32_t)1 << drainage_cell_log2(network_spacing_log2(world_program(world)),
                                                      level));
}

unsigned rivers_level(const struct world *world, float min_flow)
{
    const unsigned finest = drainage_level(network_spacing_log2(world_program(world)), 0.0);
    unsigned level = 0;
    while (level < finest &&
           cell_width(world, level + 1) * cell_width(world, level + 1) >= (double)min_flow)
        level++;
    return level;
}

double rivers_nodes(const struct world *world, unsigned level, double width, double height)
{
    double nodes = 0.0;
    for (unsigned i = 0; i <= level; i++)
        nodes += (width / cell_width(world, i) + 2 * REACH + 1) *
                 (height / cell_width(world, i) + 2 * REACH + 1);
    return nodes;
}

/* The places along a side of a box whose streams of some levels are looked for. */
static int places_along(const struct world *world, unsigned level, double width, double height)
{
    const double places =
        double_max(width, height) / (APART_CELLS * cell_width(world, level)) + 1.0;
    return places <= SIDE ? SIDE : places < SIDE_MAX ? (int)places : SIDE_MAX;
}

/* As find_image() has it: two of the distances between its places. */
double rivers_around(const struct world *world, unsigned level, double width, double height)
{
    return 2.0 / (places_along(world, level, width, height) - 1) * double_max(width, height);
}

/* ---- where */

struct box {
    struct place low, high;
};

/* True if a line from a to b touches a box. */
static bool touches(struct place a, struct place b, const struct box *box)
{
    if ((a.x < box->low.x && b.x < box->low.x) || (a.x > box->high.x && b.x > box->high.x) ||
        (a.y < box->low.y && b.y < box->low.y) || (a.y > box->high.y && b.y > box->high.y))
        return false;
    const double dx = place_metres(b.x - a.x), dy = place_metres(b.y - a.y);
    const double west = place_metres(box->low.x - a.x), east = place_metres(box->high.x - a.x);
    const double north = place_metres(box->low.y - a.y), south = place_metres(box->high.y - a.y);
    const double sides[4] = {west * dy - north * dx, east * dy - north * dx, west * dy - south * dx,
                             east * dy - south * dx};
    bool left = false, right = false;
    for (int i = 0; i < 4; i++) {
        left = left || sides[i] <= 0.0;
        right = right || sides[i] >= 0.0;
    }
    return left && right;
}

struct collector {
    const struct world *world;
    const struct river_search *search;
    struct river_list *list;
    struct box image;
    struct error *error;
};

/* Makes a box hold a row of places, too. */
static void hold(struct box *box, const struct place *places, int count)
{
    for (int i = 0; i < count; i++) {
        box->low.x = places[i].x < box->low.x ? places[i].x : box->low.x;
        box->low.y = places[i].y < box->low.y ? places[i].y : box->low.y;
        box->high.x = places[i].x > box->high.x ? places[i].x : box->high.x;
        box->high.y = places[i].y > box->high.y ? places[i].y : box->high.y;
    }
}

/* The box in the network's plane, from so many places along its sides. */
static bool find_image(const struct collector *to, struct sampler *sampler, int side,
                       struct box *image)
{
    const struct place low = to->search->low, high = to->search->high;
    const int64_t x = (high.x - low.x) / (side - 1) + 1, y = (high.y - low.y) / (side - 1) + 1;
    struct place places[SIDE_MAX], moved[SIDE_MAX];
    for (int row = 0; row < side; row++) {
        for (int i = 0; i < side; i++)
            places[i] = (struct place){low.x + i * x, low.y + row * y};
        if (!network_displace(&(struct network_request){sampler, world_program(to->world),
                                                        to->search->spacing, to->error},
                              places, (size_t)side, moved))
            return false;
        *image = row == 0 ? (struct box){moved[0], moved[0]} : *image;
        hold(image, moved, side);
    }
    const int64_t between = x > y ? 2 * x : 2 * y;
    image->low.x -= between;
    image->low.y -= between;
    image->high.x += between;
    image->high.y += between;
    return true;
}

static struct network_rect cells_around(const struct world *world, unsigned level,
                                        const struct box *image)
{
    const unsigned shift =
        PLACE_BITS + drainage_cell_log2(network_spacing_log2(world_program(world)), level);
    return (struct network_rect){
        level,
        {(image->low.x >> shift) - REACH, (image->low.y >> shift) - REACH},
        {(image->high.x >> shift) + REACH, (image->high.y >> shift) + REACH}};
}

/* ---- the list */

/* Adds a river with the list's vertices from `first` on. */
static bool add_river(const struct collector *to, const struct drainage_stream *stream,
                      size_t first)
{
    struct river_list *list = to->list;
    struct river *rivers =
        array_reserve(list->rivers, list->count, &list->capacity, sizeof *rivers);
    const float flow = stream->points[stream->count - 1].flow;
    if (!rivers)
        return error_memory(to->error);
    list->rivers = rivers;
    rivers[list->count++] = (struct river){
        .id = stream->id,
        .level = stream->node.level,
        .order = stream->order,
        .flow = flow,
        .width = drainage_river_width(flow),
        .end = stream->end,
        .to_lake = stream->end == DRAINAGE_SINKS && stream->lake > -1e5f,
        .downstream = stream->end == DRAINAGE_JOINS
                          ? network_stream_id(world_program(to->world), &stream->next)
                          : 0,
        .first = first,
        .count = list->course.count - first,
    };
    return true;
}

/* Adds those parts of the line from vertex `first` on that come near the box. */
static bool add_parts(const struct collector *to, const struct drainage_stream *stream,
                      size_t first)
{
    struct course *course = &to->list->course;
    struct course_vertex *vertices = course->vertices;
    const size_t end = course->count;
    size_t begin = first;
    course->count = first;
    for (size_t i = first; i < end; i++) {
        const struct course_vertex vertex = vertices[i];
        const bool before = i > first && course->count > begin;
        const bool after = i + 1 < end && touches(vertex.place, vertices[i + 1].place, &to->image);
        if (before || after)
            vertices[course->count++] = vertex;
        if (!after && course->count > begin) {
            if (!add_river(to, stream, begin))
                return false;
            begin = course->count;
        }
    }
    return true;
}

static bool is_wanted(const struct collector *to, const struct drainage_stream *stream)
{
    bool near = false;
    if (stream->count < 2 || stream->points[0].bed <= 0.0f ||
        stream->points[stream->count - 1].flow < to->search->min_flow)
        return false;
    for (unsigned i = 1; i < stream->count && !near; i++)
        near = touches(stream->points[i - 1].place, stream->points[i].place, &to->image);
    return near;
}

static bool take_stream(void *context, const struct drainage_stream *stream)
{
    const struct collector *to = context;
    struct course *course = &to->list->course;
    const size_t first = course->count;
    if (!is_wanted(to, stream))
        return true;
    if (!course_add_stream(course, stream, to->search->apart))
        return error_memory(to->error);
    return to->search->parts ? add_parts(to, stream, first) : add_river(to, stream, first);
}

static bool river_touches(const struct river_list *list, const struct river *river,
                          const struct box *box)
{
    const struct course_vertex *vertices = list->course.vertices + river->first;
    for (size_t i = 1; i < river->count; i++)
        if (touches(vertices[i - 1].place, vertices[i].place, box))
            return true;
    return false;
}

/* Keeps those that touch the box. Their vertices stay where they are. */
static void keep_touching(struct river_list *list, size_t from, const struct river_search *search)
{
    const struct box box = {search->low, search->high};
    size_t kept = from;
    for (size_t i = from; i < list->count; i++)
        if (river_touches(list, &list->rivers[i], &box))
            list->rivers[kept++] = list->rivers[i];
    list->count = kept;
}

bool rivers_find(struct sampler *sampler, const struct world *world,
                 const struct river_search *search, struct river_list *list, struct error *error)
{
    struct collector to = {world, search, list, {{0, 0}, {0, 0}}, error};
    const size_t from = list->count, first = list->course.count;
    if (!world_has_drainage(world))
        return true;
    const unsigned finest = rivers_level(world, search->min_flow);
    const int places = places_along(world, finest, place_metres(search->high.x - search->low.x),
                                    place_metres(search->high.y - search->low.y));
    struct box image; /* the smaller one */
    if (!find_image(&to, sampler, SIDE, &to.image) || !find_image(&to, sampler, places, &image))
        return false;
    for (unsigned level = 0; level <= finest; level++) {
        const struct network_rect rect = cells_around(world, level, &image);
        if (!network_streams(&(struct network_request){sampler, world_program(world), 0.0, error},
                             &rect, take_stream, &to))
            return false;
    }
    const struct course_map map = {sampler, world, search->spacing};
    if (!course_restore(&list->course, first, &map, error))
        return false;
    if (!search->parts)
        keep_touching(list, from, search);
    return list->count <= search->limit ||
           error_set(error, ERROR_LIMIT,
                     "more than %zu rivers; ask for a smaller bbox or a greater "
                     "min_flow",
                     search->limit);
}
