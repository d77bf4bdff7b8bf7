/* The search looks at the maps of all zooms up to one (core/labels/label_search.h), so it is
 * complete down to `max_zoom`, and each result is a label of /labels at its `zoom`.
 *
 * More results than `limit` are for the next request: `next` of the answer is a cursor, which as
 * `after` leaves out all up to the last place. So nothing is kept between the requests.
 *
 * JSON and text are those of other searches (locate.c), and for each place the id, the name, the
 * kind, the rank and the zoom. `step` and `spacing` are a pixel of `max_zoom`, and `samples` counts
 * the labels that were looked at. */
#include "server/queries/locate_names.h"

#include <stdio.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/number.h"
#include "core/labels/label_search.h"
#include "core/names/name_prefix.h"
#include "core/terrain/angle.h"
#include "server/queries/query_output.h"
#include "server/render/price.h"

/* Where an answer goes on: behind this place of the order of results. As a text
 * "distance,id,search", which read_cursor() reads and write_cursor() writes. */
struct cursor {
    double distance; /* of the last place before; negative for the first page */
    uint64_t id;
    uint64_t search; /* search_hash() of the one that it is of */
};

enum { CURSOR_TEXT = 80 };

/* What the results are chosen by. */
struct wanted {
    struct name_prefix prefix;
    int kind; /* -1: any */
};

/* One page of the results. */
struct page {
    const struct query_run *run;
    const struct label_found *found; /* the first */
    unsigned count;
    char next[CURSOR_TEXT]; /* where the next page goes on; "" if this is the last one */
    uint64_t seen;
    int max_zoom;
    float heights[LOCATE_PLACES_MAX]; /* of the ground at full detail */
};

static struct label_search search_of(const struct query_run *run)
{
    const int64_t radius = run->search.radius;
    return (struct label_search){
        .place = run->search.place,
        .radius = radius,
        .last = run->values.zoom >= 0 ? (int)run->values.zoom : label_search_zoom(radius),
    };
}

static bool read_cursor(const char *text, struct cursor *cursor, struct error *error)
{
    const char *id = text ? strchr(text, ',') : NULL, *search = id ? strchr(id + 1, ',') : NULL;
    *cursor = (struct cursor){.distance = -1.0};
    if (!text || (search && number_parse(text, (size_t)(id - text), &cursor->distance) &&
                  cursor->distance >= 0.0 &&
                  number_parse_unsigned(id + 1, (size_t)(search - id - 1), &cursor->id) &&
                  number_parse_unsigned(search + 1, strlen(search + 1), &cursor->search)))
        return true;
    return parameter_refuse(PARAMETER_AFTER, text, error);
}

/* A hash of all that decides which names are found, and in which order: 32 bits. */
static uint64_t search_hash(const struct query_run *run)
{
    const struct world_identity *world = &run->world->identity;
    const struct label_search search = search_of(run);
    uint64_t hash = hash_bytes(world->name, strlen(world->name), run->values.name_kind).low;
    hash = hash_bytes(world->seed, strlen(world->seed), hash).low;
    hash = hash_bytes(run->values.name, strlen(run->values.name), hash).low;
    hash = hash_mix(hash + (uint64_t)search.place.x);
    hash = hash_mix(hash + (uint64_t)search.place.y);
    return hash_mix(hash_mix(hash + (uint64_t)search.radius) + (uint64_t)search.last) >> 32;
}

static bool check_cursor(const struct query_run *run, const struct cursor *cursor,
                         struct error *error)
{
    if (cursor->distance < 0.0 || cursor->search == search_hash(run))
        return true;
    error_set(error, ERROR_VALUE,
              "\"%s\" goes on with another search: name, kind, place, radius, zoom and world must "
              "be the same; leave it out to begin anew",
              run->values.after);
    return error_in_path(error, "after");
}

