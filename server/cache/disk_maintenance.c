/* A scan reads 256 rows, ends the read, deletes what the visitor chose in a transaction, and goes
 * on behind the last row. So the file is never locked for long, and a daemon may change it in
 * between: a row that it uses moves to the end of the order and is visited again. */
#include "server/cache/disk_maintenance.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    ROWS_PER_STEP = 256,
    WAL_PAGES_MAX = 256, /* a longer log is copied into the file */
};

/* In the order of use, which is mostly the order of the tiles in the file. Any number of rows may
 * have the same use, hence two queries: for a comparison of pairs, (used, hash) > (?1, ?2), SQLite
 * walks through all rows with the same use each time. */
#define ROWS_PER_STEP_TEXT "256"
static const char page_text[] =
    "SELECT used, hash, tile, length(record), substr(record, 1, ?3) FROM (SELECT * FROM "
    "(SELECT used, hash, tile FROM entries WHERE used = ?1 AND hash > ?2 ORDER BY hash "
    "LIMIT " ROWS_PER_STEP_TEXT ") UNION ALL SELECT * FROM "
    "(SELECT used, hash, tile FROM entries WHERE used > ?1 ORDER BY used, hash "
    "LIMIT " ROWS_PER_STEP_TEXT ") ORDER BY 1, 2 LIMIT " ROWS_PER_STEP_TEXT
    ") LEFT JOIN tiles ON id = tile";
_Static_assert(ROWS_PER_STEP == 256, "as the text says");

struct table_scan {
    struct disk_file *file;
    sqlite3_stmt *page;
    const struct disk_visit *visit;
    int64_t used, hash; /* of the last row visited */
    bool more;
    int64_t pending[ROWS_PER_STEP][2]; /* hash and tile of the rows to be deleted */
    size_t count;                      /* of them */
};

static bool fail(const struct disk_file *file, struct error *error)
{
    return error_set(error, ERROR_IO, "%s", file->message);
}

bool disk_maintenance_open(struct disk_file *file, const char *path, enum disk_mode mode,
                           struct error *error)
{
    struct stat status;
    *file = (struct disk_file){0};
    if (stat(path, &status) != 0 || access(path, R_OK | W_OK) != 0) {
        error_set(error, ERROR_IO, "%s", strerror(errno));
        return error_in_file(error, path);
    }
    if (!S_ISREG(status.st_mode)) {
        error_set(error, ERROR_IO, "it is not a cache of tiles: it is not a regular file");
        return error_in_file(error, path);
    }
    enum disk_result result = disk_file_open(file, path, mode);
    if (result == DISK_DONE)
        return true;
    if (result == DISK_FAILED)
        fail(file, error);
    else if (result == DISK_OTHER_VERSION)
        error_set(error, ERROR_IO, "it was written by another version");
    else
        error_set(error, ERROR_IO, "it is not a cache of tiles%s%s", *file->message ? ": " : "",
                  file->message);
    return error_in_file(error, path);
}

static void visit_row(struct table_scan *scan)
{
    sqlite3_stmt *page = scan->page;
    const int64_t used = sqlite3_column_int64(page, 0), hash = sqlite3_column_int64(page, 1);
    const struct disk_row row = {
        .hash = hash,
        .record_length = (size_t)sqlite3_column_int64(page, 3),
        .record = sqlite3_column_blob(page, 4),
        .length = (size_t)sqlite3_column_bytes(page, 4),
    };
    if (used > scan->used || (used == scan->used && hash > scan->hash)) {
        scan->used = used;
        scan->hash = hash;
    }
    if (scan->visit->row(scan->visit->context, &row)) {
        scan->pending[scan->count][0] = hash;
        scan->pending[scan->count++][1] = sqlite3_column_int64(page, 2);
    }
}

/* Visits the next ROWS_PER_STEP rows. */
static enum disk_result visit_page(struct table_scan *scan)
{
    int code;
    scan->count = 0;
    scan->more = false;
    sqlite3_bind_int64(scan->page, 1, scan->used);
    sqlite3_bind_int64(scan->page, 2, scan->hash);
    sqlite3_bind_int64(scan->page, 3,
                       scan->visit->whole_records ? RECORD_HEADER_SIZE + RECORD_BYTES_MAX
                                                  : RECORD_HEADER_SIZE);
    while ((code = sqlite3_step(scan->page)) == SQLITE_ROW) {
        scan->more = true;
        visit_row(scan);
    }
    enum disk_result result = disk_file_result(scan->file, code);
    sqlite3_reset(scan->page);
    return result == DISK_NONE ? DISK_DONE : result;
}

