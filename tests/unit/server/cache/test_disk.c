/* The tier on a disk: what it keeps over its end, what goes, and disks that cannot be used. */
#define _GNU_SOURCE /* unshare */
#include "tests/unit/server/cache/disk_fixture.h"

#include <sched.h>
#include <sqlite3.h>
#include <sys/mount.h>
#include <sys/wait.h>

#include "server/base/clock.h"
#include "server/cache/disk_file.h"

static void records_outlive_the_store(void **state)
{
    (void)state;
    struct store *store = open_disk();
    assert_int_equal(get(store, 1), 0);
    for (uint64_t i = 1; i <= 20; i++)
        put(store, i, 10000 * i);
    store->methods->free(store);
    assert_false(is_there("-wal"));
    store = open_disk();
    for (uint64_t i = 1; i <= 20; i++)
        assert_int_equal(get(store, i), 10000 * i);
    assert_int_equal(get(store, 21), 0);
    assert_int_equal(store_statistics(store).hits, 20);
    assert_int_equal(store_statistics(store).misses, 1);
    store->methods->free(store);
}

static void a_record_is_replaced_and_forgotten(void **state)
{
    (void)state;
    struct store *store = open_disk();
    put(store, 1, 100);
    wait_for(store, 1);
    assert_int_equal(get(store, 1), 100);
    put(store, 1, 200);
    wait_for(store, 2);
    assert_int_equal(get(store, 1), 200);
    const struct cache_key key = key_of(1);
    store->methods->invalidate(store, &key);
    put(store, 2, 100);
    wait_for(store, 3);
    assert_int_equal(get(store, 1), 0);
    assert_int_equal(get(store, 2), 100);
    assert_int_equal(store_statistics(store).damaged, 1);
    store->methods->free(store);
}

/* Four times what there is room for; number 1 is used all the time. */
static void the_size_is_kept_and_used_records_stay(void **state)
{
    (void)state;
    enum { RECORDS = 4 * SMALL / 20000 };
    struct store *store = open_disk();
    uint64_t largest = 0;
    for (uint64_t i = 1; i <= RECORDS; i++) {
        put(store, i, 20000);
        if (i % 100 == 0) {
            wait_for(store, i);
            assert_int_equal(get(store, 1), 20000);
            const uint64_t bytes = size_of("") + size_of("-wal");
            largest = bytes > largest ? bytes : largest;
        }
    }
    wait_for(store, RECORDS);
    assert_true(largest <= SMALL);
    assert_true(largest > SMALL / 2);
    const struct store_statistics now = store_statistics(store);
    assert_int_equal(now.writes, RECORDS);
    assert_true(now.evictions > RECORDS / 2 && now.evictions < RECORDS);
    assert_true(now.bytes <= SMALL);
    assert_int_equal(get(store, 1), 20000);
    assert_int_equal(get(store, 2), 0);
    assert_int_equal(get(store, RECORDS), 20000);
    store->methods->free(store);
}

/* Each of these records is a transaction, and after the first few the log is so long that readers
 * are waited for: for a second each, as this one stays. Those that wait at the end do not. */
static void a_reader_does_not_hold_up_the_end(void **state)
{
    (void)state;
    enum { RECORDS = 14, RECORD_BYTES = 290000 };
    sqlite3 *reader;
    struct store *store = open_disk();
    assert_int_equal(sqlite3_open(path, &reader), SQLITE_OK);
    assert_int_equal(sqlite3_exec(reader, "BEGIN; SELECT count(*) FROM entries", NULL, NULL, NULL),
                     SQLITE_OK);
    for (uint64_t number = 1; number <= RECORDS; number++)
        put(store, number, RECORD_BYTES);
    const int64_t start = clock_milliseconds();
    store->methods->free(store);
    assert_in_range(clock_milliseconds() - start, 0, RECORDS / 2 * DISK_BUSY_TIMEOUT_MS);
    sqlite3_close(reader);
    assert_true(size_of("-wal") + size_of("") > RECORDS * RECORD_BYTES);
}

/* Somebody deletes it under the running daemon. */
static void a_deleted_file_is_created_again(void **state)
{
    (void)state;
    struct store *store = open_disk();
    put(store, 1, 100);
    wait_for(store, 1);
    assert_int_equal(unlink(path), 0);
    pause_milliseconds(1100);
    put(store, 2, 100);
    wait_for(store, 2);
    assert_true(is_there(""));
    assert_int_equal(get(store, 1), 0);
    assert_int_equal(get(store, 2), 100);
    store->methods->free(store);
}

enum { NOT_AT_HAND = 77 };

/* In a process of its own, with a folder that nobody can write to. */
static int serve_from_a_read_only_disk(void)
{
    struct error error = {0};
    if (unshare(geteuid() == 0 ? CLONE_NEWNS : CLONE_NEWUSER | CLONE_NEWNS) != 0 ||
        mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", temporary_folder(), "tmpfs", MS_RDONLY, NULL) != 0)
        return NOT_AT_HAND;
    struct store *store = disk_open(&(struct disk_options){path, SMALL, 2}, &error);
    if (!store)
        return 1;
    const struct cache_key key = key_of(1);
    struct buffer out = {0};
    const bool declined = store->methods->is_unavailable(store, &key) &&
                          store->methods->get(store, &key, &out) == STORE_FAILED;
    put(store, 1, 100);
    wait_for(store, 1);
    const bool failed = store_statistics(store).write_failures == 1;
    store->methods->free(store);
    return declined && failed ? 0 : 2;
}

/* A disk that failed has been made read-only, say: no reason not to start. */
static void a_read_only_disk_does_not_prevent_the_start(void **state)
{
    (void)state;
    int status;
    const pid_t pid = fork();
    if (pid == 0)
        _exit(serve_from_a_read_only_disk());
    assert_true(pid > 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WEXITSTATUS(status) == NOT_AT_HAND)
        skip();
    assert_int_equal(status, 0);
}

static void impossible_paths_fail_at_the_start(void **state)
{
    (void)state;
    struct error error = {0};
    const char *nowhere = temporary_path("no/tiles.db"), *folder = temporary_folder();
    assert_null(disk_open(&(struct disk_options){nowhere, SMALL, 2}, &error));
    assert_non_null(strstr(error.message, "its folder"));
    assert_null(disk_open(&(struct disk_options){folder, SMALL, 2}, &error));
    assert_non_null(strstr(error.message, "not a file"));
    assert_null(disk_open(&(struct disk_options){path, SMALL - 1, 2}, &error));
    assert_non_null(strstr(error.message, "16 MB"));
}

int test_disk(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(records_outlive_the_store),
        in_a_folder(a_record_is_replaced_and_forgotten),
        in_a_folder(the_size_is_kept_and_used_records_stay),
        in_a_folder(a_reader_does_not_hold_up_the_end),
        in_a_folder(a_deleted_file_is_created_again),
        in_a_folder(a_read_only_disk_does_not_prevent_the_start),
        in_a_folder(impossible_paths_fail_at_the_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
