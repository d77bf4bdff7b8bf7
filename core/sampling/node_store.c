/* A set-associative table. Each set has the tags of its blocks, which are bits of their hashes, in
 * half a cache line, so that a block that is not kept is seldom looked at. */
#include "core/sampling/node_store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4, SETS = NODE_STORE_BLOCKS / WAYS, ALIGNMENT = 64 };

struct node_set {
    uint32_t tags[WAYS]; /* 0 if the block is free */
    uint32_t used[WAYS]; /* the store's clock at the block's last use */
};

struct node_store {
    struct node_block blocks[SETS][WAYS];
    struct node_set sets[SETS];
    uint32_t clock;
};

struct node_store *node_store_new(void)
{
    const size_t size = (sizeof(struct node_store) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    struct node_store *store = aligned_alloc(ALIGNMENT, size);
    if (store)
        memset(store, 0, size);
    return store;
}

void node_store_free(struct node_store *store)
{
    free(store);
}

static bool is_block(const struct node_block *block, const struct node_field *field, int64_t x,
                     int64_t y)
{
    return block->x == x && block->y == y && block->field.identity.low == field->identity.low &&
           block->field.identity.high == field->identity.high && block->field.z == field->z &&
           block->field.t == field->t;
}

static uint64_t hash_block(const struct node_field *field, int64_t x, int64_t y)
{
    const uint64_t of_field = field->identity.low + (uint64_t)field->z * 0xC2B2AE3D27D4EB4Fu +
                              (uint64_t)field->t * 0x165667B19E3779F9u;
    return hash_mix(of_field + (uint64_t)x * 0x9E3779B97F4A7C15u +
                    ((uint64_t)y << 32 | (uint64_t)y >> 32));
}

static uint32_t set_of(uint64_t hash)
{
    return (uint32_t)(hash % SETS);
}

static uint32_t tag_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32) | 1;
}

/* Marks a block as the last one used. When the clock is over, all blocks seem equally old. */
static struct node_block *touch(struct node_store *store, uint32_t set, int way)
{
    if (++store->clock == 0)
        for (uint32_t i = 0; i < SETS; i++)
            memset(store->sets[i].used, 0, sizeof store->sets[i].used);
    store->sets[set].used[way] = store->clock;
    return &store->blocks[set][way];
}

static int find_way(const struct node_store *store, uint64_t hash, const struct node_field *field,
                    int64_t x, int64_t y)
{
    const uint32_t set = set_of(hash);
    for (int way = 0; way < WAYS; way++)
        if (store->sets[set].tags[way] == tag_of(hash) &&
            is_block(&store->blocks[set][way], field, x, y))
            return way;
    return -1;
}

static int oldest_way(const struct node_set *set)
{
    int way = 0;
    for (int i = 1; i < WAYS; i++)
        if (set->used[i] < set->used[way])
            way = i;
    return way;
}

/* A block that is missed is mostly taken soon: the processor then has the memory at hand. */
static void prefetch(const struct node_store *store, uint32_t set)
{
    const struct node_block *block = &store->blocks[set][oldest_way(&store->sets[set])];
    for (size_t i = 0; i < sizeof *block; i += ALIGNMENT)
        __builtin_prefetch((const char *)block + i, 1);
}

const struct node_block *node_store_find(struct node_store *store, const struct node_field *field,
                                         int64_t x, int64_t y)
{
    const uint64_t hash = hash_block(field, x, y);
    const int way = find_way(store, hash, field, x, y);
    if (way >= 0)
        return touch(store, set_of(hash), way);
    prefetch(store, set_of(hash));
    return NULL;
}

struct node_block *node_store_take(struct node_store *store, const struct node_field *field,
                                   int64_t x, int64_t y)
{
    const uint64_t hash = hash_block(field, x, y);
    const uint32_t number = set_of(hash);
    struct node_set *set = &store->sets[number];
    int way = find_way(store, hash, field, x, y);
    if (way >= 0)
        return touch(store, number, way);
    way = oldest_way(set);
    set->tags[way] = tag_of(hash);
    store->blocks[number][way] = (struct node_block){.field = *field, .x = x, .y = y};
    return touch(store, number, way);
}
