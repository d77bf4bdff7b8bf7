/* A file system for SQLite that fails when it is told to, or takes its time. */
#ifndef TERRANE_TESTS_FAILING_DISK_H
#define TERRANE_TESTS_FAILING_DISK_H

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include <sqlite3.h>

/* Which calls fail: every `every`-th of those that change the file, 0 for none. Atomic. */
static struct {
    unsigned every, calls, failed;
    int code;
    bool torn;       /* half of a write is done */
    unsigned opened; /* how often the database itself was */
} faults;

/* Holds up whoever opens a file. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool closed, held;
} barrier = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static inline void barrier_set(bool closed)
{
    pthread_mutex_lock(&barrier.lock);
    barrier.closed = closed;
    pthread_cond_broadcast(&barrier.changed);
    pthread_mutex_unlock(&barrier.lock);
}

static inline void barrier_wait(void)
{
    pthread_mutex_lock(&barrier.lock);
    while (barrier.closed) {
        barrier.held = true;
        pthread_cond_broadcast(&barrier.changed);
        pthread_cond_wait(&barrier.changed, &barrier.lock);
    }
    pthread_mutex_unlock(&barrier.lock);
}

static inline void barrier_wait_held(void)
{
    pthread_mutex_lock(&barrier.lock);
    while (!barrier.held)
        pthread_cond_wait(&barrier.changed, &barrier.lock);
    pthread_mutex_unlock(&barrier.lock);
}

static bool should_fail(void)
{
    const unsigned every = __atomic_load_n(&faults.every, __ATOMIC_RELAXED);
    const unsigned call = __atomic_add_fetch(&faults.calls, 1, __ATOMIC_RELAXED);
    if (every == 0 || call % every != 0)
        return false;
    __atomic_add_fetch(&faults.failed, 1, __ATOMIC_RELAXED);
    return true;
}

/* A file, and the real system's. */
struct file {
    sqlite3_file base;
    sqlite3_file *real;
    const char *name; /* SQLite's; null if it has none */
};

/* Called when a file is on the disk as it stands; or null. */
static void (*on_sync)(const char *name);

static sqlite3_vfs *real_system;

#define real_of(file) (((struct file *)(file))->real)

static int fail_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset)
{
    if (!should_fail())
        return real_of(file)->pMethods->xWrite(real_of(file), bytes, length, offset);
    if (faults.torn)
        real_of(file)->pMethods->xWrite(real_of(file), bytes, length / 2, offset);
    return faults.code;
}

static int fail_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return should_fail() ? SQLITE_IOERR_TRUNCATE
                         : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int fail_sync(sqlite3_file *file, int flags)
{
    if (should_fail())
        return SQLITE_IOERR_FSYNC;
    const int code = real_of(file)->pMethods->xSync(real_of(file), flags);
    if (code == SQLITE_OK && on_sync && ((struct file *)file)->name)
        on_sync(((struct file *)file)->name);
    return code;
}

static int fail_shared(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    if (extend && should_fail())
        return SQLITE_IOERR_SHMSIZE;
    return real_of(file)->pMethods->xShmMap(real_of(file), page, size, extend, out);
}

static int pass_close(sqlite3_file *file)
{
    int code = real_of(file)->pMethods->xClose(real_of(file));
    sqlite3_free(real_of(file));
    return code;
}

static int pass_read(sqlite3_file *file, void *out, int length, sqlite3_int64 offset)
{
    return real_of(file)->pMethods->xRead(real_of(file), out, length, offset);
}

static int pass_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int pass_lock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xLock(real_of(file), lock);
}

static int pass_unlock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), lock);
}

static int pass_reserved(sqlite3_file *file, int *out)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), out);
}

static int pass_control(sqlite3_file *file, int operation, void *argument)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), operation, argument);
}

static int pass_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int pass_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int pass_shared_lock(sqlite3_file *file, int offset, int count, int flags)
{
    return real_of(file)->pMethods->xShmLock(real_of(file), offset, count, flags);
}

static void pass_barrier(sqlite3_file *file)
{
    real_of(file)->pMethods->xShmBarrier(real_of(file));
}

static int pass_unmap(sqlite3_file *file, int delete)
{
    return real_of(file)->pMethods->xShmUnmap(real_of(file), delete);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = pass_close,
    .xRead = pass_read,
    .xWrite = fail_write,
    .xTruncate = fail_truncate,
    .xSync = fail_sync,
    .xFileSize = pass_size,
    .xLock = pass_lock,
    .xUnlock = pass_unlock,
    .xCheckReservedLock = pass_reserved,
    .xFileControl = pass_control,
    .xSectorSize = pass_sector,
    .xDeviceCharacteristics = pass_device,
    .xShmMap = fail_shared,
    .xShmLock = pass_shared_lock,
    .xShmBarrier = pass_barrier,
    .xShmUnmap = pass_unmap,
};

static int open_file(sqlite3_vfs *system, const char *name, sqlite3_file *file, int flags,
                     int *out_flags)
{
    (void)system;
    barrier_wait();
    if (flags & SQLITE_OPEN_MAIN_DB)
        __atomic_add_fetch(&faults.opened, 1, __ATOMIC_RELAXED);
    file->pMethods = NULL;
    ((struct file *)file)->name = name;
    real_of(file) = sqlite3_malloc(real_system->szOsFile);
    if (!real_of(file))
        return SQLITE_NOMEM;
    memset(real_of(file), 0, (size_t)real_system->szOsFile);
    int code = real_system->xOpen(real_system, name, real_of(file), flags, out_flags);
    if (code == SQLITE_OK)
        file->pMethods = &methods;
    else
        sqlite3_free(real_of(file));
    return code;
}

/* All databases are opened through it from now on. */
static void failing_disk_register(void)
{
    static sqlite3_vfs failing;
    real_system = sqlite3_vfs_find(NULL);
    failing = *real_system;
    failing.zName = "failing";
    failing.szOsFile = sizeof(struct file);
    failing.xOpen = open_file;
    sqlite3_vfs_register(&failing, 1);
}

#endif
