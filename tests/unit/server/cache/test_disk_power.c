/* The tier on a disk when the power fails: of what was written since a file was last known to be on
 * the disk, any part may be missing. No wrong byte is ever read, and the file is not even damaged,
 * as SQLite promises for its log and synchronous=NORMAL.
 *
 * TERRANE_FAULTS says how often the power fails; TERRANE_SEED repeats a run. */
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/cache/disk.h"
#include "server/cache/record.h"
#include "tests/unit/server/cache/failing_disk.h"
#include "tests/unit/server/cache/store_helpers.h"
#include "tests/unit/temporary_folder.h"

enum {
    RECORDS = 1000, /* of which the file holds half */
    LENGTH = 30000,
    SECTOR = 4096,
};

static const struct hash128 build = {.high = 3, .low = 4};
static const char *path;

static uint32_t random_state;
static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)random_state * limit) >> 32);
}

static int set_path(void **state)
{
    (void)state;
    path = temporary_path("tiles.db");
    return 0;
}

static const char *beside(const char *suffix)
{
    return temporary_path("tiles.db%s", suffix);
}

static void delete_file(const char *suffix)
{
    unlink(beside(suffix));
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
    store->methods->put(store, &key, sealed.data, sealed.length);
    buffer_free(&sealed);
}

/* The number of records found; each must be whole. */
static unsigned read_all(struct store *store)
{
    unsigned found = 0;
    struct buffer out = {0};
    for (uint64_t number = 0; number < RECORDS; number++) {
        const struct cache_key key = key_of(number);
        struct record record;
        buffer_clear(&out);
        const enum store_result result = store->methods->get(store, &key, &out);
        assert_int_not_equal(result, STORE_FAILED);
        if (result == STORE_MISS)
            continue;
        assert_true(record_open(out.data, out.length, &key, build, &record));
        assert_int_equal(record.length, LENGTH);
        assert_int_equal(record.bytes[number], number % 251);
        found++;
    }
    buffer_free(&out);
    return found;
}

static uint8_t *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "r");
    uint8_t *bytes = NULL;
    *length = 0;
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    bytes = malloc(*length + 1);
    if (!bytes || fread(bytes, 1, *length, file) != *length)
        abort();
    fclose(file);
    return bytes;
}

static void write_file(const char *name, const uint8_t *bytes, size_t length)
{
    FILE *file = fopen(name, "w");
    if (!file || fwrite(bytes, 1, length, file) != length || fclose(file) != 0)
        abort();
}

/* Keeps what is on the disk for certain. */
static void save_synced_copy(const char *name)
{
    char next[PATH_MAX], synced[PATH_MAX];
    size_t length;
    snprintf(next, sizeof next, "%s.next", name);
    snprintf(synced, sizeof synced, "%s.synced", name);
    uint8_t *bytes = read_file(name, &length);
    write_file(next, bytes, length);
    rename(next, synced);
    free(bytes);
}

/* A daemon that writes until it is killed. */
static void write_until_killed(void)
{
    struct error error = {0};
    failing_disk_register();
    on_sync = save_synced_copy;
    struct store *store = disk_open(&(struct disk_options){path, DISK_SIZE_MIN, 2}, &error);
    for (uint64_t i = 0; store; i++) {
        put(store, (i * 7 + random_below(3)) % RECORDS);
        while (i % 10 == 0 && store_statistics(store).writes + 20 < i)
            usleep(500);
    }
    _exit(1);
}

/* Each sector of the file is what was written or what was there at the last sync. */
static void simulate_power_loss(const char *suffix)
{
    size_t written_length, synced_length;
    const char *name = beside(suffix);
    uint8_t *written = read_file(name, &written_length);
    uint8_t *synced = read_file(temporary_path("tiles.db%s.synced", suffix), &synced_length);
    const size_t length = random_below(2) ? written_length : synced_length;
    const uint32_t kept = random_below(101); /* of a hundred */
    uint8_t *left = calloc(1, length + SECTOR);
    assert_non_null(left);
    for (size_t at = 0; at < length; at += SECTOR) {
        const bool is_new = random_below(100) < kept;
        const uint8_t *from = is_new ? written : synced;
        const size_t most = is_new ? written_length : synced_length;
        if (at < most)
            memcpy(left + at, from + at, most - at < SECTOR ? most - at : SECTOR);
    }
    if (written)
        write_file(name, left, length);
    free(left);
    free(written);
    free(synced);
}

static struct store *open_disk(void)
{
    struct error error = {0};
    struct store *store = disk_open(&(struct disk_options){path, DISK_SIZE_MIN, 2}, &error);
    assert_non_null(store);
    return store;
}

/* True if the daemon has begun to write its log. */
static bool has_begun(void)
{
    struct stat status;
    return stat(beside("-wal"), &status) == 0 && status.st_size > 0;
}

/* A daemon is killed while it writes, the power fails, and another one finds what is left. */
static unsigned run_until_power_loss(void)
{
    const pid_t pid = fork();
    if (pid == 0)
        write_until_killed();
    assert_true(pid > 0);
    for (int i = 0; i < 60000 && !has_begun(); i++)
        usleep(1000);
    usleep(random_below(400000));
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    simulate_power_loss("");
    simulate_power_loss("-wal");
    delete_file("-shm");
    struct store *store = open_disk();
    const unsigned found = read_all(store);
    store->methods->free(store);
    assert_int_not_equal(access(beside(".damaged"), F_OK), 0);
    save_synced_copy(path);
    delete_file("-wal.synced");
    return found;
}

static void power_fails_while_writing(void **state)
{
    (void)state;
    const char *all = getenv("TERRANE_FAULTS"), *seed = getenv("TERRANE_SEED");
    const int rounds = all ? atoi(all) : 12;
    unsigned found = 0;
    random_state = seed ? (uint32_t)atol(seed) : 1;
    /* The power does not fail while the file is created. */
    struct store *store = open_disk();
    store->methods->free(store);
    save_synced_copy(path);
    for (int round = 0; round < rounds; round++)
        found += run_until_power_loss();
    print_message("%d times, %u records found\n", rounds, found);
    assert_true(found > 0);
}

int test_disk_power(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(power_fails_while_writing, set_path,
                                        temporary_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
