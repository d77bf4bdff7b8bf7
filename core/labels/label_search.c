/* Zoom after zoom the labels of the circle's square are found. Summits are found once, for the
 * greatest zoom: that of each label's rank is among them. What cells of a rank hold is in the
 * memory when the next zoom asks for it. */
#include "core/labels/label_search.h"

#include <stdlib.h>

#include "core/base/array.h"
#include "core/terrain/course.h"

void label_found_list_free(struct label_found_list *list)
{
    free(list->items);
    *list = (struct label_found_list){0};
}

int label_search_zoom(int64_t radius)
{
    const double wide = 2.0 * place_metres(radius);
    int zoom = LABEL_ZOOM_MAX;
    while (zoom > LABEL_ZOOM_MIN && wide > LABEL_SEARCH_PIXELS * label_pixel(zoom))
        zoom--;
    return zoom;
}

static bool add(struct label_found_list *list, const struct label_found *found, struct error *error)
{
    struct label_found *items =
        array_reserve(list->items, list->count, &list->capacity, sizeof *items);
    if (!items)
        return error_memory(error);
    list->items = items;
    items[list->count++] = *found;
    return true;
}

static bool add_wanted(const struct label_search *search, const struct label_list *labels, int zoom,
                       struct label_found_list *list, struct error *error)
{
    list->seen += labels->count;
    for (size_t i = 0; i < labels->count; i++) {
        const struct label *label = &labels->labels[i];
        const struct label_found found = {*label, zoom,
                                          course_distance(search->place, label->place)};
        if (found.distance <= place_metres(search->radius) &&
            (!search->wants || search->wants(search->context, label)) && !add(list, &found, error))
            return false;
    }
    return true;
}

static int compare(const void *a, const void *b)
{
    const struct label_found *first = a, *second = b;
    if (first->distance != second->distance)
        return first->distance < second->distance ? -1 : 1;
    if (first->label.id != second->label.id)
        return first->label.id < second->label.id ? -1 : 1;
    return first->zoom - second->zoom;
}

/* Keeps the nearest label of each name, as the first zoom shows it. */
static void keep_nearest(struct label_found_list *list)
{
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        size_t k = 0;
        while (k < kept && (list->items[k].label.name_id != list->items[i].label.name_id ||
                            list->items[k].label.kind != list->items[i].label.kind))
            k++;
        if (k == kept)
            list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

struct label_box label_search_box(const struct label_search *search)
{
    const struct place place = search->place;
    const int64_t radius = search->radius;
    return (struct label_box){{place.x - radius, place.y - radius},
                              {place.x + radius + 1, place.y + radius + 1}};
}

bool label_search_find(struct label_finder *finder, const struct label_source *source,
                       const struct label_search *search, struct label_found_list *list,
                       struct error *error)
{
    const struct label_view view = {label_search_box(search), search->last};
    list->count = 0;
    list->seen = 0;
    if (!world_has_names(source->world))
        return true;
    if (!label_finder_summits(finder, source, &view, error))
        return false;
    for (int zoom = LABEL_ZOOM_MIN; zoom <= view.zoom; zoom++) {
        const struct labels_search labels = {view.box, zoom, &finder->summits};
        if (!labels_find(source, &labels, &finder->labels, error) ||
            !add_wanted(search, &finder->labels, zoom, list, error))
            return false;
    }
    if (list->count > 0)
        qsort(list->items, list->count, sizeof *list->items, compare);
    keep_nearest(list);
    return true;
}