static bool read_wanted(const struct query_run *run, struct wanted *wanted, struct error *error)
{
    wanted->kind = (int)run->values.name_kind - 1;
    return name_prefix_parse(run->values.name, &wanted->prefix, error) ||
           error_in_path(error, "name");
}

bool locate_names_prepare(const struct query_run *run, struct error *error)
{
    struct wanted wanted;
    struct cursor cursor;
    return read_wanted(run, &wanted, error) && read_cursor(run->values.after, &cursor, error);
}

bool locate_names_check(const struct query_run *run, struct error *error)
{
    const struct label_search search = search_of(run);
    const struct label_view view = {label_search_box(&search), search.last};
    return label_view_check(&view, error);
}

enum parameter_id locate_names_scale(const struct query_run *run)
{
    return run->values.given & PARAMETER_BIT(NAME_ZOOM) ? PARAMETER_NAME_ZOOM
                                                        : PARAMETER_LOCATE_RADIUS;
}

uint64_t locate_names_price(const struct query_run *run)
{
    const struct label_search search = search_of(run);
    const double places = (double)run->search.limit;
    return price_label_search(run->world->world, &search) +
           price_places(run->world->world, places, 0.0);
}

static bool is_wanted(const void *context, const struct label *label)
{
    const struct wanted *wanted = context;
    return (wanted->kind < 0 || label->kind == (enum name_kind)wanted->kind) &&
           name_prefix_matches(&wanted->prefix, label->name.text);
}

static bool is_behind(const struct cursor *cursor, const struct label_found *found)
{
    return found->distance > cursor->distance ||
           (found->distance == cursor->distance && found->label.id > cursor->id);
}

static void write_cursor(const struct cursor *cursor, char text[CURSOR_TEXT])
{
    char number[NUMBER_TEXT];
    number_format_double(cursor->distance, number);
    snprintf(text, CURSOR_TEXT, "%s,%llu,%llu", number, (unsigned long long)cursor->id,
             (unsigned long long)cursor->search);
}

/* The page behind the cursor. */
static struct page page_of(const struct query_run *run, const struct label_found_list *list,
                           const struct cursor *cursor)
{
    size_t first = 0;
    while (first < list->count && !is_behind(cursor, &list->items[first]))
        first++;
    const size_t left = list->count - first;
    struct page page = {
        .run = run,
        .found = list->items + first,
        .count = left < run->search.limit ? (unsigned)left : run->search.limit,
        .seen = list->seen,
        .max_zoom = search_of(run).last,
    };
    if (left > page.count) {
        const struct label_found *last = &page.found[page.count - 1];
        write_cursor(&(struct cursor){last->distance, last->label.id, search_hash(run)}, page.next);
    }
    return page;
}

static bool sample_heights(struct sampler *sampler, struct page *page, struct error *error)
{
    struct place places[LOCATE_PLACES_MAX];
    const struct world *world = page->run->world->world;
    const unsigned layer = world_height_layer(world);
    float *const output = page->heights;
    const struct sample_points points = {.places = places, .count = page->count};
    const struct sample_request request = {&layer, &output, 1};
    for (unsigned i = 0; i < page->count; i++)
        places[i] = page->found[i].label.place;
    return page->count == 0 ||
           sampler_points(sampler, world_program(world), &points, &request, error);
}

static struct located_place located_at(const struct page *page, unsigned i)
{
    const struct place from = page->run->search.place, at = page->found[i].label.place;
    return (struct located_place){
        .place = at,
        .height = page->heights[i],
        .distance = page->found[i].distance,
        .bearing = angle_bearing(place_metres(at.x - from.x), place_metres(from.y - at.y)),
    };
}

/* A radius to try where nothing was found, or 0 if there is nothing to be found. */
static int64_t larger_radius(const struct page *page)
{
    enum { LARGER = 10 };
    const int64_t radius = page->run->search.radius;
    if (page->count > 0 || radius >= LOCATE_RADIUS_MAX || page->run->values.after ||
        !world_has_names(page->run->world->world))
        return 0;
    return radius < LOCATE_RADIUS_MAX / LARGER ? LARGER * radius : LOCATE_RADIUS_MAX;
}

