#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/world/json.h"
#include "server/http/routes/openapi.h"

static const struct openapi_route *find_row(const char *pattern)
{
    for (size_t i = 0; openapi_route_at(i); i++)
        if (strcmp(openapi_route_at(i)->pattern, pattern) == 0)
            return openapi_route_at(i);
    return NULL;
}

static void test_every_route_has_a_row(void **state)
{
    (void)state;
    for (size_t i = 0; router_route_at(i); i++) {
        const struct openapi_route *row = find_row(router_route_at(i)->pattern);
        if (!row)
            fail_msg("the route \"%s\" has no row", router_route_at(i)->pattern);
        assert_ptr_equal(openapi_find_route(row), router_route_at(i));
        assert_int_equal(row->request_schema != NULL, router_route_at(i)->methods == METHOD_POST);
    }
}

static void test_every_row_has_a_route(void **state)
{
    (void)state;
    for (size_t i = 0; openapi_route_at(i); i++) {
        if (!openapi_find_route(openapi_route_at(i)))
            fail_msg("the row \"%s\" has no route", openapi_route_at(i)->pattern);
        assert_non_null(openapi_route_at(i)->examples[0]);
    }
}

static void test_every_parameter_has_a_row(void **state)
{
    (void)state;
    for (size_t i = 0; openapi_route_at(i); i++) {
        const struct openapi_route *row = openapi_route_at(i);
        for (const char *at = openapi_find_route(row)->parameters; *at; at += *at == ' ') {
            const size_t length = strcspn(at, " ");
            if (!openapi_parameter_find(row, at, length))
                fail_msg("%s: \"%.*s\" has no row", row->path, (int)length, at);
            at += length;
        }
        for (const char *at = row->path; (at = strchr(at, '{')); at++)
            if (!openapi_parameter_find(row, at + 1, strcspn(at + 1, "}")))
                fail_msg("%s: \"%s\" has no row", row->path, at);
    }
}

static void check_example(const struct openapi_route *row, const char *target, const char *name,
                          const char *expected)
{
    char out[32] = "untouched";
    const bool found = openapi_find_example(row, target, name, strlen(name), out, sizeof out);
    assert_int_equal(found, expected != NULL);
    if (expected)
        assert_string_equal(out, expected);
}

static void test_examples_are_taken_from_targets(void **state)
{
    (void)state;
    static const struct openapi_route tile = {.path = "tiles/{style}/{z}/{x}/{y}@2x.{format}"};
    static const char target[] = "/tiles/relief/3/4/-2@2x.png?size=512&t=0.5";
    check_example(&tile, target, "style", "relief");
    check_example(&tile, target, "z", "3");
    check_example(&tile, target, "y", "-2");
    check_example(&tile, target, "format", "png");
    check_example(&tile, target, "size", "512");
    check_example(&tile, target, "t", "0.5");
    check_example(&tile, target, "siz", NULL);
    check_example(&tile, target, "relief", NULL);
    check_example(&tile, "/other/relief/3/4/2@2x.png", "z", NULL);
    check_example(&tile, "{\"points\":[]}", "z", NULL);
    static const struct openapi_route at = {.path = "at"};
    check_example(&at, "/at?x=1000&xy=2&y=-3", "y", "-3");
    check_example(&at, "/at?zoom=9", "z", NULL);
    check_example(&at, "/at?x=0123456789012345678901234567890123456789", "x", NULL);
}

static void test_words(void **state)
{
    (void)state;
    assert_true(openapi_has_word("at explain", "at", 2));
    assert_true(openapi_has_word("at explain", "explain", 7));
    assert_false(openapi_has_word("at explain", "exp", 3));
    assert_false(openapi_has_word("", "at", 2));
    assert_false(openapi_has_word(NULL, "at", 2));
}

static void test_the_document_parses_in_both_forms(void **state)
{
    (void)state;
    static const struct json_limits limits = {1 << 22, 0};
    for (int pretty = 0; pretty < 2; pretty++) {
        struct buffer out = {0};
        struct error error = {0};
        assert_true(openapi_write(pretty, &out, &error));
        struct json_document *document =
            json_parse((const char *)out.data, out.length, &limits, &error);
        assert_non_null(document);
        assert_string_equal(json_text(json_member(json_root(document), "openapi")), "3.1.0");
        json_free(document);
        buffer_free(&out);
    }
}

int test_openapi(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_route_has_a_row),
        cmocka_unit_test(test_every_row_has_a_route),
        cmocka_unit_test(test_every_parameter_has_a_row),
        cmocka_unit_test(test_examples_are_taken_from_targets),
        cmocka_unit_test(test_words),
        cmocka_unit_test(test_the_document_parses_in_both_forms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
