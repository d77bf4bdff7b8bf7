/* See labels.h. Labels are gathered from a box that is wider by the reach, sorted from the best on,
 * and each is compared with those before it. */
#include "core/labels/labels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/utf8.h"
#include "core/labels/label_cells.h"
#include "core/labels/label_rivers.h"
#include "core/terrain/angle.h"
#include "core/terrain/contour.h"

/* Pixels: of a character, half as wide, and of a label, half as high. Names of ranges and seas are
 * spaced. */
static const double CHARACTER = 3.6, SPACED = 5.0, HALF_HEIGHT = 10.0, AROUND = 6.0;
#define HALF_WIDTH_MAX (LABELS_REACH / 2.0)
enum {
    HILL_LEVEL = 3,          /* summits from this level on are hills */
    LABEL_FIXED_PIXELS = 64, /* the reach of a fixed name's kind, at its rank at least */
};

/* The order of kinds of one rank: the best first. */
static const uint8_t label_order[NAME_KINDS] = {
    [NAME_SEA] = 0,    [NAME_RANGE] = 1,   [NAME_ISLAND] = 2,  [NAME_STRAIT] = 3, [NAME_BAY] = 4,
    [NAME_RIVER] = 5,  [NAME_LAKE] = 6,    [NAME_PLATEAU] = 7, [NAME_DESERT] = 8, [NAME_FOREST] = 9,
    [NAME_PLAIN] = 10, [NAME_STREAM] = 11, [NAME_CAPE] = 12,   [NAME_MOUTH] = 13, [NAME_PASS] = 14,
    [NAME_PEAK] = 15,  [NAME_HILL] = 15,   [NAME_FJORD] = 4,
};

bool label_is_summit(const struct label *label)
{
    return label->kind == NAME_PEAK || label->kind == NAME_HILL;
}

double label_angle(const struct label *label)
{
    return angle_bearing((double)label->axis[0], -(double)label->axis[1]) - 90.0;
}

bool label_is_area(enum name_kind kind)
{
    return kind == NAME_SEA || kind == NAME_RANGE || kind == NAME_PLATEAU || kind == NAME_DESERT ||
           kind == NAME_FOREST || kind == NAME_PLAIN;
}

static int compare_labels(const void *a, const void *b)
{
    const struct label *first = a, *second = b;
    if (label_is_summit(first) != label_is_summit(second))
        return label_is_summit(first) ? 1 : -1;
    if (first->rank != second->rank)
        return first->rank - second->rank;
    if (label_order[first->kind] != label_order[second->kind])
        return label_order[first->kind] - label_order[second->kind];
    if (first->size != second->size)
        return first->size > second->size ? -1 : 1;
    return (first->id > second->id) - (first->id < second->id);
}

/* The half width and half height of the rectangle around a label, in pixels. */
static void measure(const struct label *label, double half[2])
{
    const bool is_spaced = label->kind == NAME_SEA || label->kind == NAME_RANGE;
    const size_t characters = utf8_count(label->name.text, strlen(label->name.text));
    const double wide = (is_spaced ? SPACED : CHARACTER) * (double)characters;
    const double x = fabs((double)label->axis[0]), y = fabs((double)label->axis[1]);
    half[0] = x * wide + y * HALF_HEIGHT + AROUND / 2.0;
    half[1] = y * wide + x * HALF_HEIGHT + AROUND / 2.0;
    for (int i = 0; i < 2; i++)
        half[i] = half[i] < HALF_WIDTH_MAX ? half[i] : HALF_WIDTH_MAX;
}

static bool overlap(const struct label *a, const struct label *b, double pixel)
{
    const double x = fabs(place_metres(a->place.x - b->place.x)) / pixel;
    const double y = fabs(place_metres(a->place.y - b->place.y)) / pixel;
    double halves[2][2];
    if (x >= LABELS_REACH || y >= LABELS_REACH)
        return false;
    if ((a->name_id == b->name_id && a->kind == b->kind) ||
        (a->kind == b->kind && label_is_area(a->kind) && x < LABELS_APART && y < LABELS_APART))
        return true;
    measure(a, halves[0]);
    measure(b, halves[1]);
    return x < halves[0][0] + halves[1][0] && y < halves[0][1] + halves[1][1];
}

/* Boxes of maps end at ±2⁴⁰ m; cells, streams and summits do not. */
static bool is_on_map(const struct label *label)
{
    const struct label_box map = {{-PLACE_LIMIT, -PLACE_LIMIT}, {PLACE_LIMIT, PLACE_LIMIT}};
    return label_box_holds(&map, label->place);
}

