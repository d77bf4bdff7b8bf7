/* The parts of spool.h: spool.c appends and reads, spool_open.c opens what a killed process left.
 *
 * PATH.part-index: the length of the recipe, the recipe, padding to a multiple of 16, then an entry
 * of 16 bytes for each tile, in the byte order of the machine: 8 of offset, 4 of length, 4 of
 * checksum. Bytes are written before the entry that tells of them. */
#ifndef TERRANE_SERVER_EXPORT_SPOOL_SPOOL_PRIVATE_H
#define TERRANE_SERVER_EXPORT_SPOOL_SPOOL_PRIVATE_H

#include "server/export/spool/equal_table.h"
#include "server/export/spool/spool.h"

enum {
    SPOOL_ENTRY = sizeof(struct spool_entry),
    SPOOL_BLOCK = 4096,  /* entries that are read together */
    SPOOL_PENDING = 256, /* entries that are written together: what a kill may cost */
};

struct spool {
    char *path, *bytes_path, *index_path;
    int bytes, index;               /* descriptors */
    uint64_t entries_at;            /* where entries begin */
    uint64_t count, unique, length; /* see spool.h */
    struct equal_table equal;
    struct spool_entry pending[SPOOL_PENDING]; /* entries that are not yet written */
    unsigned pending_count;
    struct spool_entry block[SPOOL_BLOCK]; /* entries that were read */
    uint64_t block_first, block_count;
    struct buffer compare; /* bytes of a tile, or another text that is compared */
};

/* An error of `path` with the reason that errno has. */
bool spool_fail(const char *path, const char *what, struct error *error);
/* Writes the pending entries. */
bool spool_flush(struct spool *spool, struct error *error);
/* Reads `count` entries, at most SPOOL_BLOCK, into the block. */
bool spool_read_block(struct spool *spool, uint64_t first, uint64_t count, struct error *error);
/* Counts a tile in whose bytes stand behind those of the others, and remembers it. */
bool spool_take_unique(struct spool *spool, const struct spool_entry *entry, struct error *error);

#endif
