/* The blocks of streams near the box are taken from the cache. Those of their streams that may have
 * a label in the box and have no place on the map yet get one, all at once. */
#include "core/labels/label_rivers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/labels/label_streams.h"
#include "core/terrain/shore.h"

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

enum {
    MOUTH_PARTS = 128,
    MOUTH_FINER = 16,
    MOUTH_BEFORE = 4, /* parts that are looked at closely: inlets lie before the sea */
};
/* Of the length of a part: how near vertices are at the least, and how exact lines are. */
static const double MOUTH_NEAR = 0.25, MOUTH_EXACT = 0.1;
/* How far a stream may be beside the box around its points, of its length. */
static const double MOUTH_AROUND = 0.125;

struct search {
    const struct label_source *source;
    const struct label_box *box;
    int zoom;
    struct label_list *list;
    struct error *error;
};

/* ---- places on the map */

/* Streams that get a place: where they are, in the blocks of a list, and in the same order as
 * vertices. */
struct unplaced {
    struct label_stream **streams;
    size_t count, capacity;
    struct course course;
};

static bool add_unplaced(struct unplaced *unplaced, struct label_stream *stream)
{
    struct label_stream **streams =
        array_reserve(unplaced->streams, unplaced->count, &unplaced->capacity, sizeof *streams);
    if (!streams)
        return false;
    unplaced->streams = streams;
    streams[unplaced->count++] = stream;
    return course_add_vertex(&unplaced->course, (struct course_vertex){.place = stream->place});
}

/* True if the place of a stream, or the mouth before it, may be in a box of the network's plane. */
static bool may_hold(const struct river_box *image, const struct label_stream *stream)
{
    const bool is_mouth = stream->kind == NAME_MOUTH;
    const int64_t around = is_mouth ? place_from_metres(MOUTH_AROUND * stream->length) : 0;
    const struct place low = is_mouth ? stream->ends[0] : stream->place;
    const struct place high = is_mouth ? stream->ends[1] : stream->place;
    return high.x >= image->low.x - around && low.x <= image->high.x + around &&
           high.y >= image->low.y - around && low.y <= image->high.y + around;
}

/* Lists the streams of rank up to the zoom's that have no place, in a box of the network's plane.
 */
static bool list_unplaced(const struct search *search, const struct river_box *image,
                          struct label_stream_list *blocks, struct unplaced *unplaced)
{
    for (size_t i = 0; i < blocks->count; i++)
        for (size_t k = 0; k < blocks->blocks[i].count; k++) {
            struct label_stream *stream = &blocks->blocks[i].streams[k];
            if (stream->placed || stream->rank > search->zoom || !may_hold(image, stream))
                continue;
            if (!add_unplaced(unplaced, stream))
                return error_memory(search->error);
            blocks->blocks[i].changed = true;
        }
    return true;
}

/* The line of the stream of a mouth. */
struct mouth_line {
    const struct label_source *source;
    const struct label_stream *mouth;
    double apart; /* metres between its vertices */
    struct course course;
    float *coast; /* the shore's values at them; owned */
};

static bool take_line(void *context, const struct drainage_stream *stream)
{
    struct mouth_line *line = context;
    const double apart = line->apart;
    const struct course_detail detail = {apart, MOUTH_NEAR * apart, {MOUTH_EXACT * apart, 0.0}};
    return stream->id != label_node_id(line->source->world, &stream->node) ||
           course_add_stream(&line->course, stream, detail);
}

/* Lays out the line in the network's plane. */
static bool lay_out(struct mouth_line *line, struct error *error)
{
    const struct network_request request = {line->source->sampler,
                                            world_program(line->source->world), 0.0, error};
    const struct drainage_node *node = &line->mouth->node;
    const struct network_rect rect = {node->level, {node->x, node->y}, {node->x, node->y}};
    line->course.count = 0;
    return network_streams(&request, &rect, take_line, line);
}

