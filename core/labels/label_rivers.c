/* The streams near the box are taken from the network. What may have a label is put down with its
 * place in the network's plane; then all places are moved to the map at once, and those in the sea
 * are left out. */
#include "core/labels/label_rivers.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/hash.h"
#include "core/labels/label_memory.h"
#include "core/terrain/shore.h"

enum { LAKE_POINTS = 2 }; /* of a stream under level water, at least */
/* A river with less land upstream is a stream, m². */
static const float STREAM_FLOW = 4e7f;

float label_river_flow(int zoom)
{
    const float pixels = zoom < LABEL_RIVER_CLOSE ? LABEL_RIVER_PIXELS : LABEL_RIVER_PIXELS / 2.0f;
    const float cell = pixels * (float)label_pixel(zoom);
    return cell * cell;
}

int label_rivers_zoom(const struct world *world)
{
    const double cell = (double)((uint32_t)1 << network_spacing_log2(world_program(world)));
    int zoom = LABEL_ZOOM_MIN;
    while (zoom < LABEL_ZOOM_MAX && cell < LABEL_RIVER_PIXELS / 2.0 * label_pixel(zoom))
        zoom++;
    return zoom;
}

int label_river_rank(float flow)
{
    int rank = LABEL_ZOOM_MIN;
    while (rank < LABEL_ZOOM_MAX && label_river_flow(rank) > flow)
        rank++;
    return rank;
}

/* ---- names */

static struct network_request request_of(const struct label_source *source, struct error *error)
{
    return (struct network_request){source->sampler, world_program(source->world), 0.0, error};
}

/* The middle of a node's cell, in the network's plane. */
static struct place cell_middle(const struct world *world, const struct drainage_node *node)
{
    const unsigned log2 =
        drainage_cell_log2(network_spacing_log2(world_program(world)), node->level);
    const int64_t width = PLACE_METRE << log2;
    return (struct place){node->x * width + width / 2, node->y * width + width / 2};
}

static uint64_t node_id(const struct world *world, const struct drainage_node *node)
{
    const struct drainage_position position = {.node = *node};
    return network_stream_id(world_program(world), &position);
}

static float flow_of(const struct drainage_stream *stream)
{
    return stream->points[stream->count - 1].flow;
}

/* Streams of the coarsest level that end on one node with equal flows. */
struct rivals {
    const struct drainage_stream *stream;
    uint64_t least; /* id */
};

static bool take_rival(void *context, const struct drainage_stream *stream)
{
    struct rivals *rivals = context;
    const struct drainage_node *own = &rivals->stream->next.node, *other = &stream->next.node;
    if (stream->end == DRAINAGE_JOINS && other->level == 0 && other->x == own->x &&
        other->y == own->y && flow_of(stream) == flow_of(rivals->stream) &&
        stream->id < rivals->least)
        rivals->least = stream->id;
    return true;
}

/* True in *main if of all streams that end where this one does none has more water. The flow of the
 * node there is that of its greatest stream and more, unless both are as great as the network
 * counts. */
static bool is_main(const struct label_source *source, const struct drainage_stream *stream,
                    const struct drainage_stream *next, bool *main, struct error *error)
{
    const struct network_request request = request_of(source, error);
    const struct drainage_node *node = &next->node;
    struct rivals rivals = {stream, stream->id};
    *main = flow_of(stream) == next->points[0].flow;
    if (!*main || stream->points[0].flow < flow_of(stream))
        return true;
    const struct network_rect rect = {0, {node->x - 1, node->y - 1}, {node->x + 1, node->y + 1}};
    if (!network_streams(&request, &rect, take_rival, &rivals))
        return false;
    *main = rivals.least == stream->id;
    return true;
}

/* True in *is_land if a place of the network's plane is on land. */
static bool check_shore(const struct label_source *source, struct place place, bool *is_land,
                        struct error *error)
{
    const struct course_map map = {source->sampler, source->world, 0.0};
    struct course_vertex vertex = {.place = place};
    struct course course = {&vertex, 1, 1};
    float coast = 1.0f;
    if (shore_exists(source->world) && (!course_restore(&course, 0, &map, error) ||
                                        !shore_sample(&course, 0, &map, &coast, error)))
        return false;
    *is_land = coast > 0.0f;
    return true;
}

