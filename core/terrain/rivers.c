/* A box of the map lies in the network's plane where the warp moves it to: in a box around a few
 * places of it, grown by what lies between them, as a warp that does not fold the plane moves two
 * places by less than their distance. The streams that come near that box are made, from nodes a
 * few cells around; then their lines are moved to the map. Nodes are looked for in a smaller image,
 * of more places. */
#include "core/terrain/rivers.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/extremes.h"
#include "core/terrain/shore.h"

enum {
    SIDE = 9,      /* places along a side of a box, */
    SIDE_MAX = 33, /* or so many that they are not farther apart than CELLS_APART, at most */
};
static const double CELLS_APART = 0.25;
/* How near vertices of lines are at the least, and how exact lines are, in the distance between
 * vertices that is asked for. */
static const double NEAR_SHARE = 0.25, EXACT_SHARE = 0.1;

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

bool rivers_exist(const struct world *world, float min_flow)
{
    return world_has_drainage(world) &&
           min_flow <= drainage_flow_most(network_spacing_log2(world_program(world)), 0);
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
        nodes += (width / cell_width(world, i) + 2 * RIVERS_REACH + 1) *
                 (height / cell_width(world, i) + 2 * RIVERS_REACH + 1);
    return nodes;
}

/* The places along a side of a box whose streams of some levels are looked for. */
static int places_along(const struct world *world, unsigned level, double width, double height)
{
    const double places =
        double_max(width, height) / (CELLS_APART * cell_width(world, level)) + 1.0;
    return places <= SIDE ? SIDE : places < SIDE_MAX ? (int)places : SIDE_MAX;
}

/* As find_box() has it: two of the distances between its places. */
double rivers_around(const struct world *world, unsigned level, double width, double height)
{
    return 2.0 / (places_along(world, level, width, height) - 1) * double_max(width, height);
}

/* ---- where */

/* True if a line from a to b touches a box. */
static bool touches(struct place a, struct place b, const struct river_box *box)
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
    struct river_box image;
    struct error *error;
};

/* Makes a box hold a row of places, too. */
static void hold(struct river_box *box, const struct place *places, int count)
{
    for (int i = 0; i < count; i++) {
        box->low.x = places[i].x < box->low.x ? places[i].x : box->low.x;
        box->low.y = places[i].y < box->low.y ? places[i].y : box->low.y;
        box->high.x = places[i].x > box->high.x ? places[i].x : box->high.x;
        box->high.y = places[i].y > box->high.y ? places[i].y : box->high.y;
    }
}

/* The box in the network's plane, from so many places along its sides. */
static bool find_box(const struct network_request *request, const struct river_area *area, int side,
                     struct river_box *image)
{
    const struct place low = area->low, high = area->high;
    const int64_t x = (high.x - low.x) / (side - 1) + 1, y = (high.y - low.y) / (side - 1) + 1;
    struct place places[SIDE_MAX], moved[SIDE_MAX];
    for (int row = 0; row < side; row++) {
        for (int i = 0; i < side; i++)
            places[i] = (struct place){low.x + i * x, low.y + row * y};
        if (!network_displace(request, places, (size_t)side, moved))
            return false;
        *image = row == 0 ? (struct river_box){moved[0], moved[0]} : *image;
        hold(image, moved, side);
    }
    const int64_t between = x > y ? 2 * x : 2 * y;
    image->low.x -= between;
    image->low.y -= between;
    image->high.x += between;
    image->high.y += between;
    return true;
}

bool rivers_find_image(struct sampler *sampler, const struct world *world,
                       const struct river_area *area, struct river_image *image,
                       struct error *error)
{
    const struct network_request seen = {sampler, world_program(world), area->spacing, error};
    const int places = places_along(world, area->last, place_metres(area->high.x - area->low.x),
                                    place_metres(area->high.y - area->low.y));
    if (!find_box(&seen, area, SIDE, &image->whole))
        return false;
    image->smaller = image->whole;
    return places == SIDE || find_box(&seen, area, places, &image->smaller);
}