/* Moves the line to the map, and samples the shore at its vertices. */
static bool sample_coast(struct mouth_line *line, struct error *error)
{
    const struct course_map map = {line->source->sampler, line->source->world, 0.0};
    free(line->coast);
    line->coast = malloc((line->course.count + 1) * sizeof *line->coast);
    return (line->coast || error_memory(error)) && course_restore(&line->course, 0, &map, error) &&
           shore_sample(&line->course, 0, &map, line->coast, error);
}

/* The first vertex in the sea behind one on land; 0 if there is none. */
static size_t first_at_sea(const struct mouth_line *line)
{
    for (size_t i = 1; i < line->course.count; i++)
        if (line->coast[i - 1] > 0.0f && !(line->coast[i] > 0.0f))
            return i;
    return 0;
}

static size_t nearest_vertex(const struct course *course, struct place place)
{
    size_t nearest = 0;
    for (size_t i = 1; i < course->count; i++)
        if (course_distance(course->vertices[i].place, place) <
            course_distance(course->vertices[nearest].place, place))
            nearest = i;
    return nearest;
}

/* Lays out the last MOUTH_BEFORE parts of the line before vertex `sea`, with MOUTH_FINER times as
 * many vertices. The coarse line is laid out again first, as it was moved to the map: only in the
 * plane have both the same ends. */
static bool lay_out_finer(struct mouth_line *line, size_t sea, struct error *error)
{
    const size_t first_part = sea > MOUTH_BEFORE ? sea - MOUTH_BEFORE : 0;
    if (!lay_out(line, error))
        return false;
    const struct place ends[2] = {line->course.vertices[first_part].place,
                                  line->course.vertices[sea].place};
    line->apart /= MOUTH_FINER;
    if (!lay_out(line, error))
        return false;
    struct course_vertex *vertices = line->course.vertices;
    const size_t first = nearest_vertex(&line->course, ends[0]);
    const size_t last = nearest_vertex(&line->course, ends[1]);
    line->course.count = last >= first ? last - first + 1 : 0;
    memmove(vertices, vertices + first, line->course.count * sizeof *vertices);
    return true;
}

static void place_mouth(const struct mouth_line *line, size_t sea, struct label_stream *mouth)
{
    if (sea == 0)
        return;
    mouth->place = shore_between(line->course.vertices + sea - 1, line->coast + sea - 1).place;
    mouth->on_land = true;
}

/* Finds the mouth of a stream that ends in the sea: where its line first comes from land to the
 * sea, at first between two of some MOUTH_PARTS vertices, then between finer ones. */
static bool find_mouth(const struct search *search, struct label_stream *mouth)
{
    struct mouth_line line = {
        .source = search->source, .mouth = mouth, .apart = mouth->length / MOUTH_PARTS};
    bool done = lay_out(&line, search->error) && sample_coast(&line, search->error);
    const size_t sea = done ? first_at_sea(&line) : 0;
    place_mouth(&line, sea, mouth);
    if (sea > 0) {
        done = lay_out_finer(&line, sea, search->error) && sample_coast(&line, search->error);
        place_mouth(&line, done ? first_at_sea(&line) : 0, mouth);
    }
    free(line.coast);
    course_free(&line.course);
    return done;
}

/* Moves them to the map. */
static bool place_streams(const struct search *search, struct unplaced *unplaced)
{
    const struct label_source *source = search->source;
    const struct course_map map = {source->sampler, source->world, 0.0};
    if (unplaced->count == 0)
        return true;
    float *coast = malloc(unplaced->count * sizeof *coast);
    bool done = coast ? course_restore(&unplaced->course, 0, &map, search->error)
                      : error_memory(search->error);
    const bool has_shore = shore_exists(source->world);
    if (done && has_shore)
        done = shore_sample(&unplaced->course, 0, &map, coast, search->error);
    for (size_t i = 0; done && i < unplaced->count; i++) {
        struct label_stream placed = *unplaced->streams[i];
        const bool on_land = !has_shore || coast[i] > 0.0f, is_end = placed.kind == NAME_MOUTH;
        placed.place = unplaced->course.vertices[i].place;
        placed.placed = true;
        placed.on_land = on_land && !(is_end && has_shore);
        done = !is_end || on_land || find_mouth(search, &placed);
        if (done)
            *unplaced->streams[i] = placed;
    }
    free(coast);
    return done;
}

