/* Reads MBTiles, see mbtiles.c: the tables "metadata" and "tiles" of the specification. Both may be
 * views, with which a small file could go on for ever. So views that are recursive or call
 * functions are refused, no value may be longer than the file, metadata are limited, and the steps
 * of SQLite's virtual machine are counted: a file may take so many for each byte, and some more
 * for each tile that is read. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/json_writer.h"
#include "server/base/sqlite_reason.h"
#include "server/export/archives/tile_source_private.h"

enum { METADATA_MAX = 16 << 20, VALUE_MIN = 1 << 16, VALUE_MAX = 256 << 20 };
/* Steps, of which the database of an export takes 2 for a byte at most, and 40 for a tile. */
enum { STEPS = 1 << 20, STEPS_OF_BYTE = 32, STEPS_OF_TILE = 1 << 12, STEPS_COUNTED = 1 << 10 };

struct mbtiles {
    sqlite3 *database;
    sqlite3_stmt *tile;
    int64_t steps; /* that are left */
};

static bool fail(const struct mbtiles *archive, struct error *error)
{
    if (archive->steps < 0)
        return error_set(error, ERROR_LIMIT,
                         "cannot be read: its tables take more steps than a file of its size may");
    return error_set(error, ERROR_IO, "cannot be read: %s",
                     sqlite_reason(archive->database, sqlite3_errcode(archive->database)));
}

/* Vector layers stand in the row "json"; PMTiles has them as an array. */
static bool add_vector_layers(struct json_writer *json, const char *text, struct error *error)
{
    struct json_document *document = json_parse(text, strlen(text), NULL, error);
    const char *name = tile_archive_names[ARCHIVE_VECTOR_LAYERS];
    const struct json *layers = json_member(json_root(document), name);
    if (layers) {
        json_write_key(json, name);
        tile_source_write_json(json, layers);
    }
    json_free(document);
    return document != NULL;
}

static bool read_metadata(const struct mbtiles *archive, struct buffer *out, struct error *error)
{
    sqlite3_stmt *rows;
    struct json_writer json;
    int status = SQLITE_DONE;
    bool done = true;
    if (sqlite3_prepare_v2(archive->database, "SELECT DISTINCT name, value FROM metadata", -1,
                           &rows, NULL) != SQLITE_OK)
        return fail(archive, error);
    json_begin(&json, out, false);
    json_object_open(&json);
    while (done && (status = sqlite3_step(rows)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(rows, 0);
        const char *value = (const char *)sqlite3_column_text(rows, 1);
        if (name && value && strcmp(name, "json") == 0)
            done = add_vector_layers(&json, value, error);
        else if (name)
            json_member_string(&json, name, value);
        if (done && out->length > METADATA_MAX)
            done =
                error_set(error, ERROR_LIMIT, "has more than %d bytes of metadata", METADATA_MAX);
    }
    json_object_close(&json);
    sqlite3_finalize(rows);
    if (done && out->failed)
        done = error_memory(error);
    return done && (status == SQLITE_DONE || fail(archive, error));
}

/* "tiles" may be a view, of which a small file can make any number of rows: more than the file has
 * bytes are not counted. */
static bool count_tiles(const struct mbtiles *archive, uint64_t *count, struct error *error)
{
    static const char query[] =
        "SELECT count(*) FROM (SELECT 1 FROM tiles LIMIT"
        " (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size))";
    sqlite3_stmt *row;
    if (sqlite3_prepare_v2(archive->database, query, -1, &row, NULL) != SQLITE_OK)
        return fail(archive, error);
    const bool done = sqlite3_step(row) == SQLITE_ROW || fail(archive, error);
    *count = done ? (uint64_t)sqlite3_column_int64(row, 0) : 0;
    sqlite3_finalize(row);
    return done;
}

static bool mbtiles_read(void *reader, struct tile_address tile, struct buffer *out,
                         struct error *error)
{
    struct mbtiles *archive = reader;
    archive->steps += STEPS_OF_TILE;
    sqlite3_bind_int(archive->tile, 1, tile.zoom);
    sqlite3_bind_int64(archive->tile, 2, tile.x);
    sqlite3_bind_int64(archive->tile, 3, ((int64_t)1 << tile.zoom) - 1 - tile.y);
    const int status = sqlite3_step(archive->tile);
    if (status == SQLITE_ROW)
        buffer_append(out, sqlite3_column_blob(archive->tile, 0),
                      (size_t)sqlite3_column_bytes(archive->tile, 0));
    sqlite3_reset(archive->tile);
    if (out->failed)
        return error_memory(error);
    return status == SQLITE_ROW || status == SQLITE_DONE || fail(archive, error);
}

static bool mbtiles_check(void *reader, struct error *error)
{
    const struct mbtiles *archive = reader;
    sqlite3_stmt *row;
    if (sqlite3_prepare_v2(archive->database, "PRAGMA quick_check(1)", -1, &row, NULL) != SQLITE_OK)
        return fail(archive, error);
    const bool done = sqlite3_step(row) == SQLITE_ROW || fail(archive, error);
    const char *found = done ? (const char *)sqlite3_column_text(row, 0) : NULL;
    const bool is_sound = found && strcmp(found, "ok") == 0;
    if (done && !is_sound)
        error_set(error, ERROR_SYNTAX, "damaged: %s", found ? found : "cannot be checked");
    sqlite3_finalize(row);
    return is_sound;
}

static void mbtiles_close(void *reader)
{
    struct mbtiles *archive = reader;
    if (!archive)
        return;
    sqlite3_finalize(archive->tile);
    sqlite3_close(archive->database);
    free(archive);
}

/* A call of a function is one step, however long it takes. */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *view)
{
    (void)context, (void)first, (void)database, (void)view;
    const bool is_call = action == SQLITE_FUNCTION && strcmp(second, "count") != 0;
    return is_call || action == SQLITE_RECURSIVE ? SQLITE_DENY : SQLITE_OK;
}

