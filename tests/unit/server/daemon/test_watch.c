/* Watching files: when a change counts, by a clock that the test sets. The system tells of each
 * event before the call that causes it returns, so nothing here waits. */
#include "server/daemon/watch.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/temporary_folder.h"

enum { NOW = 1000000 };

static void write_text(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

/* Watches one path as if it were that of --worlds. */
static struct watch *start(const char *const *path)
{
    struct error error = {0};
    const struct settings settings = {.worlds = {path, 1}};
    struct watch *watch = watch_start(&settings, &error);
    if (!watch)
        fail_msg("%s", error.message);
    return watch;
}

static void rests_before_it_counts(void **state)
{
    (void)state;
    const char *folder = temporary_folder();
    struct watch *watch = start(&folder);
    assert_int_equal(watch_timeout(watch, NOW), -1);
    assert_false(watch_has_changed(watch, NOW));
    write_text(temporary_path("a.json"), "{");
    assert_false(watch_has_changed(watch, NOW));
    assert_int_equal(watch_timeout(watch, NOW), 100);
    /* A second write begins the rest again. */
    write_text(temporary_path("a.json"), "{}");
    assert_false(watch_has_changed(watch, NOW + 90));
    assert_false(watch_has_changed(watch, NOW + 110));
    assert_int_equal(watch_timeout(watch, NOW + 110), 80);
    assert_true(watch_has_changed(watch, NOW + 190));
    assert_false(watch_has_changed(watch, NOW + 191));
    assert_int_equal(watch_timeout(watch, NOW + 191), -1);
    watch_stop(watch);
}

static void does_not_wait_for_ever(void **state)
{
    (void)state;
    const char *folder = temporary_folder();
    struct watch *watch = start(&folder);
    for (int64_t now = 0; now < 1000; now += 50) {
        write_text(temporary_path("a.json"), "{}");
        assert_false(watch_has_changed(watch, NOW + now));
    }
    assert_true(watch_has_changed(watch, NOW + 1000));
    watch_stop(watch);
}

static void ignores_other_files(void **state)
{
    (void)state;
    const char *folder = temporary_folder();
    write_text(temporary_path("a.json"), "{}");
    struct watch *watch = start(&folder);
    static const char *const names[] = {"notes.txt", "a.json~", ".a.json.swp", ".b.json", "4913"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        write_text(temporary_path("%s", names[i]), "{");
    assert_false(watch_has_changed(watch, NOW));
    assert_false(watch_has_changed(watch, NOW + 200));
    assert_int_equal(unlink(temporary_path("a.json")), 0);
    assert_false(watch_has_changed(watch, NOW + 300));
    assert_true(watch_has_changed(watch, NOW + 400));
    watch_stop(watch);
}

static void watches_a_single_file(void **state)
{
    (void)state;
    const char *file = temporary_path("a.json");
    write_text(file, "{}");
    struct watch *watch = start(&file);
    write_text(temporary_path("b.json"), "{}");
    assert_false(watch_has_changed(watch, NOW));
    assert_int_equal(watch_timeout(watch, NOW), -1);
    write_text(temporary_path("other"), "{ }");
    assert_int_equal(rename(temporary_path("other"), file), 0);
    assert_false(watch_has_changed(watch, NOW));
    assert_true(watch_has_changed(watch, NOW + 100));
    watch_stop(watch);
}

/* The folder above is not there either, so the path can only be looked at from time to time. */
static void looks_for_what_is_missing(void **state)
{
    (void)state;
    const char *file = temporary_path("none/a.json");
    struct watch *watch = start(&file);
    assert_false(watch_has_changed(watch, NOW));
    assert_int_equal(watch_timeout(watch, NOW + 400), 600);
    assert_int_equal(mkdir(temporary_path("none"), 0700), 0);
    write_text(file, "{}");
    assert_false(watch_has_changed(watch, NOW + 999));
    assert_true(watch_has_changed(watch, NOW + 1000));
    assert_int_equal(watch_timeout(watch, NOW + 1000), -1);
    watch_stop(watch);
}

int test_watch(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rests_before_it_counts, temporary_folder_remove),
        cmocka_unit_test_teardown(does_not_wait_for_ever, temporary_folder_remove),
        cmocka_unit_test_teardown(ignores_other_files, temporary_folder_remove),
        cmocka_unit_test_teardown(watches_a_single_file, temporary_folder_remove),
        cmocka_unit_test_teardown(looks_for_what_is_missing, temporary_folder_remove),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
