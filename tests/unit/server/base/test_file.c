#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server/base/file.h"
#include "server/worlds/sources.h"
#include "tests/unit/temporary_folder.h"

static const char *write_file(const char *name, const char *text)
{
    const char *path = temporary_path("%s", name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    return path;
}

static void a_file_is_read_up_to_its_limit(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct error error = {0};
    const char *path = write_file("five", "12345");
    assert_true(file_read(path, 5, &text, &error));
    assert_string_equal(buffer_string(&text), "12345");
    assert_false(file_read(path, 4, &text, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.file, path);
    assert_string_equal(error.message, "the file has 5 bytes; at most 4 are allowed");
    buffer_free(&text);
}

static void only_regular_files_are_read(void **state)
{
    (void)state;
    struct buffer text = {0};
    struct error error = {0};
    const char *pipe_path = temporary_path("pipe");
    assert_false(file_read(temporary_folder(), 5, &text, &error));
    assert_string_equal(error.message, "is not a regular file");
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_false(file_read(pipe_path, 5, &text, &error));
    assert_string_equal(error.message, "is not a regular file");
    unlink(pipe_path);
    assert_false(file_read("/nonexistent/file", 5, &text, &error));
    assert_int_equal(error.code, ERROR_IO);
    assert_string_equal(error.message, "cannot be opened: No such file or directory");
    assert_int_equal(text.length, 0);
    buffer_free(&text);
}

static void stems_lose_folder_and_extension(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a/b/terra.json", "terra"}, {"terra", "terra"},        {"a.b/terra.v2.json", "terra.v2"},
        {".json", ".json"},          {"alpine.json", "alpine"},
    };
    char stem[16];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        file_stem(cases[i][0], stem, sizeof stem);
        assert_string_equal(stem, cases[i][1]);
    }
    file_stem("abcdefgh.json", stem, 4);
    assert_string_equal(stem, "abc");
}

static void later_folders_win_and_names_are_sorted(void **state)
{
    (void)state;
    struct source_list list = {0};
    struct buffer text = {0};
    const char *first = temporary_path("first"), *second = temporary_path("second/");
    mkdir(first, 0700);
    mkdir(second, 0700);
    write_file("first/b.json", "old b");
    write_file("first/a.json", "a");
    write_file("first/readme.txt", "passed over");
    write_file("first/.hidden.json", "passed over");
    write_file("second/b.json", "new b");
    write_file("second/0.json", "zero");
    assert_true(sources_collect(&list, "none/", (const char *[]){first, second}, 2, NULL));
    assert_int_equal(list.count, 3);
    assert_string_equal(list.items[0].name, "0");
    assert_string_equal(list.items[1].name, "a");
    assert_string_equal(list.items[2].name, "b");
    assert_true(source_read(&list.items[2], &text, NULL));
    assert_string_equal(buffer_string(&text), "new b");
    buffer_free(&text);
    sources_free(&list);
}

static void names_invalid_in_urls_are_refused(void **state)
{
    (void)state;
    struct source_list list = {0};
    struct error error = {0};
    const char *bad = temporary_path("bad");
    mkdir(bad, 0700);
    const char *path = write_file("bad/a~b.json", "");
    assert_false(sources_collect(&list, "none/", (const char *[]){bad}, 1, &error));
    assert_string_equal(error.file, path);
    assert_string_equal(error.message, "the file's name must be letters, digits, \"_\" and \"-\", "
                                       "at most 63, and .json");
    sources_free(&list);
}

static void a_missing_folder_is_an_error(void **state)
{
    (void)state;
    struct source_list list = {0};
    struct error error = {0};
    assert_false(sources_collect(&list, "none/", (const char *[]){"/nonexistent"}, 1, &error));
    assert_string_equal(error.file, "/nonexistent");
    assert_string_equal(error.message, "the folder cannot be read: No such file or directory");
    assert_false(sources_collect(&list, "none/", (const char *[]){""}, 1, &error));
    sources_free(&list);
}

static void valid_names_are_identifiers(void **state)
{
    (void)state;
    char longest[WORLD_NAME_MAX + 2];
    memset(longest, 'a', sizeof longest);
    longest[WORLD_NAME_MAX] = 0;
    assert_true(source_name_valid(longest));
    longest[WORLD_NAME_MAX] = 'a';
    longest[WORLD_NAME_MAX + 1] = 0;
    assert_false(source_name_valid(longest));
    assert_true(source_name_valid("Terra_2-b"));
    assert_false(source_name_valid(""));
    assert_false(source_name_valid("a b"));
    assert_false(source_name_valid("é"));
}

/* Somebody has planted links under the next two names. */
static void a_temporary_file_is_a_new_one(void **state)
{
    (void)state;
    char *name = NULL;
    struct stat planted, status;
    const char *path = temporary_path("out");
    assert_int_equal(lstat(write_file("victim", "kept"), &planted), 0);
    for (long i = 0; i < 2; i++)
        assert_int_equal(symlink(i == 0 ? "victim" : "missing",
                                 temporary_path("out.%ld.part", (long)getpid() + i)),
                         0);
    const int file = file_create_temporary(path, &name);
    assert_true(file >= 0);
    assert_memory_equal(name, path, strlen(path));
    assert_int_equal(fstat(file, &status), 0);
    assert_int_not_equal(status.st_ino, planted.st_ino);
    close(file);
    assert_int_equal(lstat(name, &status), 0);
    assert_true(S_ISREG(status.st_mode));
    free(name);
    assert_int_equal(access(temporary_path("missing"), F_OK), -1);
    assert_int_equal(file_create_temporary("/nonexistent/out", &name), -1);
    assert_null(name);
}

static void only_the_same_file_is_removed(void **state)
{
    (void)state;
    struct file_identity first;
    const char *path = write_file("one", "1"), *kept = temporary_path("kept");
    assert_true(file_identify(path, &first));
    assert_true(file_is(path, &first));
    assert_int_equal(rename(path, kept), 0);
    assert_false(file_is(path, &first));
    write_file("one", "2");
    file_remove(path, &first);
    assert_int_equal(access(path, F_OK), 0);
    file_remove(kept, &first);
    assert_int_equal(access(kept, F_OK), -1);
    assert_false(file_identify(kept, &first));
}

static void kinds_of_files_have_names(void **state)
{
    (void)state;
    assert_string_equal(file_kind(temporary_folder()), "a directory");
    assert_string_equal(file_kind(write_file("plain", "")), "a regular file");
    assert_string_equal(file_kind("/dev/null"), "a device");
    assert_int_equal(symlink("plain", temporary_path("link")), 0);
    assert_string_equal(file_kind(temporary_path("link")), "a symbolic link");
    assert_int_equal(mkfifo(temporary_path("fifo"), 0600), 0);
    assert_string_equal(file_kind(temporary_path("fifo")), "a named pipe");
}

int test_file(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read_up_to_its_limit),
        cmocka_unit_test(only_regular_files_are_read),
        cmocka_unit_test(a_temporary_file_is_a_new_one),
        cmocka_unit_test(only_the_same_file_is_removed),
        cmocka_unit_test(kinds_of_files_have_names),
        cmocka_unit_test(stems_lose_folder_and_extension),
        cmocka_unit_test(later_folders_win_and_names_are_sorted),
        cmocka_unit_test(names_invalid_in_urls_are_refused),
        cmocka_unit_test(a_missing_folder_is_an_error),
        cmocka_unit_test(valid_names_are_identifiers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
