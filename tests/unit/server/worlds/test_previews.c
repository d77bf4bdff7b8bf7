/* The store of previews: names, the least recently used one, the budget, other seeds. */
#include "server/worlds/previews.h"

#include "tests/unit/server/worlds/catalog_fixture.h"

enum { ROOM = 1 << 30 }; /* bytes: more than any test needs */

/* Each test begins with an empty store of a catalog, whose bytes are counted. */
static struct catalog *catalog;
static struct previews *previews;
static size_t bytes;

static int begin(void **state)
{
    (void)state;
    bytes = 0;
    catalog = load();
    previews = previews_new(&bytes);
    return 0;
}

static int end(void **state)
{
    (void)state;
    previews_free(previews);
    assert_int_equal(bytes, 0);
    catalog_free(catalog);
    return 0;
}

static const char *text_of(unsigned seed)
{
    static char text[160];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"seed\":%u,\"layers\":{\"height\":{\"formula\":\"x+%u\"}}}", seed,
             seed);
    return text;
}

/* Adds the preview with that seed; false if there is no room. Its name is written to `name`. */
static bool add(unsigned seed, char *name)
{
    const char *text = text_of(seed);
    struct diagnostics *diagnostics = calloc(1, sizeof *diagnostics);
    struct error error;
    diagnostics->file = "";
    diagnostics->text = text;
    diagnostics->length = strlen(text);
    assert_true(preview_name(text, strlen(text), name));
    struct catalog_world *world = preview_compile(catalog, name, diagnostics);
    assert_non_null(world);
    const bool done = previews_add(previews, catalog, world, &error);
    catalog_release(world);
    free(diagnostics);
    return done;
}

static bool is_kept(const char *name)
{
    struct error error = {0};
    const struct catalog_world *world = previews_find(previews, name, &error);
    assert_true(world ? world->is_preview : error.code == ERROR_UNKNOWN);
    catalog_release(world);
    return world != NULL;
}

/* FIPS 180-4's example of SHA-256. */
static void names_are_hashes_of_the_text(void **state)
{
    char name[PREVIEW_NAME_TEXT];
    (void)state;
    assert_true(preview_name("abc", 3, name));
    assert_string_equal(name, "preview-ba7816bf8f01cfea414140de5dae2223");
    assert_true(preview_is_name(name));
    assert_false(preview_is_name("previews"));
}

static void the_least_recently_used_is_dropped(void **state)
{
    (void)state;
    char names[4][PREVIEW_NAME_TEXT];
    previews_set_limits(previews, 3, ROOM);
    for (unsigned i = 0; i < 3; i++)
        assert_true(add(i, names[i]));
    assert_true(is_kept(names[0]));
    assert_true(add(3, names[3]));
    assert_true(is_kept(names[0]));
    assert_false(is_kept(names[1]));
    const struct previews_statistics statistics = previews_statistics(previews);
    assert_int_equal(statistics.count, 3);
    assert_int_equal(statistics.dropped, 1);
    assert_int_equal(statistics.bytes, bytes);
    previews_set_limits(previews, 0, ROOM);
    assert_int_equal(previews_statistics(previews).count, 0);
    assert_int_equal(bytes, 0);
}

static void the_same_file_takes_one_place(void **state)
{
    (void)state;
    char name[PREVIEW_NAME_TEXT];
    previews_set_limits(previews, 3, ROOM);
    assert_true(add(1, name));
    const size_t one = bytes;
    for (unsigned i = 0; i < 5; i++)
        assert_true(add(1, name));
    assert_int_equal(bytes, one);
    assert_int_equal(previews_statistics(previews).count, 1);
}

/* A preview in use counts until it is released, and one more finds no room. */
static void bytes_are_bounded(void **state)
{
    (void)state;
    char names[2][PREVIEW_NAME_TEXT];
    previews_set_limits(previews, 100, ROOM);
    assert_true(add(1, names[0]));
    previews_set_limits(previews, 100, bytes + bytes / 2);
    const struct catalog_world *used = previews_find(previews, names[0], NULL);
    assert_false(add(2, names[1]));
    assert_false(is_kept(names[0]));
    catalog_release(used);
    assert_int_equal(bytes, 0);
    assert_true(add(2, names[1]));
    assert_true(is_kept(names[1]));
}

static void other_seeds_go_with_their_preview(void **state)
{
    (void)state;
    char names[2][PREVIEW_NAME_TEXT];
    struct error error;
    previews_set_limits(previews, 1, ROOM);
    assert_true(add(1, names[0]));
    const size_t one = bytes;
    const struct catalog_world *base = previews_find(previews, names[0], &error);
    const struct catalog_world *seeded = catalog_acquire_seed(catalog, base, "7", &error);
    assert_true(seeded->is_preview);
    catalog_release(seeded);
    catalog_release(base);
    assert_true(add(2, names[1]));
    assert_int_equal(bytes, one);
}

/* The request for another seed comes to its end after the preview was dropped. */
static void other_seeds_that_come_late_are_not_kept(void **state)
{
    (void)state;
    char name[PREVIEW_NAME_TEXT];
    struct error error;
    previews_set_limits(previews, 1, ROOM);
    assert_true(add(1, name));
    const struct catalog_world *base = previews_find(previews, name, &error);
    previews_set_limits(previews, 0, ROOM);
    catalog_release(catalog_acquire_seed(catalog, base, "7", &error));
    catalog_release(base);
    assert_int_equal(bytes, 0);
}

/* The preview is dropped without its other seeds, as when a thread has the lock of their cache. */
static void other_seeds_go_before_previews(void **state)
{
    (void)state;
    char names[3][PREVIEW_NAME_TEXT];
    struct error error;
    previews_set_limits(previews, 2, ROOM);
    assert_true(add(1, names[0]));
    const struct catalog_world *base = previews_find(previews, names[0], &error);
    catalog_release(catalog_acquire_seed(catalog, base, "7", &error));
    catalog_release(base);
    previews_set_limits(previews, 0, ROOM);
    previews_set_limits(previews, 2, ROOM);
    assert_true(add(2, names[1]));
    previews_set_limits(previews, 2, bytes + bytes / 4);
    assert_true(add(3, names[2]));
    assert_true(is_kept(names[1]));
}

int test_previews(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_hashes_of_the_text),
        cmocka_unit_test_setup_teardown(the_least_recently_used_is_dropped, begin, end),
        cmocka_unit_test_setup_teardown(the_same_file_takes_one_place, begin, end),
        cmocka_unit_test_setup_teardown(bytes_are_bounded, begin, end),
        cmocka_unit_test_setup_teardown(other_seeds_go_with_their_preview, begin, end),
        cmocka_unit_test_setup_teardown(other_seeds_that_come_late_are_not_kept, begin, end),
        cmocka_unit_test_setup_teardown(other_seeds_go_before_previews, begin, end),
    };
    return cmocka_run_group_tests(tests, make_worlds, NULL);
}
