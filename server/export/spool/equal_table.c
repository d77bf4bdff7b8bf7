/* Open addressing with linear probing. The table doubles when it is three quarters full; a slot
 * keeps 32 bits of a checksum, so that a hit is only a candidate, which the caller compares. */
#include "server/export/spool/equal_table.h"

#include <stdlib.h>
#include <string.h>

enum { SLOTS_MIN = 1 << 12, SLOTS_FAR = 1 << 10 };

void equal_table_free(struct equal_table *table)
{
    free(table->slots);
    *table = (struct equal_table){0};
}

void equal_table_clear(struct equal_table *table)
{
    if (table->slots)
        memset(table->slots, 0, table->slot_count * sizeof *table->slots);
    table->used = 0;
}

/* Checksums are spread evenly, so their lowest bits choose the slot. Those of a crafted archive are
 * not: a tile that would be farther from its slot than SLOTS_FAR is not put. */
static bool put(struct equal_table *table, const struct equal_slot *item)
{
    const size_t mask = table->slot_count - 1;
    for (size_t far = 0; far < SLOTS_FAR; far++) {
        struct equal_slot *slot = &table->slots[(item->checksum + far) & mask];
        if (slot->tile)
            continue;
        *slot = *item;
        return true;
    }
    return false;
}

/* Doubles the table. Slots are moved from behind a free one on, so that tiles with the same
 * checksum keep their order. */
static bool grow(struct equal_table *table)
{
    struct equal_table grown = {
        .slot_count = table->slot_count ? table->slot_count * 2 : SLOTS_MIN,
    };
    size_t first = 0;
    grown.slots = calloc(grown.slot_count, sizeof *grown.slots);
    if (!grown.slots)
        return false;
    while (first < table->slot_count && table->slots[first].tile)
        first++;
    for (size_t i = 0; i < table->slot_count; i++) {
        const struct equal_slot *item = &table->slots[(first + i) & (table->slot_count - 1)];
        if (item->tile && put(&grown, item))
            grown.used++;
    }
    free(table->slots);
    *table = grown;
    return true;
}

bool equal_table_add(struct equal_table *table, uint32_t checksum, uint64_t tile)
{
    const struct equal_slot item = {(uint32_t)(tile + 1), checksum};
    if (table->used >= EQUAL_TILES_MAX || tile >= UINT32_MAX)
        return true;
    if (table->used >= table->slot_count / 4 * 3 && !grow(table))
        return false;
    if (put(table, &item))
        table->used++;
    return true;
}

bool equal_table_next(const struct equal_table *table, uint32_t checksum, size_t *cursor,
                      uint64_t *tile)
{
    if (!table->slots)
        return false;
    for (; *cursor < SLOTS_FAR; ++*cursor) {
        const size_t slot = (checksum + *cursor) & (table->slot_count - 1);
        if (!table->slots[slot].tile)
            return false;
        if (table->slots[slot].checksum != checksum)
            continue;
        *tile = table->slots[slot].tile - 1;
        ++*cursor;
        return true;
    }
    return false;
}
