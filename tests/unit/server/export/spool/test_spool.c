/* What a spool takes of the files that an interrupted export left. */
#include "server/export/spool/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/temporary_folder.h"

static const struct buffer recipe = {.data = (uint8_t *)"recipe", .length = 6};

static struct spool *open_spool(enum spool_start start)
{
    struct error error = {0};
    struct spool *spool = spool_open(temporary_path("tiles.pmtiles"), &recipe, start, &error);
    assert_non_null(spool);
    return spool;
}

/* Tiles of these texts; empty ones are tiles, too. */
static void append_tiles(struct spool *spool, const char *const *texts, size_t count)
{
    struct error error = {0};
    for (size_t i = 0; i < count; i++)
        assert_true(spool_append(spool, texts[i], strlen(texts[i]), &error));
}

static void goes_on_behind_the_last_sound_tile(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "one", "", "one", "three"};
    struct spool *spool = open_spool(SPOOL_ANEW);
    append_tiles(spool, texts, 5);
    spool_close(spool);
    spool = open_spool(SPOOL_RESUME);
    assert_int_equal(spool_count(spool), 5);
    assert_int_equal(spool_unique(spool), 2);
    assert_int_equal(spool_length(spool), 8);
    spool_close(spool);
}

/* As after a power failure, when the length of the file was written, and not what stands there. */
static void drops_zeros_at_the_end(void **state)
{
    (void)state;
    static const char *const texts[] = {"one", ""};
    struct stat status;
    struct spool *spool = open_spool(SPOOL_ANEW);
    append_tiles(spool, texts, 2);
    spool_close(spool);
    const char *index = temporary_path("tiles.pmtiles.part-index");
    assert_int_equal(stat(index, &status), 0);
    assert_int_equal(truncate(index, status.st_size + 4096), 0);
    spool = open_spool(SPOOL_RESUME);
    assert_int_equal(spool_count(spool), 2);
    spool_close(spool);
    assert_int_equal(stat(index, &status), 0);
    assert_true(status.st_size < 4096);
}

/* No reason of the system stands for it: errno is that of something else. */
static void says_that_a_file_became_shorter(void **state)
{
    (void)state;
    static const char *const texts[] = {"one"};
    const struct spool_entry entry = {0, 3, 0};
    struct error error = {0};
    struct buffer bytes = {0};
    struct spool *spool = open_spool(SPOOL_ANEW);
    append_tiles(spool, texts, 1);
    assert_int_equal(truncate(temporary_path("tiles.pmtiles.part"), 0), 0);
    errno = ENOSPC;
    assert_false(spool_read_bytes(spool, &entry, &bytes, &error));
    assert_non_null(strstr(error.message, "became shorter"));
    buffer_free(&bytes);
    spool_remove(spool);
}

/* Opens the spool and removes it, again and again; false if another one has removed its files. */
static bool open_and_remove(const char *path, unsigned times)
{
    char index[256];
    bool is_there = true;
    snprintf(index, sizeof index, "%s.part-index", path);
    for (unsigned i = 0; is_there && i < times; i++) {
        struct error error = {0};
        struct spool *spool = spool_open(path, &recipe, SPOOL_ANEW, &error);
        is_there = !spool || access(index, F_OK) == 0;
        spool_remove(spool);
    }
    return is_there;
}

/* Else two would write into the same archive. */
static void locks_no_file_that_was_removed(void **state)
{
    (void)state;
    enum { TIMES = 500 };
    const char *path = temporary_path("tiles.pmtiles");
    int status;
    const pid_t other = fork();
    assert_true(other >= 0);
    if (other == 0)
        _exit(open_and_remove(path, TIMES) ? 0 : 1);
    const bool is_there = open_and_remove(path, TIMES);
    assert_int_equal(waitpid(other, &status, 0), other);
    assert_true(is_there);
    assert_int_equal(status, 0);
}

int test_spool(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(goes_on_behind_the_last_sound_tile, temporary_folder_remove),
        cmocka_unit_test_teardown(drops_zeros_at_the_end, temporary_folder_remove),
        cmocka_unit_test_teardown(says_that_a_file_became_shorter, temporary_folder_remove),
        cmocka_unit_test_teardown(locks_no_file_that_was_removed, temporary_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
