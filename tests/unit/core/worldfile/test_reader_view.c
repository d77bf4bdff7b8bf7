/* The member "view" of a world file with a rule: what is read, and which mistakes are told. */
#include "core/worldfile/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/world_of.h"

/* A world with layers, biomes and materials, and this view. */
static const char *text_with_view(const char *view)
{
    static char text[4096];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"view\":%s,\"layers\":{\"height\":\"x\",\"wet\":\"y\"},"
             "\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},"
             "{\"name\":\"land\",\"color\":\"#0f0\"}],"
             "\"materials\":[{\"name\":\"rock\",\"color\":\"#888\",\"weight\":\"1\"}]}",
             view);
    return text;
}

static void a_rule_is_read(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        text_with_view("{\"near\":[-1e6,0.5],\"zoom\":7,\"style\":\"height\",\"where\":"
                       "\"biome == land, wet > 1 && slope < 9 || rock > 0\"}"));
    struct error error;
    struct world *reseeded = world_reseed(world, "7", 1, &error);
    const struct world_view *view = world_view(reseeded);
    assert_true(view->x == -1000000 * PLACE_METRE && view->y == PLACE_METRE / 2);
    assert_int_equal(view->zoom, 7);
    assert_string_equal(view->where, "biome == land, wet > 1 && slope < 9 || rock > 0");
    assert_string_equal(view->style, "height");
    world_release(reseeded);
    world_release(world);
    world = world_of_text(text_with_view("{\"where\":\"height > 0\"}"));
    assert_true(world_view(world)->x == 0 && world_view(world)->y == 0);
    world_release(world);
    world = world_of_text(text_with_view("{\"x\":1}"));
    assert_null(world_view(world)->where);
    world_release(world);
}

static void a_rule_is_no_part_of_the_fingerprint(void **unused)
{
    (void)unused;
    struct world *rule = world_of_text(text_with_view("{\"where\":\"height > 0\"}"));
    struct world *place = world_of_text(text_with_view("{\"x\":5}"));
    assert_string_equal(world_fingerprint(rule), world_fingerprint(place));
    world_release(rule);
    world_release(place);
}

static void mistakes_are_told(void **unused)
{
    (void)unused;
    static const struct {
        const char *view, *path;
        unsigned column; /* in the condition, or 0 */
        const char *words;
    } cases[] = {
        {"{\"where\":5}", "view.where", 0, "must be a string, not a number"},
        {"{\"where\":\"\"}", "view.where", 1, ""},
        {"{\"where\":\"height >\"}", "view.where", 9, ""},
        {"{\"where\":\"heigth > 0\"}", "view.where", 1, "did you mean \"height\"?"},
        {"{\"where\":\"height > 0, biome == lnad\"}", "view.where", 22, "lnad"},
        {"{\"where\":\"1 < fbm(64, 8)\"}", "view.where", 5, "fbm"},
        {"{\"near\":[1,2]}", "view.near", 0, "goes with \"where\""},
        {"{\"where\":\"height > 0\",\"x\":5}", "view.x", 0, "\"near\": [x, y]"},
        {"{\"where\":\"height > 0\",\"y\":5}", "view.y", 0, "\"near\": [x, y]"},
        {"{\"where\":\"height > 0\",\"near\":[1]}", "view.near", 0, "must be [x, y]"},
        {"{\"where\":\"height > 0\",\"near\":[1,2,3]}", "view.near", 0, "must be [x, y]"},
        {"{\"where\":\"height > 0\",\"near\":[1,\"2\"]}", "view.near", 0, "must be [x, y]"},
        {"{\"where\":\"height > 0\",\"near\":{\"x\":1,\"y\":2}}", "view.near", 0, "must be [x, y]"},
        {"{\"where\":\"height > 0\",\"near\":[1,1099511627777]}", "view.near", 0,
         "from -1099511627776 to 1099511627776"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct error error = error_of_text(text_with_view(cases[i].view));
        if (strcmp(error.path, cases[i].path) != 0 || !strstr(error.message, cases[i].words) ||
            error.column != cases[i].column)
            fail_msg("%s: %s column %u: %s", cases[i].view, error.path, error.column,
                     error.message);
    }
}

/* All mistakes of a file at once; the condition is checked when there are no others, which would
 * make names of it unknown. */
static void diagnostics_have_all_mistakes(void **unused)
{
    (void)unused;
    static const struct {
        const char *view;
        unsigned count;
        const char *paths[3];
    } cases[] = {
        {"{\"where\":\"height > 0\",\"x\":5,\"near\":7,\"zoom\":50}",
         3,
         {"view.x", "view.near", "view.zoom"}},
        {"{\"where\":\"heigth > 0\",\"zoom\":50}", 1, {"view.zoom"}},
        {"{\"where\":\"heigth > 0\"}", 1, {"view.where"}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = text_with_view(cases[i].view);
        struct diagnostics diagnostics = {.file = "", .text = text, .length = strlen(text)};
        assert_null(world_diagnose(&diagnostics, NULL));
        assert_int_equal(diagnostics.count, cases[i].count);
        for (unsigned k = 0; k < diagnostics.count; k++)
            assert_string_equal(diagnostics.errors[k].path, cases[i].paths[k]);
    }
}

int test_reader_view(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rule_is_read),
        cmocka_unit_test(a_rule_is_no_part_of_the_fingerprint),
        cmocka_unit_test(mistakes_are_told),
        cmocka_unit_test(diagnostics_have_all_mistakes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