/* What is kept of a node's outlet, or the item in whose place it would be. */
static struct label_outlet *outlet_slot(const struct label_source *source, int64_t x, int64_t y)
{
    const uint64_t hash = hash_mix(hash_mix((uint64_t)x) + (uint64_t)y);
    return &source->memory->outlets[hash % LABEL_OUTLETS];
}

/* Finds what is kept of a node's outlet, if the way there is not longer than so many steps. */
static bool recall_outlet(const struct label_source *source, const struct drainage_node *node,
                          unsigned most, struct label_outlet *outlet)
{
    const struct label_outlet *slot = outlet_slot(source, node->x, node->y);
    if (slot->world != source->world_hash || slot->x != node->x || slot->y != node->y ||
        slot->steps > most)
        return false;
    *outlet = *slot;
    return true;
}

/* A way from a node of the coarsest level down. */
struct outlet_way {
    struct drainage_node nodes[LABEL_RIVER_STEPS + 1];
    unsigned steps;             /* to its last node */
    struct label_outlet outlet; /* of the last node, if it is known */
    bool is_known, ends;
};

/* Follows a stream until it joins a larger one, or reaches the sea or a node that is known. */
static bool follow_way(const struct label_source *source, struct outlet_way *way,
                       struct error *error)
{
    struct drainage_stream streams[2];
    const struct drainage_position start = {.node = way->nodes[0],
                                            .place = cell_middle(source->world, way->nodes)};
    const struct network_request request = request_of(source, error);
    if (!network_follow(&request, &start, &streams[0]))
        return false;
    while (way->steps < LABEL_RIVER_STEPS && !way->is_known && !way->ends) {
        const struct drainage_stream *stream = &streams[way->steps % 2];
        struct drainage_stream *next = &streams[(way->steps + 1) % 2];
        bool main = false, is_land = false;
        if (stream->end == DRAINAGE_JOINS && stream->next.node.level == 0 &&
            (!network_follow(&request, &stream->next, next) ||
             !is_main(source, stream, next, &main, error) ||
             !check_shore(source, next->points[0].place, &is_land, error)))
            return false;
        way->ends = !main || !is_land || next->points[0].bed <= 0.0f;
        if (way->ends)
            break;
        way->nodes[++way->steps] = next->node;
        way->is_known =
            recall_outlet(source, &next->node, LABEL_RIVER_STEPS - way->steps, &way->outlet);
    }
    return true;
}

/* Keeps the outlets of the nodes of a way; of the first one alone if the way goes on. */
static void keep_way(const struct label_source *source, const struct outlet_way *way,
                     struct label_river river, unsigned steps)
{
    const unsigned last = way->is_known || way->ends ? way->steps : 0;
    for (unsigned i = 0; i <= last; i++)
        *outlet_slot(source, way->nodes[i].x, way->nodes[i].y) = (struct label_outlet){
            way->nodes[i].x, way->nodes[i].y, source->world_hash, steps - i, river};
}

/* Finds what decides the name of a stream of the coarsest level: its outlet. */
static bool find_outlet(const struct label_source *source, const struct drainage_node *node,
                        struct label_river *river, struct error *error)
{
    struct outlet_way way = {.nodes = {*node}};
    if (!follow_way(source, &way, error))
        return false;
    const struct drainage_node *outlet = &way.nodes[way.steps];
    *river = way.is_known ? way.outlet.river
                          : (struct label_river){NAME_RIVER, node_id(source->world, outlet),
                                                 cell_middle(source->world, outlet)};
    keep_way(source, &way, *river, way.steps + (way.is_known ? way.outlet.steps : 0));
    return true;
}

