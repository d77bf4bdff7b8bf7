/* Finds tiles that may be equal to another one, by their checksums: open addressing, a slot of
 * 8 bytes for each different tile. Numbers of tiles are the caller's.
 *
 * A table is bounded: beyond EQUAL_TILES_MAX different tiles, which take 256 MB (and half as much
 * again for the moment of growing), no further ones are remembered, so that tiles equal to them are
 * not found; nor are those whose checksums all fall into the same thousand slots, so that crafted
 * archives cost no more time than others. What is found depends on the tiles and their order alone.
 * Not for several threads at once. */
#ifndef TERRANE_SERVER_EXPORT_SPOOL_EQUAL_TABLE_H
#define TERRANE_SERVER_EXPORT_SPOOL_EQUAL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { EQUAL_TILES_MAX = 3 << 23 };

struct equal_slot {
    uint32_t tile; /* its number + 1; 0 for a free slot */
    uint32_t checksum;
};

/* Zeroed: an empty table. */
struct equal_table {
    struct equal_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t used;
};

void equal_table_free(struct equal_table *table);
/* Forgets all tiles. */
void equal_table_clear(struct equal_table *table);

/* Remembers a tile, unless there is no more room. False when memory is out. */
bool equal_table_add(struct equal_table *table, uint32_t checksum, uint64_t tile);

/* The tiles of a checksum, the first ones first: begin with *cursor = 0; false behind the last. */
bool equal_table_next(const struct equal_table *table, uint32_t checksum, size_t *cursor,
                      uint64_t *tile);

#endif
