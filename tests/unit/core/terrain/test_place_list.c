/* Lists of places. The units are by hand: 65,536 to a metre. */
#include "core/terrain/place_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct place places[4];

/* 0.5 m, -1.25 m; 2⁻¹⁷ m and 3 · 2⁻¹⁷ m lie between two units: the even one is taken. */
static void a_tree_and_one_pass_read_the_same(void **state)
{
    (void)state;
    static const char text[] =
        "{\"zoom\":9, \"points\" : [[0.5, -1.25],[0.00000762939453125,0.00002288818359375]]}";
    struct json_document *document = json_parse(text, strlen(text), NULL, NULL);
    struct place taken[4] = {0};
    struct buffer rest = {0};
    struct error error;
    size_t count = 0;
    assert_true(place_list_parse(json_member(json_root(document), "points"), places, &error));
    assert_int_equal(places[0].x, 32768);
    assert_int_equal(places[0].y, -81920);
    assert_int_equal(places[1].x, 0);
    assert_int_equal(places[1].y, 2);
    assert_true(place_list_take(text, strlen(text), taken, 4, &count, &rest));
    assert_int_equal(count, 2);
    assert_memory_equal(taken, places, 2 * sizeof *taken);
    assert_string_equal(buffer_string(&rest), "{\"zoom\":9, \"points\" : []}");
    buffer_free(&rest);
    json_free(document);
}

static void one_pass_takes_no_more_than_fit(void **state)
{
    (void)state;
    struct buffer rest = {0};
    size_t count = 0;
    for (size_t max = 1; max <= 2; max++)
        assert_int_equal(
            place_list_take("{\"points\":[[1,2],[3,4]]}", 24, places, max, &count, &rest),
            max == 2);
    buffer_free(&rest);
}

static void errors_name_the_place_and_its_axis(void **state)
{
    (void)state;
    static const struct {
        const char *points, *message;
    } cases[] = {
        {"[[1,2],3]", "points[1] must be two numbers in metres, [x, y]"},
        {"[[1,2,3]]", "points[0] must be two numbers in metres, [x, y]"},
        {"[[1,2],[3,\"4\"]]", "points[1]: y must be a number, not a string"},
        {"[[2e12,0]]", "points[0]: x: 2e12 m is beyond the world's edge: allowed is -1099511627776 "
                       "to 1099511627776"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct json_document *document =
            json_parse(cases[i].points, strlen(cases[i].points), NULL, NULL);
        struct error error;
        assert_false(place_list_parse(json_root(document), places, &error));
        assert_string_equal(error.message, cases[i].message);
        json_free(document);
    }
}

/* IEEE 754: 1.5 is 3FF8…; infinity 7FF0…; 2⁴¹ is 4280…. */
static void bytes_are_metres_or_units(void **state)
{
    (void)state;
    uint8_t bytes[PLACE_LIST_BYTES] = {0,    0,    0,    0,    0,    0,    0xF8, 0x3F,
                                       0xFE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF};
    struct error error;
    assert_false(place_list_read_metres(bytes, 1, places, &error));
    assert_string_equal(error.message, "points[0]: y must be metres, not NaN");
    assert_false(place_list_read_units(bytes, 1, places, &error));
    assert_string_equal(error.message,
                        "points[0]: x: 4609434218613702656 units of 2^-16 m are beyond the world's "
                        "edge: allowed is -72057594037927936 to 72057594037927936");
    memset(bytes + 8, 0, 8);
    assert_true(place_list_read_metres(bytes, 1, places, &error));
    assert_int_equal(places[0].x, 98304);
    bytes[6] = 0x80;
    bytes[7] = 0x42;
    assert_false(place_list_read_metres(bytes, 1, places, &error));
    memset(bytes, 0xFF, 8);
    assert_true(place_list_read_units(bytes, 1, places, &error));
    assert_int_equal(places[0].x, -1);
    assert_int_equal(places[0].y, 0);
}

int test_place_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_and_one_pass_read_the_same),
        cmocka_unit_test(one_pass_takes_no_more_than_fit),
        cmocka_unit_test(errors_name_the_place_and_its_axis),
        cmocka_unit_test(bytes_are_metres_or_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
