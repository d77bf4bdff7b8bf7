/* Regions of tongues, and fixed names near places. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/names/names.h"

#define KM (1000 * PLACE_METRE)

static void regions_hold_together_and_have_all_tongues(void **state)
{
    (void)state;
    enum { SIDE = 200, STEP = 333 }; /* km: 66,600 km, some 16² regions */
    unsigned changes = 0, seen[TONGUES] = {0};
    for (int64_t y = -SIDE / 2; y < SIDE / 2; y++)
        for (int64_t x = -SIDE / 2; x < SIDE / 2; x++) {
            const uint32_t tongue =
                names_tongue_at(&names_default, 9, (struct place){x * STEP * KM, y * STEP * KM});
            const uint32_t east = names_tongue_at(
                &names_default, 9, (struct place){(x + 1) * STEP * KM, y * STEP * KM});
            changes += tongue != east;
            seen[tongue]++;
        }
    for (size_t t = 0; t < TONGUES; t++) /* an eighth each, more or less */
        assert_in_range(seen[t], SIDE * SIDE / 24, SIDE * SIDE / 3);
    /* A row of 66,600 km crosses a border each 4000 km or so, of 1/8 of which both sides are alike.
     */
    assert_in_range(changes, SIDE * 8, SIDE * 24);
}

/* Of views of 1000 km 90 % have names of at most two tongues: counted on 11 x 11 places of each. */
static void a_view_has_few_tongues(void **state)
{
    (void)state;
    enum { VIEWS = 60, PLACES = 11 };
    unsigned many = 0;
    for (int64_t view = 0; view < VIEWS * VIEWS; view++) {
        uint32_t seen = 0;
        for (int64_t i = 0; i < PLACES * PLACES; i++) {
            const struct place place = {(view % VIEWS * 1370 + i % PLACES * 100) * KM,
                                        (view / VIEWS * 1370 + i / PLACES * 100) * KM};
            seen |= 1U << names_tongue_at(&names_default, 9, place);
        }
        many += __builtin_popcount(seen) > 2;
    }
    assert_in_range(many, 1, VIEWS * VIEWS / 10);
}

static void regions_are_found_at_the_ends_of_the_world(void **state)
{
    (void)state;
    const int64_t ends[] = {-PLACE_LIMIT, PLACE_LIMIT};
    for (size_t i = 0; i < 4; i++) {
        const struct place place = {ends[i % 2], ends[i / 2]};
        const uint32_t tongue = names_tongue_at(&names_default, 1, place);
        assert_in_range(tongue, 0, TONGUES - 1);
        assert_int_equal(names_tongue_at(&names_default, 1, place), tongue);
    }
}

static void the_nearest_fixed_name_of_the_kind_in_reach_is_found(void **state)
{
    (void)state;
    const struct name_place places[] = {
        {NAME_LAKE, {0, 0}, "A"},
        {NAME_LAKE, {8 * KM, 0}, "B"},
        {NAME_SEA, {1 * KM, 0}, "C"},
        {NAME_LAKE, {16 * KM, 0}, "D"},
    };
    const struct names names = {.places = places, .place_count = 4};
    /* Lakes reach 10 km, seas 400 km. */
    static const struct {
        enum name_kind kind;
        int64_t x, y; /* km */
        int found;    /* -1: none */
    } cases[] = {
        {NAME_LAKE, 3, 0, 0},   {NAME_LAKE, 5, 0, 1},     {NAME_LAKE, 4, 0, 0},
        {NAME_LAKE, 12, 0, 1},  {NAME_LAKE, 0, -10, 0},   {NAME_LAKE, 0, 11, -1},
        {NAME_LAKE, -8, 8, -1}, {NAME_LAKE, 1000, 0, -1}, {NAME_SEA, 300, 200, 2},
        {NAME_SEA, 401, 0, 2},  {NAME_SEA, 402, 0, -1},   {NAME_PEAK, 0, 0, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct place place = {cases[i].x * KM, cases[i].y * KM};
        const struct name_place *found = names_place_near(&names, cases[i].kind, place);
        assert_ptr_equal(found, cases[i].found < 0 ? NULL : &places[cases[i].found]);
    }
    assert_null(names_place_near(&names, NAME_LAKE, (struct place){-PLACE_LIMIT, PLACE_LIMIT}));
}

int test_names(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(regions_hold_together_and_have_all_tongues),
        cmocka_unit_test(a_view_has_few_tongues),
        cmocka_unit_test(regions_are_found_at_the_ends_of_the_world),
        cmocka_unit_test(the_nearest_fixed_name_of_the_kind_in_reach_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
