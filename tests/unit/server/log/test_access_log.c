/* The access log's thread: nothing is lost but what is counted, reopening, pipes nobody reads. */
#include "server/log/access_log.h"

#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/temporary_folder.h"

static const char *path, *moved;

static int set_up(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    path = temporary_path("access.log");
    moved = temporary_path("access.log.1");
    return 0;
}

static void put_target(struct access_log *log, size_t writer, const char *target, bool *kept)
{
    struct access_record record = {.status = 200};
    record.texts[ACCESS_TARGET].bytes = target;
    record.texts[ACCESS_TARGET].length = strlen(target);
    *kept = access_log_put(log, writer, &record);
}

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

static size_t lines_of(const char *file)
{
    size_t lines = 0;
    FILE *stream = fopen(file, "re");
    if (!stream)
        return 0;
    for (int c; (c = fgetc(stream)) != EOF;)
        lines += c == '\n';
    fclose(stream);
    return lines;
}

/* For what the log's thread does some time. */
static void wait_for_lines(const char *file, size_t lines)
{
    for (const time_t end = time(NULL) + 60; lines_of(file) < lines && time(NULL) < end;)
        pause_shortly();
    assert_int_equal(lines_of(file), lines);
}

static void wait_for_losses(const struct access_log *log, uint64_t lost)
{
    for (const time_t end = time(NULL) + 60; access_log_lost(log) < lost && time(NULL) < end;)
        pause_shortly();
    assert_int_equal(access_log_lost(log), lost);
}

static struct access_log *start(size_t writers)
{
    struct error error = {0};
    struct access_log *log = access_log_start(path, ACCESS_JSON, writers, &error);
    assert_non_null(log);
    return log;
}

static void stopping_writes_all_lines(void **state)
{
    enum { LINES = 3000 };
    (void)state;
    struct access_log *log = start(3);
    bool kept;
    for (size_t i = 0; i < LINES; i++) {
        put_target(log, i % 3, "/one", &kept);
        assert_true(kept);
    }
    access_log_stop(log);
    assert_int_equal(lines_of(path), LINES);
}

static void reopening_leaves_a_moved_file(void **state)
{
    (void)state;
    struct access_log *log = start(1);
    bool kept;
    put_target(log, 0, "/before", &kept);
    wait_for_lines(path, 1);
    assert_int_equal(rename(path, moved), 0);
    put_target(log, 0, "/still the old one", &kept);
    wait_for_lines(moved, 2);
    access_log_reopen(log);
    while (access(path, F_OK) != 0)
        pause_shortly();
    put_target(log, 0, "/behind", &kept);
    access_log_stop(log);
    assert_int_equal(lines_of(moved), 2);
    assert_int_equal(lines_of(path), 1);
    access_log_reopen(NULL);
}

static void a_file_that_cannot_be_opened_is_an_error(void **state)
{
    struct error error = {0};
    (void)state;
    assert_null(access_log_start("/nonexistent/access.log", ACCESS_JSON, 1, &error));
    assert_non_null(strstr(error.message, "/nonexistent/access.log: cannot be opened"));
    assert_null(access_log_start(temporary_folder(), ACCESS_JSON, 1, &error));
}

/* A pipe with a reader that reads nothing: putting never waits, what finds no room is refused, and
 * stopping gives up. Put, lost and read add up. */
static void a_blocked_reader_loses_lines_without_delay(void **state)
{
    enum { LINES = 20000 };
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    struct access_log *log = start(1);
    char target[1500];
    size_t refused = 0;
    memset(target, 'a', sizeof target - 1);
    target[sizeof target - 1] = '\0';
    for (int i = 0; i < LINES; i++) {
        bool kept;
        put_target(log, 0, target, &kept);
        refused += !kept;
    }
    assert_true(refused > 0);
    assert_true(refused < LINES);
    time_t begun = time(NULL);
    access_log_stop(log);
    assert_true(time(NULL) - begun <= 5);
    close(reader);
    unlink(path);
}

