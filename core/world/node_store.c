#include "core/world/node_store.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { WAYS = 4, SETS = NODE_STORE_BLOCKS / WAYS, ALIGNMENT = 64 };

struct node_store {
    struct node_block sets[SETS][WAYS];
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
    return block->used != 0 && block->x == x && block->y == y &&
           block->field.identity.low == field->identity.low &&
           block->field.identity.high == field->identity.high && block->field.z == field->z &&
           block->field.t == field->t;
}

static struct node_block *set_of(struct node_store *store, const struct node_field *field,
                                 int64_t x, int64_t y)
{
    uint64_t hash = field->identity.low + (uint64_t)field->z * 0xC2B2AE3D27D4EB4Fu +
                    (uint64_t)field->t * 0x165667B19E3779F9u;
    hash = hash_mix(hash + (uint64_t)x * 0x9E3779B97F4A7C15u +
                    ((uint64_t)y << 32 | (uint64_t)y >> 32));
    return store->sets[hash % SETS];
}

/* Marks a block as the last one used. When the clock is over, all blocks seem equally old. */
static struct node_block *touch(struct node_store *store, struct node_block *block)
{
    if (++store->clock == 0) {
        for (uint32_t i = 0; i < NODE_STORE_BLOCKS; i++)
            if (store->sets[i / WAYS][i % WAYS].used)
                store->sets[i / WAYS][i % WAYS].used = 1;
        store->clock = 2;
    }
    block->used = store->clock;
    return block;
}

const struct node_block *node_store_find(struct node_store *store, const struct node_field *field,
                                         int64_t x, int64_t y)
{
    struct node_block *set = set_of(store, field, x, y);
    for (int i = 0; i < WAYS; i++)
        if (is_block(&set[i], field, x, y))
            return touch(store, &set[i]);
    return NULL;
}

struct node_block *node_store_take(struct node_store *store, const struct node_field *field,
                                   int64_t x, int64_t y)
{
    struct node_block *set = set_of(store, field, x, y), *oldest = set;
    for (int i = 0; i < WAYS; i++) {
        if (is_block(&set[i], field, x, y))
            return touch(store, &set[i]);
        if (set[i].used < oldest->used)
            oldest = &set[i];
    }
    *oldest = (struct node_block){.field = *field, .x = x, .y = y};
    return touch(store, oldest);
}
