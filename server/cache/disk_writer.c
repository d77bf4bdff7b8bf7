/* The disk tier's writing thread: batches, eviction, the log, and recovery.
 *
 * A batch is one transaction: it first evicts until the new records have room, then runs the tasks.
 * If any step fails the transaction is rolled back, its puts are counted as lost, and the
 * connection is closed, since the fault may be the connection's own. After a failure that may pass
 * nothing is written for a second. Readers keep their connections meanwhile.
 *
 * A damaged file must be closed by all readers before it can be replaced: `ready` is cleared first,
 * so none opens it again. When two daemons share the file, both find the damage, and the second
 * must not put away the new file of the first: before it does, it compares the file at the path
 * with the one that it has had open.
 *
 * The log (FILE-wal) is copied into the file when it exceeds its share of the size. SQLite reuses
 * the log only when no reader needs it, so with a log of twice that length readers are waited for:
 * another process's too, for DISK_BUSY_TIMEOUT_MS, but not at the end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/cache/disk_private.h"

enum {
    RETRY_MS = 1000,
    FILE_CHECK_MS = 1000,   /* between two looks whether the file was replaced */
    EVICTIONS_MAX = 16384,  /* in one transaction */
    WAL_RESTART_FACTOR = 2, /* a log so many times too long waits for readers */
};

/* While the tier is not ready no reader opens the file, so each lock is free soon. */
static void close_readers(struct disk_store *disk)
{
    __atomic_store_n(&disk->ready, false, __ATOMIC_RELEASE);
    for (unsigned i = 0; i < disk->reader_count; i++) {
        pthread_mutex_lock(&disk->readers[i].lock);
        disk_file_close(&disk->readers[i].file);
        pthread_mutex_unlock(&disk->readers[i].lock);
    }
}

static void enable_readers(struct disk_store *disk)
{
    for (unsigned i = 0; i < disk->reader_count; i++) {
        pthread_mutex_lock(&disk->readers[i].lock);
        disk->readers[i].closed_until = 0;
        pthread_mutex_unlock(&disk->readers[i].lock);
    }
    __atomic_store_n(&disk->ready, true, __ATOMIC_RELEASE);
}

/* True if somebody deleted or replaced the open file. Looks at most once a second. */
static bool check_file_replaced(struct disk_store *disk)
{
    const int64_t now = clock_milliseconds();
    if (now < disk->file_checked_at + FILE_CHECK_MS)
        return false;
    disk->file_checked_at = now;
    return !file_is(disk->path, &disk->identity);
}

/* Takes the file that was opened last away from its path, unless another one, of another daemon,
 * has taken its place. No connection may have it open. */
static bool put_file_away(struct disk_store *disk, enum disk_result why)
{
    const char *what = disk->file.message;
    const bool outdated = why == DISK_OTHER_VERSION;
    if (!file_is(disk->path, &disk->identity))
        return true;
    if (!(outdated ? disk_file_delete : disk_file_quarantine)(disk->path)) {
        snprintf(disk->file.message, sizeof disk->file.message,
                 outdated ? "it is of another version and cannot be deleted: %s"
                          : "it is damaged and cannot be renamed to FILE.damaged: %s",
                 strerror(errno));
        return false;
    }
    if (outdated)
        log_limited(&disk->failure_report,
                    "%s was written by another version: a new file replaces it", disk->path);
    else
        log_limited(&disk->failure_report,
                    "%s is damaged (%s): it is kept as %s.damaged, and a new file replaces it",
                    disk->path, *what ? what : "found when reading", disk->path);
    return true;
}

