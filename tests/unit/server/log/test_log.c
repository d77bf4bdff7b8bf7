/* Messages: the limit of lines of one kind a second, escaping of odd texts, and writing without
 * waiting for a slow reader. */
#include "server/log/log.h"

#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/settings/options.h"

static void ten_lines_a_second_and_a_count_of_the_rest(void **state)
{
    struct log_rate rate = {0};
    unsigned left_out = 99;
    (void)state;
    for (int i = 0; i < 10; i++) {
        assert_true(log_rate_allows(&rate, 5000 + i, &left_out));
        assert_int_equal(left_out, 0);
    }
    for (int i = 0; i < 7; i++)
        assert_false(log_rate_allows(&rate, 5999, &left_out));
    assert_true(log_rate_allows(&rate, 6000, &left_out));
    assert_int_equal(left_out, 7);
    assert_true(log_rate_allows(&rate, 6001, &left_out));
    assert_int_equal(left_out, 0);
}

static void the_count_outlasts_seconds_of_silence(void **state)
{
    struct log_rate rate = {0};
    unsigned left_out = 0;
    (void)state;
    for (int i = 0; i < 12; i++)
        log_rate_allows(&rate, 1000, &left_out);
    assert_true(log_rate_allows(&rate, 86400000, &left_out));
    assert_int_equal(left_out, 2);
}

static void levels_and_formats_have_names(void **state)
{
    enum log_level level = LOG_ERROR;
    bool json = true;
    (void)state;
    assert_true(log_level_parse("debug", &level));
    assert_int_equal(level, LOG_DEBUG);
    assert_false(log_level_parse("Debug", &level));
    assert_false(log_level_parse("", &level));
    assert_true(log_format_parse("text", &json));
    assert_false(json);
    assert_true(log_format_parse("json", &json));
    assert_true(json);
    assert_false(log_format_parse("jsonl", &json));
    /* The log accepts every level and format that the settings accept. */
    for (size_t i = 0; option_table[OPTION_LOG_LEVEL].choices[i]; i++)
        assert_true(log_level_parse(option_table[OPTION_LOG_LEVEL].choices[i], &level));
    for (size_t i = 0; option_table[OPTION_LOG_FORMAT].choices[i]; i++)
        assert_true(log_format_parse(option_table[OPTION_LOG_FORMAT].choices[i], &json));
}

static void lines_above_the_level_are_not_wanted(void **state)
{
    (void)state;
    log_set(LOG_WARNING, false);
    assert_true(log_is_wanted(LOG_ERROR));
    assert_true(log_is_wanted(LOG_WARNING));
    assert_false(log_is_wanted(LOG_INFO));
}

static int standard_error, reader;

/* From here on standard error is a pipe that `reader` reads. */
static int open_pipe(void **state)
{
    int ends[2];
    (void)state;
    standard_error = dup(STDERR_FILENO);
    if (standard_error < 0 || pipe(ends) != 0)
        return -1;
    reader = ends[0];
    return dup2(ends[1], STDERR_FILENO) < 0 || close(ends[1]) != 0 ||
           fcntl(reader, F_SETFL, O_NONBLOCK) != 0;
}

static int close_pipe(void **state)
{
    (void)state;
    close(reader);
    log_set(LOG_INFO, false);
    return dup2(standard_error, STDERR_FILENO) < 0 || close(standard_error) != 0;
}

static size_t read_line(char *line, size_t size)
{
    const ssize_t length = read(reader, line, size - 1);
    line[length > 0 ? length : 0] = '\0';
    return strlen(line);
}

static void a_message_is_one_line_of_json_whatever_it_holds(void **state)
{
    static const char end[] = ",\"level\":\"error\",\"kind\":\"reload\",\"message\":"
                              "\"a\\u0022\\u005c b c\\ufffd\xC3\xBC\\u009b \"}\n";
    char line[PIPE_BUF + 1];
    (void)state;
    log_set(LOG_INFO, true);
    log_write(LOG_RELOAD, LOG_ERROR,
              "a\"\\\nb\x1b"
              "c\xFF\xC3\xBC\xC2\x9B\x7F");
    const size_t length = read_line(line, sizeof line);
    assert_true(length > sizeof end);
    assert_string_equal(line + length + 1 - sizeof end, end);
    assert_memory_equal(line, "{\"time\":\"", 9);
}

