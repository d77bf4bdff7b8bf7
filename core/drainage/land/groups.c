/* See groups.h. Sorting is by counting. */
#include "core/drainage/land/groups.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/network/scratch.h"

enum {
    LEAVES_MAX = 256, /* of a rect that samples are sorted into */
    PART_MAX = 8192,  /* samples that are sorted together */
};

void groups_free(struct sample_groups *groups)
{
    free(groups->keys);
    free(groups->order);
    free(groups->ends);
    free(groups->values);
}

size_t groups_bytes(const struct sample_groups *groups)
{
    return (groups->key_capacity + groups->order_capacity + groups->end_capacity) *
               sizeof(uint32_t) +
           groups->value_capacity * sizeof(float);
}

static bool rect_is_large(const struct cell_rect *rect)
{
    return rect_columns(rect) > LEAVES_MAX || rect_rows(rect) > LEAVES_MAX ||
           rect_columns(rect) * rect_rows(rect) > LEAVES_MAX;
}

/* The cells that samples are in, from `first` on. */
TERRANE_CLONES
static struct cell_rect cells_of(const struct drainage_samples *samples, size_t first, size_t end)
{
    struct cell_rect rect;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t *cell = samples->cell[axis];
        int64_t low = cell[first], high = low;
        for (size_t i = first; i < end; i++) {
            low = cell[i] < low ? cell[i] : low;
            high = cell[i] > high ? cell[i] : high;
        }
        rect.low[axis] = low;
        rect.high[axis] = high;
    }
    return rect;
}

void part_take(struct sample_part *part, size_t first, size_t end)
{
    const struct drainage_samples *samples = part->samples;
    end = end - first > PART_MAX ? first + PART_MAX : end;
    struct cell_rect cells = cells_of(samples, first, end);
    part->first = first;
    part->count = end - first;
    part->leaves = rect_ancestors(cells, LEAF_LOG2);
    if (!rect_is_large(&part->leaves))
        return;
    cells = cells_of(samples, first, first + 1);
    part->leaves = rect_ancestors(cells, LEAF_LOG2);
    for (part->count = 1; first + part->count < end; part->count++) {
        const size_t i = first + part->count;
        cells = rect_union(cells, cells_of(samples, i, i + 1));
        const struct cell_rect leaves = rect_ancestors(cells, LEAF_LOG2);
        if (rect_is_large(&leaves))
            break;
        part->leaves = leaves;
    }
}

/* Writes each sample's key: the number of its leaf, its cell and its quarter of the cell. */
TERRANE_CLONES
static void write_keys(const struct sample_part *part, uint32_t *restrict keys)
{
    const int64_t *restrict x = part->samples->cell[0] + part->first;
    const int64_t *restrict y = part->samples->cell[1] + part->first;
    const float *restrict u = part->samples->t[0] + part->first;
    const float *restrict v = part->samples->t[1] + part->first;
    const uint32_t west = (uint32_t)part->leaves.low[0] * LEAF_SIDE;
    const uint32_t north = (uint32_t)part->leaves.low[1] * LEAF_SIDE;
    const uint32_t columns = (uint32_t)rect_columns(&part->leaves);
    const size_t count = part->count;
    TERRANE_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const uint32_t column = (uint32_t)x[i] - west, row = (uint32_t)y[i] - north;
        const uint32_t leaf = (row >> LEAF_LOG2) * columns + (column >> LEAF_LOG2);
        const uint32_t cell = (row % LEAF_SIDE) * LEAF_SIDE + column % LEAF_SIDE;
        const uint32_t quarter = (u[i] >= 0.5f ? 1u : 0u) + (v[i] >= 0.5f ? 2u : 0u);
        keys[i] = LEAF_KEYS * leaf + 4 * cell + quarter;
    }
}

bool groups_sort(struct sample_groups *groups, const struct sample_part *part)
{
    const uint32_t keys = LEAF_KEYS * (uint32_t)rect_count(&part->leaves);
    if (!reserve_items(&groups->keys, &groups->key_capacity, part->count, sizeof *groups->keys) ||
        !reserve_items(&groups->order, &groups->order_capacity, part->count,
                       sizeof *groups->order) ||
        !reserve_items(&groups->ends, &groups->end_capacity, keys, sizeof *groups->ends))
        return false;
    uint32_t *restrict first = groups->ends, *restrict order = groups->order;
    const uint32_t *restrict key = groups->keys;
    write_keys(part, groups->keys);
    memset(first, 0, keys * sizeof *first);
    for (size_t i = 0; i < part->count; i++)
        first[key[i]]++;
    uint32_t before = 0;
    for (uint32_t i = 0; i < keys; i++) {
        const uint32_t count = first[i];
        first[i] = before;
        before += count;
    }
    for (size_t i = 0; i < part->count; i++)
        order[first[key[i]]++] = (uint32_t)(part->first + i);
    return true;
}

/* One cell of a leaf. */
struct leaf_cell {
    struct leaf *leaf;
    struct envelope_cull *cull;
    unsigned number;
};

/* Computes samples of one cell: order[0 … count) are their numbers. */
static bool sample_cell(struct sample_groups *groups, const struct sample_part *part,
                        const struct leaf_cell *of, const uint32_t *order, size_t count)
{
    const struct drainage_samples *samples = part->samples;
    const size_t padded = (count + ENVELOPE_LANES - 1) / ENVELOPE_LANES * ENVELOPE_LANES;
    const float west = (float)(int)(of->number % LEAF_SIDE) - 0.5f * LEAF_SIDE;
    const float north = (float)(int)(of->number / LEAF_SIDE) - 0.5f * LEAF_SIDE;
    if (!reserve_items(&groups->values, &groups->value_capacity, (2 + DRAINAGE_OUTPUTS) * padded,
                       sizeof(float)))
        return false;
    float *x = groups->values, *y = x + padded;
    for (size_t i = 0; i < count; i++) {
        x[i] = (west + samples->t[0][order[i]]) * part->width;
        y[i] = (north + samples->t[1][order[i]]) * part->width;
    }
    for (size_t i = count; i < padded; i++) {
        x[i] = x[count - 1];
        y[i] = y[count - 1];
    }
    float *outputs[DRAINAGE_OUTPUTS];
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        outputs[i] = part->outputs[i] ? groups->values + (size_t)(2 + i) * padded : NULL;
    envelope_sample(of->leaf, &(struct envelope_samples){of->number, x, y, padded}, of->cull,
                    outputs);
    for (int output = 0; output < DRAINAGE_OUTPUTS; output++) {
        float *to = part->outputs[output];
        for (size_t i = 0; i < count && to; i++)
            to[order[i]] = outputs[output][i];
    }
    return true;
}

bool groups_sample_leaf(struct sample_groups *groups, const struct sample_part *part,
                        const struct leaf_samples *some, struct leaf *leaf,
                        struct envelope_cull *cull)
{
    struct leaf_cell cell = {leaf, cull, 0};
    uint32_t from = some->from;
    for (; cell.number < LEAF_CELLS; cell.number++) {
        const uint32_t end = some->ends[4 * cell.number + 3];
        if (end > from && !sample_cell(groups, part, &cell, groups->order + from, end - from))
            return false;
        from = end;
    }
    return true;
}
