/* Labels of lands whose shapes are known, and of rough ground: in boxes and their quarters, at
 * zooms that follow each other, with what is kept and without. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/drainage/store/cache_share.h"
#include "core/labels/label_survey.h"
#include "core/labels/labels.h"
#include "tests/unit/core/sampler_fixture.h"

static struct place metres(int64_t x, int64_t y)
{
    return (struct place){x * PLACE_METRE, y * PLACE_METRE};
}

static struct label_list find(const struct world *world, const struct label_box *box, int zoom)
{
    const struct label_source source = label_source_of(sampler, world);
    struct summit_list summits = {0};
    struct label_list list = {0};
    struct error error;
    const struct labels_search search = {.box = *box, .zoom = zoom, .summits = &summits};
    const struct labels_summits peaks = {*box, zoom - LABEL_PEAK_ZOOMS, 0};
    assert_true(labels_find_summits(&source, &peaks, &summits, &error));
    assert_true(labels_find(&source, &search, &list, &error));
    summit_list_free(&summits);
    return list;
}

/* A square around the origin, of so many pixels of a zoom to each side. */
static struct label_box square(int zoom, int64_t pixels)
{
    const int64_t half = (int64_t)((double)pixels * label_pixel(zoom));
    return (struct label_box){metres(-half, -half), metres(half, half)};
}

static double distance_of(const struct label *label)
{
    return hypot(place_metres(label->place.x), place_metres(label->place.y));
}

#define LAND(formula)                                                                              \
    "{\"generator\":1,\"layers\":{\"height\":{\"formula\":\"" formula                              \
    "\",\"unit\":\"m\",\"range\":[-1000,3000]}}}"

/* A cone 60 km across in an endless sea: as wide as two to four samples of cells of rank 7, 33 km
 * apart, or four to eight of rank 8. */
static void an_island_has_one_name(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND("30000 - distance(0, 0)"));
    uint64_t id = 0;
    unsigned islands = 0;
    for (int zoom = 3; zoom <= 12; zoom++) {
        const struct label_box box = square(zoom, 400);
        struct label_list list = find(world, &box, zoom);
        for (size_t i = 0; i < list.count; i++) {
            const struct label *label = &list.labels[i];
            const bool is_water = label->kind == NAME_SEA || label->kind == NAME_BAY;
            assert_true(is_water == (distance_of(label) > 30000.0));
            if (label->kind != NAME_ISLAND)
                continue;
            assert_true(id == 0 || id == label->id);
            id = label->id;
            islands++;
        }
        label_list_free(&list);
    }
    assert_true(islands >= LABEL_ZOOMS - 1);
    world_release(world);
}

static void land_without_shores_has_no_water(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND("100 + 50 * perlin(60000)"));
    for (int zoom = 3; zoom <= 14; zoom++) {
        const struct label_box box = square(zoom, 300);
        struct label_list list = find(world, &box, zoom);
        for (size_t i = 0; i < list.count; i++) {
            const enum name_kind kind = list.labels[i].kind;
            assert_true(kind != NAME_SEA && kind != NAME_BAY && kind != NAME_STRAIT &&
                        kind != NAME_ISLAND && kind != NAME_RIVER);
        }
        label_list_free(&list);
    }
    world_release(world);
}

/* A ridge 2000 m high from west-south-west to east-north-east, 80 km wide: its axis is a unit
 * vector of slope -1/2. */
static void a_range_has_its_axis(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND("10 + max(0, 2000 - abs(y + 0.5 * x) / 20)"));
    const struct label_box box = square(6, 500);
    struct label_list list = find(world, &box, 6);
    unsigned ranges = 0;
    for (size_t i = 0; i < list.count; i++) {
        const struct label *label = &list.labels[i];
        if (label->kind != NAME_RANGE || label->length == 0.0)
            continue;
        ranges++;
        assert_true(fabs((double)(label->axis[1] / label->axis[0]) + 0.5) < 0.2);
        assert_true(fabs(place_metres(label->place.y) + 0.5 * place_metres(label->place.x)) <
                    40000.0);
    }
    assert_true(ranges > 0);
    label_list_free(&list);
    world_release(world);
}

/* A spit of a straight coast: a wedge 40 km long whose tip is at 40 km east of the origin. A cape
 * is at the water's edge to within a quarter of a pixel of its rank, near the tip. */
