/* See label_finder.h. */
#include "core/labels/label_finder.h"

#include "core/base/extremes.h"

void label_finder_free(struct label_finder *finder)
{
    summit_list_free(&finder->summits);
    label_list_free(&finder->labels);
    *finder = (struct label_finder){0};
}

bool label_view_check(const struct label_view *view, struct error *error)
{
    const struct label_box *box = &view->box;
    const double side =
        double_max(place_metres(box->high.x - box->low.x), place_metres(box->high.y - box->low.y));
    const double most = LABEL_SIDE_MAX * label_pixel(view->zoom);
    return side <= most ||
           error_set(error, ERROR_LIMIT,
                     "so large a rectangle is too much for one answer at zoom %d: at most %.0f m a "
                     "side fit, and more at lesser zooms",
                     view->zoom, most);
}

bool label_finder_summits(struct label_finder *finder, const struct label_source *source,
                          const struct label_view *view, struct error *error)
{
    const struct labels_summits search = {view->box, view->zoom - LABEL_PEAK_ZOOMS, 0};
    finder->summits.count = 0;
    return label_view_check(view, error) &&
           (!labels_have_tongue(source->world) ||
            labels_find_summits(source, &search, &finder->summits, error));
}

bool label_finder_find(struct label_finder *finder, const struct label_source *source,
                       const struct label_view *view, struct error *error)
{
    const struct labels_search search = {view->box, view->zoom, &finder->summits};
    finder->labels.count = 0;
    return label_finder_summits(finder, source, view, error) &&
           labels_find(source, &search, &finder->labels, error);
}