/* Labels by squares of LABELS_REACH pixels: those that may overlap one are in nine of them. */
struct squares {
    struct label_box box;
    int64_t reach, columns, rows;
    int32_t *first; /* of each square: the last label that was put there, or -1; owned */
    int32_t *next;  /* of each label: the one before it; owned */
};

static bool squares_new(struct squares *squares, const struct label_box *box, int64_t reach,
                        size_t labels)
{
    *squares = (struct squares){.box = *box, .reach = reach};
    squares->columns = (box->high.x - box->low.x) / reach + 1;
    squares->rows = (box->high.y - box->low.y) / reach + 1;
    const size_t count = (size_t)(squares->columns * squares->rows);
    squares->first = malloc(count * sizeof *squares->first);
    squares->next = malloc((labels + 1) * sizeof *squares->next);
    if (!squares->first || !squares->next)
        return false;
    memset(squares->first, 0xff, count * sizeof *squares->first);
    return true;
}

static void squares_free(struct squares *squares)
{
    free(squares->first);
    free(squares->next);
}

/* The square at or beside the box that is nearest to a place. */
static int64_t clamp_square(int64_t from_low, int64_t reach, int64_t count)
{
    const int64_t square = place_floor_divide(from_low, reach);
    return square < 0 ? 0 : square < count ? square : count - 1;
}

/* True if a label overlaps none of those in the squares around it, to which it is added. */
static bool squares_add(struct squares *squares, const struct label *labels, size_t number,
                        double pixel)
{
    const struct place place = labels[number].place;
    const int64_t x = clamp_square(place.x - squares->box.low.x, squares->reach, squares->columns);
    const int64_t y = clamp_square(place.y - squares->box.low.y, squares->reach, squares->rows);
    bool is_free = true;
    for (int i = 0; i < 9 && is_free; i++) {
        const int64_t column = x + i % 3 - 1, row = y + i / 3 - 1;
        if (column < 0 || row < 0 || column >= squares->columns || row >= squares->rows)
            continue;
        for (int32_t other = squares->first[row * squares->columns + column]; other >= 0 && is_free;
             other = squares->next[other])
            is_free = !overlap(&labels[number], &labels[other], pixel);
    }
    int32_t *first = &squares->first[y * squares->columns + x];
    squares->next[number] = *first;
    *first = (int32_t)number;
    return is_free;
}

/* Keeps the labels in the box that are on the map and that no better one hides. False when memory
 * is out. */
static bool keep_shown(const struct labels_search *search, struct label_list *list,
                       struct error *error)
{
    const double pixel = label_pixel(search->zoom);
    const int64_t reach = (int64_t)(LABELS_REACH * pixel * PLACE_METRE);
    struct label *labels = list->labels;
    struct squares squares;
    size_t kept = 0;
    const bool done = squares_new(&squares, &search->box, reach, list->count);
    for (size_t i = 0; done && i < list->count; i++)
        if (!squares_add(&squares, labels, i, pixel) ||
            !label_box_holds(&search->box, labels[i].place) || !is_on_map(&labels[i]))
            labels[i].last = -1;
    for (size_t i = 0; i < list->count; i++)
        if (labels[i].last >= 0)
            labels[kept++] = labels[i];
    list->count = kept;
    squares_free(&squares);
    return done || error_memory(error);
}

bool labels_find_summits(const struct label_source *source, const struct labels_summits *search,
                         struct summit_list *list, struct error *error)
{
    const int finest = search->finest < LABEL_SUMMITS_LAST ? search->finest : LABEL_SUMMITS_LAST;
    const int last = (finest - LABEL_SUMMITS_ZOOM) / LABEL_SUMMITS_APART;
    float least_rises[(LABEL_SUMMITS_LAST - LABEL_SUMMITS_ZOOM) / LABEL_SUMMITS_APART + 1];
    const int64_t step =
        (int64_t)(LABEL_SUMMITS_PIXELS * label_pixel(LABEL_SUMMITS_ZOOM)) * PLACE_METRE;
    list->count = 0;
    if (finest < LABEL_SUMMITS_ZOOM)
        return true;
    for (int i = 0; i <= last; i++)
        least_rises[i] =
            (float)(contour_interval_of_zoom(LABEL_SUMMITS_ZOOM + i * LABEL_SUMMITS_APART) / 2.0);
    const struct summit_search summits = {
        .low = search->box.low,
        .high = search->box.high,
        .step = step,
        .finest = step >> LABEL_SUMMITS_APART * last,
        .least_rises = least_rises,
        .t = search->t,
    };
    return summits_find(source->sampler, source->world, &summits, list, error);
}