static void a_cape_is_at_the_end_of_a_spit(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(LAND("max(-x, (40000 - x) / 5 - abs(y)) / 100"));
    uint64_t id = 0;
    unsigned capes = 0;
    for (int zoom = 6; zoom <= 16; zoom++) {
        const struct label_box box = square(zoom < 9 ? zoom : 9, 400);
        struct label_list list = find(world, &box, zoom);
        for (size_t i = 0; i < list.count; i++) {
            const struct label *label = &list.labels[i];
            const double x = place_metres(label->place.x), y = place_metres(label->place.y);
            if (label->kind != NAME_CAPE)
                continue;
            const double inland = fmax(-x, (40000.0 - x) / 5.0 - fabs(y));
            assert_true(inland > 0.0 && inland <= 0.3 * label_pixel(label->rank));
            assert_true(hypot(x - 40000.0, y) < 64.0 * label_pixel(label->rank));
            assert_true(id == 0 || id == label->id);
            id = label->id;
            capes++;
        }
        label_list_free(&list);
    }
    assert_true(capes >= 3);
    world_release(world);
}

/* A round inlet 120 km across that opens to the east, and shores that rise by 50 or by 3 m a
 * kilometre: a fjord has 210 m within two samples of a cell of rank 9, which are 16 km apart. */
static void an_inlet_with_steep_shores_is_a_fjord(void **unused)
{
    (void)unused;
#define INLET "min(distance(0, 0) - 60000, max(abs(y) - 20000, -x))"
    static const char *const lands[2] = {LAND("clamp(" INLET " / 20, -100, 2000)"),
                                         LAND("clamp(" INLET " / 333, -100, 2000)")};
    static const enum name_kind kinds[2] = {NAME_FJORD, NAME_BAY};
    for (int i = 0; i < 2; i++) {
        struct world *world = world_of_text(lands[i]);
        const struct label_box box = square(9, 600);
        struct label_list list = find(world, &box, 9);
        unsigned inlets = 0;
        for (size_t j = 0; j < list.count; j++) {
            const enum name_kind kind = list.labels[j].kind;
            assert_true(kind != kinds[1 - i]);
            inlets += kind == kinds[i];
        }
        assert_true(inlets > 0);
        label_list_free(&list);
        world_release(world);
    }
#undef INLET
}

/* A ridge along x, 2000 m high, that sinks to 1200 m at x = 5000 m. The pass is there, to within a
 * quarter of a pixel of its rank on each axis; and a ridge that only ends in a plain has none. */
static void a_pass_is_where_a_ridge_is_lowest(void **unused)
{
    (void)unused;
    struct world *gap =
        world_of_text(LAND("max(10, 2000 - abs(y) / 10 - max(0, 800 - abs(x - 5000) / 20))"));
    struct world *end = world_of_text(LAND("max(10, 2000 - abs(y) / 10 - max(0, x) / 20)"));
    uint64_t id = 0;
    unsigned passes = 0;
    for (int zoom = 8; zoom <= 12; zoom++) {
        const struct label_box box = square(9, 200);
        struct label_list list = find(gap, &box, zoom), none = find(end, &box, zoom);
        for (size_t i = 0; i < none.count; i++)
            assert_true(none.labels[i].kind != NAME_PASS);
        for (size_t i = 0; i < list.count; i++) {
            const struct label *label = &list.labels[i];
            if (label->kind != NAME_PASS)
                continue;
            const double most = 0.3 * label_pixel(label->rank);
            assert_true(fabs(place_metres(label->place.x) - 5000.0) <= most);
            assert_true(fabs(place_metres(label->place.y)) <= most);
            assert_true(id == 0 || id == label->id);
            id = label->id;
            passes++;
        }
        label_list_free(&list);
        label_list_free(&none);
    }
    assert_true(passes >= 3);
    world_release(gap);
    world_release(end);
}

static bool same_label(const struct label *a, const struct label *b)
{
    return a->id == b->id && a->kind == b->kind && a->place.x == b->place.x &&
           a->place.y == b->place.y && a->rank == b->rank && a->size == b->size &&
           strcmp(a->name.text, b->name.text) == 0;
}

static bool has_label(const struct label_list *list, const struct label *label)
{
    for (size_t i = 0; i < list->count; i++)
        if (same_label(&list->labels[i], label))
            return true;
    return false;
}

