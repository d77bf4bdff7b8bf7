#include "server/cache/disk_tools.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum {
    STEP = 256,
    LOG_PAGES = 256, /* beyond which the log is taken into the file */
};

/* In the order of their use: that of the tiles, mostly, which the disk likes. Any number of them
 * may have been used at the same time, so those are a question of their own: SQLite compares pairs
 * by going through all that share the first. */
#define STEP_TEXT "256"
static const char page_text[] =
    "SELECT used, hash, tile, length(record), substr(record, 1, ?3) FROM (SELECT * FROM "
    "(SELECT used, hash, tile FROM entries WHERE used = ?1 AND hash > ?2 ORDER BY hash "
    "LIMIT " STEP_TEXT ") UNION ALL SELECT * FROM "
    "(SELECT used, hash, tile FROM entries WHERE used > ?1 ORDER BY used, hash "
    "LIMIT " STEP_TEXT ") ORDER BY 1, 2 LIMIT " STEP_TEXT ") LEFT JOIN tiles ON id = tile";
_Static_assert(STEP == 256, "as the text says");

struct doomed {
    int64_t entry[2]; /* hash, tile */
};

struct walk {
    struct disk_file *file;
    sqlite3_stmt *page;
    disk_visitor *visit;
    void *context;
    int64_t used, hash; /* of the last one by that order that was visited */
    bool more;
    struct doomed doomed[STEP];
    size_t count;
};

static bool fail(const struct disk_file *file, struct error *error)
{
    return error_set(error, ERROR_IO, "%s", file->message);
}

bool disk_tools_open(struct disk_file *file, const char *path, enum disk_mode mode,
                     struct error *error)
{
    *file = (struct disk_file){0};
    if (access(path, R_OK | W_OK) != 0) {
        error_set(error, ERROR_IO, "%s", strerror(errno));
        return error_in_file(error, path);
    }
    enum disk_result result = disk_file_open(file, path, mode);
    if (result == DISK_DONE)
        return true;
    if (result == DISK_FAILED)
        fail(file, error);
    else if (result == DISK_OUTDATED)
        error_set(error, ERROR_IO, "it was written by another version");
    else
        error_set(error, ERROR_IO, "it is no cache of tiles%s%s", *file->message ? ": " : "",
                  file->message);
    return error_in_file(error, path);
}

static void visit_row(struct walk *walk)
{
    sqlite3_stmt *page = walk->page;
    const int64_t used = sqlite3_column_int64(page, 0), hash = sqlite3_column_int64(page, 1);
    const struct disk_row row = {
        .hash = hash,
        .record_length = (size_t)sqlite3_column_int64(page, 3),
        .record = sqlite3_column_blob(page, 4),
        .length = (size_t)sqlite3_column_bytes(page, 4),
    };
    if (used > walk->used || (used == walk->used && hash > walk->hash)) {
        walk->used = used;
        walk->hash = hash;
    }
    if (walk->visit(walk->context, &row))
        walk->doomed[walk->count++] =
            (struct doomed){.entry = {hash, sqlite3_column_int64(page, 2)}};
}

/* One step's rows. */
static enum disk_result visit_page(struct walk *walk, bool whole)
{
    int code;
    walk->count = 0;
    walk->more = false;
    sqlite3_bind_int64(walk->page, 1, walk->used);
    sqlite3_bind_int64(walk->page, 2, walk->hash);
    sqlite3_bind_int64(walk->page, 3, whole ? RECORD_HEADER + RECORD_BYTES_MAX : RECORD_HEADER);
    while ((code = sqlite3_step(walk->page)) == SQLITE_ROW) {
        walk->more = true;
        visit_row(walk);
    }
    enum disk_result result = disk_file_result(walk->file, code);
    sqlite3_reset(walk->page);
    return result == DISK_NONE ? DISK_DONE : result;
}

