/* The store's methods: reading, and putting tasks into the writer's queue. disk_writer.c has the
 * writing thread, disk_file.c the SQL.
 *
 * Each reader is a connection with a lock. A thread takes the first free one, beginning at another
 * one each time; if all are busy it waits for one of them. Connections are opened at the first
 * read, and again a second after a failure. Readers never open a file that the writer has not
 * opened
 * (`ready`), since only the writer checks whose database it is and begins a new one.
 *
 * A read finds damage by SQLite's result code, sets `damaged` and wakes the writer, which closes
 * all readers and replaces the file. */
#include "server/cache/disk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/cache/disk_private.h"
#include "server/cache/record.h"

enum {
    READ_RETRY_MS = 1000,
    USE_AGE_SHARE = 8, /* a use is stored when the record has aged by 1/8 of all records */
    WAL_SHARE = 6,     /* 1/6 of the size, at most WAL_MAX, is for the log */
    BATCH_SHARE = 64,  /* a transaction writes 1/64 of the size, at most BATCH_MAX */
    BATCH_MAX = 2 << 20,
};

#define WAL_MAX ((uint64_t)32 << 20)

static int64_t key_hash(const struct cache_key *key)
{
    int64_t hash;
    memcpy(&hash, &key->hash.low, sizeof hash);
    return hash;
}

/* A free connection, locked; waits for one if there is none. */
static struct disk_reader *acquire_reader(struct disk_store *disk)
{
    const unsigned first = __atomic_fetch_add(&disk->next_reader, 1, __ATOMIC_RELAXED);
    struct disk_reader *reader;
    unsigned tried = 0;
    do {
        reader = &disk->readers[(first + tried) % disk->reader_count];
        if (pthread_mutex_trylock(&reader->lock) == 0)
            return reader;
    } while (++tried < disk->reader_count);
    pthread_mutex_lock(&reader->lock);
    return reader;
}

static enum disk_result open_reader(struct disk_store *disk, struct disk_reader *reader)
{
    if (reader->file.database)
        return DISK_DONE;
    if (!__atomic_load_n(&disk->ready, __ATOMIC_ACQUIRE) ||
        clock_milliseconds() < reader->closed_until)
        return DISK_FAILED;
    return disk_file_open(&reader->file, disk->path, DISK_MODE_READ);
}

static enum disk_result read_record(struct disk_file *file, int64_t hash, int64_t *used,
                                    struct buffer *out)
{
    enum disk_result result = disk_file_run(file, DISK_GET, &hash, 1);
    if (result != DISK_DONE)
        return result;
    sqlite3_stmt *row = file->statements[DISK_GET];
    *used = sqlite3_column_int64(row, 0);
    const void *bytes = sqlite3_column_blob(row, 1);
    const int length = sqlite3_column_bytes(row, 1);
    /* sqlite3_column_blob() reads the pages of the blob. A failure there shows in the connection's
     * error code only. */
    if (bytes && length > 0)
        buffer_append(out, bytes, (size_t)length);
    else
        result = disk_file_result(file, sqlite3_errcode(file->database));
    sqlite3_reset(file->statements[DISK_GET]);
    return bytes ? DISK_DONE : result == DISK_FAILED ? DISK_FAILED : DISK_DAMAGED;
}

/* Closes the connection; it is opened again a second later. */
static void reader_failed(struct disk_store *disk, struct disk_reader *reader,
                          enum disk_result result)
{
    store_count(&disk->store, failures, 1);
    if (result == DISK_DAMAGED) {
        __atomic_store_n(&disk->damaged, true, __ATOMIC_RELAXED);
        disk_queue_wake(&disk->queue);
    } else if (reader->file.database) {
        log_limited(&disk->failure_report, "%s cannot be read (%s); tiles are served without it",
                    disk->path, reader->file.message);
    }
    if (reader->file.database || clock_milliseconds() >= reader->closed_until)
        reader->closed_until = clock_milliseconds() + READ_RETRY_MS;
    disk_file_close(&reader->file);
}

