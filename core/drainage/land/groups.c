/* See groups.h. Sorting is by counting. Cells are divided into squares of some 16 samples where
 * samples are dense: samples that are computed together then lie close together, and few streams
 * matter to them. Squares are sorted to and fro, so that each is beside the next. */
#include "core/drainage/land/groups.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/network/scratch.h"

enum {
    PART_MAX = 8192, /* samples that are sorted together */
    STRETCH = 64,    /* samples that are added to a part at once, if they fit */
    /* Cells of the rect that a part's samples lie in, at most: some, and more for each sample. So
     * what is done for each cell takes no longer than what is done for each sample. */
    CELLS_LEAST = 64,
    CELLS_A_SAMPLE = 16,
    CELLS_MAX = 4096,
    SQUARES_LOG2_MAX = 3,
    SQUARE_SAMPLES = 4, /* at least, for each square of the rect */
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

static bool rect_is_large(const struct cell_rect *rect, size_t samples)
{
    const uint64_t columns = rect_columns(rect), rows = rect_rows(rect);
    const uint64_t most = CELLS_LEAST + CELLS_A_SAMPLE * (uint64_t)samples;
    return columns > CELLS_MAX || rows > CELLS_MAX ||
           columns * rows > (most < CELLS_MAX ? most : CELLS_MAX);
}

/* The cells that some samples are in, from `first` on. */
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

/* The rect with the cell of one more sample. */
static inline struct cell_rect rect_with(struct cell_rect rect,
                                         const struct drainage_samples *samples, size_t sample)
{
    for (int axis = 0; axis < 2; axis++) {
        const int64_t cell = samples->cell[axis][sample];
        rect.low[axis] = cell < rect.low[axis] ? cell : rect.low[axis];
        rect.high[axis] = cell > rect.high[axis] ? cell : rect.high[axis];
    }
    return rect;
}

/* Adds samples to a part one by one, as far as they fit. */
static void part_add_singly(struct sample_part *part, size_t end)
{
    for (size_t next = part->first + part->count; next < end; next++, part->count++) {
        const struct cell_rect cells = rect_with(part->cells, part->samples, next);
        if (rect_is_large(&cells, part->count + 1))
            return;
        part->cells = cells;
    }
}

/* Divides cells into squares as long as there are samples for them. */
static void part_divide_cells(struct sample_part *part)
{
    const size_t squares = rect_count(&part->cells) * SQUARE_SAMPLES;
    part->squares_log2 = 0;
    while (part->squares_log2 < SQUARES_LOG2_MAX &&
           squares << 2 * (part->squares_log2 + 1) <= part->count)
        part->squares_log2++;
}

void part_take(struct sample_part *part, size_t first, size_t end)
{
    const struct drainage_samples *samples = part->samples;
    end = end - first > PART_MAX ? first + PART_MAX : end;
    part->first = first;
    part->count = 1;
    part->cells = cells_of(samples, first, first + 1);
    for (size_t next = first + 1; next < end; next = first + part->count) {
        const size_t stretch = end - next < STRETCH ? end : next + STRETCH;
        const struct cell_rect cells = rect_union(part->cells, cells_of(samples, next, stretch));
        if (rect_is_large(&cells, stretch - first)) {
            part_add_singly(part, stretch);
            break;
        }
        part->cells = cells;
        part->count = stretch - first;
    }
    part_divide_cells(part);
}

/* Writes each sample's key: the number of its cell in the rect, and its square. */
TERRANE_CLONES
static void write_keys(const struct sample_part *part, uint32_t *restrict keys)
{
    const int64_t *restrict x = part->samples->cell[0] + part->first;
    const int64_t *restrict y = part->samples->cell[1] + part->first;
    const float *restrict u = part->samples->t[0] + part->first;
    const float *restrict v = part->samples->t[1] + part->first;
    const uint32_t west = (uint32_t)part->cells.low[0], north = (uint32_t)part->cells.low[1];
    const uint32_t columns = (uint32_t)rect_columns(&part->cells), log2 = part->squares_log2;
    const int32_t last = (1 << log2) - 1;
    const float side = (float)(last + 1);
    const size_t count = part->count;
    TERRANE_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const uint32_t cell = ((uint32_t)y[i] - north) * columns + ((uint32_t)x[i] - west);
        const int32_t along = (int32_t)(u[i] * side), down = (int32_t)(v[i] * side);
        const int32_t column = along < last ? along : last, row = down < last ? down : last;
        const int32_t turned = row & 1 ? last - column : column; /* to and fro */
        keys[i] = cell << 2 * log2 | (uint32_t)(row << log2 | turned);
    }
}

/* Counts the samples of each key. Neighbours mostly have the same one, whose count is then waited
 * for: so two halves are counted at once. */
static void count_keys(const uint32_t *restrict key, size_t count, uint32_t *restrict counts)
{
    const size_t half = count / 2;
    for (size_t i = 0; i < half; i++) {
        counts[key[i]]++;
        counts[key[half + i]]++;
    }
    if (count % 2 != 0)
        counts[key[count - 1]]++;
}

/* Writes the numbers of samples, from `number` on, in the order of their keys: each to the next
 * place of its key. */
static void write_order(const uint32_t *restrict key, size_t count, uint32_t number,
                        uint32_t *restrict next, uint32_t *restrict order)
{
    const uint32_t half = (uint32_t)count / 2;
    for (uint32_t i = 0; i < half; i++) {
        order[next[key[i]]++] = number + i;
        order[next[key[half + i]]++] = number + half + i;
    }
    if (count % 2 != 0)
        order[next[key[count - 1]]++] = number + (uint32_t)count - 1;
}

