/* Sampling: samples are sorted by the cell that they are in, and each cell's are computed together
 * from its leaf. */
#include "core/drainage/drainage.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/lanes.h"
#include "core/drainage/deltas.h"
#include "core/drainage/drainage_private.h"

enum {
    LEAVES_MAX = 256,           /* of a rect that samples are sorted into */
    KEPT_SHARE = 3,             /* one in so many bytes is for blocks at full detail */
    SCRATCH_SHARE = 4,          /* one in so many bytes may be scratch when a request begins */
    PART_MAX = 8192,            /* samples that are sorted together */
    LEAF_KEYS = 4 * LEAF_CELLS, /* quarters of the cells of a leaf */
};

float drainage_river_width(float flow)
{
    return 2.0f * channel_half_width(flow);
}

struct drainage *drainage_new(size_t bytes_kept)
{
    struct drainage *drainage = calloc(1, sizeof *drainage);
    if (!drainage)
        return NULL;
    drainage->bytes = bytes_kept;
    if (kept_init(&drainage->blocks) && kept_init(&drainage->leaves))
        return drainage;
    drainage_free(drainage);
    return NULL;
}

void drainage_free(struct drainage *drainage)
{
    if (!drainage)
        return;
    kept_free(&drainage->blocks);
    kept_free(&drainage->leaves);
    for (unsigned i = 0; i < DRAINAGE_LEVELS_MAX; i++)
        window_free(&drainage->levels[i]);
    fields_free(&drainage->fields);
    free(drainage->joints);
    free(drainage->drafts);
    free(drainage->trunk_nodes);
    free(drainage->deltas);
    list_free(&drainage->list);
    free(drainage->leaf_cells);
    envelope_cull_free(&drainage->cull);
    free(drainage->groups.keys);
    free(drainage->groups.order);
    free(drainage->groups.first);
    free(drainage->groups.values);
    free(drainage);
}

unsigned drainage_level(unsigned spacing_log2, double metres)
{
    const unsigned finest = spacing_log2 - DRAINAGE_FINEST_LOG2;
    unsigned level = 0;
    while (level < finest && (double)((uint32_t)1 << (spacing_log2 - level - 1)) >= 8.0 * metres)
        level++;
    return level;
}

/* A request, or the part of it that is computed now: samples of a network at a level. */
struct request {
    struct drainage *drainage;
    unsigned level;
    double metres;
    size_t first, count; /* of the part */
    const struct drainage_samples *samples;
    float *const *outputs;
    struct cell_rect leaves; /* that the part's samples are in */
    struct cell_rect loaded; /* leaves around which the window is */
};

