/* The labels of a box of the map at a zoom: names of seas, land, rivers, lakes, islands and peaks.
 *
 * Each label has a rank, the least zoom at which it shows, by the size of what it names: see
 * label_cells.h and label_rivers.h. A peak's rank is LABEL_PEAK_ZOOMS above the zoom whose summits
 * it is among (terrain/summits.h).
 *
 * Where two labels would overlap, the better one shows: that of lesser rank; then by its kind, in
 * the order of `label_order`; then the larger one; then that of lesser id. Peaks give way to all
 * others. A label is hidden by each better one that it overlaps, even if that is hidden itself: so
 * it depends on nothing farther away than LABELS_REACH pixels of the zoom. Pixels shrink from zoom
 * to zoom, so a label other than a peak's that shows at a zoom shows at all further ones up to its
 * last.
 *
 * How wide a label is is estimated from the number of its characters, for letters of 12 to 15
 * pixels. Streams of one river, and other labels with the same name_id, have one label within
 * LABELS_REACH, and areas of one kind one within LABELS_APART.
 *
 * Names that the world fixes (`places`) stand at their places, at a rank by the reach of their kind
 * (names/kind.h), before all others of that rank. Other labels of that kind whose place is within
 * the reach are left out.
 *
 * All is of z = t = 0. A world whose names have no tongue has only fixed ones. */
#ifndef TERRANE_LABELS_LABELS_H
#define TERRANE_LABELS_LABELS_H

#include "core/labels/label.h"

enum {
    LABELS_REACH = 160, /* pixels */
    LABELS_APART = 140, /* between two seas, ranges or other areas of one kind, on some axis */
    LABEL_PEAK_ZOOMS = 2,
};

struct labels_search {
    struct label_box box;
    int zoom; /* 0 … LABEL_ZOOM_MAX */
    /* The summits in the box, of levels from LABEL_SUMMITS_ZOOM on; null: peaks have no labels. */
    const struct summit_list *summits;
};

/* Makes the list that of the labels whose place is in the box, from the best one on. Errors are
 * those of sampler_points() and network_streams(). */
bool labels_find(const struct label_source *source, const struct labels_search *search,
                 struct label_list *list, struct error *error);

/* Finds the summits in a box, of levels from LABEL_SUMMITS_ZOOM on: of labels of a zoom the finest
 * is LABEL_PEAK_ZOOMS before it. Errors are those of summits_find(). */
struct labels_summits {
    struct label_box box;
    int finest; /* zoom */
    int64_t t;  /* as of samples */
};
bool labels_find_summits(const struct label_source *source, const struct labels_summits *search,
                         struct summit_list *list, struct error *error);

/* True if features of the world have names, not only places whose names are fixed. */
static inline bool labels_have_tongue(const struct world *world)
{
    return world_names(world)->tongue_count > 0;
}

/* Degrees of a label's axis clockwise from level, -90 … 90: it never leads to the west. */
double label_angle(const struct label *label);

/* True for what is written somewhere in a wide area: seas, ranges, plateaus, plains, deserts and
 * forests. */
bool label_is_area(enum name_kind kind);
/* True for peaks and hills. */
bool label_is_summit(const struct label *label);

/* Writes the name of what a label is of. False if the world gives it none. */
bool label_set_name(const struct world *world, struct label *label);

#endif
