#include "server/http/openapi/document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/worldfile/json.h"

/* The document of two routes of this test, behind a proxy's prefix. */
static struct json_document *write_and_parse(bool pretty)
{
    static const struct json_limits limits = {1 << 22, 0};
    static const struct route rows[] = {
        {.scope = ROUTE_FIXED,
         .pattern = "tide",
         .id = "tide",
         .tag = "ops",
         .summary = "the tide",
         .type = "text/plain",
         .examples = "/tide"},
        {.scope = ROUTE_WORLD,
         .pattern = "chunks",
         .id = "chunks",
         .tag = "chunks",
         .summary = "chunks",
         .type = "application/json",
         .body = "ChunksRequest",
         .examples = "{\"chunks\":[[0,0]]}"},
    };
    static const struct route_table routes = {rows, sizeof rows / sizeof *rows};
    struct buffer out = {0};
    struct error error = {0};
    assert_true(openapi_write(&routes, "/t3", pretty, &out, &error));
    struct json_document *document =
        json_parse((const char *)out.data, out.length, &limits, &error);
    assert_non_null(document);
    buffer_free(&out);
    return document;
}

static void the_document_parses_in_both_forms(void **state)
{
    (void)state;
    for (int pretty = 0; pretty < 2; pretty++) {
        struct json_document *document = write_and_parse(pretty);
        const struct json *root = json_root(document);
        assert_string_equal(json_text(json_member(root, "openapi")), "3.1.0");
        const struct json *server = json_first(json_member(root, "servers"));
        assert_string_equal(json_text(json_member(server, "url")), "/t3");
        json_free(document);
    }
}

static void the_paths_are_those_of_the_table_alone(void **state)
{
    (void)state;
    static const char *const paths[] = {"/tide", "/chunks", "/worlds/{world}/chunks"};
    struct json_document *document = write_and_parse(false);
    const struct json *path = json_first(json_member(json_root(document), "paths"));
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++, path = json_next(path)) {
        assert_non_null(path);
        assert_string_equal(json_key(path), paths[i]);
        assert_true(!json_member(path, "get") == (i > 0));
        assert_true(!json_member(path, "post") == (i == 0));
    }
    assert_null(path);
    json_free(document);
}

int test_document(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_document_parses_in_both_forms),
        cmocka_unit_test(the_paths_are_those_of_the_table_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
