/* Reads nodes: those that the store keeps are copied, and the missing ones are noted as pending,
 * each once, with the places in the output that use it. When as many are pending as one call of the
 * sampler takes, they are sampled as a list, kept, and copied to their uses. A rectangle of which
 * most is missing is sampled whole, as a grid, which is cheaper for a node; a very large one is not
 * kept, as it would drive out everything else. */
#include "core/sampling/coarse_nodes.h"

#include <stdlib.h>
#include <string.h>

#include "core/sampling/row_kernels_coarse.h"
#include "core/sampling/sampler_nested.h"

enum {
    PENDING_MAX = NOISE_ROW_MAX, /* missing nodes that are sampled together */
    USES_MAX = 4096,             /* of them */
    SLOTS = 1024,                /* of the index of pending nodes */
    KEPT_RECT_NODES = 1024,      /* nodes of larger rectangles are not kept */
    POINTS_MAX = 128,            /* missing nodes of a rectangle that are sampled as a list */
};

/* A node that is needed, and missing in the store. */
struct use {
    size_t at; /* in the output of a field */
    uint32_t pending;
};

struct node_reader {
    struct node_store *store;
    struct sampler *sampler;
    uint32_t pending_count, pending_max, use_count;
    int64_t x[PENDING_MAX], y[PENDING_MAX];
    struct place places[PENDING_MAX];
    uint16_t slots[SLOTS]; /* 1 + the number of a pending node; 0: none */
    struct use uses[USES_MAX];
    float values[NODE_GROUP_FIELDS_MAX][PENDING_MAX];
};

/* A request to the reader. */
struct reading {
    struct node_reader *reader;
    const struct program *program;
    const struct node_group *group;
    float *out;
    size_t stride;
};

struct node_reader *node_reader_new(struct sampler_kept *kept)
{
    struct node_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return NULL;
    kept->nodes = kept->nodes ? kept->nodes : node_store_new();
    reader->store = kept->nodes;
    reader->sampler = sampler_new_nested(kept);
    if (reader->store && reader->sampler)
        return reader;
    node_reader_free(reader);
    return NULL;
}

void node_reader_free(struct node_reader *reader)
{
    if (!reader)
        return;
    sampler_free_nested(reader->sampler);
    free(reader);
}

static unsigned shift_of(const struct node_group *group)
{
    return PLACE_BITS + group->spacing_log2;
}

/* The level of detail of nodes: what half their distance can show. */
static double detail_of(const struct node_group *group)
{
    return 0.5 * (double)((int64_t)1 << group->spacing_log2);
}

static void limit_nodes(float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float v = values[i] < -COARSE_NODE_MAX ? -COARSE_NODE_MAX : values[i];
        values[i] = v > COARSE_NODE_MAX ? COARSE_NODE_MAX : v;
    }
}

static uint32_t node_bit(int64_t x, int64_t y)
{
    return (uint32_t)((y & (NODE_BLOCK_SIDE - 1)) * NODE_BLOCK_SIDE + (x & (NODE_BLOCK_SIDE - 1)));
}

/* The number of the node among those pending, which it becomes if it is not; -1 if there are too
 * many. */
static int32_t find_pending(struct node_reader *reader, int64_t x, int64_t y)
{
    const uint64_t hash = hash_mix((uint64_t)x * 0x9E3779B97F4A7C15u + (uint64_t)y);
    uint16_t *slot = &reader->slots[hash % SLOTS];
    while (*slot != 0 && (reader->x[*slot - 1] != x || reader->y[*slot - 1] != y))
        slot = slot + 1 < reader->slots + SLOTS ? slot + 1 : reader->slots;
    if (*slot == 0) {
        if (reader->pending_count == reader->pending_max)
            return -1;
        reader->x[reader->pending_count] = x;
        reader->y[reader->pending_count] = y;
        *slot = (uint16_t)++reader->pending_count;
    }
    return *slot - 1;
}

static void clear_pending(struct node_reader *reader)
{
    reader->pending_count = reader->use_count = 0;
    memset(reader->slots, 0, sizeof reader->slots);
}

/* Copies a node that all fields know, or adds it to those pending. False if there are too many. */
static bool collect_node(const struct reading *reading, const struct node_block *const *blocks,
                         int64_t x, int64_t y, size_t at)
{
    struct node_reader *reader = reading->reader;
    const uint32_t bit = node_bit(x, y), count = reading->group->count;
    uint32_t known = 1;
    for (uint32_t i = 0; i < count && known; i++)
        known = blocks[i] ? blocks[i]->known >> bit & 1 : 0;
    if (known) {
        for (uint32_t i = 0; i < count; i++)
            reading->out[i * reading->stride + at] = blocks[i]->values[bit];
        return true;
    }
    const int32_t pending = reader->use_count < USES_MAX ? find_pending(reader, x, y) : -1;
    if (pending >= 0)
        reader->uses[reader->use_count++] = (struct use){at, (uint32_t)pending};
    return pending >= 0;
}

