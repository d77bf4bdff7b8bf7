/* Looking into a cache's file from outside: what is in it, what is deleted, what is refused, and
 * what is said of a file that is not as it was written. */
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

#include "tests/unit/temporary_folder.h"

enum { ROWS = 600 /* more than two steps of 256 */, RECORD = 1000 };

static const char *path;

static int set_path(void **state)
{
    (void)state;
    path = temporary_path("tiles.db");
    return 0;
}

/* By a connection of its own. */
static void execute(const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

/* A new cache with these entries: hashes 0 … ROWS − 1, each used when it was written. */
static void fill(void)
{
    struct disk_file file;
    assert_int_equal(disk_file_open(&file, path, DISK_MODE_WRITE), DISK_DONE);
    disk_file_close(&file);
    char sql[512];
    snprintf(sql, sizeof sql,
             "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < %d) "
             "INSERT INTO tiles(id, record) SELECT i, zeroblob(%d) FROM n;"
             "INSERT INTO entries(hash, tile, used, bytes) SELECT id - 1, id, id, %d FROM tiles",
             ROWS, RECORD, RECORD);
    execute(sql);
}

static void open_tools(struct disk_file *file, enum disk_mode mode)
{
    struct error error = {0};
    if (!disk_maintenance_open(file, path, mode, &error))
        fail_msg("%s", error.message);
}

struct visits {
    int64_t next; /* hash */
    size_t length;
    bool odd; /* every other one is to be deleted */
};

static bool visit(void *context, const struct disk_row *row)
{
    struct visits *visits = context;
    assert_int_equal(row->hash, visits->next++);
    assert_int_equal(row->record_length, RECORD);
    assert_int_equal(row->length, visits->length);
    assert_non_null(row->record);
    assert_int_equal(row->record[visits->length - 1], 0);
    return visits->odd && row->hash % 2 == 1;
}

static void rows_are_visited_in_the_order_of_use(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    uint64_t deleted = 1;
    fill();
    open_tools(&file, DISK_MODE_READ);
    struct visits visits = {.length = RECORD};
    assert_true(
        disk_maintenance_each(&file, &(struct disk_visit){true, visit, &visits}, &deleted, &error));
    assert_int_equal(visits.next, ROWS);
    visits = (struct visits){.length = RECORD_HEADER_SIZE};
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, visit, &visits}, &deleted,
                                      &error));
    assert_int_equal(visits.next, ROWS);
    assert_int_equal(deleted, 0);
    assert_true(disk_maintenance_check(&file, &error));
    disk_file_close(&file);
}

static bool count_even(void *context, const struct disk_row *row)
{
    assert_int_equal(row->hash % 2, 0);
    ++*(size_t *)context;
    return false;
}

static void rows_chosen_by_the_visitor_are_deleted(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    struct visits visits = {.length = RECORD_HEADER_SIZE, .odd = true};
    uint64_t deleted = 0;
    size_t left = 0;
    fill();
    open_tools(&file, DISK_MODE_WRITE);
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, visit, &visits}, &deleted,
                                      &error));
    assert_int_equal(deleted, ROWS / 2);
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, count_even, &left},
                                      &deleted, &error));
    assert_int_equal(left, ROWS / 2);
    assert_true(disk_maintenance_clear(&file, &deleted, &error));
    assert_int_equal(deleted, ROWS / 2);
    left = 0;
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, count_even, &left},
                                      &deleted, &error));
    assert_int_equal(left, 0);
    disk_file_close(&file);
}

static void free_pages_return_to_the_file_system(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    struct stat before, behind;
    uint64_t deleted = 0;
    fill();
    open_tools(&file, DISK_MODE_WRITE);
    assert_int_equal(stat(path, &before), 0);
    assert_true(disk_maintenance_clear(&file, &deleted, &error));
    assert_true(disk_maintenance_shrink(&file, &error));
    disk_file_close(&file);
    assert_int_equal(stat(path, &behind), 0);
    assert_true(before.st_size > (off_t)ROWS * RECORD);
    assert_true(behind.st_size < (off_t)10 * DISK_PAGE);
}

