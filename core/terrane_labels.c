/* The public interface of labels (terrane.h) over core/labels: checks the arguments, and copies the
 * labels into structs that have no pointers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/labels/label_finder.h"
#include "core/terrane.h"

_Static_assert((int)TERRANE_LABEL_ZOOM_MAX == LABEL_ZOOM_MAX &&
                   (int)TERRANE_LABEL_SIDE_MAX == LABEL_SIDE_MAX &&
                   (int)TERRANE_LABEL_NAME == NAME_TEXT,
               "public and internal limits are the same");

static struct label_finder *internal_finder(struct terrane_labels *labels)
{
    return (struct label_finder *)labels;
}

struct terrane_labels *terrane_labels_new(void)
{
    struct label_finder *finder = calloc(1, sizeof *finder);
    return (struct terrane_labels *)finder;
}

void terrane_labels_free(struct terrane_labels *labels)
{
    if (labels)
        label_finder_free(internal_finder(labels));
    free(labels);
}

static bool is_outside(int64_t coordinate)
{
    return coordinate < -PLACE_LIMIT || coordinate > PLACE_LIMIT;
}

static bool check_view(const struct terrane_label_view *view, struct error *error)
{
    if (view->zoom < 0 || view->zoom > LABEL_ZOOM_MAX)
        return error_set(error, ERROR_VALUE, "the zoom must be from 0 to %d, not %d",
                         LABEL_ZOOM_MAX, (int)view->zoom);
    if (is_outside(view->west) || is_outside(view->north) || is_outside(view->east) ||
        is_outside(view->south))
        return error_set(error, ERROR_LIMIT, "a rectangle must be within 2^40 metres");
    return (view->west < view->east && view->north < view->south) ||
           error_set(
               error, ERROR_VALUE,
               "west must be less than east and north less than south (y grows to the south)");
}

bool terrane_labels_find(struct terrane_labels *labels, struct terrane_sampler *sampler,
                         const struct terrane_world *world, const struct terrane_label_view *view,
                         struct terrane_error *error)
{
    struct label_finder *finder = internal_finder(labels);
    const struct label_source source =
        label_source_of((struct sampler *)sampler, (const struct world *)world);
    struct error problem = {0};
    const struct label_view internal = {{{view->west, view->north}, {view->east, view->south}},
                                        view->zoom};
    if (check_view(view, &problem) && label_finder_find(finder, &source, &internal, &problem))
        return true;
    finder->labels.count = 0;
    if (error)
        memcpy(error, &problem, sizeof *error); /* laid out alike: terrane.c */
    return false;
}

size_t terrane_label_count(const struct terrane_labels *labels)
{
    return ((const struct label_finder *)labels)->labels.count;
}

bool terrane_label_get(const struct terrane_labels *labels, size_t index,
                       struct terrane_label *label)
{
    const struct label_list *list = &((const struct label_finder *)labels)->labels;
    if (index >= list->count)
        return false;
    const struct label *from = &list->labels[index];
    *label = (struct terrane_label){
        .id = from->id,
        .x = from->place.x,
        .y = from->place.y,
        .size = from->size,
        .angle = label_angle(from),
        .length = from->length,
        .height = from->height,
        .rank = from->rank,
    };
    snprintf(label->kind, sizeof label->kind, "%s", name_kind_text(from->kind));
    snprintf(label->name, sizeof label->name, "%s", from->name.text);
    return true;
}
