/* Errors of world files as JSON. */
#include "server/http/request/world_errors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void assert_written(const struct error *error, const char *expected)
{
    struct buffer out = {0};
    struct json_writer json;
    json_begin(&json, &out, false);
    json_object_open(&json);
    world_errors_write(&json, "errors", error, 1);
    json_object_close(&json);
    json_finish(&json);
    assert_string_equal(buffer_string(&out), expected);
    buffer_free(&out);
}

/* RFC 6901: "~" is "~0" and "/" is "~1". */
static void paths_become_json_pointers(void **state)
{
    (void)state;
    static const struct {
        const char *path, *pointer;
    } cases[] = {
        {"", ""},
        {"generator", "/generator"},
        {"layers.height.formula", "/layers/height/formula"},
        {"biomes[3].when", "/biomes/3/when"},
        {"styles.a.paint[0].ramp.stops[12]", "/styles/a/paint/0/ramp/stops/12"},
        {"[2][0]", "/2/0"},
        {"layers.a/b~c", "/layers/a~1b~0c"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {.code = ERROR_VALUE, .message = "bad"};
        char expected[160];
        strncat(error.path, cases[i].path, sizeof error.path - 1);
        snprintf(expected, sizeof expected,
                 "{\"errors\":[{\"message\":\"bad\",\"pointer\":\"%s\"}]}\n", cases[i].pointer);
        assert_written(&error, expected);
    }
}

static void places_are_written_where_they_are_known(void **state)
{
    (void)state;
    assert_written(&(struct error){.line = 3, .column = 7, .path = "x", .message = "\"m\""},
                   "{\"errors\":[{\"message\":\"\\\"m\\\"\",\"line\":3,\"column\":7,"
                   "\"pointer\":\"/x\"}]}\n");
    assert_written(&(struct error){.column = 7, .message = "of a formula alone"},
                   "{\"errors\":[{\"message\":\"of a formula alone\",\"pointer\":\"\"}]}\n");
}

int test_world_errors(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_become_json_pointers),
        cmocka_unit_test(places_are_written_where_they_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
