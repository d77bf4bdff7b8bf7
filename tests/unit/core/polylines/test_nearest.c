/* The nearest points of polylines: by hand, for places alone and together, and within a limit of
 * work. tests/reference/polylines.test.mjs compares them with a brute force. */
#include "core/polylines/nearest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/core/polylines/line_of.h"
#include "tests/unit/core/random.h"

static struct work_meter unlimited(void)
{
    struct work_meter meter;
    work_begin(&meter, &(struct work_limit){.most = WORK_UNLIMITED});
    return meter;
}

static struct polyline_nearest nearest_at(const struct polyline *line, double reach, double x,
                                          double y)
{
    struct work_meter meter = unlimited();
    const struct polyline_position position = {{place_from_metres(x), place_from_metres(y)},
                                               {0.0, 0.0}};
    const struct polyline_query query = {line, reach, &position, 1, &meter};
    struct polyline_nearest nearest;
    assert_true(polyline_find_nearest(&query, &nearest));
    return nearest;
}

static void points_are_known_by_hand(void **unused)
{
    (void)unused;
    /* East, then south, then back to the west. */
    static const struct place corner[] = {{0, 0},
                                          {100 * PLACE_METRE, 0},
                                          {100 * PLACE_METRE, 50 * PLACE_METRE},
                                          {60 * PLACE_METRE, 50 * PLACE_METRE}};
    static const struct {
        double x, y, distance, along;
        uint32_t segment;
    } cases[] = {
        {30, 7, 7, 30, 0},    {-3, -4, 5, 0, 0},    {103, -4, 5, 100, 0}, {107, 20, 7, 120, 1},
        {103, 54, 5, 150, 1}, {57, 54, 5, 190, 2},  {70, 25, 25, 70, 0}, /* from both as far: the
                                                                            first */
        {95, 45, 5, 145, 1},  {100, 50, 0, 150, 1}, {0, 0, 0, 0, 0},
    };
    struct arena arena = {0};
    const struct polyline *line = line_of(&arena, corner, 4, false);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct polyline_nearest nearest = nearest_at(line, 100, cases[i].x, cases[i].y);
        assert_true(nearest.squared == cases[i].distance * cases[i].distance);
        assert_true(polyline_along(line, &nearest) == cases[i].along);
        assert_int_equal(nearest.segment, cases[i].segment);
    }
    assert_true(nearest_at(line, 5, 103, 54).squared == 25.0);
    assert_true(nearest_at(line, 4.999, 103, 54).squared == (double)INFINITY);
    arena_free(&arena);
}

static void ways_around_a_place_are_inside(void **unused)
{
    (void)unused;
    /* A square of 80 m with a notch from the south up to 10 m below its north side. */
    static const struct place notched[] = {
        {0, 0},
        {80 * PLACE_METRE, 0},
        {80 * PLACE_METRE, 80 * PLACE_METRE},
        {50 * PLACE_METRE, 80 * PLACE_METRE},
        {40 * PLACE_METRE, 10 * PLACE_METRE},
        {30 * PLACE_METRE, 80 * PLACE_METRE},
        {0, 80 * PLACE_METRE},
    };
    static const struct {
        double x, y;
        bool inside;
    } cases[] = {{40, 9, true},   {40, 11, false}, {20, 70, true},  {70, 70, true},
                 {40, 70, false}, {-1, 40, false}, {81, 40, false}, {40, -1, false},
                 {40, 81, false}, {79, 79, true},  {-5, 0, false},  {5, 79.9, true}};
    struct arena arena = {0};
    const struct polyline *line = line_of(&arena, notched, 7, true);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(nearest_at(line, 1000, cases[i].x, cases[i].y).inside, cases[i].inside);
        assert_int_equal(nearest_at(line, 0.5, cases[i].x, cases[i].y).inside, cases[i].inside);
    }
    arena_free(&arena);
}