static enum disk_result read_use_range(struct disk_store *disk)
{
    int64_t newest = 0;
    enum disk_result result = disk_file_query_number(&disk->file, DISK_NEWEST, &newest);
    if (result != DISK_DONE)
        return result;
    int64_t oldest = newest;
    result = disk_file_run(&disk->file, DISK_OLDEST, NULL, 0);
    if (result == DISK_DONE) {
        oldest = sqlite3_column_int64(disk->file.statements[DISK_OLDEST], 2);
        sqlite3_reset(disk->file.statements[DISK_OLDEST]);
    }
    __atomic_store_n(&disk->newest, newest, __ATOMIC_RELAXED);
    __atomic_store_n(&disk->oldest, oldest, __ATOMIC_RELAXED);
    return result == DISK_NONE ? DISK_DONE : result;
}

static enum disk_result open_file(struct disk_store *disk)
{
    enum disk_result result = disk_file_open(&disk->file, disk->path, DISK_MODE_WRITE);
    if (disk->file.identity.inode) {
        disk->identity = disk->file.identity;
        disk->file_checked_at = clock_milliseconds();
    }
    if (result == DISK_DONE)
        result = read_use_range(disk);
    if (result != DISK_DONE)
        disk_file_close(&disk->file);
    return result;
}

/* A file of another version is replaced only `at_start`. */
static enum disk_result open_or_replace(struct disk_store *disk, bool at_start)
{
    enum disk_result result = open_file(disk);
    if (result == DISK_DAMAGED || (result == DISK_OTHER_VERSION && at_start))
        result = put_file_away(disk, result) ? open_file(disk) : DISK_FAILED;
    if (result == DISK_DONE)
        enable_readers(disk);
    return result;
}

enum disk_result disk_writer_open(struct disk_store *disk)
{
    return open_or_replace(disk, true);
}

/* Like disk_writer_open(), but while running; `damaged` says that the open file is. The file at the
 * path may be another daemon's new one by now. One of another version is left alone: daemons of two
 * versions would delete each other's file for ever. */
static enum disk_result replace_file(struct disk_store *disk, bool damaged)
{
    close_readers(disk);
    disk_file_close(&disk->file);
    __atomic_store_n(&disk->damaged, false, __ATOMIC_RELAXED);
    if (damaged && !put_file_away(disk, DISK_DAMAGED))
        return DISK_FAILED;
    return open_or_replace(disk, false);
}

/* Opens the file if it is closed, and replaces it if it is damaged, gone or another one. Only then
 * do the readers lose their connections. */
static enum disk_result ensure_open(struct disk_store *disk)
{
    const bool damaged = __atomic_load_n(&disk->damaged, __ATOMIC_RELAXED);
    const bool ready = __atomic_load_n(&disk->ready, __ATOMIC_RELAXED);
    if (damaged || !ready || check_file_replaced(disk))
        return replace_file(disk, damaged);
    if (disk->file.database)
        return DISK_DONE;
    enum disk_result result = open_file(disk);
    return result == DISK_DAMAGED || result == DISK_OTHER_VERSION ? replace_file(disk, false)
                                                                  : result;
}

static enum disk_result delete_tile(struct disk_store *disk, int64_t hash, int64_t tile)
{
    enum disk_result result =
        disk_file_run(&disk->file, DISK_DELETE_ENTRY, (const int64_t[]){hash, tile}, 2);
    if (result != DISK_NONE)
        return result;
    return disk_file_run(&disk->file, DISK_DELETE_TILE, &tile, 1);
}

/* Deletes the tile of that hash, if there is one. DISK_NONE when done. */
static enum disk_result delete_by_hash(struct disk_store *disk, int64_t hash)
{
    enum disk_result result = disk_file_run(&disk->file, DISK_FIND_TILE, &hash, 1);
    if (result != DISK_DONE)
        return result;
    const int64_t tile = sqlite3_column_int64(disk->file.statements[DISK_FIND_TILE], 0);
    sqlite3_reset(disk->file.statements[DISK_FIND_TILE]);
    return delete_tile(disk, hash, tile);
}