bool label_set_name(const struct world *world, struct label *label)
{
    const struct names *names = world_names(world);
    const bool is_mouth = label->kind == NAME_MOUTH;
    const struct name_subject subject = {is_mouth ? NAME_RIVER : label->kind, label->name_id,
                                         label->name_place};
    struct name name;
    if (names->tongue_count == 0)
        return false;
    name_make(names, world_seed_number(world), &subject, &name);
    label->name = name;
    if (is_mouth)
        name_derive(names, &name, NAME_MOUTH, label->id, &label->name);
    return true;
}

/* Names the labels. Those without a name are left out, and those near a place whose name of that
 * kind is fixed. */
static void set_names(const struct world *world, struct label_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!names_place_near(world_names(world), list->labels[i].kind, list->labels[i].place) &&
            label_set_name(world, &list->labels[i]))
            list->labels[kept++] = list->labels[i];
    list->count = kept;
}

static int fixed_rank(enum name_kind kind)
{
    const double reach = place_metres(name_kind_reach(kind));
    int rank = LABEL_ZOOM_MIN;
    while (rank < LABEL_ZOOM_MAX && LABEL_FIXED_PIXELS * label_pixel(rank) > reach)
        rank++;
    return rank;
}

/* Adds the names of places that the world fixes. */
static bool add_fixed(const struct names *names, int zoom, struct label_list *list,
                      struct error *error)
{
    for (uint32_t i = 0; i < names->place_count; i++) {
        const struct name_place *fixed = &names->places[i];
        const double reach = place_metres(name_kind_reach(fixed->kind));
        const uint64_t hash = hash_mix(
            hash_mix(hash_mix((uint64_t)fixed->place.x) + (uint64_t)fixed->place.y) + fixed->kind);
        struct label label = {
            .kind = fixed->kind,
            .id = hash >> 11, /* 53 bits */
            .name_id = hash,
            .place = fixed->place,
            .name_place = fixed->place,
            .rank = fixed_rank(fixed->kind),
            .last = LABEL_ZOOM_MAX,
            .size = reach * reach,
            .axis = {1.0f, 0.0f},
        };
        snprintf(label.name.text, sizeof label.name.text, "%s", fixed->text);
        if (label.rank <= zoom && !label_list_add(list, &label, error))
            return false;
    }
    return true;
}

static bool add_peaks(const struct labels_search *search, struct label_list *list,
                      struct error *error)
{
    const struct summit_list *summits = search->summits;
    for (size_t i = 0; summits && i < summits->count; i++) {
        const struct summit *summit = &summits->summits[i];
        const int rank =
            LABEL_SUMMITS_ZOOM + LABEL_SUMMITS_APART * (int)summit->level + LABEL_PEAK_ZOOMS;
        const struct label label = {
            .kind = summit->level < HILL_LEVEL ? NAME_PEAK : NAME_HILL,
            .id = summit->id,
            .name_id = summit->id,
            .place = summit->place,
            .name_place = summit->place,
            .rank = rank,
            .last = LABEL_ZOOM_MAX,
            .height = summit->height,
            .axis = {1.0f, 0.0f},
        };
        if (rank <= search->zoom && !label_list_add(list, &label, error))
            return false;
    }
    return true;
}

bool labels_find(const struct label_source *source, const struct labels_search *search,
                 struct label_list *list, struct error *error)
{
    const int64_t reach = (int64_t)(LABELS_REACH * label_pixel(search->zoom) * PLACE_METRE);
    const struct label_box *box = &search->box;
    const struct label_box wider = {{box->low.x - reach, box->low.y - reach},
                                    {box->high.x + reach, box->high.y + reach}};
    list->count = 0;
    const struct names *names = world_names(source->world);
    if (search->zoom < LABEL_ZOOM_MIN)
        return true;
    if (labels_have_tongue(source->world) &&
        (!label_cells_find(source, &wider, search->zoom, list, error) ||
         !label_rivers_find(source, &wider, search->zoom, list, error) ||
         !add_peaks(search, list, error)))
        return false;
    set_names(source->world, list);
    if (!add_fixed(names, search->zoom, list, error))
        return false;
    if (list->count > 0)
        qsort(list->labels, list->count, sizeof *list->labels, compare_labels);
    return keep_shown(search, list, error);
}
