/* Reads the beginnings of files and looks for the marks of a cache and the heads of SQLite's files.
 * A file that SQLite has open is read through SQLite's own descriptor: when a process closes any
 * descriptor of a file, POSIX releases all of its locks on the file. */
#define _GNU_SOURCE /* memmem() */
#include "server/cache/disk_ownership.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/cache/record.h"

/* The heads of files and their offsets are those of https://www.sqlite.org/fileformat2.html. */
enum {
    START_BYTES = 1 << 20,  /* of a file, where marks are looked for … */
    WINDOW_BYTES = 1 << 15, /* … in so many at once, */
    OVERLAP_BYTES = 256,    /* and some more for a mark at the end: longer than any mark */
    HEAD_BYTES = 8,
    OFFSET_APPLICATION_ID = 68,
    SHARED_MEMORY_PIECE = 32768, /* FILE-shm grows by so many bytes … */
    SHARED_MEMORY_EMPTY = 3,     /* … from this size (unixOpenSharedMemory() of SQLite) */
};

static const char database_head[16] = "SQLite format 3";
static const uint8_t journal_head[HEAD_BYTES] = {0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7};
static const uint8_t wal_head[] = {0x37, 0x7F, 0x06};
static const uint8_t zeros[HEAD_BYTES];

/* A file that SQLite has open, or a descriptor. */
struct source {
    sqlite3_file *database; /* null for a descriptor */
    int descriptor;         /* -1: an empty source */
};

static struct source source_of_database(sqlite3 *database)
{
    struct source source = {NULL, -1};
    sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &source.database);
    if (source.database && !source.database->pMethods)
        source.database = NULL;
    return source;
}

/* Neither follows a link nor waits for a pipe. */
static struct source source_open(const char *path)
{
    struct stat status;
    struct source source = {NULL, open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)};
    if (source.descriptor >= 0 &&
        (fstat(source.descriptor, &status) != 0 || !S_ISREG(status.st_mode))) {
        close(source.descriptor);
        source.descriptor = -1;
    }
    return source;
}

static void source_close(const struct source *source)
{
    if (source->descriptor >= 0)
        close(source->descriptor);
}

/* The number of bytes read; fewer at the end of the file, and 0 on failure. */
static size_t read_at(const struct source *source, long offset, void *out, size_t length)
{
    sqlite3_file *file = source->database;
    sqlite3_int64 size = 0;
    if (!file) {
        const ssize_t got = pread(source->descriptor, out, length, offset);
        return got > 0 ? (size_t)got : 0;
    }
    if (file->pMethods->xFileSize(file, &size) != SQLITE_OK || size <= offset)
        return 0;
    if (size - offset < (sqlite3_int64)length)
        length = (size_t)(size - offset);
    return file->pMethods->xRead(file, out, (int)length, offset) == SQLITE_OK ? length : 0;
}

/* SQLite writes the heads of logs late, so they may be zeros. The file of shared memory is not
 * opened: closing it would release SQLite's locks on it. */
static bool is_side_file(const char *path, const char *suffix)
{
    struct stat status;
    uint8_t head[HEAD_BYTES];
    if (lstat(path, &status) != 0 || status.st_size == 0)
        return true;
    if (strcmp(suffix, "-shm") == 0)
        return status.st_size == SHARED_MEMORY_EMPTY || status.st_size % SHARED_MEMORY_PIECE == 0;
    const struct source source = source_open(path);
    const bool whole = read_at(&source, 0, head, sizeof head) == sizeof head;
    source_close(&source);
    if (!whole)
        return false;
    return memcmp(head, zeros, sizeof zeros) == 0 ||
           (strcmp(suffix, "-wal") == 0 ? memcmp(head, wal_head, sizeof wal_head)
                                        : memcmp(head, journal_head, sizeof journal_head)) == 0;
}

const char *disk_ownership_obstacle(const char *path)
{
    static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
    struct stat status;
    const bool has_content = stat(path, &status) == 0 && status.st_size > 0;
    if (has_content) /* SQLite takes a file of one byte for an empty one */
        return status.st_size == 1 ? "" : NULL;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        char side[PATH_MAX];
        snprintf(side, sizeof side, "%s%s", path, suffixes[i]);
        if (!is_side_file(side, suffixes[i]))
            return suffixes[i];
    }
    return NULL;
}

bool disk_ownership_is_database(sqlite3 *database)
{
    char head[sizeof database_head];
    const struct source source = source_of_database(database);
    return memcmp(head, database_head, read_at(&source, 0, head, sizeof head)) == 0;
}

static bool contains_mark(const uint8_t *bytes, size_t length)
{
    return memmem(bytes, length, DISK_TABLE_OF_ENTRIES, sizeof DISK_TABLE_OF_ENTRIES - 1) ||
           record_occurs(bytes, length);
}

static bool has_application_id(const struct source *source)
{
    uint8_t id[4] = {0};
    read_at(source, OFFSET_APPLICATION_ID, id, sizeof id);
    return ((unsigned)id[0] << 24 | (unsigned)id[1] << 16 | (unsigned)id[2] << 8 | id[3]) ==
           DISK_APPLICATION_ID;
}

static bool source_has_mark(const struct source *source)
{
    uint8_t window[WINDOW_BYTES + OVERLAP_BYTES];
    bool found = has_application_id(source);
    for (long offset = 0; offset < START_BYTES && !found; offset += WINDOW_BYTES) {
        const size_t length = read_at(source, offset, window, sizeof window);
        if (length == 0)
            break;
        found = contains_mark(window, length);
    }
    return found;
}

static bool path_has_mark(const char *path)
{
    const struct source source = source_open(path);
    const bool found = source_has_mark(&source);
    source_close(&source);
    return found;
}

bool disk_ownership_has_mark(sqlite3 *database, const char *path)
{
    char wal[PATH_MAX];
    snprintf(wal, sizeof wal, "%s-wal", path);
    if (!database)
        return path_has_mark(path) || path_has_mark(wal);
    const struct source source = source_of_database(database);
    return source_has_mark(&source) || path_has_mark(wal);
}

bool disk_ownership_may_replace(const char *path)
{
    struct stat status;
    const bool has_content = lstat(path, &status) == 0 && status.st_size > 0;
    return has_content ? disk_ownership_has_mark(NULL, path) : !disk_ownership_obstacle(path);
}
