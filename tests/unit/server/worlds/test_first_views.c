/* The store of places where maps begin: what it keeps, and how much. */
#include "server/worlds/first_views.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/world_of.h"

static struct hash128 key_of_view(const char *view, const char *fingerprint)
{
    char text[300];
    snprintf(text, sizeof text, "{\"generator\":1,\"view\":{%s},\"layers\":{\"height\":\"x\"}}",
             view);
    struct world *world = world_of_text(text);
    const struct hash128 key = first_views_key(world, fingerprint);
    world_release(world);
    return key;
}

static bool is_same(struct hash128 a, struct hash128 b)
{
    return a.low == b.low && a.high == b.high;
}

static void a_place_is_of_a_seed_and_a_rule(void **unused)
{
    (void)unused;
    static const char *const views[] = {
        "\"where\":\"height > 0\",\"zoom\":7",
        "\"where\":\"height > 1\",\"zoom\":7",
        "\"where\":\"height > 0\",\"zoom\":8",
        "\"where\":\"height > 0\",\"zoom\":7,\"near\":[1,0]",
        "\"where\":\"height > 0\",\"zoom\":7,\"near\":[0,1]",
    };
    const size_t count = sizeof views / sizeof *views;
    struct first_views *views_known = first_views_new();
    struct place centre;
    assert_non_null(views_known);
    for (size_t i = 0; i < count; i++)
        first_views_keep(views_known, key_of_view(views[i], "g1-a"),
                         (struct place){(int64_t)i, -(int64_t)i});
    for (size_t i = 0; i < count; i++) {
        assert_true(first_views_find(views_known, key_of_view(views[i], "g1-a"), &centre));
        assert_true(centre.x == (int64_t)i && centre.y == -(int64_t)i);
        assert_false(first_views_find(views_known, key_of_view(views[i], "g1-b"), &centre));
    }
    /* What a rule does not depend on. */
    assert_true(
        is_same(key_of_view("\"where\":\"height > 0\",\"zoom\":7,\"t\":5,\"style\":\"a\"", "g1-a"),
                key_of_view(views[0], "g1-a")));
    first_views_free(views_known);
}

static struct hash128 key(uint64_t number)
{
    return hash_bytes(&number, sizeof number, 0);
}

static void the_store_is_bounded_and_keeps_what_is_used(void **unused)
{
    (void)unused;
    struct first_views *views = first_views_new();
    struct place centre;
    unsigned left = 0;
    assert_non_null(views);
    first_views_keep(views, key(0), (struct place){1, 2});
    for (uint64_t i = 1; i <= 10 * FIRST_VIEWS_MAX; i++) {
        assert_true(first_views_find(views, key(0), &centre));
        assert_true(centre.x == 1 && centre.y == 2);
        first_views_keep(views, key(i), (struct place){(int64_t)i, 0});
        assert_true(first_views_find(views, key(i), &centre) && centre.x == (int64_t)i);
    }
    for (uint64_t i = 0; i <= 10 * FIRST_VIEWS_MAX; i++)
        left += first_views_find(views, key(i), &centre);
    assert_int_equal(left, FIRST_VIEWS_MAX);
    first_views_keep(views, key(0), (struct place){3, 4});
    assert_true(first_views_find(views, key(0), &centre) && centre.x == 3 && centre.y == 4);
    first_views_free(views);
    first_views_free(NULL);
}

int test_first_views(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_place_is_of_a_seed_and_a_rule),
        cmocka_unit_test(the_store_is_bounded_and_keeps_what_is_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