/* Moves a record to the young end, unless it is there already, as after most uses. */
static void record_use(struct disk_store *disk, int64_t hash, int64_t used)
{
    const int64_t newest = __atomic_load_n(&disk->newest, __ATOMIC_RELAXED);
    const int64_t oldest = __atomic_load_n(&disk->oldest, __ATOMIC_RELAXED);
    if (newest - used > (newest - oldest) / USE_AGE_SHARE)
        disk_queue_add(&disk->queue,
                       &(struct disk_task){.kind = DISK_TASK_TOUCH, .hash = hash, .use = newest},
                       NULL);
}

static bool disk_is_unavailable(struct store *store, const struct cache_key *key)
{
    struct disk_store *disk = (struct disk_store *)store;
    (void)key;
    if (__atomic_load_n(&disk->ready, __ATOMIC_ACQUIRE))
        return false;
    store_count(&disk->store, failures, 1);
    return true;
}

static enum store_result disk_get(struct store *store, const struct cache_key *key,
                                  struct buffer *out)
{
    struct disk_store *disk = (struct disk_store *)store;
    const int64_t hash = key_hash(key);
    int64_t used = 0;
    if (disk_is_unavailable(store, key))
        return STORE_FAILED;
    struct disk_reader *reader = acquire_reader(disk);
    enum disk_result result = open_reader(disk, reader);
    if (result == DISK_DONE)
        result = read_record(&reader->file, hash, &used, out);
    if (result != DISK_DONE && result != DISK_NONE)
        reader_failed(disk, reader, result);
    pthread_mutex_unlock(&reader->lock);
    if (result == DISK_NONE) {
        store_count(&disk->store, misses, 1);
        return STORE_MISS;
    }
    if (result != DISK_DONE)
        return STORE_FAILED;
    store_count(&disk->store, hits, 1);
    record_use(disk, hash, used);
    return STORE_HIT;
}

static void disk_put(struct store *store, const struct cache_key *key, const uint8_t *record,
                     size_t length)
{
    struct disk_store *disk = (struct disk_store *)store;
    /* A very large record would evict all others. */
    const bool fits = length <= disk->batch_bytes * 4 && length <= RECORD_BYTES_MAX;
    const struct disk_task task = {.kind = DISK_TASK_PUT, .hash = key_hash(key), .length = length};
    if (!fits || clock_milliseconds() < __atomic_load_n(&disk->paused_until, __ATOMIC_RELAXED) ||
        !disk_queue_add(&disk->queue, &task, record))
        store_count(&disk->store, write_failures, 1);
}

static void disk_invalidate(struct store *store, const struct cache_key *key)
{
    struct disk_store *disk = (struct disk_store *)store;
    store_count(&disk->store, damaged, 1);
    disk_queue_add(&disk->queue,
                   &(struct disk_task){.kind = DISK_TASK_DELETE, .hash = key_hash(key)}, NULL);
}

static void disk_free(struct store *store)
{
    struct disk_store *disk = (struct disk_store *)store;
    disk_queue_close(&disk->queue);
    if (disk->writer_started)
        pthread_join(disk->writer, NULL);
    for (unsigned i = 0; i < disk->reader_count; i++) {
        disk_file_close(&disk->readers[i].file);
        pthread_mutex_destroy(&disk->readers[i].lock);
    }
    disk_file_close(&disk->file); /* the last one takes the log into the file */
    disk_queue_destroy(&disk->queue);
    pthread_mutex_destroy(&disk->failure_report.lock);
    pthread_mutex_destroy(&disk->recovery_report.lock);
    free(disk->path);
    free(disk);
}

static const struct store_methods methods = {
    .name = "disk",
    .is_unavailable = disk_is_unavailable,
    .get = disk_get,
    .put = disk_put,
    .invalidate = disk_invalidate,
    .free = disk_free,
};

