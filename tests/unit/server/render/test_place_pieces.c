/* Pieces of lists of places: none above the price, none needlessly small, all places in one. */
#include "server/render/place_pieces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/place_order.h"

enum { PLACES = 2000 };

/* Heights of a plain noise, and of land whose streams cost far more than any noise. */
static const char text[] =
    "{\"generator\": 1, \"drainage\": {\"potential\": \"fbm(900000, 4)\", \"target\": \"900 * "
    "fbm(90000, 6)\", \"relief\": \"100\"}, \"layers\": {\"height\": \"drainage('height')\", "
    "\"plain\": \"fbm(wavelength=8192, octaves=8)\"}}";

struct list {
    struct world *world;
    struct place places[PLACES];
};

static int setup(void **state)
{
    static struct list list;
    struct error error = {0};
    list.world = world_parse(text, strlen(text), "test", NULL, &error);
    if (!list.world)
        fail_msg("%s", error.message);
    *state = &list;
    return 0;
}

static int teardown(void **state)
{
    world_release(((struct list *)*state)->world);
    return 0;
}

/* Places anywhere within so many metres on both sides of the origin. */
static void scatter(struct list *list, int64_t metres)
{
    static uint32_t ranks[PLACES];
    uint32_t number = 1;
    for (int i = 0; i < PLACES; i++) {
        int64_t *const axes[] = {&list->places[i].x, &list->places[i].y};
        for (int axis = 0; axis < 2; axis++) {
            number = number * 1664525 + 1013904223;
            *axes[axis] =
                (int64_t)(number >> 8) % (2 * metres) * PLACE_METRE - metres * PLACE_METRE;
        }
    }
    assert_true(place_order_sort(list->places, ranks, PLACES));
}

static struct place_cutter cutter_of(const struct list *list, const char *layer, uint64_t most)
{
    static unsigned layers[2];
    unsigned *const found = &layers[layer[0] == 'p'];
    *found = (unsigned)world_find_layer(list->world, layer);
    return (struct place_cutter){{list->world, found, 1, {.step = 0.0}}, 50.0, most};
}

/* Cuts the whole list. Returns the number of pieces. */
static size_t check_pieces(const struct list *list, const struct place_cutter *cutter)
{
    size_t pieces = 0, last = 0, next = 0;
    while (next < PLACES) {
        const struct place *places = list->places + next;
        const size_t left = PLACES - next;
        const struct place_piece piece = place_piece_cut(cutter, places, left, last);
        assert_in_range(piece.count, 1, left);
        assert_int_equal(piece.price, price_place_list(&cutter->layers, places, piece.count, 50.0));
        assert_true(piece.price <= cutter->most || piece.count == 1);
        assert_true(2 * piece.price >= cutter->most || piece.count == left);
        next += last = piece.count;
        pieces++;
    }
    assert_int_equal(next, PLACES);
    return pieces;
}

static void pieces_of_far_places_fill_their_price(void **state)
{
    struct list *list = *state;
    scatter(list, 1000000);
    const struct place_cutter one = cutter_of(list, "height", UINT64_MAX / 2);
    const uint64_t whole = place_piece_cut(&one, list->places, PLACES, 0).price;
    for (uint64_t parts = 3; parts <= 100; parts += 97) {
        const struct place_cutter cutter = cutter_of(list, "height", whole / parts);
        assert_in_range(check_pieces(list, &cutter), parts / 2, 2 * parts + 1);
    }
}

/* All that lie within a metre are sampled for little more than the first. */
static void places_near_each_other_are_one_piece(void **state)
{
    struct list *list = *state;
    for (int i = 0; i < PLACES; i++)
        list->places[i] = (struct place){i, -i};
    const struct place_cutter far = cutter_of(list, "height", UINT64_MAX / 2);
    const uint64_t alone = place_piece_cut(&far, list->places, 1, 0).price;
    const struct place_cutter cutter = cutter_of(list, "height", 4 * alone);
    assert_int_equal(check_pieces(list, &cutter), 1);
}

static void a_cluster_behind_far_places_does_not_spoil_their_pieces(void **state)
{
    struct list *list = *state;
    scatter(list, 1000000);
    for (int i = PLACES / 2; i < PLACES; i++)
        list->places[i] = (struct place){3000000 * PLACE_METRE + i, 3000000 * PLACE_METRE};
    const struct place_cutter one = cutter_of(list, "height", UINT64_MAX / 2);
    const uint64_t whole = place_piece_cut(&one, list->places, PLACES, 0).price;
    const struct place_cutter cutter = cutter_of(list, "height", whole / 20);
    check_pieces(list, &cutter);
}

static void a_place_that_is_too_expensive_is_a_piece_of_its_own(void **state)
{
    struct list *list = *state;
    scatter(list, 1000000);
    const struct place_cutter cutter = cutter_of(list, "height", 1);
    assert_int_equal(check_pieces(list, &cutter), PLACES);
}

static void noise_is_one_piece_where_land_is_many(void **state)
{
    struct list *list = *state;
    scatter(list, 1000000);
    const struct place_cutter plain = cutter_of(list, "plain", 100000000);
    const struct place_cutter land = cutter_of(list, "height", 100000000);
    assert_int_equal(check_pieces(list, &plain), 1);
    assert_true(check_pieces(list, &land) > 5);
}

static void no_places_are_no_piece(void **state)
{
    const struct place_cutter cutter = cutter_of(*state, "height", 1000);
    assert_int_equal(place_piece_cut(&cutter, NULL, 0, 7).count, 0);
}

int test_place_pieces(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_far_places_fill_their_price),
        cmocka_unit_test(places_near_each_other_are_one_piece),
        cmocka_unit_test(a_cluster_behind_far_places_does_not_spoil_their_pieces),
        cmocka_unit_test(a_place_that_is_too_expensive_is_a_piece_of_its_own),
        cmocka_unit_test(noise_is_one_piece_where_land_is_many),
        cmocka_unit_test(no_places_are_no_piece),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
