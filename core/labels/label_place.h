/* What a place is in and on, and which named things are near: "in the Vesar Range, on the Ulma,
 * 12 km from Mount Kor". All of them are labels that some map shows. */
#ifndef TERRANE_LABELS_LABEL_PLACE_H
#define TERRANE_LABELS_LABEL_PLACE_H

#include "core/labels/label_search.h"

enum {
    LABEL_PLACE_IN = 12,
    LABEL_PLACE_NEAR = 6,
    LABEL_PLACE_RANK = 12,    /* areas of greater ranks, below 12 km, are not told */
    LABEL_PLACE_PIXELS = 400, /* so far around is looked for what is near, at each of the zooms */
    LABEL_PLACE_ZOOMS = 3,
};
/* The zooms: 12 are 12.8 km around, 9 102 km, 6 819 km. */
extern const int label_place_zooms[LABEL_PLACE_ZOOMS];

struct label_place {
    struct place place; /* set by the caller */
    /* Areas: a sea, range, forest, island …, those of greater rank, which are smaller, first. */
    struct label_found in[LABEL_PLACE_IN];
    unsigned in_count;
    /* The river or stream that flows here: its place is the point of its course nearest to the
     * place, not farther than its bank, its zoom its rank, as tiles have its name along it. */
    struct label_found on;
    bool is_on;
    /* The nearest lake, bay, island, peak …, one of each kind, but what it is in: the nearest
     * first. */
    struct label_found near[LABEL_PLACE_NEAR];
    unsigned near_count;
};

/* Finds them, at a place that `found` has been given. Errors are those of
 * sampler_points(), labels_find(), summits_find() and network_follow(). */
bool label_place_find(struct label_finder *finder, const struct label_source *source,
                      struct label_place *found, struct error *error);

#endif
