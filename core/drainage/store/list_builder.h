/* Collects the segments near the middle of a square. Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_STORE_LIST_BUILDER_H
#define TERRANE_DRAINAGE_STORE_LIST_BUILDER_H

#include "core/drainage/store/window.h"

struct list_builder {
    struct place middle;
    float limit; /* segments farther than this are of no interest, metres */
    uint32_t count;
    size_t segment_capacity, square_capacity, candidate_capacity, within_capacity;
    float nearest; /* squared distance of the nearest one, m² */
    const struct segment **segments;
    float *squares;    /* of their distances */
    float *candidates; /* of those that are being added */
    uint32_t *within;  /* which of them are within the limit: bits, 16 to a word */
    bool failed;       /* memory was out */
};

/* Empties a list, for the square (x, y) of squares that are 2^shift units wide. */
void list_begin(struct list_builder *list, unsigned shift, int64_t x, int64_t y, float limit);
/* Adds those of another list that are within the limit of (x, y), the middle of the square, in
 * metres from the origin of the list's rows. */
void list_add_list(struct list_builder *list, struct segment_list kept, float x, float y);
/* Adds the segments of streams whose nodes lie in a rect of cells, which are 2^shift units wide. */
void list_add_streams(struct list_builder *list, const struct level_window *window, unsigned shift,
                      const struct cell_rect *cells);
void list_free(struct list_builder *list);
size_t list_bytes(const struct list_builder *list);

#endif
