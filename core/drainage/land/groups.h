/* Samples that are sorted by the cell that they are in, so that each cell's are computed together.
 * Internal to core/drainage. */
#ifndef TERRANE_DRAINAGE_LAND_GROUPS_H
#define TERRANE_DRAINAGE_LAND_GROUPS_H

#include "core/drainage/land/envelope.h"
#include "core/drainage/network/rect.h"
#include "core/drainage/store/store.h"

/* Samples that are computed together: those of a request from number `first` on. */
struct sample_part {
    const struct drainage_samples *samples;
    float *const *outputs; /* DRAINAGE_OUTPUTS; those that are null are not wanted */
    float width;           /* of a cell, metres */
    size_t first, count;
    struct cell_rect cells; /* that they are in: not many for so many samples */
    unsigned squares_log2;  /* log2 of how many squares there are along a side of a cell */
};
/* The leaves of those cells. */
static inline struct cell_rect part_leaves(const struct sample_part *part)
{
    return rect_ancestors(part->cells, LEAF_LOG2);
}
/* Takes as many samples from `first` on, but before `end`, as lie close enough together. */
void part_take(struct sample_part *part, size_t first, size_t end);

/* Scratch memory. */
struct sample_groups {
    uint32_t *keys;  /* by sample: square of a cell */
    uint32_t *order; /* numbers of samples */
    uint32_t *ends;  /* by key: behind the last of its samples in `order` */
    float *values;   /* of one cell */
    size_t key_capacity, order_capacity, end_capacity, value_capacity;
};
void groups_free(struct sample_groups *groups);
size_t groups_bytes(const struct sample_groups *groups);

/* Sorts the samples of a part by cell, row by row, and by square in it. False when memory is out.
 */
bool groups_sort(struct sample_groups *groups, const struct sample_part *part);
/* How many samples are in some cells of a row of cells: from `west` to `east`, inclusive. */
uint32_t groups_count(const struct sample_groups *groups, const struct sample_part *part,
                      int64_t row, int64_t west, int64_t east);

struct cell_place {
    int64_t x, y;
};
/* Computes the samples of one cell of the part's rect, which is in this leaf. False when memory is
 * out. */
bool groups_sample_cell(struct sample_groups *groups, const struct sample_part *part,
                        const struct cell_place *cell, const struct leaf *leaf,
                        struct envelope_cull *cull);

#endif
