/* tar archives: bytes that libarchive 3.6.2 wrote (archive_write_set_format_ustar, mode 0644, no
 * owner and time), and headers that are damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "server/base/file.h"
#include "server/export/archives/tar.h"
#include "tests/unit/temporary_folder.h"

enum { BLOCK = 512 };

/* The file "metadata.json" of 835 bytes: libarchive's header, the content, two blocks of zeros. */
static const struct {
    int place;
    const char *text;
} header[] = {
    {0, "metadata.json"},  {100, "000644 "},      {108, "000000 "}, {116, "000000 "},
    {124, "00000001503 "}, {136, "00000000000 "}, {148, "011637"},  {155, " 0"},
    {257, "ustar"},        {263, "00"},           {329, "000000 "}, {337, "000000 "},
};

static void make_expected(uint8_t expected[5 * BLOCK])
{
    memset(expected, 0, 5 * BLOCK);
    for (size_t i = 0; i < sizeof header / sizeof *header; i++)
        memcpy(expected + header[i].place, header[i].text, strlen(header[i].text));
    memset(expected + BLOCK, 'x', 835);
}

static struct buffer content_of(size_t length)
{
    struct buffer content = {0};
    uint8_t *room = buffer_reserve(&content, length);
    assert_non_null(room);
    memset(room, 'x', length);
    content.length = length;
    return content;
}

static const char *write_archive(const char *name, size_t length)
{
    const char *path = temporary_path("a.tar");
    struct buffer content = content_of(length);
    struct tar_writer tar;
    assert_true(tar_create(&tar, path));
    assert_true(tar_add(&tar, name, &content));
    assert_true(tar_finish(&tar));
    tar_close(&tar);
    buffer_free(&content);
    return path;
}

static void a_file_is_written_as_libarchive_does(void **state)
{
    (void)state;
    uint8_t expected[5 * BLOCK];
    struct buffer found = {0};
    make_expected(expected);
    assert_true(file_read(write_archive("metadata.json", 835), 1 << 20, &found, NULL));
    assert_int_equal(found.length, sizeof expected);
    assert_memory_equal(found.data, expected, sizeof expected);
    buffer_free(&found);
}

/* Nothing, and a whole block, need no padding. */
static void files_fill_blocks(void **state)
{
    (void)state;
    static const size_t cases[][2] = {{0, 3}, {1, 4}, {511, 4}, {512, 4}, {513, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buffer found = {0}, content = {0};
        const char *path = write_archive("a", cases[i][0]);
        assert_true(file_read(path, 1 << 20, &found, NULL));
        assert_int_equal(found.length, cases[i][1] * BLOCK);
        assert_true(tar_read_first(path, "a", cases[i][0], &content, NULL));
        assert_int_equal(content.length, cases[i][0]);
        assert_int_equal(remove(path), 0);
        buffer_free(&content);
        buffer_free(&found);
    }
}

static void names_of_more_than_100_bytes_are_refused(void **state)
{
    (void)state;
    char name[TAR_NAME_MAX + 2] = "";
    struct buffer nothing = {0}, content = {0};
    struct tar_writer tar;
    memset(name, 'n', TAR_NAME_MAX);
    assert_true(tar_read_first(write_archive(name, 5), name, 5, &content, NULL));
    buffer_free(&content);
    name[TAR_NAME_MAX] = 'n';
    assert_true(tar_create(&tar, temporary_path("b.tar")));
    assert_false(tar_add(&tar, name, &nothing));
    assert_int_equal(errno, ENAMETOOLONG);
    tar_close(&tar);
}

static void what_is_at_the_path_stays(void **state)
{
    (void)state;
    struct tar_writer tar;
    assert_false(tar_create(&tar, write_archive("a", 1)));
    assert_int_equal(errno, EEXIST);
    tar_close(&tar);
}

/* Reads the archive, of which the byte at `place` is another one and only `length` bytes are there.
 */
static void expect_refused(int place, char byte, size_t length, const char *message)
{
    uint8_t bytes[5 * BLOCK];
    struct buffer content = {0};
    struct error error = {0};
    const char *path = temporary_path("c.tar");
    make_expected(bytes);
    bytes[place] = (uint8_t)byte;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    fclose(file);
    assert_false(tar_read_first(path, "metadata.json", 835, &content, &error));
    assert_string_equal(error.message, message);
    assert_int_equal(content.length, 0);
    buffer_free(&content);
}

static void damaged_archives_are_refused(void **state)
{
    (void)state;
    static const char unsound[] = "is not a tar archive: it has no sound header";
    enum { END = 5 * BLOCK, PAST = END - 1 };
    expect_refused(PAST, 0, 0, unsound);
    expect_refused(PAST, 0, BLOCK - 1, unsound);
    expect_refused(PAST, 0, BLOCK + 834, "is truncated");
    expect_refused(0, 'M', END, unsound);   /* the checksum is another one */
    expect_refused(134, '9', END, unsound); /* no octal digit */
    expect_refused(153, '8', END, unsound);
    expect_refused(148, '1', END, unsound);
}

static void the_first_file_must_be_the_one(void **state)
{
    (void)state;
    struct buffer content = {0};
    struct error error = {0};
    assert_false(
        tar_read_first(write_archive("metadata.jso", 5), "metadata.json", 5, &content, &error));
    assert_string_equal(error.message, "does not begin with metadata.json");
    assert_int_equal(remove(temporary_path("a.tar")), 0);
    assert_false(
        tar_read_first(write_archive("metadata.json", 6), "metadata.json", 5, &content, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_false(tar_read_first(temporary_path("none"), "metadata.json", 5, &content, &error));
    assert_string_equal(error.message, "cannot be opened: No such file or directory");
    buffer_free(&content);
}

int test_tar(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_file_is_written_as_libarchive_does, temporary_folder_remove),
        cmocka_unit_test_teardown(files_fill_blocks, temporary_folder_remove),
        cmocka_unit_test_teardown(names_of_more_than_100_bytes_are_refused,
                                  temporary_folder_remove),
        cmocka_unit_test_teardown(what_is_at_the_path_stays, temporary_folder_remove),
        cmocka_unit_test_teardown(damaged_archives_are_refused, temporary_folder_remove),
        cmocka_unit_test_teardown(the_first_file_must_be_the_one, temporary_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
