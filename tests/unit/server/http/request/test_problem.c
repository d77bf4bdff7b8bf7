/* Problem documents, RFC 9457. */
#include "server/http/request/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_document_has_what_is_known(void **state)
{
    (void)state;
    struct problem problem;
    struct buffer out = {0};
    assert_false(problem_parameter(&problem, "size", "256, 512", "size is \"%s\"", "big"));
    problem_write(&problem, "", &out);
    assert_string_equal(buffer_string(&out),
                        "{\"type\":\"https://terrane.dev/problems/parameter\","
                        "\"title\":\"Bad parameter\",\"status\":400,"
                        "\"detail\":\"size is \\\"big\\\"\",\"parameter\":\"size\","
                        "\"allowed\":\"256, 512\"}\n");
    buffer_free(&out);
}

static void statuses_follow_the_kind(void **state)
{
    (void)state;
    static const struct {
        enum error_code code;
        unsigned status;
    } cases[] = {
        {ERROR_UNKNOWN, 404},
        {ERROR_MEMORY, 503},
        {ERROR_VALUE, 400},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        struct problem problem;
        error_set(&error, cases[i].code, "why");
        assert_false(problem_from_error(&problem, PROBLEM_PATH, &error));
        assert_int_equal(problem_status(&problem), cases[i].status);
        assert_string_equal(problem.detail, "why");
    }
    struct problem busy;
    problem_set(&busy, PROBLEM_BUSY, "busy");
    assert_true(problem_retry_after(&busy) > 0);
}

/* Cut after 511 bytes, in the middle of the two bytes of "ä": the half goes too. */
static void long_texts_end_with_a_character(void **state)
{
    (void)state;
    char text[600];
    struct problem problem;
    memset(text, 'a', sizeof text);
    memcpy(text + 510, "\xC3\xA4", 2);
    text[599] = '\0';
    problem_set(&problem, PROBLEM_PATH, "%s", text);
    assert_int_equal(strlen(problem.detail), 510);
    text[510] = 'a';
    text[509] = '\xC3';
    text[510] = '\xA4';
    problem_set(&problem, PROBLEM_PATH, "%s", text);
    assert_int_equal(strlen(problem.detail), 511);
}

int test_problem(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_has_what_is_known),
        cmocka_unit_test(statuses_follow_the_kind),
        cmocka_unit_test(long_texts_end_with_a_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