static struct disk_store *disk_new(const struct disk_options *options)
{
    struct disk_store *disk =
        calloc(1, sizeof *disk + options->readers * sizeof(struct disk_reader));
    /* A damaged file is renamed, and not a link to it. */
    char *path = realpath(options->path, NULL);
    if (!path)
        path = strdup(options->path);
    if (!disk || !path || !disk_queue_init(&disk->queue)) {
        free(disk);
        free(path);
        return NULL;
    }
    const uint64_t share = options->size / WAL_SHARE, wal = share < WAL_MAX ? share : WAL_MAX;
    const uint64_t batch_bytes = options->size / BATCH_SHARE;
    disk->store.methods = &methods;
    disk->store.timeout = DISK_BUSY_TIMEOUT_MS;
    disk->path = path;
    pthread_mutex_init(&disk->failure_report.lock, NULL);
    pthread_mutex_init(&disk->recovery_report.lock, NULL);
    disk->page_budget = (int64_t)((options->size - wal) / DISK_PAGE);
    disk->wal_pages = (int)(wal / 4 / DISK_PAGE);
    disk->batch_bytes = batch_bytes < BATCH_MAX ? (size_t)batch_bytes : BATCH_MAX;
    for (; disk->reader_count < options->readers; disk->reader_count++)
        pthread_mutex_init(&disk->readers[disk->reader_count].lock, NULL);
    return disk;
}

/* Other errors may pass: a disk that fails, or that the system has made read-only. */
static bool is_permanent(int reason)
{
    return reason == EACCES || reason == EPERM || reason == ENOENT || reason == ENOTDIR ||
           reason == ELOOP || reason == ENAMETOOLONG;
}

/* False for what no retry can change: the folder or the file cannot be written. */
static bool check_options(const struct disk_options *options, struct error *error)
{
    const char *path = options->path, *slash = strrchr(path, '/');
    if (options->size < DISK_SIZE_MIN)
        return error_set(error, ERROR_VALUE, "a cache on a disk needs at least %d MB",
                         (int)(DISK_SIZE_MIN >> 20));
    char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    if (!folder)
        return error_memory(error);
    const bool writable = access(folder, W_OK | X_OK) == 0;
    const int reason = errno;
    free(folder);
    if (!writable && is_permanent(reason))
        return error_set(error, ERROR_IO, "cannot keep a cache in %s: its folder: %s", path,
                         strerror(reason));
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        return error_set(error, ERROR_IO, "cannot keep a cache in %s: it is not a file", path);
    if (access(path, R_OK | W_OK) == 0 || errno == ENOENT || !is_permanent(errno))
        return true;
    return error_set(error, ERROR_IO, "cannot keep a cache in %s: %s", path, strerror(errno));
}

static bool start_writer(struct disk_store *disk, struct error *error)
{
    const enum disk_result result = disk_writer_open(disk);
    if (result == DISK_FOREIGN)
        return error_set(
            error, ERROR_IO,
            "%s is not a cache of Terrane (%s): name another file, or remove what is there",
            disk->path, disk->file.message);
    if (result != DISK_DONE) {
        log_limited(&disk->failure_report, "%s cannot be opened (%s); tiles are served without it",
                    disk->path, disk->file.message);
        disk->failing = true;
    }
    disk->writer_started = pthread_create(&disk->writer, NULL, disk_writer_main, disk) == 0;
    return disk->writer_started ||
           error_set(error, ERROR_IO, "cannot start the disk cache's thread");
}

struct store *disk_open(const struct disk_options *options, struct error *error)
{
    if (!check_options(options, error))
        return NULL;
    struct disk_store *disk = disk_new(options);
    if (disk ? start_writer(disk, error) : error_memory(error))
        return &disk->store;
    if (disk)
        disk_free(&disk->store);
    return NULL;
}
