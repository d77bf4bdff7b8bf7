/* Summits of cones, whose places are known, and of rough ground, in boxes and at levels. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/terrain/summits.h"
#include "tests/unit/core/sampler_fixture.h"

static const float NO_RISE[8] = {0};

static struct summit_list find(const struct world *world, struct place low, struct place high,
                               int64_t step, int64_t finest, const float *least_rises)
{
    const struct summit_search search = {
        .low = low, .high = high, .step = step, .finest = finest, .least_rises = least_rises};
    struct summit_list list = {0};
    struct error error;
    assert_true(summits_find(sampler, world, &search, &list, &error));
    return list;
}

static struct place metres(int64_t x, int64_t y)
{
    return (struct place){x * PLACE_METRE, y * PLACE_METRE};
}

static const struct summit *find_place(const struct summit_list *list, struct place place)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->summits[i].place.x == place.x && list->summits[i].place.y == place.y)
            return &list->summits[i];
    return NULL;
}

static void assert_summit(const struct summit_list *list, int64_t x, int64_t y, float height)
{
    const struct summit *summit = find_place(list, metres(x, y));
    assert_non_null(summit);
    assert_true(summit->height == height);
}

/* Three cones on a plane in the sea: two of them near each other, one of them low. */
#define CONES                                                                                      \
    "max(max(900 - distance(777, 1333), 700 - distance(2777, 1333)), max(60 - "                    \
    "distance(-3001, -2003), -5))"

static void cones_have_their_tops(void **unused)
{
    (void)unused;
    char *text = world_text(CONES, "");
    struct world *world = world_of_text(text);
    const struct place low = metres(-6000, -6000), high = metres(6000, 6000);
    struct summit_list list = find(world, low, high, 256 * PLACE_METRE, 32 * PLACE_METRE, NO_RISE);
    assert_int_equal(list.count, 3);
    assert_summit(&list, 777, 1333, 900.0f);
    assert_summit(&list, 2777, 1333, 700.0f);
    assert_summit(&list, -3001, -2003, 60.0f);
    summit_list_free(&list);
    /* Within eight steps of 256 m of the highest there is no second one; the low one is so narrow
     * that it lies between them. */
    list = find(world, low, high, 256 * PLACE_METRE, 256 * PLACE_METRE, NO_RISE);
    assert_int_equal(list.count, 1);
    assert_summit(&list, 777, 1333, 900.0f);
    summit_list_free(&list);
    /* The low one rises by less than 100 m. */
    static const float rises[8] = {100, 100, 100, 100, 100, 100, 100, 100};
    list = find(world, low, high, 256 * PLACE_METRE, 32 * PLACE_METRE, rises);
    assert_int_equal(list.count, 2);
    assert_null(find_place(&list, metres(-3001, -2003)));
    summit_list_free(&list);
    world_release(world);
    free(text);
}

/* A box includes its north and west edges, not the others. */
static void a_top_on_an_edge_is_in_one_box(void **unused)
{
    (void)unused;
    char *text = world_text(CONES, "");
    struct world *world = world_of_text(text);
    for (int i = 0; i < 4; i++) {
        const struct place low = metres(i % 2 ? 777 : -1271, i / 2 ? 1333 : -715);
        const struct place high = {low.x + 2048 * PLACE_METRE, low.y + 2048 * PLACE_METRE};
        struct summit_list list =
            find(world, low, high, 64 * PLACE_METRE, 32 * PLACE_METRE, NO_RISE);
        assert_true((find_place(&list, metres(777, 1333)) != NULL) == (i == 3));
        summit_list_free(&list);
    }
    world_release(world);
    free(text);
}

#define ROUGH "600 * fbm(9000, 12) + 100"
enum { SPAN = 8192, STEP = 512, FINEST = 32 };

/* The summits in the parts of a box are those in the box. */
static void boxes_side_by_side_have_each_once(void **unused)
{
    (void)unused;
    char *text = world_text(ROUGH, "");
    struct world *world = world_of_text(text);
    struct summit_list whole = find(world, metres(-SPAN, -SPAN), metres(SPAN, SPAN),
                                    STEP * PLACE_METRE, FINEST * PLACE_METRE, NO_RISE);
    size_t found = 0;
    assert_true(whole.count > 20);
    for (int64_t y = -SPAN; y < SPAN; y += SPAN / 4)
        for (int64_t x = -SPAN; x < SPAN; x += SPAN / 4) {
            struct summit_list part = find(world, metres(x, y), metres(x + SPAN / 4, y + SPAN / 4),
                                           STEP * PLACE_METRE, FINEST * PLACE_METRE, NO_RISE);
            for (size_t i = 0; i < part.count; i++) {
                const struct summit *same = find_place(&whole, part.summits[i].place);
                assert_non_null(same);
                assert_true(same->id == part.summits[i].id);
                assert_true(same->height == part.summits[i].height);
            }
            found += part.count;
            summit_list_free(&part);
        }
    assert_int_equal(found, whole.count);
    summit_list_free(&whole);
    world_release(world);
    free(text);
}

/* What coarser levels find stays where it is, and there is more. */
static void finer_levels_add_to_coarser_ones(void **unused)
{
    (void)unused;
    char *text = world_text(ROUGH, "");
    struct world *world = world_of_text(text);
    struct summit_list coarser = {0};
    for (int64_t finest = STEP; finest >= FINEST; finest /= 4) {
        struct summit_list finer = find(world, metres(-SPAN, -SPAN), metres(SPAN, SPAN),
                                        STEP * PLACE_METRE, finest * PLACE_METRE, NO_RISE);
        assert_true(finer.count > coarser.count);
        for (size_t i = 0; i < coarser.count; i++)
            assert_non_null(find_place(&finer, coarser.summits[i].place));
        summit_list_free(&coarser);
        coarser = finer;
    }
    summit_list_free(&coarser);
    world_release(world);
    free(text);
}

int test_summits(void);
int test_summits(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cones_have_their_tops),
        cmocka_unit_test(a_top_on_an_edge_is_in_one_box),
        cmocka_unit_test(boxes_side_by_side_have_each_once),
        cmocka_unit_test(finer_levels_add_to_coarser_ones),
    };
    return cmocka_run_group_tests(tests, open_sampler, close_sampler);
}