struct network_rect rivers_cells(const struct world *world, unsigned level,
                                 const struct river_image *images, int reach)
{
    const struct river_box *image = &images->smaller;
    const unsigned shift =
        PLACE_BITS + drainage_cell_log2(network_spacing_log2(world_program(world)), level);
    return (struct network_rect){
        level,
        {(image->low.x >> shift) - reach, (image->low.y >> shift) - reach},
        {(image->high.x >> shift) + reach, (image->high.y >> shift) + reach}};
}

/* ---- the list */

static bool append_river(struct river_list *list, const struct river *river)
{
    struct river *rivers =
        array_reserve(list->rivers, list->count, &list->capacity, sizeof *rivers);
    if (!rivers)
        return false;
    list->rivers = rivers;
    rivers[list->count++] = *river;
    return true;
}

/* Adds a river with the list's vertices from `first` on. */
static bool add_river(const struct collector *to, const struct drainage_stream *stream,
                      size_t first)
{
    const float flow = stream->points[stream->count - 1].flow;
    const struct river river = {
        .id = stream->id,
        .node = stream->node,
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
        .count = to->list->course.count - first,
    };
    return append_river(to->list, &river) || error_memory(to->error);
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

/* True if a course may touch a box: where the line between the ends of its piece touches the box,
 * grown by how far from that line the course may be. */
static bool may_touch(const struct drainage_curve *curve, const struct river_box *box)
{
    const int64_t reach = place_from_metres(drainage_curve_reach(curve)) + PLACE_METRE;
    const struct river_box around = {{box->low.x - reach, box->low.y - reach},
                                     {box->high.x + reach, box->high.y + reach}};
    return touches(curve->ends[0], curve->ends[1], &around);
}

/* True if a stream's line is to be laid out. */
static bool is_wanted(const struct collector *to, const struct drainage_stream *stream)
{
    bool near = false;
    if (stream->count < 2 || stream->points[0].bed <= 0.0f ||
        stream->points[stream->count - 1].flow < to->search->min_flow)
        return false;
    for (unsigned i = 1; i < stream->count && !near; i++)
        near = may_touch(&stream->points[i - 1].curve, &to->image);
    return near;
}

/* True if a line of vertices touches a box. */
static bool line_touches(const struct course *course, size_t first, size_t count,
                         const struct river_box *box)
{
    const struct course_vertex *vertices = course->vertices + first;
    for (size_t i = 1; i < count; i++)
        if (touches(vertices[i - 1].place, vertices[i].place, box))
            return true;
    return false;
}

static bool take_stream(void *context, const struct drainage_stream *stream)
{
    const struct collector *to = context;
    struct course *course = &to->list->course;
    const size_t first = course->count;
    if (!is_wanted(to, stream))
        return true;
    const double apart = to->search->apart;
    if (!course_add_stream(
            course, stream,
            (struct course_detail){apart, NEAR_SHARE * apart, {EXACT_SHARE * apart, 0.0}}))
        return error_memory(to->error);
    if (to->search->parts)
        return add_parts(to, stream, first);
    if (line_touches(course, first, course->count - first, &to->image))
        return add_river(to, stream, first);
    course->count = first;
    return true;
}

/* Keeps those that touch the box. Their vertices stay where they are. */
static void keep_touching(struct river_list *list, size_t from, const struct river_search *search)
{
    const struct river_box box = {search->low, search->high};
    size_t kept = from;
    for (size_t i = from; i < list->count; i++)
        if (line_touches(&list->course, list->rivers[i].first, list->rivers[i].count, &box))
            list->rivers[kept++] = list->rivers[i];
    list->count = kept;
}

/* ---- the shore */

/* Rivers whose lines are cut at the shore. */
struct shore_cut {
    struct river_list *list;
    const float *values; /* shore_sample(), of vertices from `first` on */
    size_t first;
    bool parts; /* all pieces on land are wanted, not only the first of a river */
    struct river *kept;
    size_t count, capacity;
};

/* Keeps the piece of a river from a vertex on land to the last one before the sea, and where it
 * meets the shore in the place of the next. Returns the vertex behind the piece; false when memory
 * is out. */
static bool keep_piece(struct shore_cut *cut, const struct river *river, size_t *vertex)
{
    struct course_vertex *vertices = cut->list->course.vertices;
    const float *values = cut->values - cut->first;
    const size_t begin = *vertex, end = river->first + river->count;
    struct river piece = *river;
    while (*vertex < end && values[*vertex] > 0.0f)
        ++*vertex;
    piece.first = begin;
    piece.count = *vertex - begin;
    if (*vertex < end) {
        vertices[*vertex] = shore_between(vertices + *vertex - 1, values + *vertex - 1);
        piece.count++;
        if (!cut->parts) {
            piece.end = DRAINAGE_AT_SEA;
            piece.to_lake = false;
            piece.downstream = 0;
            piece.flow = vertices[*vertex].flow;
            piece.width = drainage_river_width(piece.flow);
        }
    }
    if (piece.count < 2)
        return true;
    struct river *kept = array_reserve(cut->kept, cut->count, &cut->capacity, sizeof *kept);
    if (!kept)
        return false;
    cut->kept = kept;
    kept[cut->count++] = piece;
    return true;
}

/* Keeps the pieces of a river that are on land. */
static bool cut_river(struct shore_cut *cut, const struct river *river)
{
    const size_t end = river->first + river->count, count = cut->count;
    for (size_t i = river->first; i < end;) {
        if (!(cut->values[i - cut->first] > 0.0f)) {
            i++;
            continue;
        }
        if (!keep_piece(cut, river, &i))
            return false;
        if (!cut->parts && cut->count > count)
            return true;
    }
    return true;
}

/* Replaces rivers from number `from` on, whose vertices are those from `first` on, by what of them
 * is on land. */
static bool end_at_shore(struct river_list *list, const size_t from[2], bool parts,
                         const struct course_map *map, struct error *error)
{
    const size_t first = from[1], vertices = list->course.count - first;
    if (vertices == 0 || !shore_exists(map->world))
        return true;
    float *values = malloc(vertices * sizeof *values);
    struct shore_cut cut = {.list = list, .values = values, .first = first, .parts = parts};
    bool done =
        values ? shore_sample(&list->course, first, map, values, error) : error_memory(error);
    for (size_t i = from[0]; i < list->count && done; i++)
        done = cut_river(&cut, &list->rivers[i]) || error_memory(error);
    if (done)
        list->count = from[0];
    for (size_t i = 0; i < cut.count && done; i++)
        done = append_river(list, &cut.kept[i]) || error_memory(error);
    free(values);
    free(cut.kept);
    return done;
}

bool rivers_find(struct sampler *sampler, const struct world *world,
                 const struct river_search *search, struct river_list *list, struct error *error)
{
    struct collector to = {world, search, list, {{0, 0}, {0, 0}}, error};
    const size_t from = list->count, first = list->course.count;
    if (!rivers_exist(world, search->min_flow))
        return true;
    const struct network_request request = {sampler, world_program(world), 0.0, error};
    const struct river_area area = {search->low, search->high,
                                    rivers_level(world, search->min_flow), search->spacing};
    struct river_image image;
    if (!rivers_find_image(sampler, world, &area, &image, error))
        return false;
    to.image = image.whole;
    for (unsigned level = 0; level <= area.last; level++) {
        const struct network_rect rect = rivers_cells(world, level, &image, RIVERS_REACH);
        if (!network_streams(&request, &rect, take_stream, &to))
            return false;
    }
    const struct course_map map = {sampler, world, search->spacing};
    if (!course_restore(&list->course, first, &map, error) ||
        !end_at_shore(list, (const size_t[]){from, first}, search->parts, &map, error))
        return false;
    if (!search->parts)
        keep_touching(list, from, search);
    return list->count <= search->limit ||
           error_set(error, ERROR_LIMIT,
                     "more than %zu rivers; ask for a smaller bbox or a greater "
                     "min_flow",
                     search->limit);
}
