/* Paths and areas of a world file: what is read of them, what is refused and where, what they
 * change of fingerprints, and what is known of their operations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/world_of.h"

/* A world with these members. */
static const char *text_of(const char *paths, const char *areas, const char *height)
{
    static char text[2000];
    const int length =
        snprintf(text, sizeof text, "{\"generator\":1,%s%s%s%s%s%s\"layers\":{\"height\":\"%s\"}}",
                 *paths ? "\"paths\":" : "", paths, *paths ? "," : "", *areas ? "\"areas\":" : "",
                 areas, *areas ? "," : "", height);
    assert_in_range(length, 1, sizeof text - 1);
    return text;
}

static void vertices_are_exact(void **unused)
{
    (void)unused;
    /* 2⁴⁰ m less a unit of 2⁻¹⁶ m has more digits than a double. */
    struct world *world = world_of_text(
        text_of("{\"a\":[[1099511627775.9999847412109375,-3.5e2],[1099511627000,-350]]}", "",
                "path('a','distance')"));
    const int64_t x = PLACE_LIMIT - 1, y = -350 * PLACE_METRE;
    assert_true(layer_at(world, "height", x, y) == 0.0f);
    assert_true(layer_at(world, "height", x + 1, y) == 0x1p-16f);
    assert_true(layer_at(world, "height", x, y - 3) == 0x3p-16f);
    assert_true(layer_at(world, "height", x - 80 * PLACE_METRE, y + 7 * PLACE_METRE) == 7.0f);
    world_release(world);
}

struct refusal {
    const char *paths, *areas, *path, *message;
};

static const struct refusal refusals[] = {
    {"[]", "", "paths", "must be an object, not an array"},
    {"{}", "", "paths", "has 0 entries; 1 to 256 are allowed"},
    {"{\"a b\":[[0,0],[1,1]]}", "", "paths",
     "\"a b\" is not a valid name: a name has 1 to 63 letters, digits or _, and does not start "
     "with a digit"},
    {"{\"a\":{}}", "", "paths.a", "must be an array, not an object"},
    {"{\"a\":[[0,0]]}", "", "paths.a", "has 1 vertices; a path has 2 or more"},
    {"{\"a\":[[0,0],5]}", "", "paths.a[1]",
     "must be [x, y], two numbers of metres to the east and south"},
    {"{\"a\":[[0,0],[1,2,3]]}", "", "paths.a[1]",
     "must be [x, y], two numbers of metres to the east and south"},
    {"{\"a\":[[0,0],[1,\"2\"]]}", "", "paths.a[1]",
     "must be [x, y], two numbers of metres to the east and south, not with a string"},
    {"{\"a\":[[0,0],[1099511627776.01,0]]}", "", "paths.a[1]",
     "1099511627776.01 m is beyond the world's edge: allowed is -1099511627776 to 1099511627776"},
    {"{\"a\":[[0,0],[7,7],[7,7.000001]]}", "", "paths.a[2]",
     "is the same place as the vertex before it"},
    {"", "{\"a\":[[0,0],[7,7]]}", "areas.a", "has 2 vertices; an area has 3 or more"},
    {"", "{\"a\":[[0,0],[7,7],[7,0],[0,0]]}", "areas.a[3]",
     "is the same place as the first vertex; an area closes by itself"},
    {"", "{\"a\":[[0,0],[9,9],[9,0],[0,9]]}", "areas.a",
     "crosses or touches itself: the side from [0] to [1] meets that from [2] to [3]"},
    {"", "{\"a\":[[1,1],[9,0],[9,9],[3,0],[1,3]]}", "areas.a",
     "crosses or touches itself: the side from [0] to [1] meets that from [2] to [3]"},
};

static void what_is_wrong_is_named(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        const struct refusal *refusal = &refusals[i];
        const struct error error = error_of_text(text_of(refusal->paths, refusal->areas, "0"));
        assert_string_equal(error.path, refusal->path);
        assert_string_equal(error.message, refusal->message);
    }
}