/* A line that is longer than what a pipe takes at once could be torn. */
static void the_longest_line_is_one_that_a_pipe_takes_whole(void **state)
{
    char message[1500], line[2 * PIPE_BUF];
    (void)state;
    memset(message, '\xFF', sizeof message - 1);
    message[sizeof message - 1] = '\0';
    log_set(LOG_INFO, true);
    log_write(LOG_RELOAD, LOG_ERROR, "%s", message);
    const size_t length = read_line(line, sizeof line);
    assert_true(length > 1000 && length <= PIPE_BUF);
    assert_string_equal(line + length - 3, "\"}\n");
}

static void fill_pipe(void)
{
    static const char bytes[PIPE_BUF];
    fcntl(STDERR_FILENO, F_SETFL, O_NONBLOCK);
    while (write(STDERR_FILENO, bytes, sizeof bytes) > 0)
        ;
    fcntl(STDERR_FILENO, F_SETFL, 0);
}

static void a_blocked_reader_blocks_no_writer(void **state)
{
    char line[PIPE_BUF + 1];
    (void)state;
    log_set(LOG_INFO, false);
    fill_pipe();
    log_write(LOG_RELOAD, LOG_ERROR, "lost"); /* hangs if it waits */
    while (read(reader, line, sizeof line) > 0)
        ;
    log_write(LOG_RELOAD, LOG_ERROR, "kept");
    const size_t length = read_line(line, sizeof line);
    assert_true(length > 21);
    assert_string_equal(line + length - 21, "Z error reload: kept\n");
}

/* A message can neither begin a line of its own nor send a terminal anything. */
static void a_message_is_one_line_of_text(void **state)
{
    char line[PIPE_BUF + 1];
    (void)state;
    log_set(LOG_INFO, false);
    log_write(LOG_RELOAD, LOG_INFO, "one\ntwo\033[31m%s\n\n", "\tthree");
    assert_true(read_line(line, sizeof line) > 24);
    assert_string_equal(line + 24, " info reload: one two [31m three\n");
}

/* Writes until the next second reports the suppressed lines of this one. */
static void suppressed_lines_are_reported(void **state)
{
    char line[PIPE_BUF + 1] = "";
    (void)state;
    log_set(LOG_INFO, false);
    while (!strstr(line, " warning library: again (")) {
        log_write(LOG_LIBRARY, LOG_WARNING, "again");
        read_line(line, sizeof line);
    }
    assert_non_null(strstr(line, " lines like it left out)\n"));
    log_set(LOG_INFO, true);
    while (!strstr(line, ",\"message\":\"again\",\"left_out\":")) {
        log_write(LOG_ACCEPT, LOG_WARNING, "again");
        read_line(line, sizeof line);
    }
    assert_string_equal(line + strlen(line) - 2, "}\n");
}

int test_log(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_lines_a_second_and_a_count_of_the_rest),
        cmocka_unit_test(the_count_outlasts_seconds_of_silence),
        cmocka_unit_test(levels_and_formats_have_names),
        cmocka_unit_test(lines_above_the_level_are_not_wanted),
        cmocka_unit_test_setup_teardown(a_message_is_one_line_of_json_whatever_it_holds, open_pipe,
                                        close_pipe),
        cmocka_unit_test_setup_teardown(the_longest_line_is_one_that_a_pipe_takes_whole, open_pipe,
                                        close_pipe),
        cmocka_unit_test_setup_teardown(a_blocked_reader_blocks_no_writer, open_pipe, close_pipe),
        cmocka_unit_test_setup_teardown(a_message_is_one_line_of_text, open_pipe, close_pipe),
        cmocka_unit_test_setup_teardown(suppressed_lines_are_reported, open_pipe, close_pipe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
