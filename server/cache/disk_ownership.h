/* Whose file it is that a cache on a disk is to be kept in. A setting may name a file of somebody
 * else by mistake, or stand beside one: SQLite would delete a FILE-journal, FILE-wal or FILE-shm
 * that an empty FILE has no use for, and a file that is no database would be taken for a damaged
 * cache.
 *
 * A cache shows by marks: the application_id in SQLite's header, the text of a table, records. Any
 * of them in the first megabyte of the file, or of its log, is enough, so damage anywhere leaves
 * some. Symbolic links are followed for FILE only. */
#ifndef TERRANE_SERVER_CACHE_DISK_OWNERSHIP_H
#define TERRANE_SERVER_CACHE_DISK_OWNERSHIP_H

#include <stdbool.h>

#include <sqlite3.h>

enum { DISK_APPLICATION_ID = 0x5472726E /* "Trrn" */ };

/* The text of a table as SQLite stores it in sqlite_schema. */
#define DISK_TABLE_OF_ENTRIES                                                                      \
    "CREATE TABLE entries(hash INTEGER PRIMARY KEY, tile INTEGER NOT NULL, "                       \
    "used INTEGER NOT NULL, bytes INTEGER NOT NULL)"

/* The suffix of a file beside an empty or missing one that is neither a log nor shared memory of
 * SQLite, and which SQLite would delete; "" for a file of one byte, which SQLite would write over;
 * null if there is nothing in the way. The files beside one with content belong to it. */
const char *disk_ownership_obstacle(const char *path);
/* True if the open file is empty, begins as a database of SQLite, or cannot be read. To be called
 * before any statement; reads through SQLite, as closing a descriptor of our own would release its
 * locks. */
bool disk_ownership_is_database(sqlite3 *database);
/* True if the file, read through `database` if that is not null, or its log has a mark of a cache.
 */
bool disk_ownership_has_mark(sqlite3 *database, const char *path);
/* True if the path is free, or has a cache that no process has open, with its log. */
bool disk_ownership_may_replace(const char *path);

#endif
