/* Parameters of a target as values. */
#include "server/http/request/parameters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct http_target target;
static struct parameter_values values;
static struct problem problem;

static void query(const char *raw_target)
{
    assert_true(target_parse(raw_target, strlen(raw_target), &target, &problem));
}

static void places_are_in_metres_or_degrees(void **state)
{
    (void)state;
    query("/?x=1.5&y=-2");
    assert_true(request_parameters_read(PARAMETERS_PLACE, &target, &values, &problem));
    assert_true(values.place.x == 98304 && values.place.y == -131072);
    query("/?lon=90&lat=0");
    assert_true(request_parameters_read(PARAMETERS_PLACE, &target, &values, &problem));
    assert_true(values.place.x == (int64_t)1 << 39 && values.place.y == 0);
    static const char *const bad[] = {
        "/",
        "/?x=1",
        "/?y=1",
        "/?lon=1",
        "/?x=1&lat=1",
        "/?x=a&y=1",
        "/?x=1&y=",
        "/?x=1&y=0x1",
        "/?x=1e13&y=1",
        "/?x=nan&y=1",
        "/?x=+1&y=1",
        "/?lon=181&lat=0",
        "/?lon=0&lat=86",
        "/?lon=0&lat=-90",
        "/?x=1,5&y=1",
        "/?x=%201&y=1",
        "/?lon=inf&lat=0",
        "/?x=1&y=1&lon=1&lat=1",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        query(bad[i]);
        if (request_parameters_read(PARAMETERS_PLACE, &target, &values, &problem))
            fail_msg("%s was taken", bad[i]);
        assert_int_equal(problem_status(&problem), 400);
        assert_true(problem.parameter[0] != '\0');
    }
}

/* Reads the parameter `id` alone from a target. */
static bool reads(enum parameter_id id, const char *raw_target)
{
    query(raw_target);
    return request_parameters_read((parameter_set)1 << id, &target, &values, &problem);
}

static void numbers_are_strict(void **state)
{
    (void)state;
    assert_true(reads(PARAMETER_ZOOM, "/") && values.zoom == -1 && values.given == 0);
    assert_true(reads(PARAMETER_ZOOM, "/?zoom=20") && values.zoom == 20);
    assert_true(values.given == PARAMETER_BIT(ZOOM));
    assert_false(reads(PARAMETER_ZOOM, "/?zoom=21"));
    assert_false(reads(PARAMETER_ZOOM, "/?zoom=1.0"));
    assert_string_equal(problem.allowed, "0 … 20");
    assert_string_equal(problem.detail, "zoom: must be a whole number from 0 to 20, not \"1.0\"");
    assert_true(reads(PARAMETER_T, "/") && values.t == 0);
    assert_true(reads(PARAMETER_T, "/?t=1.0") && values.t == 65536);
    assert_true(reads(PARAMETER_T, "/?t=-0") && values.t == 0);
    assert_true(reads(PARAMETER_T, "/?t=-1.5") && values.t == -98304);
    assert_true(reads(PARAMETER_T, "/?t=1099511627776"));
    assert_false(reads(PARAMETER_T, "/?t=1099511627777"));
    assert_false(reads(PARAMETER_INTERVAL, "/?interval=0"));
    assert_true(reads(PARAMETER_INTERVAL, "/?interval=0.5") && values.interval > 0.4);
    assert_true(reads(PARAMETER_COLS, "/") && values.columns == 80);
}

static void choices_are_words(void **state)
{
    (void)state;
    assert_true(reads(PARAMETER_PRETTY, "/") && !values.pretty);
    assert_true(reads(PARAMETER_PRETTY, "/?pretty=1") && values.pretty);
    assert_false(reads(PARAMETER_PRETTY, "/?pretty=yes"));
    assert_true(reads(PARAMETER_MAP_SIZE, "/?size=512") && values.map_size == 1);
    assert_false(reads(PARAMETER_MAP_SIZE, "/?size=0512"));
    assert_false(reads(PARAMETER_MAP_SIZE, "/?size="));
    assert_false(reads(PARAMETER_MAP_SIZE, "/?size=256%20512"));
    assert_string_equal(problem.parameter, "size");
    assert_string_equal(problem.allowed, "256, 512");
    assert_true(reads(PARAMETER_REQUEST, "/?request=getcapabilities"));
    assert_false(reads(PARAMETER_FORMAT, "/?format=JSON"));
}

static void equal_values_have_one_spelling(void **state)
{
    (void)state;
    static const char *const targets[] = {"/?x=1&y=2", "/?y=2.000&x=1e0", "/?x=1&y=2&zoom=9",
                                          "/?x=1&y=2&pretty=1"};
    const parameter_set set = PARAMETERS_PLACE | PARAMETER_BIT(ZOOM) | PARAMETERS_OUTPUT;
    struct buffer spellings[4] = {0};
    for (size_t i = 0; i < 4; i++) {
        query(targets[i]);
        assert_true(request_parameters_read(set, &target, &values, &problem));
        parameters_write(set, &values, &spellings[i]);
        const bool same = spellings[i].length == spellings[0].length &&
                          memcmp(spellings[i].data, spellings[0].data, spellings[0].length) == 0;
        assert_int_equal(same, i < 2);
    }
    for (size_t i = 0; i < 4; i++)
        buffer_free(&spellings[i]);
}

/* The rows' own defaults and examples are values that they allow. */
static void every_row_is_complete(void **state)
{
    (void)state;
    for (int id = 0; id < PARAMETER_COUNT; id++) {
        const struct parameter *row = &parameter_table[id];
        char allowed[PARAMETER_ALLOWED_TEXT];
        struct error error;
        assert_non_null(row->name);
        assert_non_null(row->text);
        assert_true(parameter_parse((enum parameter_id)id, row->example, &values, &error));
        if (row->fallback)
            assert_true(parameter_parse((enum parameter_id)id, row->fallback, &values, &error));
        assert_false(parameter_refuse((enum parameter_id)id, "?", &error));
        assert_string_equal(error.path, row->name);
        parameter_allowed((enum parameter_id)id, allowed);
        assert_true(allowed[0] != '\0');
    }
}

int test_parameters(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_in_metres_or_degrees),
        cmocka_unit_test(numbers_are_strict),
        cmocka_unit_test(choices_are_words),
        cmocka_unit_test(equal_values_have_one_spelling),
        cmocka_unit_test(every_row_is_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
