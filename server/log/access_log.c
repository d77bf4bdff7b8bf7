/* The writer of the access log. Event loops must not touch a file, as a full disk or a stalled pipe
 * would stop all their clients; so they copy records into rings (log_ring.h), and one thread
 * formats and writes them in batches of 64 KB. Records carry times of the monotonic clock, to which
 * the thread adds the present offset of the real-time clock: loops read one clock only.
 *
 * The thread polls the rings every 20 ms instead of being woken: a wake-up for each request would
 * cost its loop a system call. */
#include "server/log/access_log.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/log/log.h"
#include "server/log/log_ring.h"

enum {
    RING_BYTES = 1 << 20,    /* of each loop: thousands of lines */
    BATCH_BYTES = 64 * 1024, /* written at once */
    PIPE_BYTES = 4096,       /* what a pipe takes whole once it takes anything */
    LOOK_EVERY_MS = 20,
    POLL_MS = 100, /* of a wait for room in a pipe, between two looks whether the server stops */
    STOP_MS = 1000,
    LOG_FAILURE_EVERY_MS = 10000,
};

struct access_log {
    char *path;
    enum access_format format;
    int file;
    bool regular;  /* a file on a disk, not a pipe or terminal */
    bool reopen;   /* atomic, like `stopping` and `lost` */
    bool stopping; /* the remaining records are still written */
    uint64_t lost;
    int64_t offset;         /* from clock_microseconds() to the time since 1970 */
    int64_t deadline;       /* of the stop, milliseconds */
    int64_t failure_logged; /* milliseconds; 0 for never */
    bool torn;              /* the last write ended within a line */
    struct buffer batch;
    uint64_t batch_lines;
    pthread_t thread;
    bool started;
    size_t count;
    struct log_ring *rings[];
};

/* O_NONBLOCK: a named pipe without a reader is an error instead of a wait. */
static int open_file(const char *path)
{
    if (strcmp(path, "-") == 0)
        return STDOUT_FILENO;
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0640);
}

static void use_file(struct access_log *log, int file)
{
    struct stat status;
    if (log->file > STDERR_FILENO)
        close(log->file);
    log->file = file;
    log->torn = false;
    log->regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
}

/* Logs a failed write, at a bounded rate. */
static void log_failure(struct access_log *log, int reason)
{
    const int64_t now = clock_milliseconds();
    if (log->failure_logged && now - log->failure_logged < LOG_FAILURE_EVERY_MS)
        return;
    log_write(LOG_ACCESS, LOG_ERROR, "%s cannot be written, lines are lost: %s", log->path,
              strerror(reason));
    log->failure_logged = now;
}

static void reopen_file(struct access_log *log)
{
    const int file = open_file(log->path);
    if (file < 0)
        log_write(LOG_ACCESS, LOG_ERROR,
                  "%s cannot be opened again, so that the old file stays in use: %s", log->path,
                  strerror(errno));
    else
        use_file(log, file);
}

/* False when the server stops and its deadline has passed. */
static bool may_wait(const struct access_log *log)
{
    return !__atomic_load_n(&log->stopping, __ATOMIC_ACQUIRE) ||
           clock_milliseconds() < log->deadline;
}

/* The number of bytes written; fewer than `length` on failure. Pipes and terminals get pieces that
 * fit once poll() reports room. Past the deadline nothing waits any more, so that neither a stalled
 * reader nor one that takes a little at a time can hold up the stop. */
static size_t write_bytes(struct access_log *log, const uint8_t *bytes, size_t length)
{
    size_t done = 0;
    while (done < length) {
        size_t more = length - done;
        if (!log->regular) {
            struct pollfd ready = {.fd = log->file, .events = POLLOUT};
            const bool waits = may_wait(log);
            if (poll(&ready, 1, waits ? POLL_MS : 0) == 0 && waits)
                continue;
            more = more < PIPE_BYTES ? more : PIPE_BYTES;
            errno = EAGAIN;
            if (!(ready.revents & POLLOUT) && !(ready.revents & (POLLERR | POLLHUP)))
                break;
        }
        const ssize_t written = write(log->file, bytes + done, more);
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || (errno != EINTR && errno != EAGAIN))
            break;
    }
    return done;
}

static uint64_t count_lines(const uint8_t *bytes, size_t length)
{
    uint64_t lines = 0;
    for (size_t i = 0; i < length; i++)
        lines += bytes[i] == '\n';
    return lines;
}

/* The number of lines written. A line break first ends a line that was torn by a failure. */
static uint64_t write_lines(struct access_log *log)
{
    const struct buffer *batch = &log->batch;
    if (log->torn && write_bytes(log, (const uint8_t *)"\n", 1) == 0)
        return 0;
    log->torn = false;
    const size_t done = write_bytes(log, batch->data, batch->length);
    log->torn = done > 0 && batch->data[done - 1] != '\n';
    return count_lines(batch->data, done);
}

