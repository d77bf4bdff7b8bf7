/* Parameters as values. */
#include "server/http/request/parameters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct http_target target;
static struct problem problem;

static void query(const char *raw_target)
{
    assert_true(target_parse(raw_target, strlen(raw_target), &target, &problem));
}

static void places_are_in_metres_or_degrees(void **state)
{
    (void)state;
    struct place place;
    query("/?x=1.5&y=-2");
    assert_true(parameter_place(&target, &place, &problem));
    assert_true(place.x == 98304 && place.y == -131072);
    query("/?lon=90&lat=0");
    assert_true(parameter_place(&target, &place, &problem));
    assert_true(place.x == (int64_t)1 << 39 && place.y == 0);
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
        if (parameter_place(&target, &place, &problem))
            fail_msg("%s was taken", bad[i]);
        assert_int_equal(problem_status(&problem), 400);
        assert_true(problem.parameter[0] != '\0');
    }
}

static void numbers_are_strict(void **state)
{
    (void)state;
    int64_t whole = 7;
    int64_t moment = 7;
    bool on = true;
    uint32_t size = 7;
    query("/");
    assert_true(parameter_integer(&target, "a", 20, &whole, &problem) && whole == 7);
    assert_true(parameter_fixed_point(&target, "a", &moment, &problem) && moment == 7);
    query("/?a=20");
    assert_true(parameter_integer(&target, "a", 20, &whole, &problem) && whole == 20);
    query("/?a=21");
    assert_false(parameter_integer(&target, "a", 20, &whole, &problem));
    query("/?a=1.0");
    assert_false(parameter_integer(&target, "a", 20, &whole, &problem));
    assert_true(parameter_fixed_point(&target, "a", &moment, &problem) && moment == 65536);
    query("/?a=-0");
    assert_true(parameter_fixed_point(&target, "a", &moment, &problem) && moment == 0);
    query("/?a=-1.5");
    assert_true(parameter_fixed_point(&target, "a", &moment, &problem) && moment == -98304);
    query("/?a=1099511627776");
    assert_true(parameter_fixed_point(&target, "a", &moment, &problem));
    query("/?a=1099511627777");
    assert_false(parameter_fixed_point(&target, "a", &moment, &problem));
    query("/?a=0");
    assert_true(parameter_bool(&target, "a", &on, &problem) && !on);
    query("/?a=yes");
    assert_false(parameter_bool(&target, "a", &on, &problem));
    query("/?size=512");
    assert_true(parameter_size(&target, &size, &problem) && size == 512);
    query("/?size=0512");
    assert_false(parameter_size(&target, &size, &problem));
    assert_string_equal(problem.parameter, "size");
    assert_string_equal(problem.allowed, "256, 512");
}

int test_parameters(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_are_in_metres_or_degrees),
        cmocka_unit_test(numbers_are_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
