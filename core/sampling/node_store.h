/* Kept nodes of coarse(): a table of blocks of 4 × 4 nodes in bounded memory.
 *
 * A block is found by what its nodes depend on and nothing else: the operation that is sampled, by
 * the identity of its program (two worlds with the same identity have the same samples, so it does
 * not matter which one lives), its spacing, the block's place, and z and t where the operation
 * depends on them. What is kept can therefore change no sample, only time.
 *
 * A full set of blocks gives up the one that was used least recently. One thread at a time. */
#ifndef TERRANE_SAMPLING_NODE_STORE_H
#define TERRANE_SAMPLING_NODE_STORE_H

#include <stdint.h>

#include "core/base/hash.h"

enum {
    NODE_BLOCK_LOG2 = 2,
    NODE_BLOCK_SIDE = 1 << NODE_BLOCK_LOG2,
    NODE_BLOCK_NODES = NODE_BLOCK_SIDE * NODE_BLOCK_SIDE,
    NODE_STORE_BLOCKS = 1 << 15, /* of 128 bytes: 4 MB */
};

/* The field whose nodes they are: its operation at its spacing, at a height and time. */
struct node_field {
    struct hash128 identity;
    int64_t z, t; /* 0 where it does not depend on them */
};

struct node_block {
    _Alignas(64) struct node_field field;
    int64_t x, y;   /* of its first node, in nodes / NODE_BLOCK_SIDE */
    uint32_t known; /* a bit for each node, row by row, whose value is known */
    float values[NODE_BLOCK_NODES];
};

struct node_store;

struct node_store *node_store_new(void); /* null when memory is out */
void node_store_free(struct node_store *store);

/* The block, or null if it is not kept. Blocks stay where they are until the next
 * node_store_take().
 */
const struct node_block *node_store_find(struct node_store *store, const struct node_field *field,
                                         int64_t x, int64_t y);
/* The block, empty if it was not kept: another one of its set was then given up. */
struct node_block *node_store_take(struct node_store *store, const struct node_field *field,
                                   int64_t x, int64_t y);

#endif
