/* The disk tier's database file: connections, statements, and what to do with a damaged one.
 *
 * Tables: `tiles` are the records, in the order they were written, so that new ones fill whole
 * pages side by side and old ones leave them together. `entries` find them by the low 64 bits of
 * the key's hash, with their last use: the number of the newest tile at that time. */
#ifndef TERRANE_SERVER_CACHE_DISK_FILE_H
#define TERRANE_SERVER_CACHE_DISK_FILE_H

#include <sqlite3.h>

#include "core/base/buffer.h"
#include "core/base/error.h"
#include "server/base/file.h"

enum { DISK_PAGE = 32768, DISK_BUSY_TIMEOUT_MS = 1000 /* for another process's lock */ };

enum disk_result {
    DISK_DONE,
    DISK_NONE,          /* no such row */
    DISK_FAILED,        /* the disk is full, busy, missing …: may work later */
    DISK_DAMAGED,       /* the file is not as it was written */
    DISK_OTHER_VERSION, /* another version of the tables */
    DISK_FOREIGN,       /* somebody else's file, database or not */
};

enum disk_statement {
    DISK_BEGIN,
    DISK_COMMIT,
    DISK_GET,          /* hash → used, record */
    DISK_FIND_TILE,    /* hash → tile */
    DISK_ADD_TILE,     /* record */
    DISK_DELETE_TILE,  /* tile */
    DISK_ADD_ENTRY,    /* hash, tile (which is its last use too), bytes */
    DISK_DELETE_ENTRY, /* hash, tile */
    DISK_TOUCH,        /* hash, used */
    DISK_OLDEST,       /* → hash, tile, used */
    DISK_NEWEST,       /* → tile */
    DISK_PAGES,        /* → pages of the file */
    DISK_FREE_PAGES,   /* → unused pages among them */
    DISK_SHRINK,       /* see disk_file_shrink() */
    DISK_STATEMENT_COUNT
};

/* For one thread at a time. Zeroed: closed. */
struct disk_file {
    sqlite3 *database; /* null while closed */
    sqlite3_stmt *statements[DISK_STATEMENT_COUNT];
    struct file_identity identity; /* of the file that was opened last, or zeros */
    int wal_pages;                 /* in the log, at the last commit */
    char message[200];             /* SQLite's or the system's, of the last failure */
};

enum disk_mode {
    DISK_MODE_READ,  /* the file must be there */
    DISK_MODE_WRITE, /* the file is created if it is missing, and its tables are checked */
};

/* `file` stays closed unless DISK_DONE is returned. DISK_DAMAGED is for a file of ours only: one
 * that has no mark of a cache is DISK_FOREIGN, and nothing in it or beside it has changed. */
enum disk_result disk_file_open(struct disk_file *file, const char *path, enum disk_mode mode);
void disk_file_close(struct disk_file *file); /* a closed one is allowed */

/* Resets the statement, binds `count` numbers to its parameters, and takes the first step:
 * DISK_DONE with a row (the caller reads it and resets the statement), DISK_NONE without. */
enum disk_result disk_file_run(struct disk_file *file, enum disk_statement statement,
                               const int64_t *numbers, int count);
/* disk_file_run() for a statement without parameters whose result is one number. */
enum disk_result disk_file_query_number(struct disk_file *file, enum disk_statement statement,
                                        int64_t *number);
/* Translates one of SQLite's result codes; stores its message, or the system's. */
enum disk_result disk_file_result(struct disk_file *file, int code);
/* Rolls back the transaction, if there is one. */
void disk_file_rollback(struct disk_file *file);
/* Copies the log into the file; with `restart`, waits for readers so that the log begins again. */
enum disk_result disk_file_checkpoint(struct disk_file *file, bool restart);
/* Returns some free pages at the file's end to the file system. DISK_DONE when it worked. */
enum disk_result disk_file_shrink(struct disk_file *file);

/* Renames a damaged file with its log to FILE.damaged, in place of an older one. The connections
 * must be closed, like for disk_file_delete(). False if the system refuses, or if somebody else's
 * file is there already. */
bool disk_file_quarantine(const char *path);
/* Deletes the file with its log. */
bool disk_file_delete(const char *path);

#endif
