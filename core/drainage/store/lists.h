/* Lists of the arcs that are near cells of a load's windows. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_LISTS_H
#define TERRANE_DRAINAGE_STORE_LISTS_H

#include "core/drainage/store/list_builder.h"

enum list_kind {
    LIST_VISIBLE, /* what streams of finer levels in the cell may join */
    LIST_NEAR,    /* what comes near the cell */
    LIST_KINDS
};
struct list_slice {
    uint32_t first, count; /* in `arcs`; count is LIST_UNKNOWN before it is made */
};
/* Lists of one kind for cells of a level, made when they are first asked for. */
struct cell_lists {
    struct cell_rect cells;
    struct list_slice *slices; /* by cell */
    struct arc **arcs;
    float *rows; /* SEGMENT_ROWS for each arc: list by list */
    size_t slice_capacity, capacity, row_capacity;
    uint32_t used; /* lists begin at whole lanes */
};
/* The lists of a load. */
struct stream_lists {
    const struct drainage_network *network;
    const struct level_window *levels;
    struct cell_lists lists[DRAINAGE_LEVELS_MAX][LIST_KINDS];
    struct list_focus focus; /* of lists of what comes near */
    struct list_builder builder;
};

/* How many cells around a node's ancestor there are whose streams it may join, by definition; and
 * from how many cells around a cell come streams that LIST_NEAR has for it.
 *
 * A stream may lead farther, up to two widths: there no finer stream joins it, and some are
 * half-pipes with steep sides. Of neighbours 8 m apart on land, some 180 in a million differ by
 * more than 12 m. A margin of 2 leaves two thirds of these steps, for 11 to 13 % more of the time
 * of tiles from zoom 8 on; ends cut to the margin, or to 1.4 widths, leave them as many. */
enum { VISIBLE_MARGIN = 1, NEAR_MARGIN = 3 };

/* Prepares lists of one kind for a rect of cells. False when memory is out. */
bool lists_begin(struct cell_lists *lists, struct cell_rect cells);
/* The list of a cell. When memory is out it is empty, and lists->builder.failed. */
struct arc_list lists_get(struct stream_lists *lists, enum list_kind kind, unsigned level,
                          int64_t x, int64_t y);
/* Frees the lists of a level, and all else. */
void lists_free_level(struct stream_lists *lists, unsigned level);
void lists_free(struct stream_lists *lists);
size_t lists_bytes(const struct stream_lists *lists);

#endif