static bool rect_has(const struct cell_rect *rect, int64_t x, int64_t y)
{
    return x >= rect->low[0] && x <= rect->high[0] && y >= rect->low[1] && y <= rect->high[1];
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

/* Takes as many samples from `first` on as lie in a rect that is not large. */
static void take_part(struct request *request, size_t first, size_t end)
{
    const struct drainage_samples *samples = request->samples;
    end = end - first > PART_MAX ? first + PART_MAX : end;
    struct cell_rect cells = cells_of(samples, first, end);
    request->first = first;
    request->count = end - first;
    request->leaves = rect_ancestors(cells, LEAF_LOG2);
    if (!rect_is_large(&request->leaves))
        return;
    cells = cells_of(samples, first, first + 1);
    request->leaves = rect_ancestors(cells, LEAF_LOG2);
    for (request->count = 1; first + request->count < end; request->count++) {
        const size_t i = first + request->count;
        cells = rect_union(cells, cells_of(samples, i, i + 1));
        const struct cell_rect leaves = rect_ancestors(cells, LEAF_LOG2);
        if (rect_is_large(&leaves))
            break;
        request->leaves = leaves;
    }
}

static size_t scratch_memory(const struct drainage *drainage)
{
    return drainage_memory(drainage) - drainage->blocks.bytes - drainage->leaves.bytes;
}

/* The memory for scratch. A window that one wide request made large is given up, or nothing could
 * be kept from then on. */
static size_t limit_scratch(struct drainage *drainage)
{
    if (scratch_memory(drainage) > drainage->bytes / SCRATCH_SHARE)
        for (unsigned i = 0; i < DRAINAGE_LEVELS_MAX; i++)
            window_free(&drainage->levels[i]);
    return scratch_memory(drainage);
}

/* Leaves and blocks share the room by use: a tile that is made again needs its leaves alone,
 * neighbouring tiles each other's blocks. But lists of points come back to the same leaves, which
 * new ones and their blocks must not displace. */
bool drainage_load(struct drainage *drainage, const struct cell_rect *leaves, unsigned level)
{
    const size_t scratch = limit_scratch(drainage);
    const size_t room = drainage->bytes > scratch ? drainage->bytes - scratch : 0;
    if (drainage->full_detail) {
        kept_begin(&drainage->leaves, room - room / KEPT_SHARE);
        kept_begin(&drainage->blocks, room / KEPT_SHARE);
    } else {
        kept_begin_both(&drainage->leaves, &drainage->blocks, room);
    }
    bends_begin(drainage);
    return drainage_add_work(drainage, LOAD_WORK) && window_load(drainage, leaves, level);
}

static bool load(struct request *request, struct cell_rect leaves)
{
    request->loaded = (struct cell_rect){{0, 0}, {-1, -1}};
    if (!drainage_load(request->drainage, &leaves, request->level))
        return false;
    request->loaded = leaves;
    return true;
}

/* The leaf with that number. Null when memory is out. */
static struct leaf *get_leaf(struct request *request, int64_t x, int64_t y)
{
    struct drainage *drainage = request->drainage;
    struct leaf *leaf = leaf_find(drainage, request->level, request->metres, x, y);
    if (leaf)
        return leaf;
    if (!rect_has(&request->loaded, x, y) && !load(request, (struct cell_rect){{x, y}, {x, y}}))
        return NULL;
    return leaf_make(drainage, request->level, request->metres, x, y);
}

/* Computes samples of one cell: order[0 … count) are their numbers. */
static bool sample_cell(struct request *request, struct leaf *leaf, unsigned cell,
                        const uint32_t *order, size_t count)
{
    struct sample_groups *groups = &request->drainage->groups;
    const struct drainage_samples *samples = request->samples;
    const size_t padded = (count + ENVELOPE_LANES - 1) / ENVELOPE_LANES * ENVELOPE_LANES;
    const float width = cell_width(request->drainage->network, request->level);
    const float west = (float)(int)(cell % LEAF_SIDE) - 0.5f * LEAF_SIDE;
    const float north = (float)(int)(cell / LEAF_SIDE) - 0.5f * LEAF_SIDE;
    if (!reserve_items(&groups->values, &groups->value_capacity, (2 + DRAINAGE_OUTPUTS) * padded,
                       sizeof(float)))
        return false;
    float *x = groups->values, *y = x + padded;
    for (size_t i = 0; i < count; i++) {
        x[i] = (west + samples->t[0][order[i]]) * width;
        y[i] = (north + samples->t[1][order[i]]) * width;
    }
    for (size_t i = count; i < padded; i++) {
        x[i] = x[count - 1];
        y[i] = y[count - 1];
    }
    float *outputs[DRAINAGE_OUTPUTS];
    for (int i = 0; i < DRAINAGE_OUTPUTS; i++)
        outputs[i] = request->outputs[i] ? groups->values + (size_t)(2 + i) * padded : NULL;
    envelope_sample(leaf, &(struct envelope_samples){cell, x, y, padded}, &request->drainage->cull,
                    outputs);
    for (int output = 0; output < DRAINAGE_OUTPUTS; output++) {
        float *to = request->outputs[output];
        for (size_t i = 0; i < count && to; i++)
            to[order[i]] = outputs[output][i];
    }
    return true;
}

/* Computes the samples of one leaf: ends[key] is behind the last of that key in `order`. */
static bool sample_leaf(struct request *request, int64_t x, int64_t y, uint32_t from,
                        const uint32_t *ends)
{
    const uint32_t *order = request->drainage->groups.order;
    struct leaf *leaf = get_leaf(request, x, y);
    if (!leaf)
        return false;
    for (unsigned cell = 0; cell < LEAF_CELLS; cell++) {
        const uint32_t end = ends[4 * cell + 3];
        if (end > from && !sample_cell(request, leaf, cell, order + from, end - from))
            return false;
        from = end;
    }
    return true;
}

/* Writes each sample's key: the number of its leaf, its cell and its quarter of the cell. */
TERRANE_CLONES
static void write_keys(const struct request *request, uint32_t *restrict keys)
{
    const int64_t *restrict x = request->samples->cell[0] + request->first;
    const int64_t *restrict y = request->samples->cell[1] + request->first;
    const float *restrict u = request->samples->t[0] + request->first;
    const float *restrict v = request->samples->t[1] + request->first;
    const uint32_t west = (uint32_t)request->leaves.low[0] * LEAF_SIDE;
    const uint32_t north = (uint32_t)request->leaves.low[1] * LEAF_SIDE;
    const uint32_t columns = (uint32_t)rect_columns(&request->leaves);
    const size_t count = request->count;
    TERRANE_INDEPENDENT
    for (size_t i = 0; i < count; i++) {
        const uint32_t column = (uint32_t)x[i] - west, row = (uint32_t)y[i] - north;
        const uint32_t leaf = (row >> LEAF_LOG2) * columns + (column >> LEAF_LOG2);
        const uint32_t cell = (row % LEAF_SIDE) * LEAF_SIDE + column % LEAF_SIDE;
        const uint32_t quarter = (u[i] >= 0.5f ? 1u : 0u) + (v[i] >= 0.5f ? 2u : 0u);
        keys[i] = LEAF_KEYS * leaf + 4 * cell + quarter;
    }
}

/* Sorts the part's samples by key, by counting. Afterwards first[key] is behind the last of each.
 */
static void sort_samples(const struct request *request)
{
    struct sample_groups *groups = &request->drainage->groups;
    uint32_t *restrict first = groups->first, *restrict order = groups->order;
    const uint32_t *restrict key = groups->keys;
    const uint32_t keys = LEAF_KEYS * (uint32_t)rect_count(&request->leaves);
    write_keys(request, groups->keys);
    memset(first, 0, keys * sizeof *first);
    for (size_t i = 0; i < request->count; i++)
        first[key[i]]++;
    uint32_t before = 0;
    for (uint32_t i = 0; i < keys; i++) {
        const uint32_t count = first[i];
        first[i] = before;
        before += count;
    }
    for (size_t i = 0; i < request->count; i++)
        order[first[key[i]]++] = (uint32_t)(request->first + i);
}

/* Loads what the part's missing leaves need, at once if most of what is loaded is needed. */
static bool load_missing(struct request *request)
{
    const struct cell_rect *leaves = &request->leaves;
    const uint32_t *end = request->drainage->groups.first + LEAF_KEYS - 1;
    struct cell_rect missing = {{0, 0}, {-1, -1}};
    uint64_t count = 0;
    uint32_t from = 0;
    for (int64_t y = leaves->low[1]; y <= leaves->high[1]; y++)
        for (int64_t x = leaves->low[0]; x <= leaves->high[0]; x++, end += LEAF_KEYS) {
            if (*end > from &&
                !leaf_find(request->drainage, request->level, request->metres, x, y)) {
                missing = rect_union(missing, (struct cell_rect){{x, y}, {x, y}});
                count++;
            }
            from = *end;
        }
    return count < 2 || rect_count(&missing) > 4 * count || load(request, missing);
}

static bool sample_part(struct request *request)
{
    struct sample_groups *groups = &request->drainage->groups;
    const size_t keys = LEAF_KEYS * rect_count(&request->leaves);
    if (!reserve_items(&groups->keys, &groups->key_capacity, request->count,
                       sizeof *groups->keys) ||
        !reserve_items(&groups->order, &groups->order_capacity, request->count,
                       sizeof *groups->order) ||
        !reserve_items(&groups->first, &groups->first_capacity, keys, sizeof *groups->first))
        return false;
    sort_samples(request);
    if (!drainage_add_work(request->drainage, request->count * SAMPLE_WORK) ||
        !load_missing(request))
        return false;
    const uint32_t *ends = groups->first;
    uint32_t from = 0;
    for (int64_t y = request->leaves.low[1]; y <= request->leaves.high[1]; y++)
        for (int64_t x = request->leaves.low[0]; x <= request->leaves.high[0]; x++) {
            const uint32_t end = ends[LEAF_KEYS - 1];
            if (end > from && !sample_leaf(request, x, y, from, ends))
                return false;
            from = end;
            ends += LEAF_KEYS;
        }
    return true;
}

bool drainage_sample(struct drainage *drainage, const struct drainage_network *network,
                     double metres, size_t count, const struct drainage_samples *samples,
                     float *const outputs[DRAINAGE_OUTPUTS])
{
    struct request request = {.drainage = drainage,
                              .level = drainage_level(network->spacing_log2, metres),
                              .metres = metres,
                              .samples = samples,
                              .outputs = outputs,
                              .loaded = {{0, 0}, {-1, -1}}};
    drainage->network = network;
    drainage->full_detail = metres == 0.0;
    drainage->list.failed = false;
    for (size_t first = 0; first < count; first += request.count) {
        take_part(&request, first, count);
        if (!sample_part(&request))
            return false;
    }
    return true;
}

size_t drainage_memory(const struct drainage *drainage)
{
    size_t bytes = sizeof *drainage + drainage->blocks.bytes + drainage->leaves.bytes;
    bytes += (drainage->blocks.slot_count + drainage->leaves.slot_count) * sizeof(struct kept *);
    for (unsigned i = 0; i < DRAINAGE_LEVELS_MAX; i++)
        bytes += window_bytes(&drainage->levels[i]);
    const struct sample_groups *groups = &drainage->groups;
    bytes += fields_bytes(&drainage->fields) + drainage->joint_capacity * sizeof(struct place);
    bytes += drainage->draft_capacity * sizeof(struct stream_draft);
    bytes += trunk_bytes(drainage) + drainage->delta_capacity * sizeof(struct delta);
    bytes += list_bytes(&drainage->list) + envelope_cull_bytes(&drainage->cull);
    bytes += drainage->leaf_cell_capacity * sizeof *drainage->leaf_cells;
    bytes += (groups->key_capacity + groups->order_capacity + groups->first_capacity +
              groups->value_capacity) *
             sizeof(uint32_t);
    return bytes;
}