/* A user who purges may have no room for a log of everything that is deleted. */
static enum disk_result limit_wal(struct disk_file *file)
{
    return file->wal_pages > WAL_PAGES_MAX ? disk_file_checkpoint(file, false) : DISK_DONE;
}

/* A record that a daemon has replaced since the visit has another tile number, and stays. */
static enum disk_result delete_row(struct table_scan *scan, const int64_t entry[2],
                                   uint64_t *deleted)
{
    enum disk_result result = disk_file_run(scan->file, DISK_DELETE_ENTRY, entry, 2);
    if (result != DISK_NONE || sqlite3_changes64(scan->file->database) == 0)
        return result;
    ++*deleted;
    return disk_file_run(scan->file, DISK_DELETE_TILE, &entry[1], 1);
}

static enum disk_result delete_pending(struct table_scan *scan, uint64_t *deleted)
{
    uint64_t deleted_now = 0;
    if (scan->count == 0)
        return DISK_DONE;
    enum disk_result result = disk_file_run(scan->file, DISK_BEGIN, NULL, 0);
    for (size_t i = 0; i < scan->count && result == DISK_NONE; i++)
        result = delete_row(scan, scan->pending[i], &deleted_now);
    if (result == DISK_NONE)
        result = disk_file_run(scan->file, DISK_COMMIT, NULL, 0);
    disk_file_rollback(scan->file);
    if (result != DISK_NONE)
        return result;
    *deleted += deleted_now;
    return limit_wal(scan->file);
}

bool disk_maintenance_each(struct disk_file *file, const struct disk_visit *visit,
                           uint64_t *deleted, struct error *error)
{
    struct table_scan scan = {.file = file, .visit = visit, .used = INT64_MIN, .hash = INT64_MIN};
    *deleted = 0;
    int code = sqlite3_prepare_v2(file->database, page_text, -1, &scan.page, NULL);
    enum disk_result result = code == SQLITE_OK ? DISK_DONE : disk_file_result(file, code);
    for (scan.more = true; scan.more && result == DISK_DONE;) {
        result = visit_page(&scan);
        if (result == DISK_DONE)
            result = delete_pending(&scan, deleted);
    }
    sqlite3_finalize(scan.page);
    return result == DISK_DONE || fail(file, error);
}

bool disk_maintenance_clear(struct disk_file *file, uint64_t *deleted, struct error *error)
{
    int code =
        sqlite3_exec(file->database, "BEGIN IMMEDIATE; DELETE FROM tiles;", NULL, NULL, NULL);
    *deleted = (uint64_t)sqlite3_changes64(file->database);
    if (code == SQLITE_OK)
        code = sqlite3_exec(file->database, "DELETE FROM entries; COMMIT", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        disk_file_result(file, code);
    disk_file_rollback(file);
    return code == SQLITE_OK || fail(file, error);
}

bool disk_maintenance_shrink(struct disk_file *file, struct error *error)
{
    int64_t unused = INT64_MAX, before;
    enum disk_result result;
    do {
        before = unused;
        result = disk_file_shrink(file);
        if (result == DISK_DONE)
            result = limit_wal(file);
        if (result == DISK_DONE)
            result = disk_file_query_number(file, DISK_FREE_PAGES, &unused);
    } while (result == DISK_DONE && unused > 0 && unused < before);
    if (result == DISK_DONE)
        result = disk_file_checkpoint(file, true);
    return result == DISK_DONE || fail(file, error);
}

bool disk_maintenance_check(struct disk_file *file, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(file->database, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    const bool intact = text && strcmp(text, "ok") == 0;
    if (text && !intact)
        error_set(error, ERROR_IO, "%.*s", (int)strcspn(text, "\n"), text);
    else if (!text) {
        disk_file_result(file, code);
        fail(file, error);
    }
    sqlite3_finalize(statement);
    return intact;
}
