/* Collects the courses near the middle of a square. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_LIST_BUILDER_H
#define TERRANE_DRAINAGE_STORE_LIST_BUILDER_H

#include "core/drainage/store/arc_pool.h"
#include "core/drainage/store/window.h"

/* Where samples are, if that is a small part of what a list is for. */
struct list_focus {
    struct place middle;
    float limit; /* courses farther from there are of no interest, metres; 0: there is no focus */
};
/* Of a course that is of interest, so many parts upstream are, too (PARTS_BEFORE of leaf.h). */
enum { LIST_PARTS_BEFORE = 3 };

struct list_builder {
    struct place middle;
    float limit;     /* courses farther than this are of no interest, metres */
    float tolerance; /* arcs that bend more are halved, metres */
    uint32_t count;
    struct arc **arcs;
    struct arc_pool pool; /* where they are */
    struct list_focus focus;
    bool keeps_rows;  /* only then: */
    float *rows;      /* from the middle, as of struct segment_rows, but for the end of a run */
    uint32_t *within; /* of those that are being added, by 16: bits of those within the limit; */
    uint32_t *near;   /* and of those near the focus */
    size_t arc_capacity, row_capacity, within_capacity, near_capacity;
    bool failed; /* memory was out */
};

/* Empties a list, for the square (x, y) of squares that are 2^shift units wide; from then on it
 * keeps no rows and has no focus. */
void list_begin(struct list_builder *list, unsigned shift, int64_t x, int64_t y);
/* Adds those of another list that are within the limit of (x, y), the middle of the square, in
 * metres from the origin of the list's rows. */
void list_add_list(struct list_builder *list, struct arc_list kept, float x, float y);
/* Adds the courses of streams whose nodes lie in a rect of cells, which are 2^shift units wide. */
void list_add_streams(struct list_builder *list, const struct level_window *window, unsigned shift,
                      const struct cell_rect *cells);
/* Ends the last run of the rows with arcs that are far from everything. */
void list_end_rows(struct list_builder *list);
void list_free(struct list_builder *list);
size_t list_bytes(const struct list_builder *list);

#endif
