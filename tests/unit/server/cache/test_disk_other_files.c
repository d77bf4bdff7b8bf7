/* The tier on a disk beside files that are damaged, of another version, or of somebody else: what
 * is replaced, what is put away, and what is left alone. */
#include "tests/unit/server/cache/disk_fixture.h"

#include <sqlite3.h>
#include <stdio.h>

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_begins_with(const char *name, const char *text)
{
    char found[128] = "";
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    assert_non_null(fgets(found, (int)strlen(text) + 1, file));
    assert_int_equal(fclose(file), 0);
    assert_string_equal(found, text);
}

static void execute(const char *sql)
{
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, sql, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(database), SQLITE_OK);
}

static void a_database_of_another_program_is_left_alone(void **state)
{
    (void)state;
    execute("CREATE TABLE accounts(name TEXT); INSERT INTO accounts VALUES('ada')");
    const uint64_t size = size_of("");
    const struct disk_options options = {path, SMALL, 2};
    struct error error = {0};
    assert_null(disk_open(&options, &error));
    assert_non_null(strstr(error.message, "another program's"));
    assert_int_equal(size_of(""), size);
    execute("DROP TABLE accounts");
}

static void tables_of_another_version_are_replaced(void **state)
{
    (void)state;
    struct store *store = open_disk();
    put(store, 1, 100);
    store->methods->free(store);
    execute("PRAGMA user_version=77");
    store = open_disk();
    assert_int_equal(get(store, 1), 0);
    put(store, 1, 100);
    wait_for(store, 1);
    assert_int_equal(get(store, 1), 100);
    store->methods->free(store);
    assert_false(is_there(".damaged"));
}

/* A file of a hundred records, at rest. */
static void make_file(void)
{
    struct store *store = open_disk();
    for (uint64_t i = 1; i <= 100; i++)
        put(store, i, 20000);
    wait_for(store, 100);
    store->methods->free(store);
}

static void damage_file(void)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 32768, SEEK_SET), 0);
    for (int i = 0; i < 60 * 32768; i++)
        fputc(0xA5, file);
    assert_int_equal(fclose(file), 0);
}

/* Writes over the beginning of the file, at rest. */
static void overwrite(const char *bytes, size_t length)
{
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

/* The last damaged file is kept, without the log of the one before. */
static void a_damaged_file_is_put_away(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        char beginning[24];
        make_file();
        snprintf(beginning, sizeof beginning, "no database %d", i);
        overwrite(beginning, strlen(beginning));
        struct store *store = open_disk();
        put(store, 1, 100);
        wait_for(store, 1);
        assert_int_equal(get(store, 1), 100);
        assert_int_equal(get(store, 2), 0);
        store->methods->free(store);
        assert_begins_with(beside(".damaged"), beginning);
        assert_false(is_there(".damaged-wal"));
    }
}

static void copy_file(const char *from, const char *to)
{
    char command[512];
    snprintf(command, sizeof command, "cp %s %s", from, to);
    assert_int_equal(system(command), 0);
}

/* SQLite writes the tables into the log first, so the file of a daemon that was killed has none. */
static void a_damaged_file_is_recognised_by_its_log(void **state)
{
    (void)state;
    struct store *store = open_disk();
    copy_file(path, beside("2"));
    copy_file(beside("-wal"), beside("2-wal"));
    store->methods->free(store);
    path = beside("2");
    overwrite("no database", 11);
    store = open_disk();
    put(store, 1, 100);
    wait_for(store, 1);
    assert_int_equal(get(store, 1), 100);
    store->methods->free(store);
    assert_begins_with(beside("2.damaged"), "no database");
}

static void a_link_is_kept_and_its_target_put_away(void **state)
{
    struct stat status;
    (void)state;
    make_file();
    overwrite("no database", 11);
    path = temporary_path("link");
    assert_int_equal(symlink("tiles.db", path), 0);
    struct store *store = open_disk();
    store->methods->free(store);
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISLNK(status.st_mode));
    assert_begins_with(beside(""), "SQLite format 3");
    assert_begins_with(beside(".damaged"), "no database");
}

/* Nothing is changed by a start that is refused. */
static void assert_refused(const char *message)
{
    struct error error = {0};
    assert_null(disk_open(&(struct disk_options){path, SMALL, 2}, &error));
    assert_non_null(strstr(error.message, "is not a cache of Terrane"));
    assert_non_null(strstr(error.message, message));
    assert_false(is_there(".damaged"));
}

static void a_file_of_somebody_else_is_left_alone(void **state)
{
    static const char *const texts[] = {"x", "A shopping list",
                                        "A letter with more than the hundred bytes that the header "
                                        "of a database of SQLite has, so that it could be one."};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        write_file(path, texts[i]);
        assert_refused(i == 0 ? "is no part of one" : "file is not a database");
        assert_int_equal(size_of(""), strlen(texts[i]));
        assert_begins_with(path, texts[i]);
    }
}

/* SQLite itself deletes these, or takes them for its own. */
static void files_of_somebody_else_beside_a_new_one_are_left_alone(void **state)
{
    static const char *const suffixes[] = {"-journal", "-wal", "-shm"};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        write_file(beside(suffixes[i]), "A shopping list");
        assert_refused("is no part of one");
        assert_false(is_there(""));
        assert_begins_with(beside(suffixes[i]), "A shopping list");
        assert_int_equal(unlink(beside(suffixes[i])), 0);
    }
}

