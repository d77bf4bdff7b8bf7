/* The progress bar: who sees it, when, and what it says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"
#include "server/base/progress.h"

/* Standard error is a file meanwhile. */
struct capture {
    FILE *file;
    int before;
    char text[512];
};

static void begin_capture(struct capture *capture)
{
    fflush(stderr);
    capture->file = tmpfile();
    assert_non_null(capture->file);
    capture->before = dup(STDERR_FILENO);
    assert_int_equal(dup2(fileno(capture->file), STDERR_FILENO), STDERR_FILENO);
}

static const char *end_capture(struct capture *capture)
{
    fflush(stderr);
    dup2(capture->before, STDERR_FILENO);
    close(capture->before);
    rewind(capture->file);
    const size_t length = fread(capture->text, 1, sizeof capture->text - 1, capture->file);
    capture->text[length] = '\0';
    fclose(capture->file);
    return capture->text;
}

static void progress_is_only_shown_on_a_terminal(void **state)
{
    (void)state;
    struct capture capture;
    struct progress progress;
    begin_capture(&capture);
    progress_begin(&progress);
    assert_false(progress.wanted);
    progress.begun -= 10000;
    progress_show(&progress, 1, 2);
    progress_end(&progress);
    assert_string_equal(end_capture(&capture), "");
}

static void short_operations_show_no_progress(void **state)
{
    (void)state;
    struct capture capture;
    struct progress progress = {.wanted = true, .begun = clock_milliseconds() + 10000};
    begin_capture(&capture);
    progress_show(&progress, 1, 2);
    progress.begun -= 20000;
    progress_show(&progress, 0, 2); /* nothing can be told yet */
    progress_end(&progress);
    assert_string_equal(end_capture(&capture), "");
}

/* A quarter took so long that the rest takes three times as long: hours, so that it does not matter
 * how busy this machine is. */
static void progress_has_percentage_and_remaining_time(void **state)
{
    (void)state;
    struct capture capture;
    struct progress progress = {.wanted = true, .begun = clock_milliseconds() - 36000000};
    begin_capture(&capture);
    progress_show(&progress, 25, 100);
    progress.drawn += 36000000; /* just drawn, however long that took */
    progress_show(&progress, 50, 100);
    progress_end(&progress);
    const char *text = end_capture(&capture);
    assert_non_null(strstr(text, "\r[########......................]  25 %, 1080"));
    assert_null(strstr(text, "50 %"));
    const char *wipe = strstr(text, "\r\033[K");
    assert_non_null(wipe);
    assert_string_equal(wipe, "\r\033[K");
}

/* What was there at the beginning says nothing of the rate. */
static void a_rate_is_told_when_something_was_done(void **state)
{
    (void)state;
    struct capture capture;
    struct progress progress = {.begun = clock_milliseconds() - 3600000, .unit = "tiles"};
    begin_capture(&capture);
    assert_true(progress_step(&progress, 16, 100, 1000000));
    assert_true(progress_step(&progress, 58, 100, 2000000));
    progress_end(&progress);
    const char *text = end_capture(&capture);
    assert_non_null(
        strstr(text, " 58.0 %, 58 of 100 tiles, 0.0 a second, 1 h 00 min left, 2.0 MB\n"));
    assert_null(strstr(text, "16 of 100"));
}

static bool always(void)
{
    return true;
}

/* A phase has its own beginning, and its name where there are no bytes. */
static void a_phase_has_its_name_and_ends_when_it_is_interrupted(void **state)
{
    (void)state;
    struct capture capture;
    struct progress progress = {.first = 90, .is_interrupted = always};
    begin_capture(&capture);
    progress_begin_phase(&progress, "blocks", "finishing");
    progress.begun -= 3600000;
    assert_false(progress_step(&progress, 1, 4, 0));
    assert_false(progress_step(&progress, 2, 4, 0));
    progress_end(&progress);
    assert_non_null(strstr(end_capture(&capture),
                           " 50.0 %, 2 of 4 blocks, 0.0 a second, 2 h 00 min left, finishing\n"));
    assert_true(progress_step(NULL, 1, 4, 0));
}

int test_progress(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(progress_is_only_shown_on_a_terminal),
        cmocka_unit_test(short_operations_show_no_progress),
        cmocka_unit_test(progress_has_percentage_and_remaining_time),
        cmocka_unit_test(a_rate_is_told_when_something_was_done),
        cmocka_unit_test(a_phase_has_its_name_and_ends_when_it_is_interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