static enum disk_result put(struct disk_store *disk, const struct disk_task *task)
{
    enum disk_result result = delete_by_hash(disk, task->hash);
    if (result != DISK_NONE)
        return result;
    sqlite3_stmt *add = disk->file.statements[DISK_ADD_TILE];
    sqlite3_bind_blob64(add, 1, task->record, task->length, SQLITE_STATIC);
    result = disk_file_run(&disk->file, DISK_ADD_TILE, NULL, 0);
    sqlite3_bind_null(add, 1);
    if (result != DISK_NONE)
        return result;
    const int64_t entry[] = {task->hash, sqlite3_last_insert_rowid(disk->file.database),
                             (int64_t)task->length};
    result = disk_file_run(&disk->file, DISK_ADD_ENTRY, entry, 3);
    if (result == DISK_NONE)
        __atomic_store_n(&disk->newest, entry[1], __ATOMIC_RELAXED);
    return result;
}

static enum disk_result run_task(struct disk_store *disk, const struct disk_task *task)
{
    const int64_t use[] = {task->hash, task->use};
    switch (task->kind) {
    case DISK_TASK_PUT:
        return put(disk, task);
    case DISK_TASK_TOUCH:
        return disk_file_run(&disk->file, DISK_TOUCH, use, 2);
    case DISK_TASK_DELETE:
        return delete_by_hash(disk, task->hash);
    }
    return DISK_NONE;
}

static enum disk_result count_pages(struct disk_store *disk, int64_t *pages, int64_t *used)
{
    int64_t unused = 0;
    enum disk_result result = disk_file_query_number(&disk->file, DISK_PAGES, pages);
    if (result == DISK_DONE)
        result = disk_file_query_number(&disk->file, DISK_FREE_PAGES, &unused);
    *used = *pages - unused;
    return result;
}

/* Deletes up to eight of the least recently used. DISK_NONE if there are no entries. */
static enum disk_result evict_some(struct disk_store *disk)
{
    enum disk_result result = DISK_NONE;
    for (int i = 0; i < 8; i++) {
        result = disk_file_run(&disk->file, DISK_OLDEST, NULL, 0);
        if (result != DISK_DONE)
            return i > 0 && result == DISK_NONE ? DISK_DONE : result;
        sqlite3_stmt *oldest = disk->file.statements[DISK_OLDEST];
        const int64_t hash = sqlite3_column_int64(oldest, 0);
        const int64_t tile = sqlite3_column_int64(oldest, 1);
        const int64_t use = sqlite3_column_int64(oldest, 2);
        sqlite3_reset(disk->file.statements[DISK_OLDEST]);
        result = delete_tile(disk, hash, tile);
        if (result != DISK_NONE)
            return result;
        store_count(&disk->store, evictions, 1);
        __atomic_store_n(&disk->oldest, use, __ATOMIC_RELAXED);
    }
    return DISK_DONE;
}

/* Evicts until `wanted` more pages fit. A file full of pages without entries is damaged. */
static enum disk_result make_room(struct disk_store *disk, int64_t wanted)
{
    int64_t pages, used;
    enum disk_result result = count_pages(disk, &pages, &used);
    for (int i = 0;
         result == DISK_DONE && used + wanted > disk->page_budget && i < EVICTIONS_MAX / 8; i++) {
        result = evict_some(disk);
        if (result == DISK_NONE)
            return used > disk->page_budget / 4 ? DISK_DAMAGED : DISK_DONE;
        if (result == DISK_DONE)
            result = count_pages(disk, &pages, &used);
    }
    if (result == DISK_DONE && pages > disk->page_budget + disk->page_budget / 16)
        result = disk_file_shrink(&disk->file);
    __atomic_store_n(&disk->store.counts.bytes, (uint64_t)used * DISK_PAGE, __ATOMIC_RELAXED);
    return result;
}

/* Pages that the batch may need: those of the records, and a quarter more for entries and indexes.
 */