/* A world with this many vertices in two paths and an area. */
static char *text_with_vertices(unsigned count)
{
    const size_t size = 16 * (size_t)count + 200;
    char *text = malloc(size);
    assert_non_null(text);
    size_t used = (size_t)snprintf(text, size,
                                   "{\"generator\":1,\"layers\":{\"height\":\"0\"},"
                                   "\"areas\":{\"c\":[[0,0],[0,1],[1,0]]},\"paths\":"
                                   "{\"a\":[");
    for (unsigned i = 0; i < count - 3; i++)
        used += (size_t)snprintf(text + used, size - used, "%s[%u,%u]",
                                 i == 0    ? ""
                                 : i == 99 ? "],\"b\":["
                                           : ",",
                                 i % 10, i % 3);
    snprintf(text + used, size - used, "]}}");
    return text;
}

static void all_vertices_together_are_limited(void **unused)
{
    (void)unused;
    char *text = text_with_vertices(100000);
    world_release(world_of_text(text));
    free(text);
    text = text_with_vertices(100001);
    const struct error error = error_of_text(text);
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_string_equal(error.path, "areas.c");
    assert_string_equal(error.message,
                        "has 3 vertices, and what comes before it 99998; at most 100000 are "
                        "allowed in all paths and areas together");
    free(text);
}

static void unknown_names_are_told_what_there_is(void **unused)
{
    (void)unused;
    static const char paths[] = "{\"wall\":[[0,0],[9,9]],\"road\":[[0,0],[9,9]]}";
    static const struct {
        const char *height, *message;
    } cases[] = {
        {"path('raod','side')", "unknown path \"raod\" (did you mean \"road\"?)"},
        {"path('x','side')", "unknown path \"x\"; the world has wall, road"},
        {"area('road','signed')", "unknown area \"road\": the world has no member \"areas\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct error error = error_of_text(text_of(paths, "", cases[i].height));
        assert_string_equal(error.path, "layers.height");
        assert_int_equal(error.column, 6);
        assert_int_equal(error.code, ERROR_UNKNOWN);
        assert_string_equal(error.message, cases[i].message);
    }
}

static void fingerprint_of(const char *text, char print[WORLD_FINGERPRINT_TEXT])
{
    struct world *world = world_of_text(text);
    strcpy(print, world_fingerprint(world));
    struct error error = {0};
    struct world *reseeded = world_reseed(world, "0", 1, &error);
    assert_non_null(reseeded);
    assert_string_equal(world_fingerprint(reseeded), print); /* 0 is the seed */
    assert_true(layer_at(world, "height", 70, 900) == layer_at(reseeded, "height", 70, 900));
    world_release(world);
    world_release(reseeded);
}

static void every_vertex_is_part_of_the_fingerprint(void **unused)
{
    (void)unused;
    static const struct {
        const char *paths, *areas;
        bool same;
    } cases[] = {
        {"{\"b\":[[0,0],[9,9]],\"a\":[[1,2],[3,4.5]]}", "", true},
        {"{\"a\":[[1.0,2e0],[3,4.5000000000001]],\"b\":[[-0,0],[9,9]]}", "", true},
        {"{\"a\":[[1,2],[3,4.50002]],\"b\":[[0,0],[9,9]]}", "", false},
        {"{\"a\":[[3,4.5],[1,2]],\"b\":[[0,0],[9,9]]}", "", false},
        {"{\"a\":[[1,2],[3,4.5],[3,5]],\"b\":[[0,0],[9,9]]}", "", false},
        {"{\"a\":[[1,2],[3,4.5]],\"c\":[[0,0],[9,9]]}", "", false},
        {"{\"a\":[[1,2],[3,4.5]]}", "", false},
        {"{\"a\":[[1,2],[3,4.5]],\"b\":[[0,0],[9,9]]}", "{\"a\":[[0,0],[1,0],[0,1]]}", false},
    };
    char print[WORLD_FINGERPRINT_TEXT], other[WORLD_FINGERPRINT_TEXT];
    fingerprint_of(text_of("{\"a\":[[1,2],[3,4.5]],\"b\":[[0,0],[9,9]]}", "", "x"), print);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fingerprint_of(text_of(cases[i].paths, cases[i].areas, "x"), other);
        assert_int_equal(strcmp(print, other) == 0, cases[i].same);
    }
}

