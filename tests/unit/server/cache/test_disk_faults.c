/* The tier on a disk whose file system fails: SQLite's calls go through one that says no to every
 * n-th write, or to all. No wrong byte is ever read, and it recovers by itself. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "server/cache/disk.h"
#include "server/cache/record.h"

/* Which calls fail: every `every`-th of those that change the file, 0 for none. Atomic. */
static struct {
    unsigned every, calls, failed;
    int code;
    bool torn; /* half of a write is done */
} faults;

static bool strikes(void)
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
};

static sqlite3_vfs *real_system;

#define real_of(file) (((struct file *)(file))->real)

static int fail_write(sqlite3_file *file, const void *bytes, int length, sqlite3_int64 offset)
{
    if (!strikes())
        return real_of(file)->pMethods->xWrite(real_of(file), bytes, length, offset);
    if (faults.torn)
        real_of(file)->pMethods->xWrite(real_of(file), bytes, length / 2, offset);
    return faults.code;
}

static int fail_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return strikes() ? SQLITE_IOERR_TRUNCATE
                     : real_of(file)->pMethods->xTruncate(real_of(file), size);
}

static int fail_sync(sqlite3_file *file, int flags)
{
    return strikes() ? SQLITE_IOERR_FSYNC : real_of(file)->pMethods->xSync(real_of(file), flags);
}

