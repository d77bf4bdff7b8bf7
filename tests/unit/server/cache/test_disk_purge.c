/* Deleting what is in a disk cache's file, while a daemon may do the same: how much room and time
 * that takes. */
#include "server/cache/disk_maintenance.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/cache/disk.h"
#include "tests/unit/server/cache/store_helpers.h"
#include "tests/unit/temporary_folder.h"

enum { LENGTH = 30000, SIZE = 64 << 20 };

static const char *path;

static int set_path(void **state)
{
    (void)state;
    path = temporary_path("tiles.db");
    return 0;
}

/* A file of so many records of zeros, at rest. */
static void make_file(uint64_t count)
{
    static const uint8_t zeros[LENGTH];
    struct error error = {0};
    struct store *store = disk_open(&(struct disk_options){path, SIZE, 1}, &error);
    assert_non_null(store);
    for (uint64_t i = 0; i < count; i++) {
        const struct cache_key key = key_of(i);
        store->methods->put(store, &key, zeros, LENGTH);
        while (i % 32 == 31 && store_statistics(store).writes <= i)
            usleep(1000);
    }
    store->methods->free(store);
}

static void open_tools(struct disk_file *file)
{
    struct error error = {0};
    if (!disk_maintenance_open(file, path, DISK_MODE_WRITE, &error))
        fail_msg("%s", error.message);
}

/* The number that a question in SQL gives. */
static int64_t ask(sqlite3 *database, const char *sql)
{
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    const int64_t number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

static uint64_t size_of(const char *suffix)
{
    struct stat status;
    return stat(temporary_path("tiles.db%s", suffix), &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* A daemon replaces a tile between the visit and the deletion. */
static bool replace_first(void *context, const struct disk_row *row)
{
    static const char sql[] =
        "BEGIN IMMEDIATE; DELETE FROM tiles WHERE id = 1;"
        "INSERT INTO tiles(record) VALUES(x'0102');"
        "UPDATE entries SET tile = last_insert_rowid() WHERE tile = 1; COMMIT";
    unsigned *visited = context;
    assert_int_equal(row->record_length, LENGTH);
    if (++*visited == 1) {
        sqlite3 *database;
        assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
        assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(database);
    }
    return true;
}

static void records_replaced_during_a_scan_stay(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    uint64_t deleted;
    unsigned visited = 0;
    make_file(10);
    open_tools(&file);
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, replace_first, &visited},
                                      &deleted, &error));
    assert_int_equal(visited, 10);
    assert_int_equal(deleted, 9);
    assert_int_equal(ask(file.database, "SELECT count(*) FROM tiles"), 1);
    assert_int_equal(
        ask(file.database, "SELECT length(record) FROM entries JOIN tiles ON id = tile"), 2);
    disk_file_close(&file);
}

static bool every_other(void *context, const struct disk_row *row)
{
    (void)row;
    return ++*(unsigned *)context % 2 == 0;
}

/* 45 MB, of which half goes, scattered: the log must not become as large. */
static void deleting_needs_little_disk_space(void **state)
{
    (void)state;
    enum { RECORDS = 1500, LOG_MOST = 12 << 20 };
    struct disk_file file;
    struct error error = {0};
    uint64_t deleted;
    unsigned visited = 0;
    make_file(RECORDS);
    const uint64_t before = size_of("");
    open_tools(&file);
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, every_other, &visited},
                                      &deleted, &error));
    assert_int_equal(deleted, RECORDS / 2);
    assert_true(disk_maintenance_shrink(&file, &error));
    assert_in_range(size_of("-wal"), 0, LOG_MOST);
    assert_int_equal(ask(file.database, "PRAGMA freelist_count"), 0);
    assert_true(disk_maintenance_check(&file, &error));
    disk_file_close(&file);
    assert_true(size_of("") < before * 6 / 10);
}

/* Deleted records are not overwritten, as the log would become as large as the file. */
static void clearing_needs_little_disk_space(void **state)
{
    (void)state;
    enum { RECORDS = 1500, LOG_MOST = 12 << 20 };
    struct disk_file file;
    struct error error = {0};
    uint64_t deleted;
    make_file(RECORDS);
    open_tools(&file);
    assert_true(disk_maintenance_clear(&file, &deleted, &error));
    assert_int_equal(deleted, RECORDS);
    assert_in_range(size_of("-wal"), 0, LOG_MOST);
    assert_true(disk_maintenance_shrink(&file, &error));
    disk_file_close(&file);
    assert_in_range(size_of(""), 1, 1 << 20);
}

static int count_thousand(void *thousands)
{
    ++*(unsigned *)thousands;
    return 0;
}

static bool count_visit(void *visited, const struct disk_row *row)
{
    (void)row;
    ++*(unsigned *)visited;
    return false;
}

/* Where all is read and nothing written, all was used at the same time. */
static void many_rows_with_one_use_take_no_longer(void **state)
{
    (void)state;
    enum { ROWS = 100000, STEPS = 200 /* of SQLite's machine for each, at most */ };
    static const char sql[] =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) "
        "INSERT INTO entries SELECT i * 7919, i, 5, 0 FROM n";
    struct disk_file file;
    struct error error = {0};
    uint64_t deleted;
    unsigned visited = 0, thousands = 0;
    make_file(0);
    open_tools(&file);
    assert_int_equal(sqlite3_exec(file.database, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_progress_handler(file.database, 1000, count_thousand, &thousands);
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, count_visit, &visited},
                                      &deleted, &error));
    sqlite3_progress_handler(file.database, 0, NULL, NULL);
    assert_int_equal(visited, ROWS);
    assert_in_range(thousands, 1, ROWS / 1000 * STEPS);
    disk_file_close(&file);
}

/* A damaged header says that pages cannot be given back: it ends all the same. */
static void shrinking_ends_where_no_page_is_freed(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    uint64_t deleted;
    make_file(100);
    FILE *damaged = fopen(path, "r+");
    assert_non_null(damaged);
    assert_int_equal(fseek(damaged, 52, SEEK_SET), 0);
    assert_int_equal(fwrite((const uint8_t[16]){0}, 1, 4, damaged), 4);
    assert_int_equal(fseek(damaged, 64, SEEK_SET), 0);
    assert_int_equal(fwrite((const uint8_t[16]){0}, 1, 4, damaged), 4);
    assert_int_equal(fclose(damaged), 0);
    open_tools(&file);
    assert_true(disk_maintenance_clear(&file, &deleted, &error));
    disk_maintenance_shrink(&file, &error);
    assert_int_equal(deleted, 100);
    disk_file_close(&file);
}

int test_disk_purge(void)
{
#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, set_path, temporary_folder_remove)
    const struct CMUnitTest tests[] = {
        in_a_folder(records_replaced_during_a_scan_stay),
        in_a_folder(deleting_needs_little_disk_space),
        in_a_folder(clearing_needs_little_disk_space),
        in_a_folder(many_rows_with_one_use_take_no_longer),
        in_a_folder(shrinking_ends_where_no_page_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