/* Compares what places have together with what each has alone, in every member. */
static void assert_same_alone(const struct polyline_query *query)
{
    struct polyline_nearest together[POLYLINE_PLACES_MAX], alone;
    assert_true(polyline_find_nearest(query, together));
    for (size_t i = 0; i < query->count; i++) {
        const struct polyline_query one = {query->line, query->reach, query->positions + i, 1,
                                           query->meter};
        assert_true(polyline_find_nearest(&one, &alone));
        assert_true(alone.squared == together[i].squared && alone.inside == together[i].inside);
        if (alone.squared < (double)INFINITY)
            assert_true(alone.t == together[i].t && alone.segment == together[i].segment);
    }
}

/* Lines of all sizes, near the origin and at the edge of the world; squares of places of all sizes,
 * beside the line and away from it. */
static void places_together_have_what_they_have_alone(void **unused)
{
    static struct place vertices[700];
    uint64_t state = 11;
    (void)unused;
    for (int round = 0; round < 60; round++) {
        struct arena arena = {0};
        struct work_meter meter = unlimited();
        const uint32_t count = (uint32_t)random_whole(&state, 3, 700);
        const int64_t step = (int64_t)1 << random_whole(&state, 2, round % 7 == 0 ? 55 : 30);
        const int64_t at = round % 3 == 0 ? PLACE_LIMIT : 0;
        for (uint32_t i = 0; i < count; i++) {
            const struct place before =
                i > 0 && step < (int64_t)1 << 40 ? vertices[i - 1] : (struct place){at, -at};
            vertices[i] = (struct place){before.x + random_whole(&state, -step, step) + 1,
                                         before.y + random_whole(&state, -step, step)};
        }
        const struct polyline *line = round % 2 == 0
                                          ? circle_line(&arena, count, 0x1p-16 * (double)step)
                                          : line_of(&arena, vertices, count, false);
        for (int squares = 0; squares < 12; squares++) {
            struct polyline_position positions[POLYLINE_PLACES_MAX];
            const struct place from = line->vertices[random_whole(&state, 0, count - 1)];
            const int64_t apart = (int64_t)1 << random_whole(&state, 0, 34);
            const int64_t away = apart * random_whole(&state, 0, 300);
            for (int i = 0; i < POLYLINE_PLACES_MAX; i++)
                positions[i] = (struct polyline_position){
                    {from.x + away + i / 16 * apart, from.y + i % 16 * apart},
                    {0x1p-20 * (i % 9), 0x1p-18 * (i % 3)}};
            const double reach = (double)((int64_t)1 << random_whole(&state, 0, 20));
            const struct polyline_query query = {line, reach, positions, POLYLINE_PLACES_MAX,
                                                 &meter};
            assert_same_alone(&query);
        }
        arena_free(&arena);
    }
}

/* In the middle of a circle every segment is nearest. */
static void the_meter_stops_what_takes_long(void **unused)
{
    enum { MIDDLE = POLYLINE_PLACES_MAX };
    struct polyline_position positions[MIDDLE];
    struct polyline_nearest found[MIDDLE];
    struct arena arena = {0};
    struct work_meter meter;
    (void)unused;
    const struct polyline *line = circle_line(&arena, POLYLINE_VERTICES_MAX, 1000.0);
    for (int i = 0; i < MIDDLE; i++)
        positions[i] = (struct polyline_position){{i % 16, i / 16}, {0.0, 0.0}};
    work_begin(&meter, &(struct work_limit){.most = 20000000});
    const struct polyline_query query = {line, 2000.0, positions, MIDDLE, &meter};
    assert_false(polyline_find_nearest(&query, found));
    assert_int_equal(meter.verdict, WORK_TOO_MUCH);
    /* At the border it is little, however many vertices there are. */
    for (int i = 0; i < MIDDLE; i++)
        positions[i].at[0] += 990 * PLACE_METRE;
    work_begin(&meter, &(struct work_limit){.most = 300000});
    assert_true(polyline_find_nearest(&query, found));
    arena_free(&arena);
}

int test_nearest(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_known_by_hand),
        cmocka_unit_test(ways_around_a_place_are_inside),
        cmocka_unit_test(places_together_have_what_they_have_alone),
        cmocka_unit_test(the_meter_stops_what_takes_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