static int fail_shared(sqlite3_file *file, int page, int size, int extend, void volatile **out)
{
    if (extend && strikes())
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
    file->pMethods = NULL;
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

static char folder[64], path[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/terrane-disk-XXXXXX");
    if (!mkdtemp(folder))
        return -1;
    snprintf(path, sizeof path, "%s/tiles.db", folder);
    memset(&faults, 0, sizeof faults);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Standard error into a file, for its lines to be counted. */
static int hush(void)
{
    char name[128];
    snprintf(name, sizeof name, "%s/said", folder);
    int before = dup(STDERR_FILENO);
    int said = open(name, O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(said, STDERR_FILENO);
    close(said);
    return before;
}

static unsigned count_said(int before)
{
    char name[128];
    unsigned lines = 0;
    dup2(before, STDERR_FILENO);
    close(before);
    snprintf(name, sizeof name, "%s/said", folder);
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;)
        lines += c == '\n';
    fclose(file);
    return lines;
}

static struct store *open_disk(void)
{
    struct error error = {0};
    struct store *store = disk_open(&(struct disk_options){path, DISK_SIZE_MIN, 2}, &error);
    if (!store)
        print_error("%s\n", error.message);
    assert_non_null(store);
    return store;
}

static const struct hash128 build = {.high = 3, .low = 4};
enum { LENGTH = 30000 };

static struct cache_key key_of(uint64_t number)
{
    struct cache_key key;
    memset(&key, 0, sizeof key);
    memcpy(key.bytes, &number, sizeof number);
    cache_key_seal(&key);
    return key;
}

static void put(struct store *store, uint64_t number)
{
    static uint8_t bytes[LENGTH];
    const struct cache_key key = key_of(number);
    struct record record = {.build = build, .format = "png", .bytes = bytes, .length = LENGTH};
    struct buffer sealed = {0};
    memset(bytes, (int)(number % 251), sizeof bytes);
    memcpy(record.key, key.bytes, CACHE_KEY_BYTES);
    record_seal(&record, &sealed);
    assert_false(sealed.failed);
    store->methods->put(store, &key, sealed.data, sealed.length);
    buffer_free(&sealed);
}

/* Whether it is there. What is there and opens is right; what does not open would be rendered. */
static bool get(struct store *store, uint64_t number)
{
    const struct cache_key key = key_of(number);
    struct buffer out = {0};
    struct record record;
    bool found = store->methods->get(store, &key, &out) == STORE_HIT &&
                 record_open(out.data, out.length, &key, build, &record);
    if (found) {
        assert_int_equal(record.length, LENGTH);
        for (size_t i = 0; i < record.length; i++)
            assert_int_equal(record.bytes[i], number % 251);
    }
    buffer_free(&out);
    return found;
}

static void pause_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static void wait_for(struct store *store, uint64_t puts)
{
    for (int i = 0; i < 6000; i++) {
        const struct store_statistics now = store->methods->statistics(store);
        if (now.writes + now.write_failures >= puts)
            return;
        pause_milliseconds(10);
    }
    fail_msg("the records were neither written nor lost");
}

/* A store's life with every n-th call failing: opened, written, read, ended; then without. */
static unsigned live(unsigned every)
{
    enum { RECORDS = 40 };
    unsigned there = 0;
    __atomic_store_n(&faults.every, every, __ATOMIC_RELAXED);
    struct store *store = open_disk();
    for (uint64_t i = 0; i < RECORDS; i++)
        put(store, every * 1000 + i);
    wait_for(store, RECORDS);
    for (uint64_t i = 0; i < RECORDS; i++)
        get(store, every * 1000 + i);
    store->methods->free(store);
    __atomic_store_n(&faults.every, 0, __ATOMIC_RELAXED);
    store = open_disk();
    for (uint64_t i = 0; i < RECORDS; i++)
        there += get(store, every * 1000 + i);
    put(store, 999);
    wait_for(store, 1);
    assert_true(get(store, 999));
    store->methods->free(store);
    return there;
}

/* With TERRANE_FAULTS set, for every n up to that. */
static void live_through_all(int code, bool torn)
{
    const char *all = getenv("TERRANE_FAULTS");
    const unsigned last = all ? (unsigned)atoi(all) : 300;
    const int before = hush();
    unsigned there = 0;
    faults.code = code;
    faults.torn = torn;
    for (unsigned every = 1; every <= last; every += all ? 1 : 1 + every / 2)
        there += live(every);
    count_said(before);
    assert_true(faults.failed > 20);
    assert_true(there > 0);
}

static void every_nth_write_finds_the_disk_full(void **state)
{
    (void)state;
    live_through_all(SQLITE_FULL, false);
}

static void every_nth_write_is_torn(void **state)
{
    (void)state;
    live_through_all(SQLITE_IOERR_WRITE, true);
}

static void a_full_disk_is_said_now_and_then_and_recovered_from(void **state)
{
    (void)state;
    const int before = hush();
    faults.code = SQLITE_FULL;
    struct store *store = open_disk();
    put(store, 1);
    wait_for(store, 1);
    assert_true(get(store, 1));
    __atomic_store_n(&faults.every, 1, __ATOMIC_RELAXED);
    uint64_t puts = 1;
    for (; puts < 250; puts++) {
        put(store, puts + 1);
        pause_milliseconds(10);
    }
    wait_for(store, puts);
    assert_int_equal(store->methods->statistics(store).writes, 1);
    assert_true(get(store, 1));
    __atomic_store_n(&faults.every, 0, __ATOMIC_RELAXED);
    pause_milliseconds(1100);
    put(store, ++puts);
    wait_for(store, puts);
    assert_int_equal(store->methods->statistics(store).writes, 2);
    assert_true(get(store, puts));
    assert_true(get(store, 1));
    store->methods->free(store);
    /* One that it fails, one that it works again. */
    assert_int_equal(count_said(before), 2);
}

static void a_disk_that_is_full_at_the_start_is_waited_for(void **state)
{
    (void)state;
    const int before = hush();
    faults.code = SQLITE_FULL;
    faults.every = 1;
    struct store *store = open_disk();
    put(store, 1);
    wait_for(store, 1);
    assert_false(get(store, 1));
    __atomic_store_n(&faults.every, 0, __ATOMIC_RELAXED);
    pause_milliseconds(1100);
    put(store, 2);
    wait_for(store, 2);
    assert_true(get(store, 2));
    store->methods->free(store);
    assert_int_equal(count_said(before), 2);
}

int main(void)
{
    static sqlite3_vfs failing;
    real_system = sqlite3_vfs_find(NULL);
    failing = *real_system;
    failing.zName = "failing";
    failing.szOsFile = sizeof(struct file);
    failing.xOpen = open_file;
    sqlite3_vfs_register(&failing, 1);
#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        in_a_folder(every_nth_write_finds_the_disk_full),
        in_a_folder(every_nth_write_is_torn),
        in_a_folder(a_full_disk_is_said_now_and_then_and_recovered_from),
        in_a_folder(a_disk_that_is_full_at_the_start_is_waited_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