bool label_river_of(const struct label_source *source, const struct drainage_node *node, float flow,
                    struct label_river *river, struct error *error)
{
    const struct world *world = source->world;
    struct label_outlet kept;
    *river = (struct label_river){flow < STREAM_FLOW ? NAME_STREAM : NAME_RIVER,
                                  node_id(world, node), cell_middle(world, node)};
    if (node->level > 0)
        return true;
    if (!recall_outlet(source, node, LABEL_RIVER_STEPS, &kept))
        return find_outlet(source, node, river, error);
    *river = kept.river;
    return true;
}

/* ---- what may have a label */

struct candidate {
    enum name_kind kind;
    struct drainage_node node;
    uint64_t id;
    float flow;
    int rank;
    double length;        /* of a lake, metres */
    struct place ends[2]; /* of the direction of its text */
};

struct collector {
    const struct label_source *source;
    const struct label_box *box;
    int zoom;
    struct river_box image; /* the box in the network's plane */
    struct candidate *candidates;
    size_t count, capacity;
    struct course places; /* of the candidates */
    struct error *error;
};

static unsigned level_at(const struct world *world, int zoom)
{
    return rivers_level(world, label_river_flow(zoom));
}

static bool add_candidate(struct collector *to, const struct candidate *candidate,
                          struct place place)
{
    const struct river_box *image = &to->image;
    if (candidate->rank > to->zoom || place.x < image->low.x || place.x > image->high.x ||
        place.y < image->low.y || place.y > image->high.y)
        return true;
    struct candidate *candidates =
        array_reserve(to->candidates, to->count, &to->capacity, sizeof *candidates);
    if (!candidates)
        return error_memory(to->error);
    to->candidates = candidates;
    candidates[to->count++] = *candidate;
    return course_add_vertex(&to->places, (struct course_vertex){.place = place}) ||
           error_memory(to->error);
}

/* The point of a stream nearest to the middle between two of its points, and the length there. */
static unsigned middle_of(const struct drainage_stream *stream, unsigned first, unsigned last,
                          double *length)
{
    double sums[DRAINAGE_POINTS_MAX] = {0.0};
    unsigned middle = first;
    for (unsigned i = first + 1; i <= last; i++)
        sums[i] =
            sums[i - 1] + course_distance(stream->points[i - 1].place, stream->points[i].place);
    *length = last > first ? sums[last] : 0.0;
    while (middle < last && sums[middle] < *length / 2.0)
        middle++;
    return middle;
}

static int lake_rank(const struct world *world, unsigned level, double length)
{
    int rank = LABEL_ZOOM_MIN;
    while (rank < LABEL_ZOOM_MAX &&
           (LABEL_LAKE_PIXELS * label_pixel(rank) > length || level_at(world, rank) + 1 < level))
        rank++;
    return rank;
}

static bool take_river(struct collector *to, const struct drainage_stream *stream)
{
    double length;
    const unsigned last = stream->count - 1, middle = middle_of(stream, 0, last, &length);
    const unsigned before = middle > 0 ? middle - 1 : 0, after = middle < last ? middle + 1 : last;
    const struct candidate candidate = {
        .kind = NAME_RIVER,
        .node = stream->node,
        .id = stream->id,
        .flow = flow_of(stream),
        .rank = label_river_rank(flow_of(stream)),
        .ends = {stream->points[before].place, stream->points[after].place},
    };
    return add_candidate(to, &candidate, stream->points[middle].place);
}

/* Looks for reaches whose water is level. */
static bool take_lakes(struct collector *to, const struct drainage_stream *stream)
{
    for (unsigned first = 0, last; first + 1 < stream->count; first = last + 1) {
        const float level = stream->points[first].bed;
        double length;
        last = first;
        while (last + 1 < stream->count && stream->points[last + 1].bed == level)
            last++;
        if (last - first + 1 < LAKE_POINTS || level <= 0.0f)
            continue;
        const unsigned middle = middle_of(stream, first, last, &length);
        const struct candidate candidate = {
            .kind = NAME_LAKE,
            .node = stream->node,
            .id = hash_mix(stream->id + first) >> (64 - 53),
            .rank = lake_rank(to->source->world, stream->node.level, length),
            .length = length,
        };
        if (!add_candidate(to, &candidate, stream->points[middle].place))
            return false;
    }
    return true;
}

