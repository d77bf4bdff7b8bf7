/* Reading and purging a disk cache's file, for `terrane cache`. A daemon may have the file open. */
#ifndef TERRANE_SERVER_CACHE_DISK_MAINTENANCE_H
#define TERRANE_SERVER_CACHE_DISK_MAINTENANCE_H

#include "server/cache/disk_file.h"
#include "server/cache/record.h"

struct disk_row {
    int64_t hash;          /* of the key, as far as the table has it: the low 64 bits */
    const uint8_t *record; /* borrowed: the whole record or its header; null if it is missing */
    size_t length;         /* bytes at `record` */
    size_t record_length;  /* of the whole record */
};

/* A visit to all rows of a file. */
struct disk_visit {
    bool whole_records; /* rows have them, not only their headers */
    /* True if the row is to be deleted. */
    bool (*row)(void *context, const struct disk_row *row);
    void *context;
};

/* Opens an existing file. False with ERROR_IO, also if it is not a cache. */
bool disk_maintenance_open(struct disk_file *file, const char *path, enum disk_mode mode,
                           struct error *error);
/* Visits every row, the least recently used first, in short transactions, so that a daemon's writes
 * wait only briefly. In a file opened with DISK_MODE_WRITE, rows for which the visit returns true
 * are deleted and counted. */
bool disk_maintenance_each(struct disk_file *file, const struct disk_visit *visit,
                           uint64_t *deleted, struct error *error);
/* Deletes all rows. */
bool disk_maintenance_clear(struct disk_file *file, uint64_t *deleted, struct error *error);
/* Returns free pages to the file system. */
bool disk_maintenance_shrink(struct disk_file *file, struct error *error);
/* SQLite's check of its structures: false with the first fault found. */
bool disk_maintenance_check(struct disk_file *file, struct error *error);

#endif
