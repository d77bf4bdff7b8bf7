/* Areas are found by the surveys of the cells around the place (label_cells.h). Each is looked up
 * among the labels of a map at its place, at the zooms at which it may show, so that only names
 * that a map has are told; where the world fixes a name within its reach, that one is. */
#include "core/labels/label_place.h"

#include "core/labels/label_cells.h"
#include "core/labels/label_rivers.h"
#include "core/terrain/course.h"

const int label_place_zooms[LABEL_PLACE_ZOOMS] = {12, 9, 6};

/* Land has the course of a stream to two metres at the best. */
static const double BANK_LEAST = 4.0; /* metres from the course */

struct look {
    struct label_finder *finder;
    const struct label_source *source;
    struct label_place *found;
    bool is_land; /* the ground of the place is above 0 m at full detail */
    struct error *error;
};

static struct label_found found_at(const struct look *look, const struct label *label, int zoom)
{
    return (struct label_found){*label, zoom, course_distance(look->found->place, label->place)};
}

/* ---- in */

/* Finds the label of a kind at a place among those that maps of zooms first … last show. */
static bool find_shown(const struct look *look, const struct label *wanted, bool *is_shown,
                       struct label_found *found)
{
    const struct label_box box = {wanted->place, {wanted->place.x + 1, wanted->place.y + 1}};
    const struct label_list *list = &look->finder->labels;
    *is_shown = false;
    for (int zoom = wanted->rank; zoom <= wanted->last && zoom <= LABEL_ZOOM_MAX; zoom++) {
        const struct labels_search search = {box, zoom, NULL};
        if (!labels_find(look->source, &search, &look->finder->labels, look->error))
            return false;
        for (size_t i = 0; i < list->count; i++)
            if (list->labels[i].kind == wanted->kind) {
                *found = found_at(look, &list->labels[i], zoom);
                *is_shown = true;
                return true;
            }
    }
    return true;
}

/* The label that is told for one of an area: that of a fixed name within reach, or itself. */
static struct label told_label(const struct world *world, const struct label *label)
{
    const struct name_place *fixed =
        names_place_near(world_names(world), label->kind, label->place);
    struct label told = *label;
    if (!fixed)
        return told;
    told.place = fixed->place;
    told.rank = LABEL_ZOOM_MIN;
    told.last = LABEL_ZOOM_MAX;
    return told;
}

static bool is_in(const struct label_place *place, const struct label *label)
{
    for (unsigned i = 0; i < place->in_count; i++)
        if (place->in[i].label.id == label->id && place->in[i].label.kind == label->kind)
            return true;
    return false;
}

static bool add_areas(const struct look *look, const struct label_list *areas)
{
    struct label_place *place = look->found;
    for (size_t i = areas->count; i-- > 0 && place->in_count < LABEL_PLACE_IN;) {
        const struct label told = told_label(look->source->world, &areas->labels[i]);
        struct label_found found;
        bool is_shown;
        if (!find_shown(look, &told, &is_shown, &found))
            return false;
        if (is_shown && !is_in(place, &found.label))
            place->in[place->in_count++] = found;
    }
    return true;
}

static bool find_in(const struct look *look)
{
    struct label_list areas = {0};
    const struct label_cells_place at = {look->found->place, !look->is_land, LABEL_PLACE_RANK};
    const bool done =
        label_cells_holding(look->source, &at, &areas, look->error) && add_areas(look, &areas);
    label_list_free(&areas);
    return done;
}

/* ---- on */

/* Makes the label of the stream at a position, written at the point of the course. */
static bool make_river(const struct look *look, const struct drainage_position *position,
                       const struct drainage_stream *stream, struct place course)
{
    const float flow = stream->points[stream->count - 1].flow;
    struct label_river river;
    struct label label = {.id = stream->id,
                          .place = course,
                          .rank = label_river_rank(flow),
                          .last = LABEL_ZOOM_MAX,
                          .axis = {1.0f, 0.0f},
                          .size = (double)flow};
    if (!label_river_of(look->source, &position->node, flow, &river, look->error))
        return false;
    label.kind = river.kind;
    label.name_id = river.id;
    label.name_place = river.place;
    look->found->is_on = label_set_name(look->source->world, &label);
    look->found->on = found_at(look, &label, label.rank);
    return true;
}

