/* The tier on a disk whose file system fails: SQLite's calls go through one that says no to every
 * n-th write, or to all. No wrong byte is ever read, and it recovers by itself. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"
#include "server/cache/disk.h"
#include "server/cache/record.h"
#include "tests/unit/server/cache/failing_disk.h"
#include "tests/unit/server/cache/store_helpers.h"
#include "tests/unit/temporary_folder.h"

static const char *path;

static int set_path(void **state)
{
    (void)state;
    path = temporary_path("tiles.db");
    memset(&faults, 0, sizeof faults);
    return 0;
}

/* Standard error into a file, for its lines to be counted. */
static int redirect_stderr(void)
{
    int before = dup(STDERR_FILENO);
    int said = open(temporary_path("said"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(said, STDERR_FILENO);
    close(said);
    return before;
}

static unsigned count_messages(int before)
{
    unsigned lines = 0;
    dup2(before, STDERR_FILENO);
    close(before);
    FILE *file = fopen(temporary_path("said"), "r");
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

/* True if the record is found. A record that opens must be right; one that does not open counts as
 * a miss. */
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

/* A store's life with every n-th call failing: opened, written, read, ended; then without. */
static unsigned run_with_faults(unsigned every)
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
static void run_with_every_fault(int code, bool torn)
{
    const char *all = getenv("TERRANE_FAULTS");
    const unsigned last = all ? (unsigned)atoi(all) : 300;
    const int before = redirect_stderr();
    unsigned there = 0;
    faults.code = code;
    faults.torn = torn;
    for (unsigned every = 1; every <= last; every += all ? 1 : 1 + every / 6)
        there += run_with_faults(every);
    count_messages(before);

    assert_true(faults.failed > 20);
    assert_true(there > 0);
}

static void every_nth_write_fails_with_a_full_disk(void **state)
{
    (void)state;
    run_with_every_fault(SQLITE_FULL, false);
}

static void every_nth_write_is_torn(void **state)
{
    (void)state;
    run_with_every_fault(SQLITE_IOERR_WRITE, true);
}

static void full_disk_is_reported(void **state)
{
    (void)state;
    const int before = redirect_stderr();
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
    assert_int_equal(store_statistics(store).writes, 1);
    assert_true(get(store, 1));
    __atomic_store_n(&faults.every, 0, __ATOMIC_RELAXED);
    pause_milliseconds(1100);
    put(store, ++puts);
    wait_for(store, puts);
    assert_int_equal(store_statistics(store).writes, 2);
    assert_true(get(store, puts));
    assert_true(get(store, 1));
    store->methods->free(store);
    /* One that it fails, one that it works again. */
    assert_int_equal(count_messages(before), 2);
}

static void a_full_disk_does_not_prevent_the_start(void **state)
{
    (void)state;
    const int before = redirect_stderr();
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
    assert_int_equal(count_messages(before), 2);
}

/* After a failed write the waiting records are dropped, not tried one by one: else closing would
 * take as many failures as there are records. */
static void one_failure_drops_the_whole_batch(void **state)
{
    (void)state;
    enum { RECORDS = 100 }; /* 3 MB, and a transaction is of 256 KB at most */
    const int before = redirect_stderr();
    faults.code = SQLITE_FULL;
    struct store *store = open_disk();
    put(store, 0);
    wait_for(store, 1);
    faults.opened = 0;
    __atomic_store_n(&faults.every, 1, __ATOMIC_RELAXED);
    const int64_t start = clock_milliseconds();
    for (uint64_t i = 1; i <= RECORDS; i++)
        put(store, i);
    wait_for(store, 1 + RECORDS);
    const int64_t seconds = (clock_milliseconds() - start) / 1000;
    assert_in_range(__atomic_load_n(&faults.opened, __ATOMIC_RELAXED), 0, seconds);
    assert_int_equal(store_statistics(store).write_failures, RECORDS);
    __atomic_store_n(&faults.every, 0, __ATOMIC_RELAXED);
    store->methods->free(store);
    count_messages(before);
}

/* The file has gone, and opening another one takes as long as the test likes. */
static void reads_do_not_wait_for_the_file_to_be_opened(void **state)
{
    (void)state;
    struct store *store = open_disk();
    put(store, 1);
    wait_for(store, 1);
    assert_true(get(store, 1));
    assert_int_equal(unlink(path), 0);
    pause_milliseconds(1100); /* it looks once a second */
    barrier_set(true);
    put(store, 2);
    barrier_wait_held();
    assert_false(get(store, 1)); /* hangs if it waits */
    barrier_set(false);
    wait_for(store, 2);
    assert_true(get(store, 2));
    store->methods->free(store);
}

int test_disk_faults(void)
{
    failing_disk_register();
#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, set_path, temporary_folder_remove)
    const struct CMUnitTest tests[] = {
        in_a_folder(every_nth_write_fails_with_a_full_disk),
        in_a_folder(every_nth_write_is_torn),
        in_a_folder(full_disk_is_reported),
        in_a_folder(a_full_disk_does_not_prevent_the_start),
        in_a_folder(one_failure_drops_the_whole_batch),
        in_a_folder(reads_do_not_wait_for_the_file_to_be_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