bool groups_sort(struct sample_groups *groups, const struct sample_part *part)
{
    const size_t keys = rect_count(&part->cells) << 2 * part->squares_log2;
    if (!reserve_items(&groups->keys, &groups->key_capacity, part->count, sizeof *groups->keys) ||
        !reserve_items(&groups->order, &groups->order_capacity, part->count,
                       sizeof *groups->order) ||
        !reserve_items(&groups->ends, &groups->end_capacity, keys, sizeof *groups->ends))
        return false;
    uint32_t *first = groups->ends, before = 0;
    write_keys(part, groups->keys);
    memset(first, 0, keys * sizeof *first);
    count_keys(groups->keys, part->count, first);
    for (size_t i = 0; i < keys; i++) {
        const uint32_t count = first[i];
        first[i] = before;
        before += count;
    }
    write_order(groups->keys, part->count, (uint32_t)part->first, first, groups->order);
    return true;
}

/* Where the samples of a cell, by number in the part's rect, end in `order`. */
static uint32_t end_of(const struct sample_groups *groups, const struct sample_part *part,
                       size_t cell)
{
    return groups->ends[((cell + 1) << 2 * part->squares_log2) - 1];
}

static size_t cell_number(const struct sample_part *part, int64_t x, int64_t y)
{
    const struct cell_rect *cells = &part->cells;
    const uint64_t row = (uint64_t)(y - cells->low[1]), column = (uint64_t)(x - cells->low[0]);
    return (size_t)(row * rect_columns(cells) + column);
}

uint32_t groups_count(const struct sample_groups *groups, const struct sample_part *part,
                      int64_t row, int64_t west, int64_t east)
{
    const size_t first = cell_number(part, west, row), last = cell_number(part, east, row);
    return end_of(groups, part, last) - (first > 0 ? end_of(groups, part, first - 1) : 0);
}

/* The samples of one cell of a leaf. */
struct cell_samples {
    unsigned cell;         /* its number in the leaf */
    float west, north;     /* its corner, in cells from the leaf's middle */
    const uint32_t *order; /* their numbers */
    size_t count;
};

static struct cell_samples samples_of(const struct sample_groups *groups,
                                      const struct sample_part *part, const struct cell_place *cell)
{
    const size_t number = cell_number(part, cell->x, cell->y);
    const uint32_t from = number > 0 ? end_of(groups, part, number - 1) : 0;
    const unsigned column = (unsigned)cell->x % LEAF_SIDE, row = (unsigned)cell->y % LEAF_SIDE;
    return (struct cell_samples){
        .cell = row * LEAF_SIDE + column,
        .west = (float)(int)column - 0.5f * LEAF_SIDE,
        .north = (float)(int)row - 0.5f * LEAF_SIDE,
        .order = groups->order + from,
        .count = end_of(groups, part, number) - from,
    };
}

/* Computes a cell's only sample. */
static void sample_one(const struct sample_part *part, const struct cell_samples *of,
                       const struct leaf *leaf)
{
    const uint32_t sample = of->order[0];
    const float at[2] = {(of->west + part->samples->t[0][sample]) * part->width,
                         (of->north + part->samples->t[1][sample]) * part->width};
    envelope_sample_one(leaf, of->cell, at, sample, part->outputs);
}

/* Moves samples of a cell to where their numbers say. */
static void put_samples(const float *restrict from, const uint32_t *restrict order, size_t count,
                        float *restrict to)
{
    TERRANE_UNROLL
    for (size_t i = 0; i < count; i++)
        to[order[i]] = from[i];
}

/* Computes samples together. False when memory is out. */
static bool sample_many(struct sample_groups *groups, const struct sample_part *part,
                        const struct cell_samples *of, const struct leaf *leaf,
                        struct envelope_cull *cull)
{
    const float *const *t = part->samples->t;
    const uint32_t *order = of->order;
    const size_t count = of->count;
    const size_t padded = (count + ENVELOPE_LANES - 1) / ENVELOPE_LANES * ENVELOPE_LANES;
    if (!reserve_items(&groups->values, &groups->value_capacity, (2 + DRAINAGE_OUTPUTS) * padded,
                       sizeof(float)))
        return false;
    float *x = groups->values, *y = x + padded;
    TERRANE_UNROLL
    for (size_t i = 0; i < count; i++) {
        x[i] = (of->west + t[0][order[i]]) * part->width;
        y[i] = (of->north + t[1][order[i]]) * part->width;
    }
    for (size_t i = count; i < padded; i++) {
        x[i] = x[count - 1];
        y[i] = y[count - 1];
    }
    float *outputs[DRAINAGE_OUTPUTS];
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        outputs[i] = part->outputs[i] ? groups->values + (size_t)(2 + i) * padded : NULL;
    const struct envelope_samples samples = {of->cell, x, y, padded};
    envelope_sample(leaf, &samples, cull, outputs);
    for (int output = 0; output < DRAINAGE_OUTPUTS; output++)
        if (part->outputs[output])
            put_samples(outputs[output], order, count, part->outputs[output]);
    return true;
}

bool groups_sample_cell(struct sample_groups *groups, const struct sample_part *part,
                        const struct cell_place *cell, const struct leaf *leaf,
                        struct envelope_cull *cull)
{
    const struct cell_samples of = samples_of(groups, part, cell);
    if (of.count > 1)
        return sample_many(groups, part, &of, leaf, cull);
    if (of.count == 1)
        sample_one(part, &of, leaf);
    return true;
}
