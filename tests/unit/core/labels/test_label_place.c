/* What places are in and on, and searches, on lands whose shapes are known: a cone in a sea, and
 * fixed names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/labels/label_place.h"
#include "tests/unit/core/sampler_fixture.h"

#define LAND(formula, names)                                                                       \
    "{\"generator\":1,\"layers\":{\"height\":{\"formula\":\"" formula                              \
    "\",\"unit\":\"m\",\"range\":[-1000,3000]}}" names "}"
/* 60 km across. */
#define CONE "30000 - distance(0, 0)"

static struct label_finder finder;

static struct place metres(int64_t x, int64_t y)
{
    return (struct place){x * PLACE_METRE, y * PLACE_METRE};
}

static struct label_place find(const struct world *world, struct place place)
{
    struct label_place found = {.place = place};
    const struct label_source source = label_source_of(sampler, world);
    struct error error;
    assert_true(label_place_find(&finder, &source, &found, &error));
    assert_false(found.is_on); /* there is no drainage network */
    return found;
}

static struct label_found_list search(const struct world *world, const struct label_search *search)
{
    struct label_found_list list = {0};
    const struct label_source source = label_source_of(sampler, world);
    struct error error;
    assert_true(label_search_find(&finder, &source, search, &list, &error));
    return list;
}

static bool has_kind(const struct label_found *found, unsigned count, enum name_kind kind)
{
    for (unsigned i = 0; i < count; i++)
        if (found[i].label.kind == kind)
            return true;
    return false;
}

static void land_is_in_its_island_and_water_in_a_sea(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND(CONE, ""));
    const struct label_place land = find(world, metres(3000, -9000));
    assert_true(has_kind(land.in, land.in_count, NAME_ISLAND));
    assert_false(has_kind(land.in, land.in_count, NAME_SEA));
    assert_false(has_kind(land.near, land.near_count, NAME_ISLAND));
    const struct label_place water = find(world, metres(0, 60000));
    assert_true(has_kind(water.in, water.in_count, NAME_SEA));
    assert_false(has_kind(water.in, water.in_count, NAME_ISLAND));
    assert_true(has_kind(water.near, water.near_count, NAME_ISLAND));
    for (unsigned i = 0; i < water.near_count; i++) {
        const struct label *label = &water.near[i].label;
        const double east = place_metres(label->place.x);
        const double south = place_metres(label->place.y) - 60000.0;
        assert_true(fabs(water.near[i].distance - hypot(east, south)) < 1e-3);
        assert_true(i == 0 || water.near[i - 1].distance <= water.near[i].distance);
    }
    world_release(world);
}

static void smaller_areas_come_first(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND("800 * fbm(wavelength=900000, octaves=14)", ""));
    unsigned areas = 0;
    for (int i = 0; i < 12; i++) {
        const struct label_place found = find(world, metres(i * 777000, i * -333000));
        for (unsigned k = 0; k < found.in_count; k++) {
            assert_true(k == 0 || found.in[k - 1].label.rank >= found.in[k].label.rank);
            assert_true(found.in[k].zoom >= found.in[k].label.rank);
            assert_true(found.in[k].zoom <= found.in[k].label.last);
            areas++;
        }
    }
    assert_true(areas > 12);
    world_release(world);
}

#define FIXED                                                                                      \
    ",\"names\":{\"tongues\":[],\"places\":[{\"kind\":\"sea\",\"at\":[0,90000],"                   \
    "\"name\":\"Own Sea\"},{\"kind\":\"lake\",\"at\":[0,70000],\"name\":\"Own Lake\"}]}"

/* Without a tongue only the two have names. A sea's reach is 400 km. */
static void fixed_names_are_told(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND(CONE, FIXED));
    const struct label_place found = find(world, metres(0, 65000));
    assert_int_equal(found.in_count, 1);
    assert_string_equal(found.in[0].label.name.text, "Own Sea");
    assert_int_equal(found.near_count, 1);
    assert_string_equal(found.near[0].label.name.text, "Own Lake");
    assert_true(fabs(found.near[0].distance - 5000.0) < 1e-9);
    world_release(world);
    world = world_of_text(LAND(CONE, ",\"names\":false"));
    const struct label_place nothing = find(world, metres(0, 65000));
    assert_int_equal(nothing.in_count + nothing.near_count, 0);
    world_release(world);
}

static void a_search_finds_each_name_once_and_within_the_radius(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND("800 * fbm(wavelength=900000, octaves=14)", ""));
    const struct label_search near = {.place = metres(5000, 5000),
                                      .radius = 300000 * PLACE_METRE,
                                      .last = label_search_zoom(300000 * PLACE_METRE)};
    struct label_search wide = near;
    wide.radius *= 2;
    struct label_found_list some = search(world, &near), more = search(world, &wide);
    assert_true(some.count > 3 && more.count > some.count);
    for (size_t i = 0; i < some.count; i++) {
        const struct label_found *found = &some.items[i];
        assert_true(found->distance <= 300000.0);
        assert_true(i == 0 || some.items[i - 1].distance <= found->distance);
        assert_true(found->zoom >= found->label.rank && found->zoom <= near.last);
        for (size_t k = 0; k < i; k++)
            assert_true(some.items[k].label.name_id != found->label.name_id);
        /* The greater circle has the same names at the same places. */
        assert_true(more.items[i].label.id == found->label.id && more.items[i].zoom == found->zoom);
    }
    assert_true(more.items[some.count].distance > 300000.0);
    label_found_list_free(&some);
    label_found_list_free(&more);
    world_release(world);
}

/* 2 · 16384 m are 2048 pixels of 16 m, at zoom 13. */
static void the_usual_zoom_follows_the_radius(void **unused)
{
    (void)unused;
    assert_int_equal(label_search_zoom(16384 * PLACE_METRE), 13);
    assert_int_equal(label_search_zoom(16384 * PLACE_METRE + 1), 12);
    assert_int_equal(label_search_zoom(PLACE_METRE), LABEL_ZOOM_MAX);
    assert_int_equal(label_search_zoom((int64_t)1 << (24 + PLACE_BITS)), LABEL_ZOOM_MIN);
    struct world *world = world_of_text(LAND(CONE, ""));
    const struct label_search large = {.radius = (int64_t)1 << (24 + PLACE_BITS), .last = 9};
    struct label_found_list list = {0};
    const struct label_source source = label_source_of(sampler, world);
    struct error error;
    assert_false(label_search_find(&finder, &source, &large, &list, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    world_release(world);
}

static int tear_down(void **state)
{
    label_finder_free(&finder);
    return close_sampler(state);
}

int test_label_place(void);
int test_label_place(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(land_is_in_its_island_and_water_in_a_sea),
        cmocka_unit_test(smaller_areas_come_first),
        cmocka_unit_test(fixed_names_are_told),
        cmocka_unit_test(a_search_finds_each_name_once_and_within_the_radius),
        cmocka_unit_test(the_usual_zoom_follows_the_radius),
    };
    return cmocka_run_group_tests(tests, open_sampler, tear_down);
}