/* ---- labels */

/* The greatest zoom at which streams of a level have labels. */
static int last_zoom(const struct world *world, unsigned level)
{
    int zoom = LABEL_ZOOM_MIN;
    while (zoom < LABEL_ZOOM_MAX &&
           label_streams_level(world, zoom + 1) < level + LABEL_RIVER_LEVELS)
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

static bool add_label(const struct search *to, const struct label_stream *stream)
{
    struct label label = {
        .kind = stream->kind,
        .id = stream->id,
        .name_id = stream->id,
        .place = stream->place,
        .name_place = label_node_middle(to->source->world, &stream->node),
        .rank = stream->rank,
        .last = last_zoom(to->source->world, stream->node.level),
        .axis = {1.0f, 0.0f},
        .size = stream->length * stream->length,
    };
    if (stream->kind != NAME_LAKE) {
        struct label_river river;
        if (!label_river_of(to->source, &stream->node, stream->flow, &river, to->error))
            return false;
        label.kind = stream->kind == NAME_RIVER ? river.kind : stream->kind;
        label.name_id = river.id;
        label.name_place = river.place;
        label.size = (double)stream->flow;
        if (stream->kind == NAME_RIVER)
            set_axis(&label, stream->ends);
    }
    return label_list_add(to->list, &label, to->error);
}

static bool add_labels(const struct search *search, const struct label_stream_list *blocks)
{
    for (size_t i = 0; i < blocks->count; i++)
        for (size_t k = 0; k < blocks->blocks[i].count; k++) {
            const struct label_stream *stream = &blocks->blocks[i].streams[k];
            if (stream->placed && stream->on_land && stream->rank <= search->zoom &&
                label_box_holds(search->box, stream->place) && !add_label(search, stream))
                return false;
        }
    return true;
}

/* Loads the blocks of the levels that have labels at the zoom. */
static bool load_blocks(const struct search *search, struct river_image *image,
                        struct label_stream_list *blocks)
{
    const struct world *world = search->source->world;
    const struct label_box *box = search->box;
    const unsigned last = label_streams_level(world, search->zoom);
    const struct river_area area = {box->low, box->high, last, label_pixel(search->zoom)};
    if (!rivers_find_image(search->source->sampler, world, &area, image, search->error))
        return false;
    for (unsigned level = last < LABEL_RIVER_LEVELS ? 0 : last - LABEL_RIVER_LEVELS + 1;
         level <= last; level++) {
        const struct network_rect rect = rivers_cells(world, level, image, LABEL_STREAMS_REACH);
        if (!label_streams_load(search->source, &rect, blocks, search->error))
            return false;
    }
    return true;
}

bool label_rivers_find(const struct label_source *source, const struct label_box *box, int zoom,
                       struct label_list *list, struct error *error)
{
    const struct search search = {source, box, zoom, list, error};
    struct label_stream_list blocks = {0};
    struct unplaced unplaced = {0};
    struct river_image image;
    if (!world_has_drainage(source->world) || zoom < label_rivers_zoom(source->world))
        return true;
    const bool done = load_blocks(&search, &image, &blocks) &&
                      list_unplaced(&search, &image.smaller, &blocks, &unplaced) &&
                      place_streams(&search, &unplaced) && add_labels(&search, &blocks);
    free(unplaced.streams);
    course_free(&unplaced.course);
    label_streams_close(source, &blocks);
    return done;
}