static int64_t estimate_pages(const struct disk_task *tasks)
{
    int64_t bytes = 0;
    for (; tasks; tasks = tasks->next)
        bytes += (int64_t)tasks->length;
    const int64_t pages = bytes / DISK_PAGE + 1;
    return bytes > 0 ? pages + pages / 4 + 1 : 0;
}

static enum disk_result write_batch(struct disk_store *disk, const struct disk_task *tasks)
{
    enum disk_result result = disk_file_run(&disk->file, DISK_BEGIN, NULL, 0);
    if (result == DISK_NONE)
        result = make_room(disk, estimate_pages(tasks));
    for (; tasks && (result == DISK_DONE || result == DISK_NONE); tasks = tasks->next)
        result = run_task(disk, tasks);
    if (result == DISK_DONE || result == DISK_NONE)
        result = disk_file_run(&disk->file, DISK_COMMIT, NULL, 0);
    return result == DISK_NONE ? DISK_DONE : result;
}

/* Copies a long log into the file. */
static enum disk_result limit_wal(struct disk_store *disk)
{
    const int pages = disk->file.wal_pages;
    if (pages <= disk->wal_pages)
        return DISK_DONE;
    return disk_file_checkpoint(&disk->file, pages > WAL_RESTART_FACTOR * disk->wal_pages &&
                                                 !disk_queue_is_closed(&disk->queue));
}

static uint64_t count_puts(const struct disk_task *tasks)
{
    uint64_t puts = 0;
    for (; tasks; tasks = tasks->next)
        puts += tasks->kind == DISK_TASK_PUT;
    return puts;
}

static void record_failure(struct disk_store *disk, enum disk_result result)
{
    if (result == DISK_DAMAGED)
        __atomic_store_n(&disk->damaged, true, __ATOMIC_RELAXED);
    else
        log_limited(&disk->failure_report, "%s cannot be written (%s); tiles are served without it",
                    disk->path, disk->file.message);
    disk_file_rollback(&disk->file);
    /* The fault may be the connection's own. */
    disk_file_close(&disk->file);
    disk->failing = true;
    __atomic_store_n(&disk->paused_until,
                     result == DISK_DAMAGED ? 0 : clock_milliseconds() + RETRY_MS,
                     __ATOMIC_RELAXED);
}

/* True while it is too early to try again. */
static bool is_paused(const struct disk_store *disk)
{
    return clock_milliseconds() < __atomic_load_n(&disk->paused_until, __ATOMIC_RELAXED) &&
           !__atomic_load_n(&disk->damaged, __ATOMIC_RELAXED);
}

static void process_batch(struct disk_store *disk, const struct disk_task *tasks)
{
    const uint64_t puts = count_puts(tasks);
    if (is_paused(disk)) {
        store_count(&disk->store, write_failures, puts);
        return;
    }
    enum disk_result result = ensure_open(disk);
    if (result == DISK_DONE)
        result = write_batch(disk, tasks);
    if (result == DISK_DONE) {
        store_count(&disk->store, writes, puts);
        result = limit_wal(disk);
    } else {
        store_count(&disk->store, write_failures, puts);
    }
    if (result != DISK_DONE) {
        record_failure(disk, result);
    } else if (disk->failing && puts > 0) {
        log_limited(&disk->recovery_report, "%s is written again", disk->path);
        disk->failing = false;
    }
}

static void free_tasks(struct disk_task *tasks)
{
    for (struct disk_task *next; tasks; tasks = next) {
        next = tasks->next;
        free(tasks);
    }
}

void *disk_writer_main(void *argument)
{
    struct disk_store *disk = argument;
    bool ended = false;
    while (!ended) {
        struct disk_task *tasks = disk_queue_take(&disk->queue, disk->batch_bytes, &ended);
        if (tasks || __atomic_load_n(&disk->damaged, __ATOMIC_RELAXED))
            process_batch(disk, tasks);
        free_tasks(tasks);
    }
    return NULL;
}
