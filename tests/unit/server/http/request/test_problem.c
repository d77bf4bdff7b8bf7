/* Problem documents, RFC 9457. */
#include "server/http/request/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/utf8.h"

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

/* The bytes of `text` that a document has of it as a member's. */
static size_t written(const char *text)
{
    struct problem problem;
    struct buffer out = {0};
    problem_parameter(&problem, text, text, "%s", text);
    problem_write(&problem, "", &out);
    const char *detail = strstr(buffer_string(&out), "\"detail\":\"") + strlen("\"detail\":\"");
    const size_t length = strcspn(detail, "\"");
    assert_int_equal(memcmp(detail, text, length), 0);
    assert_true(utf8_valid(buffer_string(&out), out.length));
    buffer_free(&out);
    return length;
}

/* Cut after 511 bytes, in the middle of the two bytes of "ä": the half goes too. The other members
 * are cut within an "ä", too: after 63 and 255 bytes. */
static void long_texts_end_with_a_character(void **state)
{
    (void)state;
    char text[600];
    memset(text, 'a', sizeof text);
    for (size_t end = 64; end <= 512; end *= 2)
        memcpy(text + end - 2, "\xC3\xA4", 2);
    text[599] = '\0';
    assert_int_equal(written(text), 510);
    memcpy(text + 509,
           "\xC3\xA4"
           "a",
           3);
    assert_int_equal(written(text), 511);
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