static bool find_on(const struct look *look)
{
    const struct world *world = look->source->world;
    struct sampler *sampler = look->source->sampler;
    const struct network_request request = {sampler, world_program(world), 0.0, look->error};
    const struct place place = look->found->place;
    struct drainage_position position;
    struct drainage_stream stream;
    struct place moved, course;
    if (!world_has_drainage(world) || !look->is_land)
        return true;
    if (!network_displace(&request, &place, 1, &moved) ||
        !network_find(&request, moved, &position) ||
        !network_follow(&request, &position, &stream) ||
        !network_restore(&request, &position.place, 1, &course))
        return false;
    const double bank = drainage_river_width(stream.points[0].flow) / 2.0;
    if (course_distance(place, course) > (bank > BANK_LEAST ? bank : BANK_LEAST))
        return true;
    return make_river(look, &position, &stream, course);
}

/* ---- near */

/* True of what is written somewhere in a wide area or along a line: its place says little. */
static bool is_wide(enum name_kind kind)
{
    return label_is_area(kind) || kind == NAME_RIVER || kind == NAME_STREAM;
}

/* Puts a label in its order by distance, unless one of its kind is nearer. */
static void add_near(const struct look *look, const struct label *label, int zoom)
{
    struct label_place *place = look->found;
    const struct label_found found = found_at(look, label, zoom);
    unsigned i = 0;
    for (unsigned k = 0; k < place->near_count; k++)
        if (place->near[k].label.kind == label->kind && place->near[k].distance <= found.distance)
            return;
    for (unsigned k = 0; k < place->near_count; k++)
        if (place->near[k].label.kind != label->kind)
            place->near[i++] = place->near[k];
    place->near_count = i;
    if (i == LABEL_PLACE_NEAR && place->near[i - 1].distance <= found.distance)
        return;
    for (i = i < LABEL_PLACE_NEAR ? i : LABEL_PLACE_NEAR - 1;
         i > 0 && place->near[i - 1].distance > found.distance; i--)
        place->near[i] = place->near[i - 1];
    place->near[i] = found;
    if (place->near_count < LABEL_PLACE_NEAR)
        place->near_count++;
}

static bool find_near(const struct look *look)
{
    const struct place place = look->found->place;
    for (int i = 0; i < LABEL_PLACE_ZOOMS; i++) {
        const int zoom = label_place_zooms[i];
        const double metres = LABEL_PLACE_PIXELS * label_pixel(zoom);
        const int64_t reach = place_from_metres(metres);
        const struct label_view view = {
            {{place.x - reach, place.y - reach}, {place.x + reach, place.y + reach}}, zoom};
        const struct label_list *list = &look->finder->labels;
        if (!label_finder_find(look->finder, look->source, &view, look->error))
            return false;
        for (size_t k = 0; k < list->count; k++)
            if (!is_wide(list->labels[k].kind) && !is_in(look->found, &list->labels[k]) &&
                course_distance(place, list->labels[k].place) <= metres)
                add_near(look, &list->labels[k], zoom);
    }
    return true;
}

static bool sample_ground(const struct look *look, float *height)
{
    const struct world *world = look->source->world;
    const unsigned layer = world_height_layer(world);
    const struct sample_points points = {.places = &look->found->place, .count = 1};
    const struct sample_request request = {&layer, &height, 1};
    return sampler_points(look->source->sampler, world_program(world), &points, &request,
                          look->error);
}

bool label_place_find(struct label_finder *finder, const struct label_source *source,
                      struct label_place *found, struct error *error)
{
    struct look look = {finder, source, found, false, error};
    float height = 0.0f;
    found->in_count = found->near_count = 0;
    found->is_on = false;
    if (!world_has_names(source->world))
        return true;
    if (!sample_ground(&look, &height))
        return false;
    look.is_land = height > 0.0f;
    return find_in(&look) && find_on(&look) && find_near(&look);
}