/* Gives the sampler a cache of so many bytes, in which nothing is kept. */
static void forget(size_t bytes)
{
    struct drainage_cache *cache = drainage_cache_new(bytes);
    assert_non_null(cache);
    sampler_set_cache(sampler, cache);
    drainage_cache_release(cache);
}

#define ROUGH LAND("800 * fbm(wavelength=900000, octaves=14)")

static void quarters_have_the_labels_of_the_whole(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(ROUGH);
    size_t all = 0;
    for (int zoom = 4; zoom <= 10; zoom += 2) {
        const struct label_box box = square(zoom, 512);
        struct label_list whole = find(world, &box, zoom);
        size_t count = 0;
        forget(zoom < 8 ? SAMPLER_MEMORY_DEFAULT : 1);
        for (int i = 3; i >= 0; i--) {
            struct label_box quarter = box;
            *(i % 2 ? &quarter.low.x : &quarter.high.x) = 0;
            *(i / 2 ? &quarter.low.y : &quarter.high.y) = 0;
            struct label_list part = find(world, &quarter, zoom);
            for (size_t k = 0; k < part.count; k++)
                assert_true(has_label(&whole, &part.labels[k]));
            count += part.count;
            label_list_free(&part);
        }
        assert_int_equal(count, whole.count);
        all += count;
        label_list_free(&whole);
    }
    assert_true(all > 20);
    world_release(world);
}

/* But for peaks, which give way, and labels whose last zoom has come. */
static void labels_stay_while_one_zooms_in(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(ROUGH);
    unsigned stayed = 0;
    for (int zoom = 3; zoom < 12; zoom++) {
        const struct label_box box = square(zoom + 1, 512);
        struct label_list far = find(world, &box, zoom), near = find(world, &box, zoom + 1);
        for (size_t i = 0; i < far.count; i++) {
            const struct label *label = &far.labels[i];
            assert_true(label->rank <= zoom && label->last >= zoom);
            if (label->kind == NAME_PEAK || label->kind == NAME_HILL || label->last == zoom)
                continue;
            assert_true(has_label(&near, label));
            stayed++;
        }
        label_list_free(&far);
        label_list_free(&near);
    }
    assert_true(stayed > 20);
    world_release(world);
}

/* Steps of summits are 8192 m, and each a quarter of the one before. */
static void few_levels_of_detail_are_looked_at(void **unused)
{
    (void)unused;
    static const double details[][2] = {{8192, 8192},  {8191, 8192},    {2049, 8192}, {2048, 2048},
                                        {1024, 2048},  {33, 128},       {32, 32},     {3, 8},
                                        {8193, 32768}, {131072, 131072}};
    for (size_t i = 0; i < sizeof details / sizeof *details; i++)
        assert_true(survey_detail(details[i][0]) == details[i][1]);
}

/* Labels of ten pixels to each side of their places, at the least. */
static void labels_do_not_overlap(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(ROUGH);
    const struct label_box box = square(7, 700);
    struct label_list list = find(world, &box, 7);
    const double least = 20.0 * label_pixel(7);
    assert_true(list.count > 8);
    for (size_t i = 0; i < list.count; i++)
        for (size_t k = 0; k < i; k++)
            assert_true(
                fabs(place_metres(list.labels[i].place.x - list.labels[k].place.x)) >= least ||
                fabs(place_metres(list.labels[i].place.y - list.labels[k].place.y)) >= least);
    label_list_free(&list);
    world_release(world);
}

int test_labels(void);
int test_labels(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_island_has_one_name),
        cmocka_unit_test(land_without_shores_has_no_water),
        cmocka_unit_test(a_range_has_its_axis),
        cmocka_unit_test(a_cape_is_at_the_end_of_a_spit),
        cmocka_unit_test(an_inlet_with_steep_shores_is_a_fjord),
        cmocka_unit_test(a_pass_is_where_a_ridge_is_lowest),
        cmocka_unit_test(quarters_have_the_labels_of_the_whole),
        cmocka_unit_test(labels_stay_while_one_zooms_in),
        cmocka_unit_test(few_levels_of_detail_are_looked_at),
        cmocka_unit_test(labels_do_not_overlap),
    };
    return cmocka_run_group_tests(tests, open_sampler, close_sampler);
}
