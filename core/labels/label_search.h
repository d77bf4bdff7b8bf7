/* Searches for names around a place, over the maps of one zoom after the other. */
#ifndef TERRANE_LABELS_LABEL_SEARCH_H
#define TERRANE_LABELS_LABEL_SEARCH_H

#include "core/labels/label_finder.h"

enum { LABEL_SEARCH_PIXELS = 2048 }; /* across the circle at the usual greatest zoom, at most */

struct label_search {
    struct place place;
    int64_t radius; /* 2⁻¹⁶ m: 1 m … 2²⁴ m */
    int last;       /* the greatest zoom that is searched, from LABEL_ZOOM_MIN on */
    /* True of labels that are wanted, whose names are set; null: all are. */
    bool (*wants)(const void *context, const struct label *label);
    const void *context;
};

/* The usual greatest zoom within a radius. */
int label_search_zoom(int64_t radius);
/* The square around the circle, half-open. */
struct label_box label_search_box(const struct label_search *search);

struct label_found {
    struct label label;
    int zoom;        /* the least one whose map shows it */
    double distance; /* from the search's place, metres */
};

/* A zeroed list is empty. */
struct label_found_list {
    struct label_found *items; /* owned */
    size_t count, capacity;
    uint64_t seen; /* labels of all zooms together, wanted or not */
};
void label_found_list_free(struct label_found_list *list);

/* Makes the list that of the wanted labels within the radius, each name once: the nearest first, of
 * equally near ones that of lesser id. Of a river, whose streams have a label each, it is the
 * nearest. Errors are those of label_finder_find(). */
bool label_search_find(struct label_finder *finder, const struct label_source *source,
                       const struct label_search *search, struct label_found_list *list,
                       struct error *error);

#endif
