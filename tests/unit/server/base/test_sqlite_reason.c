/* Reasons of SQLite's failures, against the system's words for them. */
#include "server/base/sqlite_reason.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/unit/temporary_folder.h"

static sqlite3 *open_database(const char *path, int wanted)
{
    sqlite3 *database;
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    assert_int_equal(sqlite3_open_v2(path, &database, flags, NULL), wanted);
    return database;
}

static void the_reason_is_the_systems_where_it_has_one(void **state)
{
    (void)state;
    sqlite3 *database = open_database("/nothing/there", SQLITE_CANTOPEN);
    assert_string_equal(sqlite_reason(database, SQLITE_CANTOPEN), strerror(ENOENT));
    sqlite3_close(database);
}

/* main() of the program ignores SIGXFSZ, and so does this test. */
static void a_file_that_is_too_large_is_told_as_that(void **state)
{
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {10000, before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    sqlite3 *database = open_database(temporary_path("large.db"), SQLITE_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const int code = sqlite3_exec(
        database, "CREATE TABLE a(b); INSERT INTO a VALUES (zeroblob(100000))", NULL, NULL, NULL);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(code & 0xFF, SQLITE_IOERR);
    assert_string_equal(sqlite_reason(database, code), strerror(EFBIG));
    sqlite3_close(database);
}

static void without_one_it_is_that_of_the_library(void **state)
{
    (void)state;
    sqlite3 *database = open_database(":memory:", SQLITE_OK);
    errno = ENOENT;
    const int code = sqlite3_exec(database, "SELECT * FROM absent", NULL, NULL, NULL);
    assert_string_equal(sqlite_reason(database, code), "no such table: absent");
    sqlite3_close(database);
    assert_string_equal(sqlite_reason(NULL, SQLITE_NOMEM), "out of memory");
}

int test_sqlite_reason(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reason_is_the_systems_where_it_has_one),
        cmocka_unit_test(a_file_that_is_too_large_is_told_as_that),
        cmocka_unit_test(without_one_it_is_that_of_the_library),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
