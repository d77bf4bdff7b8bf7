/* Borders that cross or touch themselves, exactly, anywhere, and within a limit of work. */
#include "core/polylines/crossing.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/polylines/line_of.h"

static enum polyline_crossing crossing_of(const struct place *vertices, uint32_t count,
                                          uint32_t segments[2])
{
    struct arena arena = {0};
    uint64_t pairs = 0;
    const enum polyline_crossing crossing =
        polyline_find_crossing(line_of(&arena, vertices, count, true), segments, &pairs);
    arena_free(&arena);
    return crossing;
}

static void crossings_are_known_by_hand(void **unused)
{
    (void)unused;
    static const struct {
        struct place vertices[7];
        uint32_t count;
        enum polyline_crossing crossing;
        uint32_t segments[2];
    } cases[] = {
        {{{0, 0}, {9, 0}, {0, 9}}, 3, POLYLINE_SIMPLE, {0, 0}},
        {{{0, 0}, {9, 0}, {9, 9}, {0, 9}}, 4, POLYLINE_SIMPLE, {0, 0}},
        {{{0, 0}, {9, 9}, {9, 0}, {0, 9}}, 4, POLYLINE_CROSSES, {0, 2}},
        {{{0, 0}, {9, 0}, {9, 9}, {5, 0}, {0, 9}}, 5, POLYLINE_CROSSES, {0, 2}}, /* touches */
        {{{0, 0}, {9, 0}, {9, 9}, {5, 1}, {0, 9}}, 5, POLYLINE_SIMPLE, {0, 0}},
        {{{0, 0}, {9, 0}, {4, 0}, {4, 9}}, 4, POLYLINE_CROSSES, {0, 1}}, /* goes back */
        {{{0, 0}, {4, 0}, {9, 0}, {4, 9}}, 4, POLYLINE_SIMPLE, {0, 0}},  /* goes straight on */
        {{{0, 0}, {9, 0}, {4, 0}}, 3, POLYLINE_CROSSES, {0, 1}},         /* a line */
        {{{4, 0}, {9, 9}, {0, 9}, {4, 0}, {4, -9}}, 5, POLYLINE_CROSSES, {0, 2}}, /* same place */
        {{{3, 0}, {9, 0}, {9, 9}, {0, 0}}, 4, POLYLINE_SIMPLE, {0, 0}}, /* along the last side */
        {{{3, 0}, {9, 9}, {0, 9}, {1, 0}, {9, 0}}, 5, POLYLINE_CROSSES, {0, 3}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t segments[2];
        assert_int_equal(crossing_of(cases[i].vertices, cases[i].count, segments),
                         cases[i].crossing);
        if (cases[i].crossing == POLYLINE_CROSSES) {
            assert_int_equal(segments[0], cases[i].segments[0]);
            assert_int_equal(segments[1], cases[i].segments[1]);
        }
    }
}

/* A vertex beside a side that is 2⁴¹ m long, a unit of 2⁻¹⁶ m on this side of it or on that. */
static void a_unit_decides_anywhere(void **unused)
{
    uint32_t segments[2];
    (void)unused;
    for (int64_t off = -1; off <= 1; off++) {
        const struct place vertices[] = {{-PLACE_LIMIT, -PLACE_LIMIT},
                                         {PLACE_LIMIT, PLACE_LIMIT},
                                         {-PLACE_LIMIT, PLACE_LIMIT},
                                         {off, 0},
                                         {-PLACE_LIMIT, PLACE_LIMIT - 1}};
        assert_int_equal(crossing_of(vertices, 5, segments),
                         off < 0 ? POLYLINE_SIMPLE : POLYLINE_CROSSES);
    }
}

/* A comb of many teeth beside each other, each `apart` units from the next. */
static enum polyline_crossing comb(uint32_t teeth, int64_t apart, bool sloping, uint64_t *pairs)
{
    struct arena arena = {0};
    struct place *vertices = arena_allocate(&arena, 2 * teeth + 2, sizeof *vertices);
    uint32_t segments[2];
    assert_non_null(vertices);
    const int64_t far = (int64_t)1 << 40, shift = sloping ? far : 0;
    for (uint32_t i = 0; i < 2 * teeth; i++) {
        const bool low = (i + 1) / 2 % 2 == 1;
        vertices[i] = (struct place){apart * i + (low ? shift : 0), low ? far : 0};
    }
    vertices[2 * teeth] = (struct place){apart * 2 * teeth + 2 * shift, -9};
    vertices[2 * teeth + 1] = (struct place){-9, -9};
    const enum polyline_crossing crossing =
        polyline_find_crossing(line_of(&arena, vertices, 2 * teeth + 2, true), segments, pairs);
    arena_free(&arena);
    return crossing;
}

static void large_borders_are_looked_at_in_time(void **unused)
{
    struct arena arena = {0};
    uint64_t pairs = 0;
    uint32_t segments[2];
    (void)unused;
    assert_int_equal(
        polyline_find_crossing(circle_line(&arena, POLYLINE_VERTICES_MAX, 1e6), segments, &pairs),
        POLYLINE_SIMPLE);
    assert_in_range(pairs, 1, 60 * POLYLINE_VERTICES_MAX);
    arena_free(&arena);
    pairs = 0;
    assert_int_equal(comb(20000, 9, false, &pairs), POLYLINE_SIMPLE);
    /* The boxes of all teeth overlap. */
    pairs = 0;
    assert_int_equal(comb(20000, 9, true, &pairs), POLYLINE_TANGLED);
    assert_in_range(pairs, 1, POLYLINE_PAIRS_MAX * (2 * 20000 + 2) + 100);
}

int test_crossing(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(crossings_are_known_by_hand),
        cmocka_unit_test(a_unit_decides_anywhere),
        cmocka_unit_test(large_borders_are_looked_at_in_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
