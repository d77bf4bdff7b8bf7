/* Where maps begin whose worlds have a rule. What is expected comes from sampling all places of the
 * spiral one by one, and the spiral from angles and powers. */
#include "core/terrain/first_view.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/terrain/locate_check.h"
#include "core/worldfile/world_condition.h"
#include "tests/unit/core/world_of.h"

/* A world with a rule. The view's members are written without their braces. */
static struct world *world_with_view(const char *view, const char *height)
{
    char members[400];
    snprintf(members, sizeof members, "\"view\":{%s},", view);
    char *text = world_text(height, members);
    struct world *world = world_of_text(text);
    free(text);
    return world;
}

static struct place find(const struct world *world)
{
    struct sampler *sampler = sampler_new();
    struct error error = {0};
    struct place centre;
    assert_non_null(sampler);
    if (!first_view_find(sampler, world, &centre, &error))
        fail_msg("%s", error.message);
    sampler_free(sampler);
    return centre;
}

static bool is_same(struct place a, struct place b)
{
    return a.x == b.x && a.y == b.y;
}

/* 360° ÷ the golden ratio squared, from half a tile to 2²⁵ m with the last one. */
static void places_lie_on_a_spiral(void **unused)
{
    (void)unused;
    const double turn = 2.0 * acos(-1.0) / pow((1.0 + sqrt(5.0)) / 2.0, 2.0);
    const struct place near = {7 * PLACE_METRE, -9 * PLACE_METRE};
    for (unsigned i = 0; i < FIRST_VIEW_PLACES; i++) {
        const struct place place = first_view_candidate(near, 7, i);
        const double distance = 131072.0 * pow(256.0, i / 255.0);
        const double x = 7.0 + distance * cos(turn * i), y = -9.0 + distance * sin(turn * i);
        assert_true(fabs(place_metres(place.x) - x) < 2.0);
        assert_true(fabs(place_metres(place.y) - y) < 2.0);
    }
    /* A view of the whole square would leave it with its first place. */
    for (unsigned i = 0; i < FIRST_VIEW_PLACES; i++)
        assert_true(is_same(first_view_candidate(near, 0, i), first_view_candidate(near, 7, i)));
}

/* The central square ends at 2²⁴ m. */
static void places_outside_of_the_square_are_left_out(void **unused)
{
    (void)unused;
    static const struct {
        double near, centre; /* x in metres; the least that the centre may have */
    } cases[] = {{16777000, 16777000}, {16777217, 16800000}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char view[100];
        snprintf(view, sizeof view, "\"near\":[%.0f,0],\"zoom\":10,\"where\":\"height > 0\"",
                 cases[i].near);
        struct world *world = world_with_view(view, "x - 16800000");
        assert_true(place_metres(find(world).x) >= cases[i].centre);
        assert_true((place_metres(find(world).x) > 16777216.0) == (i == 1));
        world_release(world);
    }
    const struct place corner = {PLACE_LIMIT, -PLACE_LIMIT};
    assert_true(first_view_allows(corner, corner));
    assert_false(first_view_allows(corner, (struct place){PLACE_LIMIT + 1, 0}));
    assert_false(first_view_allows(corner, (struct place){0, -PLACE_LIMIT - 1}));
}

static void a_fixed_view_is_its_place(void **unused)
{
    (void)unused;
    struct world *world = world_with_view("\"x\":5,\"y\":-6", "x");
    assert_true(is_same(find(world), (struct place){5 * PLACE_METRE, -6 * PLACE_METRE}));
    assert_true(first_view_time(world) == 0.0);
    world_release(world);
}

static struct place candidate(unsigned number)
{
    return first_view_candidate((struct place){0, 0}, 10, number);
}

/* The number of the first place of the spiral whose x is between two bounds. */
static unsigned first_between(double low, double high)
{
    unsigned i = 0;
    while (!(place_metres(candidate(i).x) > low && place_metres(candidate(i).x) < high))
        i++;
    assert_true(i < FIRST_VIEW_PLACES);
    return i;
}

