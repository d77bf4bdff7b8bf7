/* The labels of one box after the other: all that a caller needs who wants labels alone. */
#ifndef TERRANE_LABELS_LABEL_FINDER_H
#define TERRANE_LABELS_LABEL_FINDER_H

#include "core/labels/labels.h"

enum { LABEL_SIDE_MAX = 8192 }; /* pixels of the zoom, of a box that is asked for at once */

/* A zeroed one is empty. It serves any worlds, and one thread at a time. */
struct label_finder {
    struct summit_list summits; /* owned, as the next one */
    struct label_list labels;   /* of the last box, from the best one on */
};
void label_finder_free(struct label_finder *finder);

/* What there is labelled at a zoom, 0 … LABEL_ZOOM_MAX. */
struct label_view {
    struct label_box box;
    int zoom;
};
/* Finds the labels of a view, peaks included. False with ERROR_LIMIT if its box is wider or higher
 * than LABEL_SIDE_MAX; else errors are those of labels_find() and summits_find(). */
bool label_finder_find(struct label_finder *finder, const struct label_source *source,
                       const struct label_view *view, struct error *error);

/* True if a view is not too large; else false with ERROR_LIMIT. */
bool label_view_check(const struct label_view *view, struct error *error);
/* Finds the summits that labels of a view and of lesser zooms may be of: none in a world whose
 * features have no names. Errors are as above. */
bool label_finder_summits(struct label_finder *finder, const struct label_source *source,
                          const struct label_view *view, struct error *error);

#endif
