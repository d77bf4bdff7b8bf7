/* Everything that is said to SQLite: the schema, the statements, the settings of connections.
 *
 * A database is ours if its application_id is, and if its schema is, to the byte, the one that is
 * written here. Nothing is changed in any other: it may be another program's that a setting names
 * by mistake. Result codes that only a damaged file can cause are DISK_DAMAGED, "no such table"
 * among them, if the file has marks of a cache (disk_ownership.h), and DISK_FOREIGN otherwise;
 * everything else may pass and is DISK_FAILED.
 *
 * Pages are 32 KB, as tiles are that large: smaller pages chain overflow pages for each record. */
#include "server/cache/disk_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "server/base/sqlite_reason.h"
#include "server/cache/disk_ownership.h"
#include "server/cache/record.h"

enum { TABLES_VERSION = 1 };

#define STRING_OF(value) #value
#define TEXT_OF(value) STRING_OF(value)

/* The text as SQLite stores it in sqlite_schema. */
static const struct {
    const char *name, *sql;
} schema[] = {
    {"entries", DISK_TABLE_OF_ENTRIES},
    {"entries_by_use", "CREATE INDEX entries_by_use ON entries(used)"},
    {"tiles", "CREATE TABLE tiles(id INTEGER PRIMARY KEY, record BLOB NOT NULL)"},
};
enum { SCHEMA_COUNT = sizeof schema / sizeof *schema };

static const char *const statement_texts[DISK_STATEMENT_COUNT] = {
    [DISK_BEGIN] = "BEGIN IMMEDIATE",
    [DISK_COMMIT] = "COMMIT",
    [DISK_GET] = "SELECT used, record FROM entries JOIN tiles ON id = tile WHERE hash = ?1",
    [DISK_FIND_TILE] = "SELECT tile FROM entries WHERE hash = ?1",
    [DISK_ADD_TILE] = "INSERT INTO tiles(record) VALUES(?1)",
    [DISK_DELETE_TILE] = "DELETE FROM tiles WHERE id = ?1",
    [DISK_ADD_ENTRY] =
        "INSERT OR REPLACE INTO entries(hash, tile, used, bytes) VALUES(?1, ?2, ?2, ?3)",
    [DISK_DELETE_ENTRY] = "DELETE FROM entries WHERE hash = ?1 AND tile = ?2",
    [DISK_TOUCH] = "UPDATE entries SET used = ?2 WHERE hash = ?1 AND used < ?2",
    [DISK_OLDEST] = "SELECT hash, tile, used FROM entries ORDER BY used LIMIT 1",
    [DISK_NEWEST] = "SELECT max(id) FROM tiles",
    [DISK_PAGES] = "PRAGMA page_count",
    [DISK_FREE_PAGES] = "PRAGMA freelist_count",
    [DISK_SHRINK] = "PRAGMA incremental_vacuum(64)",
};

enum disk_result disk_file_result(struct disk_file *file, int code)
{
    if (code == SQLITE_ROW)
        return DISK_DONE;
    if (code == SQLITE_OK || code == SQLITE_DONE)
        return DISK_NONE;
    snprintf(file->message, sizeof file->message, "%s", sqlite_reason(file->database, code));
    switch (code & 0xFF) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_ERROR: /* no such table … */
    case SQLITE_CONSTRAINT:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_FORMAT:
        return DISK_DAMAGED;
    default:
        return DISK_FAILED;
    }
}

static enum disk_result execute(struct disk_file *file, const char *sql)
{
    int code = sqlite3_exec(file->database, sql, NULL, NULL, NULL);
    return code == SQLITE_OK ? DISK_DONE : disk_file_result(file, code);
}

/* The first column of the first row. */
static enum disk_result query_number(struct disk_file *file, const char *sql, int64_t *number)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(file->database, sql, -1, &statement, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_step(statement);
    enum disk_result result = disk_file_result(file, code);
    if (result == DISK_DONE)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return result;
}