/* A disk that has no room for a log of all that is deleted is what one purges for. */
static enum disk_result keep_log(struct disk_file *file)
{
    return file->log_pages > LOG_PAGES ? disk_file_checkpoint(file, false) : DISK_DONE;
}

/* What a daemon has replaced since it was visited stays. */
static enum disk_result delete_one(struct walk *walk, const struct doomed *doomed,
                                   uint64_t *deleted)
{
    enum disk_result result = disk_file_run(walk->file, DISK_DELETE_ENTRY, doomed->entry, 2);
    if (result != DISK_NONE || sqlite3_changes64(walk->file->database) == 0)
        return result;
    ++*deleted;
    return disk_file_run(walk->file, DISK_DELETE_TILE, &doomed->entry[1], 1);
}

static enum disk_result delete_doomed(struct walk *walk, uint64_t *deleted)
{
    uint64_t gone = 0;
    if (walk->count == 0)
        return DISK_DONE;
    enum disk_result result = disk_file_run(walk->file, DISK_BEGIN, NULL, 0);
    for (size_t i = 0; i < walk->count && result == DISK_NONE; i++)
        result = delete_one(walk, &walk->doomed[i], &gone);
    if (result == DISK_NONE)
        result = disk_file_run(walk->file, DISK_COMMIT, NULL, 0);
    disk_file_undo(walk->file);
    if (result != DISK_NONE)
        return result;
    *deleted += gone;
    return keep_log(walk->file);
}

bool disk_tools_each(struct disk_file *file, bool whole, disk_visitor *visit, void *context,
                     uint64_t *deleted, struct error *error)
{
    struct walk walk = {.file = file,
                        .visit = visit,
                        .context = context,
                        .used = INT64_MIN,
                        .hash = INT64_MIN,
                        .more = true};
    *deleted = 0;
    int code = sqlite3_prepare_v2(file->database, page_text, -1, &walk.page, NULL);
    enum disk_result result = code == SQLITE_OK ? DISK_DONE : disk_file_result(file, code);
    while (walk.more && result == DISK_DONE) {
        result = visit_page(&walk, whole);
        if (result == DISK_DONE)
            result = delete_doomed(&walk, deleted);
    }
    sqlite3_finalize(walk.page);
    return result == DISK_DONE || fail(file, error);
}

bool disk_tools_clear(struct disk_file *file, uint64_t *deleted, struct error *error)
{
    int code =
        sqlite3_exec(file->database, "BEGIN IMMEDIATE; DELETE FROM tiles;", NULL, NULL, NULL);
    *deleted = (uint64_t)sqlite3_changes64(file->database);
    if (code == SQLITE_OK)
        code = sqlite3_exec(file->database, "DELETE FROM entries; COMMIT", NULL, NULL, NULL);
    if (code != SQLITE_OK)
        disk_file_result(file, code);
    disk_file_undo(file);
    return code == SQLITE_OK || fail(file, error);
}

bool disk_tools_shrink(struct disk_file *file, struct error *error)
{
    int64_t unused = INT64_MAX, before;
    enum disk_result result;
    do {
        before = unused;
        result = disk_file_shrink(file);
        if (result == DISK_DONE)
            result = keep_log(file);
        if (result == DISK_DONE)
            result = disk_file_number(file, DISK_FREE_PAGES, &unused);
    } while (result == DISK_DONE && unused > 0 && unused < before);
    if (result == DISK_DONE)
        result = disk_file_checkpoint(file, true);
    return result == DISK_DONE || fail(file, error);
}

bool disk_tools_check(struct disk_file *file, struct error *error)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(file->database, "PRAGMA quick_check(1)", -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    const char *text = code == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    const bool fine = text && strcmp(text, "ok") == 0;
    if (text && !fine)
        error_set(error, ERROR_IO, "%.*s", (int)strcspn(text, "\n"), text);
    else if (!text) {
        disk_file_result(file, code);
        fail(file, error);
    }
    sqlite3_finalize(statement);
    return fine;
}