/* A reader of a page now and then: ten seconds for what the log keeps. */
struct dripping_reader {
    pthread_t thread;
    int file;
    size_t received;
    bool stopped; /* atomic */
};

static void *read_in_drips(void *argument)
{
    struct dripping_reader *reader = argument;
    char page[4096];
    while (!__atomic_load_n(&reader->stopped, __ATOMIC_ACQUIRE)) {
        const ssize_t count = read(reader->file, page, sizeof page);
        reader->received += count > 0 ? (size_t)count : 0;
        nanosleep(&(struct timespec){.tv_nsec = 40000000}, NULL);
    }
    return NULL;
}

/* Between two of its reads the log finds room, so that each of its waits is short. */
static void a_dripping_reader_cannot_hold_up_the_stop(void **state)
{
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    struct dripping_reader reader = {.file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)};
    assert_true(reader.file >= 0);
    struct access_log *log = start(1);
    char target[1500];
    size_t kept_bytes = 0;
    bool kept = true;
    memset(target, 'a', sizeof target - 1);
    target[sizeof target - 1] = '\0';
    while (kept) {
        put_target(log, 0, target, &kept);
        kept_bytes += kept ? sizeof target : 0;
    }
    assert_int_equal(pthread_create(&reader.thread, NULL, read_in_drips, &reader), 0);
    access_log_stop(log);
    __atomic_store_n(&reader.stopped, true, __ATOMIC_RELEASE);
    pthread_join(reader.thread, NULL);
    assert_in_range(reader.received, 1, kept_bytes / 2);
    close(reader.file);
    unlink(path);
}

static void a_closed_reader_is_no_error(void **state)
{
    bool kept;
    (void)state;
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    const int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    struct access_log *log = start(1);
    close(reader);
    put_target(log, 0, "/lost", &kept);
    assert_true(kept);
    wait_for_losses(log, 1);
    access_log_stop(log);
    unlink(path);
}

/* A file that may have so many bytes is a disk that becomes full: the line that was cut ends where
 * it was cut, and is lost like those behind it; once there is room again, lines are whole. */
static void a_full_disk_costs_whole_lines(void **state)
{
    struct rlimit before;
    bool kept;
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct access_log *log = start(1);
    put_target(log, 0, "/whole", &kept);
    wait_for_lines(path, 1);
    struct stat file;
    assert_int_equal(stat(path, &file), 0);
    const struct rlimit limit = {(rlim_t)file.st_size * 5 / 2, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    put_target(log, 0, "/fits!", &kept);
    wait_for_lines(path, 2);
    put_target(log, 0, "/torn!", &kept);
    wait_for_losses(log, 1);
    put_target(log, 0, "/lost!", &kept);
    wait_for_losses(log, 2);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    put_target(log, 0, "/again", &kept);
    access_log_stop(log);
    /* The end of the torn line, and the last one. */
    assert_int_equal(lines_of(path), 4);
}

/* /dev/full has no room ever. */
static void unwritable_lines_are_counted(void **state)
{
    struct error error = {0};
    bool kept;
    (void)state;
    struct access_log *log = access_log_start("/dev/full", ACCESS_COMBINED, 2, &error);
    assert_non_null(log);
    for (size_t i = 0; i < 100; i++)
        put_target(log, i % 2, "/lost", &kept);
    wait_for_losses(log, 100);
    access_log_stop(log);
}

int test_access_log(void)
{
#define in_a_folder(test) cmocka_unit_test_setup_teardown(test, set_up, temporary_folder_remove)
    const struct CMUnitTest tests[] = {
        in_a_folder(stopping_writes_all_lines),
        in_a_folder(reopening_leaves_a_moved_file),
        in_a_folder(a_file_that_cannot_be_opened_is_an_error),
        in_a_folder(a_blocked_reader_loses_lines_without_delay),
        in_a_folder(a_dripping_reader_cannot_hold_up_the_stop),
        in_a_folder(a_closed_reader_is_no_error),
        in_a_folder(a_full_disk_costs_whole_lines),
        in_a_folder(unwritable_lines_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