static bool take_stream(void *context, const struct drainage_stream *stream)
{
    struct collector *to = context;
    const bool is_arm = stream->id != node_id(to->source->world, &stream->node);
    if (is_arm || stream->count < 2 || stream->points[0].bed <= 0.0f)
        return true;
    return take_river(to, stream) && take_lakes(to, stream);
}

/* ---- labels */

/* The greatest zoom at which streams of a level have labels. */
static int last_zoom(const struct world *world, unsigned level)
{
    int zoom = LABEL_ZOOM_MIN;
    while (zoom < LABEL_ZOOM_MAX && level_at(world, zoom + 1) < level + LABEL_RIVER_LEVELS)
        zoom++;
    return zoom;
}

static void set_axis(struct label *label, const struct place ends[2])
{
    const double x = place_metres(ends[1].x - ends[0].x), y = place_metres(ends[1].y - ends[0].y);
    const double length = sqrt(x * x + y * y), sign = x < 0.0 ? -1.0 : 1.0;
    label->axis[0] = 1.0f;
    if (length == 0.0)
        return;
    label->axis[0] = (float)(sign * x / length);
    label->axis[1] = (float)(sign * y / length);
    label->length = length;
}

static bool add_label(const struct collector *to, const struct candidate *candidate,
                      struct place place, struct label_list *list)
{
    struct label label = {
        .kind = candidate->kind,
        .id = candidate->id,
        .name_id = candidate->id,
        .place = place,
        .name_place = cell_middle(to->source->world, &candidate->node),
        .rank = candidate->rank,
        .last = last_zoom(to->source->world, candidate->node.level),
        .axis = {1.0f, 0.0f},
        .size = candidate->length * candidate->length,
    };
    if (candidate->kind == NAME_RIVER) {
        struct label_river river;
        if (!label_river_of(to->source, &candidate->node, candidate->flow, &river, to->error))
            return false;
        label.kind = river.kind;
        label.name_id = river.id;
        label.name_place = river.place;
        label.size = (double)candidate->flow;
        set_axis(&label, candidate->ends);
    }
    return label_list_add(list, &label, to->error);
}

/* Moves the candidates to the map, and adds those on land in the box. */
static bool add_labels(struct collector *to, struct label_list *list)
{
    const struct course_map map = {to->source->sampler, to->source->world, 0.0};
    if (to->count == 0)
        return true;
    float *coast = malloc(to->count * sizeof *coast);
    bool done = coast ? course_restore(&to->places, 0, &map, to->error) : error_memory(to->error);
    const bool has_shore = shore_exists(to->source->world);
    if (done && has_shore)
        done = shore_sample(&to->places, 0, &map, coast, to->error);
    for (size_t i = 0; done && i < to->count; i++) {
        const struct place place = to->places.vertices[i].place;
        if (label_box_holds(to->box, place) && (!has_shore || coast[i] > 0.0f))
            done = add_label(to, &to->candidates[i], place, list);
    }
    free(coast);
    return done;
}

bool label_rivers_find(const struct label_source *source, const struct label_box *box, int zoom,
                       struct label_list *list, struct error *error)
{
    const struct world *world = source->world;
    if (!world_has_drainage(world) || zoom < label_rivers_zoom(world))
        return true;
    struct collector to = {.source = source, .box = box, .zoom = zoom, .error = error};
    const unsigned finest = drainage_level(network_spacing_log2(world_program(world)), 0.0);
    const unsigned rivers = level_at(world, zoom), last = rivers < finest ? rivers + 1 : finest;
    struct river_visit visit = {
        .low = box->low,
        .high = box->high,
        .first = rivers < LABEL_RIVER_LEVELS ? 0 : rivers - LABEL_RIVER_LEVELS + 1,
        .last = last,
        .spacing = label_pixel(zoom),
        .take = take_stream,
        .context = &to,
        .image = &to.image,
    };
    const bool done = rivers_visit(source->sampler, world, &visit, error) && add_labels(&to, list);
    free(to.candidates);
    course_free(&to.places);
    return done;
}
