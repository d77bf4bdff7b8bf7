/* How many lines of a kind a second may have. That lines come out is tested with the daemon. */
#include "server/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

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
}

static void lines_above_the_level_are_not_wanted(void **state)
{
    (void)state;
    log_set(LOG_WARNING, false);
    assert_true(log_is_wanted(LOG_ERROR));
    assert_true(log_is_wanted(LOG_WARNING));
    assert_false(log_is_wanted(LOG_INFO));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_lines_a_second_and_a_count_of_the_rest),
        cmocka_unit_test(the_count_outlasts_seconds_of_silence),
        cmocka_unit_test(levels_and_formats_have_names),
        cmocka_unit_test(lines_above_the_level_are_not_wanted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