/* Finds the blocks of all fields; none is looked for behind one that is missing, as then no node is
 * known. */
static void find_blocks(const struct reading *reading, int64_t x, int64_t y,
                        const struct node_block *blocks[NODE_GROUP_FIELDS_MAX])
{
    const struct node_group *group = reading->group;
    for (uint32_t i = 0; i < group->count; i++) {
        blocks[i] = i == 0 || blocks[i - 1]
                        ? node_store_find(reading->reader->store, &group->fields[i], x, y)
                        : NULL;
    }
}

/* Collects a rectangle block by block. */
static bool collect_rect(const struct reading *reading, const struct node_rect *rect)
{
    const struct node_block *blocks[NODE_GROUP_FIELDS_MAX];
    const int64_t end_x = rect->x + rect->columns, end_y = rect->y + rect->rows;
    for (int64_t y = rect->y, next_y; y < end_y; y = next_y) {
        next_y = ((y >> NODE_BLOCK_LOG2) + 1) * NODE_BLOCK_SIDE;
        next_y = next_y < end_y ? next_y : end_y;
        for (int64_t x = rect->x, next_x; x < end_x; x = next_x) {
            next_x = ((x >> NODE_BLOCK_LOG2) + 1) * NODE_BLOCK_SIDE;
            next_x = next_x < end_x ? next_x : end_x;
            find_blocks(reading, x >> NODE_BLOCK_LOG2, y >> NODE_BLOCK_LOG2, blocks);
            for (int64_t v = y; v < next_y; v++)
                for (int64_t u = x; u < next_x; u++)
                    if (!collect_node(reading, blocks, u, v,
                                      (size_t)(v - rect->y) * rect->columns +
                                          (size_t)(u - rect->x)))
                        return false;
        }
    }
    return true;
}

/* Collects the 4 × 4 nodes around a cell row by row, so that in a list of places that lie apart the
 * missing nodes form squares, whose columns and rows noises locate once. */
static bool collect_cell(const struct reading *reading, struct place cell, size_t at)
{
    const struct node_block *blocks[2][2][NODE_GROUP_FIELDS_MAX];
    blocks[0][0][0] = blocks[0][1][0] = blocks[1][0][0] = blocks[1][1][0] = NULL;
    const int64_t x = cell.x - 1, y = cell.y - 1;
    const int64_t west = x >> NODE_BLOCK_LOG2, east = (x + 3) >> NODE_BLOCK_LOG2;
    const int64_t north = y >> NODE_BLOCK_LOG2, south = (y + 3) >> NODE_BLOCK_LOG2;
    for (int64_t v = north; v <= south; v++)
        for (int64_t u = west; u <= east; u++)
            find_blocks(reading, u, v, blocks[v - north][u - west]);
    for (int64_t i = 0; i < 16; i++) {
        const int64_t u = x + i % 4, v = y + i / 4;
        if (!collect_node(reading,
                          blocks[(v >> NODE_BLOCK_LOG2) - north][(u >> NODE_BLOCK_LOG2) - west], u,
                          v, at + (size_t)i))
            return false;
    }
    return true;
}

/* Samples the pending nodes, as one list. */
static bool sample_pending(const struct reading *reading)
{
    struct node_reader *reader = reading->reader;
    const struct node_group *group = reading->group;
    float *outputs[NODE_GROUP_FIELDS_MAX];
    for (uint32_t i = 0; i < reader->pending_count; i++)
        reader->places[i] = (struct place){reader->x[i] * ((int64_t)1 << shift_of(group)),
                                           reader->y[i] * ((int64_t)1 << shift_of(group))};
    for (uint32_t i = 0; i < group->count; i++)
        outputs[i] = reader->values[i];
    const struct sample_points points = {reader->places, reader->pending_count, detail_of(group),
                                         group->z, group->t};
    const struct sampler_operations wanted = {group->operations, outputs, group->count};
    return sampler_nested_points(reader->sampler, reading->program, &points, &wanted);
}