static void write_place(const struct page *page, unsigned i, struct json_writer *json)
{
    const struct located_place place = located_at(page, i);
    const struct label *label = &page->found[i].label;
    query_output_located(json, &place);
    query_output_id(json, "id", label->id);
    json_member_string(json, "name", label->name.text);
    json_member_string(json, "kind", name_kind_text(label->kind));
    json_member_integer(json, "rank", label->rank);
    json_member_integer(json, "zoom", page->found[i].zoom);
}

static void write_json(const struct page *page, struct buffer *out)
{
    struct json_writer json;
    const int64_t larger = larger_radius(page);
    query_output_open(&json, page->run, out);
    json_member_string(&json, "prefix", page->run->values.name);
    json_member_bool(&json, "found", page->count > 0);
    if (page->count > 0)
        write_place(page, 0, &json);
    json_member_array(&json, "places");
    for (unsigned i = 0; i < page->count; i++) {
        json_object_open(&json);
        write_place(page, i, &json);
        json_object_close(&json);
    }
    json_array_close(&json);
    json_member_string(&json, "next", page->next[0] ? page->next : NULL);
    json_member_place(&json, "radius", page->run->search.radius);
    if (larger > 0)
        json_member_place(&json, "larger_radius", larger);
    json_member_integer(&json, "max_zoom", page->max_zoom);
    json_member_double(&json, "step", label_pixel(page->max_zoom));
    json_member_double(&json, "spacing", label_pixel(page->max_zoom));
    json_member_integer(&json, "samples", (int64_t)page->seen);
    json_member_bool(&json, "complete", true);
    json_finish_object(&json);
}

static void write_text(const struct page *page, struct buffer *out)
{
    query_output_line(out, "found", page->count > 0 ? "yes" : "no", "");
    for (unsigned i = 0; i < page->count; i++) {
        const struct located_place place = located_at(page, i);
        const struct label *label = &page->found[i].label;
        query_output_line(out, "name", label->name.text, "");
        query_output_line(out, "kind", name_kind_text(label->kind), "");
        query_output_place_lines(out, place.place);
        query_output_number_line(out, "distance", place.distance, "m");
        query_output_number_line(out, "bearing", place.bearing, "degrees");
        query_output_float_line(out, "height", place.height, "m");
        query_output_number_line(out, "zoom", page->found[i].zoom, "");
    }
    if (page->next[0])
        query_output_line(out, "next", page->next, "");
    if (larger_radius(page) > 0)
        query_output_number_line(out, "larger_radius", place_metres(larger_radius(page)), "m");
    query_output_number_line(out, "max_zoom", page->max_zoom, "");
    query_output_line(out, "complete", "yes", "");
}

bool locate_names_evaluate(const struct query_run *run, struct sampler *sampler, struct buffer *out,
                           struct error *error)
{
    struct wanted wanted;
    struct cursor cursor;
    struct label_finder finder = {0};
    struct label_found_list list = {0};
    const struct label_source source = label_source_of(sampler, run->world->world);
    struct label_search search = search_of(run);
    search.wants = is_wanted;
    search.context = &wanted;
    bool done = read_wanted(run, &wanted, error) && read_cursor(run->values.after, &cursor, error);
    done = done && check_cursor(run, &cursor, error);
    done = done && label_search_find(&finder, &source, &search, &list, error);
    struct page page = done ? page_of(run, &list, &cursor) : (struct page){0};
    done = done && sample_heights(sampler, &page, error);
    if (done && run->form == QUERY_TEXT)
        write_text(&page, out);
    else if (done)
        write_json(&page, out);
    label_found_list_free(&list);
    label_finder_free(&finder);
    return done;
}