static void an_old_file_in_place_of_the_damaged_one_is_left_alone(void **state)
{
    (void)state;
    make_file();
    overwrite("no database", 11);
    write_file(beside(".damaged"), "A shopping list");
    struct store *store = open_disk();
    const struct cache_key key = key_of(1);
    assert_true(store->methods->is_unavailable(store, &key));
    store->methods->free(store);
    assert_begins_with(beside(""), "no database");
    assert_begins_with(beside(".damaged"), "A shopping list");
}

/* With the tables of its own damaged, it is a damaged database of another program. */
static void a_damaged_database_of_another_program_is_left_alone(void **state)
{
    (void)state;
    execute("CREATE TABLE accounts(name TEXT); INSERT INTO accounts VALUES('ada')");
    FILE *file = fopen(path, "r+");
    assert_non_null(file);
    assert_int_equal(fseek(file, 100, SEEK_SET), 0);
    assert_int_equal(fwrite("\377\377\377\377\377\377", 1, 6, file), 6);
    assert_int_equal(fclose(file), 0);
    const uint64_t size = size_of("");
    assert_refused("malformed");
    assert_int_equal(size_of(""), size);
}

/* Without tables it could be a new one, but its id is somebody's. */
static void an_empty_database_of_another_program_is_left_alone(void **state)
{
    (void)state;
    execute("PRAGMA application_id=1234567; VACUUM");
    const uint64_t size = size_of("");
    assert_refused("another program's");
    assert_int_equal(size_of(""), size);
}

/* Asks for each of them, whatever comes of it. */
static void read_file(struct store *store)
{
    struct buffer out = {0};
    for (uint64_t i = 1; i <= 100; i++) {
        const struct cache_key one = key_of(i);
        store->methods->get(store, &one, &out);
    }
    buffer_free(&out);
}

static void wait_until_put_away(void)
{
    for (int i = 0; i < 6000 && !is_there(".damaged"); i++)
        pause_milliseconds(10);
    assert_true(is_there(".damaged"));
}

/* Stores the record repeatedly until `reader` finds it: the store recreates a damaged file in the
 * background, and does not retry a failed connection for a second. */
static void put_until_there(struct store *store, struct store *reader, uint64_t number,
                            size_t length)
{
    const struct cache_key key = key_of(number);
    struct buffer out = {0};
    for (int i = 0; i < 600 && out.length != length; i++) {
        put(store, number, length);
        pause_milliseconds(100);
        buffer_clear(&out);
        reader->methods->get(reader, &key, &out);
    }
    assert_int_equal(out.length, length);
    buffer_free(&out);
}

static void a_file_damaged_while_running_is_replaced(void **state)
{
    (void)state;
    make_file();
    struct store *store = open_disk();
    damage_file();
    read_file(store);
    wait_until_put_away();
    put_until_there(store, store, 1, 100);
    store->methods->free(store);
}

/* The second process does not move away the new file that the first has created. */
static void two_stores_put_a_shared_damaged_file_away_once(void **state)
{
    struct stat first, last;
    (void)state;
    make_file();
    struct store *one = open_disk(), *other = open_disk();
    for (int i = 0; i < 2; i++) { /* so that both connections are open */
        assert_int_equal(get(one, 0), 0);
        assert_int_equal(get(other, 0), 0);
    }
    damage_file();
    read_file(one);
    wait_until_put_away();
    assert_int_equal(stat(beside(".damaged"), &first), 0);
    put_until_there(one, one, 1, 300);
    read_file(other);
    assert_true(store_statistics(other).failures > 0);
    put_until_there(other, one, 2, 400);
    put_until_there(one, other, 3, 500);
    assert_int_equal(stat(beside(".damaged"), &last), 0);
    assert_int_equal(last.st_ino, first.st_ino);
    one->methods->free(one);
    other->methods->free(other);
}

/* A daemon of another version has recreated the file: this daemon does not use it until
 * the file is removed. */
static void a_running_daemon_of_another_version_keeps_its_file(void **state)
{
    (void)state;
    struct store *store = open_disk();
    put(store, 1, 100);
    wait_for(store, 1);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(unlink(beside((const char *[]){"", "-wal", "-shm"}[i])), 0);
    execute("PRAGMA application_id=0x5472726E; PRAGMA user_version=77; CREATE TABLE other(x)");
    pause_milliseconds(1100); /* it looks once a second */
    put(store, 2, 100);
    wait_for(store, 2);
    assert_int_equal(store_statistics(store).write_failures, 1);
    execute("DROP TABLE other");
    assert_int_equal(unlink(path), 0);
    pause_milliseconds(1100);
    put(store, 3, 100);
    wait_for(store, 3);
    assert_int_equal(get(store, 3), 100);
    store->methods->free(store);
    assert_false(is_there(".damaged"));
}

int test_disk_other_files(void)
{
    const struct CMUnitTest tests[] = {
        in_a_folder(a_damaged_file_is_put_away),
        in_a_folder(a_damaged_file_is_recognised_by_its_log),
        in_a_folder(a_link_is_kept_and_its_target_put_away),
        in_a_folder(a_file_of_somebody_else_is_left_alone),
        in_a_folder(files_of_somebody_else_beside_a_new_one_are_left_alone),
        in_a_folder(an_old_file_in_place_of_the_damaged_one_is_left_alone),
        in_a_folder(a_damaged_database_of_another_program_is_left_alone),
        in_a_folder(an_empty_database_of_another_program_is_left_alone),
        in_a_folder(a_database_of_another_program_is_left_alone),
        in_a_folder(tables_of_another_version_are_replaced),
        in_a_folder(a_file_damaged_while_running_is_replaced),
        in_a_folder(two_stores_put_a_shared_damaged_file_away_once),
        in_a_folder(a_running_daemon_of_another_version_keeps_its_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