/* The height is x: what holds where is arithmetic. */
static void the_first_place_wins(void **unused)
{
    (void)unused;
    static const struct {
        const char *where;
        double low, high;
    } cases[] = {
        {"height > 100", 100, INFINITY},
        {"height > 100000, height < 300000", 1e5, 3e5},
        {"height < -60000", -INFINITY, -6e4},
        {"height > 20000 && slope > 44", 2e4, INFINITY},
        /* Nothing is level; the rest of a rule that finds nothing is forgotten. */
        {"height > 50000, slope < 10", 0, INFINITY},
        {"height < -1e12", 0, INFINITY},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char view[200];
        snprintf(view, sizeof view, "\"zoom\":10,\"where\":\"%s\"", cases[i].where);
        struct world *world = world_with_view(view, "x");
        const struct place expected = candidate(first_between(cases[i].low, cases[i].high));
        if (!is_same(find(world), expected))
            fail_msg("%s", cases[i].where);
        assert_true(first_view_time(world) > 0.0);
        world_release(world);
    }
}

static void the_place_of_the_rule_comes_first(void **unused)
{
    (void)unused;
    struct world *world =
        world_with_view("\"near\":[1000.5,-20],\"zoom\":10,\"where\":\"height > 0\"", "x");
    const struct place near = {2001 * PLACE_METRE / 2, -20 * PLACE_METRE};
    assert_true(is_same(find(world), near));
    world_release(world);
    /* It is what is left where there is no land either. */
    world = world_with_view("\"near\":[1000.5,-20],\"zoom\":10,\"where\":\"height > 0\"", "-1");
    assert_true(is_same(find(world), near));
    world_release(world);
}

/* At full detail nothing is above 0, at coarser ones all is: each check fails. */
static void places_are_checked_at_full_detail(void **unused)
{
    (void)unused;
    struct world *world =
        world_with_view("\"zoom\":10,\"where\":\"height > 0\"", "5 - 10 * detail(500)");
    assert_true(layer_at(world, "height", 0, 0) == -5.0f);
    assert_true(layer_seen_at(world, "height", 0, 0, 2048.0) == 5.0f);
    assert_true(is_same(find(world), (struct place){0, 0}));
    world_release(world);
}

/* True if the condition holds at the place, as the tools of searches say. */
static bool holds(const struct world *world, const char *where, struct place place)
{
    struct locate_candidates candidates = {.places = {place}, .count = 1};
    struct error error = {0};
    struct sampler *sampler = sampler_new();
    struct condition *condition = world_condition_new(world, where, &error);
    assert_non_null(sampler);
    assert_non_null(condition);
    assert_true(locate_check(sampler, world, condition, &candidates, &error));
    condition_free(condition);
    sampler_free(sampler);
    return candidates.passes[0];
}

/* The place that a search over the spiral, one place after the other, finds. */
static struct place find_one_by_one(const struct world *world, const char *where, float least)
{
    const struct place near = {0, 0};
    unsigned checks = 0;
    if (holds(world, where, near))
        return near;
    for (unsigned i = 0; i < FIRST_VIEW_PLACES && checks < FIRST_VIEW_CHECKS; i++) {
        const struct place place = candidate(i);
        if (!(layer_seen_at(world, "height", place.x, place.y, 2048.0) > least))
            continue;
        checks++;
        if (holds(world, where, place))
            return place;
    }
    return near;
}

/* A tile of zoom 10 is 32,768 m wide, so that its 16th part is 2,048 m. */
static void every_seed_has_its_own_view(void **unused)
{
    (void)unused;
    struct world *world = world_with_view("\"zoom\":10,\"where\":\"height > 40, slope < 30\"",
                                          "400 * fbm(wavelength=262144, octaves=16) - 30");
    unsigned moved = 0, found = 0;
    for (unsigned seed = 0; seed < 40; seed++) {
        char text[8];
        struct error error;
        snprintf(text, sizeof text, "%u", seed);
        struct world *reseeded = world_reseed(world, text, strlen(text), &error);
        assert_non_null(reseeded);
        struct place expected = find_one_by_one(reseeded, "height > 40, slope < 30", 40.0f);
        if (!holds(reseeded, "height > 40, slope < 30", expected))
            expected = find_one_by_one(reseeded, "height > 0", 0.0f);
        else
            found++;
        moved += expected.x != 0;
        assert_true(is_same(find(reseeded), expected));
        assert_true(first_view_time(reseeded) == first_view_time(world));
        world_release(reseeded);
    }
    assert_true(moved > 10 && found > 20);
    world_release(world);
}

int test_first_view(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_lie_on_a_spiral),
        cmocka_unit_test(places_outside_of_the_square_are_left_out),
        cmocka_unit_test(a_fixed_view_is_its_place),
        cmocka_unit_test(the_first_place_wins),
        cmocka_unit_test(the_place_of_the_rule_comes_first),
        cmocka_unit_test(places_are_checked_at_full_detail),
        cmocka_unit_test(every_seed_has_its_own_view),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
