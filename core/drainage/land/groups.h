/* Samples that are sorted by the cell that they are in, so that each cell's are computed together.
 * Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_GROUPS_H
#define TERRANE_DRAINAGE_LAND_GROUPS_H

#include "core/drainage/land/envelope.h"
#include "core/drainage/network/rect.h"
#include "core/drainage/store/store.h"

enum { LEAF_KEYS = 4 * LEAF_CELLS }; /* quarters of the cells of a leaf */

/* Samples that are computed together: those of a request from number `first` on. */
struct sample_part {
    const struct drainage_samples *samples;
    float *const *outputs; /* DRAINAGE_OUTPUTS; those that are null are not wanted */
    float width;           /* of a cell, metres */
    size_t first, count;
    struct cell_rect leaves; /* that they are in: not many */
};
/* Takes as many samples from `first` on as lie in a rect of leaves that is not large. */
void part_take(struct sample_part *part, size_t first, size_t end);

/* Scratch memory. */
struct sample_groups {
    uint32_t *keys;  /* by sample: quarter of a cell of a leaf */
    uint32_t *order; /* numbers of samples */
    uint32_t *ends;  /* by key: behind the last of its samples in `order` */
    float *values;   /* of one cell */
    size_t key_capacity, order_capacity, end_capacity, value_capacity;
};
void groups_free(struct sample_groups *groups);
size_t groups_bytes(const struct sample_groups *groups);

/* Sorts the samples of a part by key: by leaf, row by row, by cell in it and by quarter. False when
 * memory is out. */
bool groups_sort(struct sample_groups *groups, const struct sample_part *part);

/* The samples of one leaf in `order`: from number `from` on, and by key of the leaf to these. */
struct leaf_samples {
    uint32_t from;
    const uint32_t *ends;
};
/* Computes the samples of one leaf. False when memory is out. */
bool groups_sample_leaf(struct sample_groups *groups, const struct sample_part *part,
                        const struct leaf_samples *some, struct leaf *leaf,
                        struct envelope_cull *cull);

#endif
