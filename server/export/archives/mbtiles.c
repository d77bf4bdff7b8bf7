/* MBTiles 1.3: an SQLite database. Equal tiles stand once: "tiles", which the specification asks
 * for, is a view of two tables. Rows run from south to north. Without a journal, as a database that
 * is not finished is thrown away. */
#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

#include "server/base/sqlite_reason.h"
#include "server/export/archives/tile_archive.h"

static const char schema[] =
    "PRAGMA page_size = 16384;"
    "PRAGMA journal_mode = OFF;"
    "PRAGMA synchronous = OFF;"
    "PRAGMA locking_mode = EXCLUSIVE;"
    "PRAGMA cache_size = -65536;"         /* 64 MB: the pages of a quarter of zoom 12 */
    "PRAGMA application_id = 1297105496;" /* "MPBX" */
    "BEGIN;"
    "CREATE TABLE metadata (name TEXT PRIMARY KEY, value TEXT);"
    "CREATE TABLE tiles_shallow (zoom_level INTEGER, tile_column INTEGER, tile_row INTEGER,"
    " tile_data_id INTEGER, PRIMARY KEY (zoom_level, tile_column, tile_row)) WITHOUT ROWID;"
    "CREATE TABLE tiles_data (tile_data_id INTEGER PRIMARY KEY, tile_data BLOB);"
    "CREATE VIEW tiles AS SELECT zoom_level, tile_column, tile_row, tile_data"
    " FROM tiles_shallow JOIN tiles_data USING (tile_data_id);";

struct work {
    sqlite3 *database;
    sqlite3_stmt *row, *tile, *data;
    const char *path;
    struct error *error;
};

static bool fail(const struct work *work)
{
    error_set(work->error, ERROR_IO, "cannot be written: %s",
              sqlite_reason(work->database, sqlite3_errcode(work->database)));
    return error_in_file(work->error, work->path);
}

static bool execute(const struct work *work, const char *text)
{
    return sqlite3_exec(work->database, text, NULL, NULL, NULL) == SQLITE_OK || fail(work);
}

static bool prepare(struct work *work, const char *text, sqlite3_stmt **statement)
{
    return sqlite3_prepare_v2(work->database, text, -1, statement, NULL) == SQLITE_OK || fail(work);
}

/* Runs a statement with its values bound. */
static bool step(const struct work *work, sqlite3_stmt *statement)
{
    const bool done = sqlite3_step(statement) == SQLITE_DONE || fail(work);
    sqlite3_reset(statement);
    return done;
}

/* The vector layers are a member of the row "json", as the specification wants. */
static bool add_row(void *context, const char *name, const char *value)
{
    const struct work *work = context;
    struct buffer text = {0};
    if (strcmp(name, tile_archive_names[ARCHIVE_VECTOR_LAYERS]) == 0) {
        buffer_format(&text, "{\"%s\":%s}", name, value);
        name = "json";
        value = buffer_string(&text);
    }
    sqlite3_bind_text(work->row, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(work->row, 2, value, -1, SQLITE_STATIC);
    const bool done = text.failed ? error_memory(work->error) : step(work, work->row);
    buffer_free(&text);
    return done;
}

static bool open_database(struct work *work)
{
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (unlink(work->path) != 0 && errno != ENOENT) {
        error_set(work->error, ERROR_IO, "cannot be replaced: %s", strerror(errno));
        return error_in_file(work->error, work->path);
    }
    return (sqlite3_open_v2(work->path, &work->database, flags, NULL) == SQLITE_OK || fail(work)) &&
           execute(work, schema) &&
           prepare(work, "INSERT INTO metadata VALUES (?, ?)", &work->row) &&
           prepare(work, "INSERT INTO tiles_shallow VALUES (?, ?, ?, ?)", &work->tile) &&
           prepare(work, "INSERT INTO tiles_data VALUES (?, ?)", &work->data);
}

/* Equal tiles have the same offset, which is their number. */
static bool add_tile(const struct work *work, struct tile_address address,
                     const struct spool_entry *entry)
{
    sqlite3_bind_int(work->tile, 1, address.zoom);
    sqlite3_bind_int64(work->tile, 2, address.x);
    sqlite3_bind_int64(work->tile, 3, ((int64_t)1 << address.zoom) - 1 - address.y);
    sqlite3_bind_int64(work->tile, 4, (sqlite3_int64)entry->offset);
    return step(work, work->tile);
}

static bool add_data(const struct work *work, struct spool *spool, const struct spool_entry *entry,
                     struct buffer *bytes)
{
    buffer_clear(bytes);
    if (!spool_read_bytes(spool, entry, bytes, work->error))
        return false;
    sqlite3_bind_int64(work->data, 1, (sqlite3_int64)entry->offset);
    sqlite3_bind_blob64(work->data, 2, bytes->data, bytes->length, SQLITE_STATIC);
    return step(work, work->data);
}

static bool add_tiles(const struct work *work, const struct tile_archive_content *content)
{
    struct spool *spool = content->spool;
    const uint64_t count = spool_count(spool);
    uint64_t first, end;
    tile_archive_shard(content->description, &first, &end);
    struct buffer bytes = {0};
    uint64_t next = 0; /* offset behind the tiles that are there */
    bool done = true;
    for (uint64_t i = 0; done && i < count; i++) {
        struct spool_entry entry;
        done = spool_read_entry(spool, i, &entry, work->error);
        if (!done || entry.length == 0)
            continue;
        done = add_tile(work, tile_range_at(&content->description->range, first + i), &entry);
        if (done && entry.offset >= next) {
            next = entry.offset + entry.length;
            done = add_data(work, spool, &entry, &bytes);
        }
        if (done && i % 1024 == 0)
            done = progress_step(content->progress, i, count, 0);
    }
    buffer_free(&bytes);
    return done;
}

static bool close_database(struct work *work, bool done)
{
    sqlite3_finalize(work->row);
    sqlite3_finalize(work->tile);
    sqlite3_finalize(work->data);
    const bool is_closed = sqlite3_close(work->database) == SQLITE_OK;
    if (done && !is_closed)
        return fail(work);
    return done;
}

bool mbtiles_write(const struct tile_archive_content *content, const char *path,
                   struct error *error)
{
    struct work work = {.path = path, .error = error};
    const bool done = open_database(&work) &&
                      tile_archive_metadata(content, add_row, &work, error) &&
                      add_tiles(&work, content) && execute(&work, "COMMIT");
    return close_database(&work, done);
}