/* Two worlds whose lines differ in a vertex must not share what is kept of nodes. */
static void identities_tell_lines_apart(void **unused)
{
    (void)unused;
    struct world *a =
        world_of_text(text_of("{\"a\":[[0,0],[900,0]]}", "", "coarse(path('a','distance'),64)"));
    struct world *b =
        world_of_text(text_of("{\"a\":[[0,0],[900,1]]}", "", "coarse(path('a','distance'),64)"));
    struct world *same =
        world_of_text(text_of("{\"b\":[[0,0],[900,0]]}", "", "coarse(path('b','distance'),64)"));
    const struct hash128 *identity = &world_program(a)->identity;
    assert_memory_not_equal(identity, &world_program(b)->identity, sizeof *identity);
    assert_memory_equal(identity, &world_program(same)->identity, sizeof *identity);
    world_release(a);
    world_release(b);
    world_release(same);
}

static void bounds_and_slopes_are_known(void **unused)
{
    (void)unused;
    static const struct {
        const char *height;
        float low, high, slope; /* a slope of 0: it is not known, as the samples jump */
    } cases[] = {
        {"path('a','distance',250)", 0, 250, 1},
        {"path('a','along')", 0, 100, 0},
        {"path('a','side')", -1, 1, 0},
        {"path('a','dx',70)", -70, 70, 0},
        {"path('a','dy',70)", -70, 70, 0},
        {"area('t','signed',40)", -40, 40, 1},
        {"scale(path('a','distance',250),8)", 0, 250, 0.125f},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world *world = world_of_text(
            text_of("{\"a\":[[0,0],[60,80]]}", "{\"t\":[[0,0],[9,0],[0,9]]}", cases[i].height));
        const struct program *program = world_program(world);
        const struct operation *operation = &program->operations[program->values[0]];
        assert_true(operation->bounds.low == cases[i].low);
        assert_true(operation->bounds.high >= cases[i].high &&
                    operation->bounds.high <= cases[i].high * 1.000001f);
        assert_true(cases[i].slope > 0 ? operation->slope == cases[i].slope
                                       : operation->slope > 1e30f);
        world_release(world);
    }
}

/* A warp of a drainage network may be made of distances, which nowhere change by more than places
 * do: 0.25² · 2 is below 1, so the plane is not folded. */
static void steepness_is_known(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"paths\":{\"a\":[[0,0],[60,80]]},\"layers\":{\"height\":\"0\"},"
        "\"drainage\":{\"potential\":\"0\",\"target\":\"0\",\"relief\":\"1\","
        "\"warp_x\":\"path('a','distance')/4\",\"warp_y\":\"scale(path('a','distance'),4)\"}}");
    const double steepness = world_program(world)->drainage.warp_steepness;
    assert_true(steepness * steepness > 0.1249999 && steepness * steepness < 0.1250001);
    world_release(world);
}

int test_reader_polylines(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vertices_are_exact),
        cmocka_unit_test(what_is_wrong_is_named),
        cmocka_unit_test(all_vertices_together_are_limited),
        cmocka_unit_test(unknown_names_are_told_what_there_is),
        cmocka_unit_test(every_vertex_is_part_of_the_fingerprint),
        cmocka_unit_test(identities_tell_lines_apart),
        cmocka_unit_test(bounds_and_slopes_are_known),
        cmocka_unit_test(steepness_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
