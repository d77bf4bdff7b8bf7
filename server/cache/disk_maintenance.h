/* Looking into a disk cache's file from outside, for `terrane cache`; a daemon may have it open. */
#ifndef TERRANE_SERVER_CACHE_DISK_MAINTENANCE_H
#define TERRANE_SERVER_CACHE_DISK_MAINTENANCE_H

#include "server/cache/disk_file.h"
#include "server/cache/record.h"

struct disk_row {
    int64_t hash;          /* under which it is looked up */
    const uint8_t *record; /* borrowed: the whole, or its header only; null if it is missing */
    size_t length;         /* of what is there */
    size_t record_length;  /* of the whole */
};

/* Whether the row is to be deleted. */
typedef bool disk_visitor(void *context, const struct disk_row *row);

/* Opens a file that is there; false with ERROR_IO, also if it is no cache. */
bool disk_maintenance_open(struct disk_file *file, const char *path, enum disk_mode mode,
                           struct error *error);
/* Visits every row, the least recently used first, in steps that hold up a daemon's writes only
 * briefly. Rows that the visitor wants deleted are, and counted, in a file that was opened to be
 * written. */
bool disk_maintenance_each(struct disk_file *file, bool whole_records, disk_visitor *visit,
                           void *context, uint64_t *deleted, struct error *error);
/* Deletes all rows. */
bool disk_maintenance_clear(struct disk_file *file, uint64_t *deleted, struct error *error);
/* Gives what was freed back to the system. */
bool disk_maintenance_shrink(struct disk_file *file, struct error *error);
/* SQLite's own check of its structures: false with what it found first. */
bool disk_maintenance_check(struct disk_file *file, struct error *error);

#endif
