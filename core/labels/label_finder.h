/* The labels of one box after the other, with what is kept between them: all that a caller needs
 * who wants labels alone. */
#ifndef TERRANE_LABELS_LABEL_FINDER_H
#define TERRANE_LABELS_LABEL_FINDER_H

#include "core/labels/labels.h"

enum { LABEL_SIDE_MAX = 8192 }; /* pixels of the zoom, of a box that is asked for at once */

/* A zeroed one is empty. It serves any worlds, and one thread at a time. */
struct label_finder {
    struct label_memory *memory; /* owned, as all that follows */
    struct summit_list summits;
    struct label_list labels; /* of the last box, from the best one on */
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

/* What labels of a world are made of, with the memory of the finder; false when memory is out. */
bool label_finder_source(struct label_finder *finder, struct sampler *sampler,
                         const struct world *world, struct label_source *source,
                         struct error *error);

/* True if a view is not too large; else false with the error that names the zoom that fits. */
bool label_view_check(const struct label_view *view, struct error *error);

#endif