/* The start of what is said behind the file's name. */
static void assert_refused(enum disk_mode mode, const char *said)
{
    struct disk_file file;
    struct error error = {0};
    assert_false(disk_maintenance_open(&file, path, mode, &error));
    assert_int_equal(error.code, ERROR_IO);
    assert_string_equal(error.file, path);
    assert_memory_equal(error.message, said, strlen(said));
}

static void write_file(const char *text)
{
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void files_that_are_not_caches_are_refused(void **state)
{
    (void)state;
    assert_refused(DISK_MODE_READ, "No such file");
    write_file("a text of many words that is longer than a header of SQLite's is, which has a "
               "hundred bytes and not one more than that");
    assert_refused(DISK_MODE_WRITE, "it is not a cache of tiles: file is not a database");
    unlink(path);
    execute("CREATE TABLE people(name TEXT)");
    assert_refused(DISK_MODE_WRITE, "it is not a cache of tiles");
    assert_refused(DISK_MODE_READ, "it is not a cache of tiles: no such table");
    unlink(path);
    fill();
    execute("PRAGMA user_version=7");
    assert_refused(DISK_MODE_WRITE, "it was written by another version");
}

/* Somebody else writes and does not end: a second is waited, and then it is said. */
static void a_locked_file_is_an_error(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    sqlite3 *other;
    uint64_t deleted;
    struct visits visits = {.length = RECORD_HEADER_SIZE, .odd = true};
    fill();
    open_tools(&file, DISK_MODE_WRITE);
    assert_int_equal(sqlite3_open(path, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_false(disk_maintenance_each(&file, &(struct disk_visit){false, visit, &visits}, &deleted,
                                       &error));
    assert_string_equal(error.message, "database is locked");
    assert_int_equal(deleted, 0);
    assert_false(disk_maintenance_clear(&file, &deleted, &error));
    assert_false(disk_maintenance_shrink(&file, &error));
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    visits.next = 0;
    assert_true(disk_maintenance_each(&file, &(struct disk_visit){false, visit, &visits}, &deleted,
                                      &error));
    assert_int_equal(deleted, ROWS / 2);
    disk_file_close(&file);
}

static void a_file_that_fails_during_a_scan_is_an_error(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    uint64_t deleted;
    fill();
    open_tools(&file, DISK_MODE_WRITE);
    execute("DROP TABLE tiles");
    assert_false(
        disk_maintenance_each(&file, &(struct disk_visit){false, visit, NULL}, &deleted, &error));
    assert_string_equal(error.message, "no such table: tiles");
    assert_false(disk_maintenance_clear(&file, &deleted, &error));
    assert_string_equal(error.message, "no such table: tiles");
    disk_file_close(&file);
}

/* Each page behind the first is overwritten in its middle. */
static void damage(void)
{
    FILE *file = fopen(path, "r+e");
    assert_non_null(file);
    char rubbish[4096];
    memset(rubbish, 0xAA, sizeof rubbish);
    struct stat status;
    assert_int_equal(fstat(fileno(file), &status), 0);
    for (off_t at = DISK_PAGE; at < status.st_size; at += DISK_PAGE) {
        assert_int_equal(fseek(file, at, SEEK_SET), 0);
        assert_int_equal(fwrite(rubbish, 1, sizeof rubbish, file), sizeof rubbish);
    }
    fclose(file);
}

static void a_damaged_structure_is_reported(void **state)
{
    (void)state;
    struct disk_file file;
    struct error error = {0};
    fill();
    damage();
    open_tools(&file, DISK_MODE_READ);
    assert_false(disk_maintenance_check(&file, &error));
    assert_int_equal(error.code, ERROR_IO);
    assert_true(error.message[0] && !strchr(error.message, '\n'));
    disk_file_close(&file);
}

int test_disk_maintenance(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_path, temporary_folder_remove)
    const struct CMUnitTest tests[] = {
        TEST(rows_are_visited_in_the_order_of_use),
        TEST(rows_chosen_by_the_visitor_are_deleted),
        TEST(free_pages_return_to_the_file_system),
        TEST(files_that_are_not_caches_are_refused),
        TEST(a_locked_file_is_an_error),
        TEST(a_file_that_fails_during_a_scan_is_an_error),
        TEST(a_damaged_structure_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