/* Counts our tables and indexes, and other objects. */
static enum disk_result count_schema(struct disk_file *file, unsigned *ours, unsigned *others)
{
    sqlite3_stmt *statement = NULL;
    int code = sqlite3_prepare_v2(file->database, "SELECT name, sql FROM sqlite_schema", -1,
                                  &statement, NULL);
    *ours = *others = 0;
    while (code == SQLITE_OK && (code = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(statement, 0);
        const char *sql = (const char *)sqlite3_column_text(statement, 1);
        unsigned i = 0;
        while (i < SCHEMA_COUNT && !(name && sql && strcmp(schema[i].name, name) == 0 &&
                                     strcmp(schema[i].sql, sql) == 0))
            i++;
        *(i < SCHEMA_COUNT ? ours : others) += 1;
        code = SQLITE_OK;
    }
    enum disk_result result = disk_file_result(file, code);
    sqlite3_finalize(statement);
    return result == DISK_NONE ? DISK_DONE : result;
}

/* DISK_DONE for a cache of this version, DISK_NONE for an empty database. */
static enum disk_result identify(struct disk_file *file)
{
    unsigned ours, others;
    int64_t application = 0, version = 0;
    enum disk_result result = count_schema(file, &ours, &others);
    if (result == DISK_DONE)
        result = query_number(file, "PRAGMA application_id", &application);
    if (result == DISK_DONE)
        result = query_number(file, "PRAGMA user_version", &version);
    if (result != DISK_DONE)
        return result == DISK_NONE ? DISK_DAMAGED : result;
    const bool has_our_id = application == DISK_APPLICATION_ID;
    if (has_our_id && version != TABLES_VERSION) {
        snprintf(file->message, sizeof file->message, "it was written by another version");
        return DISK_OTHER_VERSION;
    }
    if (ours == SCHEMA_COUNT && others == 0)
        return has_our_id ? DISK_DONE : DISK_DAMAGED;
    if (ours + others == 0 && (has_our_id || (application == 0 && version == 0)))
        return DISK_NONE;
    if (has_our_id || ours > 0)
        return DISK_DAMAGED;
    snprintf(file->message, sizeof file->message, "it is another program's database");
    return DISK_FOREIGN;
}

/* Identifies the file again in a transaction: another process may create the tables too. */
static enum disk_result create_tables(struct disk_file *file)
{
    enum disk_result result = execute(file, "BEGIN IMMEDIATE");
    if (result == DISK_DONE)
        result = identify(file);
    if (result == DISK_NONE) {
        result = DISK_DONE;
        for (size_t i = 0; i < SCHEMA_COUNT && result == DISK_DONE; i++)
            result = execute(file, schema[i].sql);
        if (result == DISK_DONE)
            result = execute(
                file, "PRAGMA application_id=" TEXT_OF(0x5472726E) ";"
                                                                   "PRAGMA user_version=1; COMMIT");
        _Static_assert(DISK_APPLICATION_ID == 0x5472726E && TABLES_VERSION == 1,
                       "as the text says");
    }
    disk_file_rollback(file);
    return result;
}

/* Settings of a connection that do not touch the file. secure_delete=0 because Debian's SQLite
 * overwrites deleted records with zeros otherwise, which doubles the bytes written. */
static enum disk_result configure_connection(struct disk_file *file)
{
    sqlite3_busy_timeout(file->database, DISK_BUSY_TIMEOUT_MS);
    sqlite3_limit(file->database, SQLITE_LIMIT_LENGTH, RECORD_BYTES_MAX + DISK_PAGE);
    sqlite3_db_config(file->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return execute(file,
                   "PRAGMA mmap_size=0; PRAGMA trusted_schema=0; PRAGMA cell_size_check=1;"
                   "PRAGMA temp_store=MEMORY; PRAGMA synchronous=NORMAL; PRAGMA secure_delete=0");
}

static int on_wal_commit(void *context, sqlite3 *database, const char *name, int pages)
{
    (void)database;
    (void)name;
    ((struct disk_file *)context)->wal_pages = pages;
    return SQLITE_OK;
}

/* Changes nothing before identify() has accepted the database. */
static enum disk_result configure_writer(struct disk_file *file)
{
    enum disk_result result = identify(file);
    const bool is_new = result == DISK_NONE;
    if (is_new)
        result = execute(file, "PRAGMA page_size=" TEXT_OF(32768) ";"
                                                                  "PRAGMA auto_vacuum=INCREMENTAL");
    _Static_assert(DISK_PAGE == 32768, "as the text says");
    if (result == DISK_DONE)
        result = execute(file, "PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=0;"
                               "PRAGMA cache_size=-4096");
    sqlite3_wal_hook(file->database, on_wal_commit, file);
    return is_new && result == DISK_DONE ? create_tables(file) : result;
}

static enum disk_result prepare_statements(struct disk_file *file)
{
    for (int i = 0; i < DISK_STATEMENT_COUNT; i++) {
        int code = sqlite3_prepare_v3(file->database, statement_texts[i], -1,
                                      SQLITE_PREPARE_PERSISTENT, &file->statements[i], NULL);
        if (code != SQLITE_OK)
            return disk_file_result(file, code);
    }
    return DISK_DONE;
}

/* Everything up to the first statement. SQLite deletes what is beside an empty file, so it need not
 * see a file with something of somebody else beside it. */
static enum disk_result connect_file(struct disk_file *file, const char *path, int flags)
{
    const char *obstacle = disk_ownership_obstacle(path);
    if (obstacle && !disk_ownership_has_mark(NULL, path)) {
        snprintf(file->message, sizeof file->message, "%s%s is no part of one", path, obstacle);
        return DISK_FOREIGN;
    }
    const int code = sqlite3_open_v2(path, &file->database, flags | SQLITE_OPEN_NOMUTEX, NULL);
    if (code != SQLITE_OK)
        return disk_file_result(file, code);
    file_identify(path, &file->identity);
    if (disk_ownership_is_database(file->database))
        return DISK_DONE;
    snprintf(file->message, sizeof file->message, "%s", sqlite3_errstr(SQLITE_NOTADB));
    return DISK_DAMAGED;
}

enum disk_result disk_file_open(struct disk_file *file, const char *path, enum disk_mode mode)
{
    const int flags = SQLITE_OPEN_READWRITE | (mode == DISK_MODE_WRITE ? SQLITE_OPEN_CREATE : 0);
    *file = (struct disk_file){0};
    enum disk_result result = connect_file(file, path, flags);
    if (result == DISK_DONE)
        result = configure_connection(file);
    if (result == DISK_DONE)
        result = mode == DISK_MODE_WRITE
                     ? configure_writer(file)
                     : execute(file, "PRAGMA query_only=1; PRAGMA cache_size=-1024");
    if (result == DISK_DONE)
        result = prepare_statements(file);
    if (result == DISK_DAMAGED && !disk_ownership_has_mark(file->database, path))
        result = DISK_FOREIGN;
    if (result != DISK_DONE)
        disk_file_close(file);
    return result;
}

void disk_file_close(struct disk_file *file)
{
    for (int i = 0; i < DISK_STATEMENT_COUNT; i++) {
        sqlite3_finalize(file->statements[i]);
        file->statements[i] = NULL;
    }
    sqlite3_close_v2(file->database);
    file->database = NULL;
}

enum disk_result disk_file_run(struct disk_file *file, enum disk_statement statement,
                               const int64_t *numbers, int count)
{
    sqlite3_stmt *prepared = file->statements[statement];
    sqlite3_reset(prepared);
    for (int i = 0; i < count; i++)
        sqlite3_bind_int64(prepared, i + 1, numbers[i]);
    enum disk_result result = disk_file_result(file, sqlite3_step(prepared));
    if (result != DISK_DONE)
        sqlite3_reset(prepared);
    return result;
}

enum disk_result disk_file_query_number(struct disk_file *file, enum disk_statement statement,
                                        int64_t *number)
{
    enum disk_result result = disk_file_run(file, statement, NULL, 0);
    if (result == DISK_DONE) {
        *number = sqlite3_column_int64(file->statements[statement], 0);
        sqlite3_reset(file->statements[statement]);
    }
    return result == DISK_NONE ? DISK_DAMAGED : result;
}

void disk_file_rollback(struct disk_file *file)
{
    if (file->database && !sqlite3_get_autocommit(file->database))
        sqlite3_exec(file->database, "ROLLBACK", NULL, NULL, NULL);
}

enum disk_result disk_file_checkpoint(struct disk_file *file, bool restart)
{
    const int mode = restart ? SQLITE_CHECKPOINT_RESTART : SQLITE_CHECKPOINT_PASSIVE;
    int code = sqlite3_wal_checkpoint_v2(file->database, NULL, mode, NULL, NULL);
    /* A running reader makes a checkpoint incomplete, which is no failure. */
    if (code == SQLITE_OK || (code & 0xFF) == SQLITE_BUSY)
        return DISK_DONE;
    return disk_file_result(file, code);
}

/* The statement has a row for each page that it frees. */
enum disk_result disk_file_shrink(struct disk_file *file)
{
    enum disk_result result = disk_file_run(file, DISK_SHRINK, NULL, 0);
    while (result == DISK_DONE)
        result = disk_file_result(file, sqlite3_step(file->statements[DISK_SHRINK]));
    sqlite3_reset(file->statements[DISK_SHRINK]);
    return result == DISK_NONE ? DISK_DONE : result;
}

/* The file and the parts of its log. The file comes first: without it, SQLite takes a log for no
 * longer needed, whereas an older file with half of its log is a damaged one. */
static const char *const suffixes[] = {"", "-wal", "-shm"};

static bool unlink_if_there(const char *path)
{
    return unlink(path) == 0 || errno == ENOENT;
}

bool disk_file_quarantine(const char *path)
{
    char damaged[PATH_MAX];
    snprintf(damaged, sizeof damaged, "%s.damaged", path);
    bool done = disk_ownership_may_replace(damaged);
    if (!done)
        errno = EEXIST;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && done; i++) {
        char from[PATH_MAX], to[PATH_MAX];
        snprintf(from, sizeof from, "%s%s", path, suffixes[i]);
        snprintf(to, sizeof to, "%s.damaged%s", path, suffixes[i]);
        done = rename(from, to) == 0 || (errno == ENOENT && unlink_if_there(to));
    }
    return done;
}

bool disk_file_delete(const char *path)
{
    bool done = true;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes && done; i++) {
        char part[PATH_MAX];
        snprintf(part, sizeof part, "%s%s", path, suffixes[i]);
        done = unlink_if_there(part);
    }
    return done;
}