static void keep_pending(const struct reading *reading, uint32_t field)
{
    struct node_reader *reader = reading->reader;
    const float *values = reader->values[field];
    struct node_block *block = NULL;
    for (uint32_t i = 0; i < reader->pending_count; i++) {
        const int64_t x = reader->x[i] >> NODE_BLOCK_LOG2, y = reader->y[i] >> NODE_BLOCK_LOG2;
        if (!block || block->x != x || block->y != y)
            block = node_store_take(reader->store, &reading->group->fields[field], x, y);
        const uint32_t bit = node_bit(reader->x[i], reader->y[i]);
        block->values[bit] = values[i];
        block->known |= (uint32_t)1 << bit;
    }
}

/* True if the nodes are worth keeping. Those of many places that share none are all over the world:
 * they would be written to memory that is not in the cache, and read no more. */
static bool worth_keeping(const struct node_reader *reader)
{
    return reader->pending_count <= PENDING_MAX / 2 || reader->use_count > reader->pending_count;
}

/* Samples the pending nodes, keeps them, and writes them where they are needed. */
static bool flush_pending(const struct reading *reading)
{
    struct node_reader *reader = reading->reader;
    if (reader->pending_count > 0) {
        if (!sample_pending(reading))
            return false;
        for (uint32_t i = 0; i < reading->group->count; i++) {
            limit_nodes(reader->values[i], reader->pending_count);
            if (worth_keeping(reader))
                keep_pending(reading, i);
            for (uint32_t k = 0; k < reader->use_count; k++)
                reading->out[i * reading->stride + reader->uses[k].at] =
                    reader->values[i][reader->uses[k].pending];
        }
    }
    clear_pending(reader);
    return true;
}

/* Samples a whole rectangle as a grid. */
static bool sample_rect(const struct reading *reading, const struct node_rect *rect)
{
    const struct node_group *group = reading->group;
    const int64_t step = (int64_t)1 << shift_of(group);
    const struct sample_grid grid = {rect->x * step, rect->y * step,   step,     rect->columns,
                                     rect->rows,     detail_of(group), group->z, group->t};
    float *outputs[NODE_GROUP_FIELDS_MAX];
    for (uint32_t i = 0; i < group->count; i++)
        outputs[i] = reading->out + i * reading->stride;
    const struct sampler_operations wanted = {group->operations, outputs, group->count};
    if (!sampler_nested_grid(reading->reader->sampler, reading->program, &grid, &wanted))
        return false;
    for (uint32_t i = 0; i < group->count; i++)
        limit_nodes(outputs[i], (size_t)rect->columns * rect->rows);
    return true;
}

static void keep_rect(const struct reading *reading, const struct node_rect *rect, uint32_t field)
{
    const float *values = reading->out + field * reading->stride;
    for (uint32_t row = 0; row < rect->rows; row++) {
        struct node_block *block = NULL;
        for (uint32_t column = 0; column < rect->columns; column++) {
            const int64_t x = rect->x + column, y = rect->y + row;
            if (!block || block->x != x >> NODE_BLOCK_LOG2)
                block = node_store_take(reading->reader->store, &reading->group->fields[field],
                                        x >> NODE_BLOCK_LOG2, y >> NODE_BLOCK_LOG2);
            block->values[node_bit(x, y)] = *values++;
            block->known |= (uint32_t)1 << node_bit(x, y);
        }
    }
}

bool node_reader_rect(struct node_reader *reader, const struct program *program,
                      const struct node_group *group, const struct node_rect *rect, float *out,
                      size_t stride)
{
    const struct reading reading = {reader, program, group, out, stride};
    const bool keep = (size_t)rect->columns * rect->rows <= KEPT_RECT_NODES;
    clear_pending(reader);
    reader->pending_max = POINTS_MAX;
    if (keep && collect_rect(&reading, rect))
        return flush_pending(&reading);
    if (!sample_rect(&reading, rect))
        return false;
    for (uint32_t i = 0; i < group->count && keep; i++)
        keep_rect(&reading, rect, i);
    return true;
}

bool node_reader_cells(struct node_reader *reader, const struct program *program,
                       const struct node_group *group, const struct place *cells, size_t count,
                       float *out, size_t stride)
{
    const struct reading reading = {reader, program, group, out, stride};
    clear_pending(reader);
    reader->pending_max = PENDING_MAX;
    for (size_t i = 0; i < count; i++) {
        if (reader->pending_count + 16 > PENDING_MAX || reader->use_count + 16 > USES_MAX)
            if (!flush_pending(&reading))
                return false;
        if (!collect_cell(&reading, cells[i], 16 * i))
            return false;
    }
    return flush_pending(&reading);
}
