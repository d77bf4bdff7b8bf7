/* The tiles of an unfinished export on the disk, in their order: one file of bytes, where equal
 * tiles stand once, and one of entries that say where each tile is. Tiles are only ever appended,
 * so that what a killed process leaves is a beginning of the whole, which the next one continues
 * (server/export/job.c).
 *
 * The file of bytes begins with room for a header: an archive that has its tiles in this order is
 * finished in place. Not for several threads at once. */
#ifndef TERRANE_SERVER_EXPORT_SPOOL_SPOOL_H
#define TERRANE_SERVER_EXPORT_SPOOL_SPOOL_H

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/base/long_work.h"

enum { SPOOL_HEADER = 16384 }; /* bytes of room at the beginning of the file of bytes */

struct spool;

/* Where a tile's bytes are. */
struct spool_entry {
    uint64_t offset;   /* in the file of bytes, behind the header; of the first of equal tiles */
    uint32_t length;   /* 0: an empty tile, which no archive holds */
    uint32_t checksum; /* CRC-32 of the bytes */
};

/* What becomes of files that are there. */
enum spool_start {
    SPOOL_ANEW,   /* they are written over */
    SPOOL_RESUME, /* they are continued if they were begun with the same recipe, else refused */
    SPOOL_REDO,   /* they are written over if they were begun with the same recipe, else refused */
};

/* Opens PATH.part and PATH.part-index, which are created if they do not exist. `recipe` is
 * everything that decides the bytes; files of another one that are refused are ERROR_VALUE, which
 * says what to do. Entries whose bytes are missing or damaged are dropped, with all that follow.
 * Another process that has the spool open is ERROR_IO. */
struct spool *spool_open(const char *path, const struct buffer *recipe, enum spool_start start,
                         struct error *error);
/* Bytes on the disk of the files of a spool that is not open: opened anew, it gives them back. */
double spool_disk_space(const char *path);
/* False, with an error about -o, if the files of the spool of PATH, or the copy of it that PATH is
 * made of, surely do not fit on the disk, or on the two where they lie. */
bool spool_check_disk(const char *path, const struct long_work_space *parts,
                      const struct long_work_space *copy, struct error *error);
/* True if an export to the path was begun and is not finished. */
bool spool_exists(const char *path);
/* Deletes what a process may leave that is killed just after it has published the file of bytes. */
void spool_discard_rest(const char *path);
/* Closes the files and leaves them. Null is allowed. */
void spool_close(struct spool *spool);
/* Closes the files and deletes those that are still there. */
void spool_remove(struct spool *spool);

uint64_t spool_count(const struct spool *spool);  /* tiles */
uint64_t spool_unique(const struct spool *spool); /* tiles with bytes, equal ones counted once */
uint64_t spool_length(const struct spool *spool); /* bytes behind the header */

/* Appends the next tile. */
bool spool_append(struct spool *spool, const void *bytes, size_t length, struct error *error);
/* Forgets all tiles but the first `count`. */
bool spool_cut(struct spool *spool, uint64_t count, struct error *error);
/* Writes everything through to the disk: what was appended survives a power failure. */
bool spool_sync(struct spool *spool, struct error *error);

bool spool_read_entry(struct spool *spool, uint64_t index, struct spool_entry *entry,
                      struct error *error);
/* The hash of the lengths and checksums of all tiles from `first` on, in their order: 32 digits of
 * 0-9a-f. */
bool spool_digest(struct spool *spool, uint64_t first, char digest[33], struct error *error);
/* Appends the bytes of an entry to `out`. Other threads may do so too, and one append meanwhile. */
bool spool_read_bytes(struct spool *spool, const struct spool_entry *entry, struct buffer *out,
                      struct error *error);

/* Appends the bytes of a tile to `out`. */
bool spool_read(struct spool *spool, uint64_t index, struct buffer *out, struct error *error);

/* Writes bytes at a place of the file of bytes: the header, from 0, or what follows the tiles, from
 * SPOOL_HEADER + spool_length() on. */
bool spool_write_at(struct spool *spool, const void *bytes, size_t length, uint64_t offset,
                    struct error *error);
/* Makes the file of bytes, of that length, the file PATH, deletes the entries and closes. */
bool spool_publish(struct spool *spool, uint64_t length, struct error *error);

#endif