static int count_steps(void *context)
{
    struct mbtiles *archive = context;
    archive->steps -= STEPS_COUNTED;
    return archive->steps < 0;
}

static void set_limits(struct mbtiles *archive, int64_t size)
{
    const int64_t value = size < VALUE_MIN ? VALUE_MIN : size < VALUE_MAX ? size : VALUE_MAX;
    sqlite3_limit(archive->database, SQLITE_LIMIT_LENGTH, (int)value);
    archive->steps = STEPS + STEPS_OF_BYTE * size;
    sqlite3_progress_handler(archive->database, STEPS_COUNTED, count_steps, archive);
}

/* Tiles are read along a curve, but rows stand in columns: 64 MB hold the pages nearby. */
static bool open_database(struct mbtiles *archive, const char *path)
{
    static const char cache[] = "PRAGMA cache_size = -65536";
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX;
    struct stat status;
    if (sqlite3_open_v2(path, &archive->database, flags, NULL) != SQLITE_OK)
        return false;
    set_limits(archive, stat(path, &status) == 0 ? status.st_size : 0);
    return sqlite3_exec(archive->database, cache, NULL, NULL, NULL) == SQLITE_OK &&
           sqlite3_set_authorizer(archive->database, authorize, NULL) == SQLITE_OK;
}

static void *mbtiles_open(const char *path, struct buffer *metadata, uint64_t *count,
                          struct error *error)
{
    static const char query[] = "SELECT tile_data FROM tiles"
                                " WHERE zoom_level = ? AND tile_column = ? AND tile_row = ?";
    struct mbtiles *archive = calloc(1, sizeof *archive);
    if (!archive)
        return error_memory_null(error);
    if (!open_database(archive, path) ||
        sqlite3_prepare_v2(archive->database, query, -1, &archive->tile, NULL) != SQLITE_OK)
        fail(archive, error);
    else if (read_metadata(archive, metadata, error) && count_tiles(archive, count, error))
        return archive;
    mbtiles_close(archive);
    return NULL;
}

const struct tile_reader mbtiles_reader = {"mbtiles", mbtiles_open, mbtiles_read, mbtiles_check,
                                           mbtiles_close};