static void write_batch(struct access_log *log)
{
    if (log->batch_lines == 0)
        return;
    const uint64_t lines = log->batch.failed ? 0 : write_lines(log);
    if (lines < log->batch_lines)
        log_failure(log, log->batch.failed ? ENOMEM : errno);
    __atomic_fetch_add(&log->lost, log->batch_lines - lines, __ATOMIC_RELAXED);
    buffer_clear(&log->batch);
    log->batch_lines = 0;
}

/* Formats a record of a ring, where the texts follow the struct. */
static void write_record(struct access_log *log, const struct access_record *kept)
{
    struct access_record record = *kept;
    const char *text = (const char *)(kept + 1);
    record.at += log->offset;
    for (int i = 0; i < ACCESS_TEXTS; i++) {
        if (!record.texts[i].bytes)
            continue;
        record.texts[i].bytes = text;
        text += record.texts[i].length;
    }
    access_line_write(&record, log->format, &log->batch);
    log->batch_lines++;
}

static void drain(struct access_log *log, struct log_ring *ring)
{
    for (const void *record; (record = log_ring_take(ring));) {
        write_record(log, record);
        log_ring_drop(ring);
        if (log->batch.length >= BATCH_BYTES || log->batch.failed)
            write_batch(log);
    }
}

static int64_t clock_offset(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000 - clock_microseconds();
}

static void *log_main(void *argument)
{
    struct access_log *log = argument;
    for (bool last = false; !last;) {
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY_MS * 1000000L}, NULL);
        last = __atomic_load_n(&log->stopping, __ATOMIC_ACQUIRE);
        log->offset = clock_offset();
        /* Records from before the request still go to the old file. */
        const bool reopen = __atomic_exchange_n(&log->reopen, false, __ATOMIC_ACQUIRE);
        for (size_t i = 0; i < log->count; i++)
            drain(log, log->rings[i]);
        write_batch(log);
        if (reopen)
            reopen_file(log);
    }
    return NULL;
}

static struct access_log *log_new(const char *path, size_t writers)
{
    struct access_log *log = calloc(1, sizeof *log + writers * sizeof(struct log_ring *));
    if (!log)
        return NULL;
    log->file = -1;
    log->count = writers;
    log->path = strdup(path);
    bool done = log->path != NULL;
    for (size_t i = 0; i < writers; i++) {
        log->rings[i] = log_ring_new(RING_BYTES);
        done = done && log->rings[i];
    }
    if (done)
        return log;
    access_log_stop(log);
    return NULL;
}

struct access_log *access_log_start(const char *path, enum access_format format, size_t writers,
                                    struct error *error)
{
    struct access_log *log = log_new(path, writers);
    if (!log)
        return error_memory_null(error);
    log->format = format;
    const int file = open_file(path);
    if (file < 0) {
        error_set(error, ERROR_IO, "access log %s: cannot be opened: %s", path, strerror(errno));
    } else {
        use_file(log, file);
        log->started = pthread_create(&log->thread, NULL, log_main, log) == 0;
        if (log->started)
            return log;
        error_set(error, ERROR_IO, "cannot start the access log's thread");
    }
    access_log_stop(log);
    return NULL;
}

void access_log_stop(struct access_log *log)
{
    if (!log)
        return;
    log->deadline = clock_milliseconds() + STOP_MS;
    __atomic_store_n(&log->stopping, true, __ATOMIC_RELEASE);
    if (log->started)
        pthread_join(log->thread, NULL);
    if (log->file > STDERR_FILENO)
        close(log->file);
    for (size_t i = 0; i < log->count; i++)
        log_ring_free(log->rings[i]);
    buffer_free(&log->batch);
    free(log->path);
    free(log);
}

bool access_log_put(struct access_log *log, size_t writer, const struct access_record *record)
{
    size_t lengths[ACCESS_TEXTS], length = sizeof *record;
    for (int i = 0; i < ACCESS_TEXTS; i++) {
        lengths[i] = !record->texts[i].bytes                     ? 0
                     : record->texts[i].length < ACCESS_TEXT_MAX ? record->texts[i].length
                                                                 : ACCESS_TEXT_MAX;
        length += lengths[i];
    }
    struct access_record *kept = log_ring_reserve(log->rings[writer], length);
    if (!kept)
        return false;
    *kept = *record;
    char *text = (char *)(kept + 1);
    for (int i = 0; i < ACCESS_TEXTS; i++) {
        kept->texts[i].length = lengths[i];
        if (lengths[i] > 0)
            memcpy(text, record->texts[i].bytes, lengths[i]);
        text += lengths[i];
    }
    log_ring_put(log->rings[writer]);
    return true;
}

void access_log_reopen(struct access_log *log)
{
    if (log)
        __atomic_store_n(&log->reopen, true, __ATOMIC_RELEASE);
}

uint64_t access_log_lost(const struct access_log *log)
{
    return __atomic_load_n(&log->lost, __ATOMIC_RELAXED);
}
