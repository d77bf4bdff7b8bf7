/* The member "objects" of world files: what is read, what is refused, and densities' biomes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

#define BIOMES                                                                                     \
    "\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":\"height < 0\"},"                   \
    "{\"name\":\"wood\",\"color\":\"#0f0\",\"when\":\"height < 10\"},"                             \
    "{\"name\":\"rest\",\"color\":\"#ff0\"}],"

/* A world whose height is x, with biomes and these objects. */
static char *text_with(const char *objects)
{
    static char text[8000];
    snprintf(text, sizeof text,
             "{\"generator\":1,\"seed\":\"one\",\"layers\":{\"height\":\"x\",\"wet\":"
             "\"smoothstep(0, 100, y)\"}," BIOMES "\"objects\":%s}",
             objects);
    return text;
}

static struct world *world_with(const char *objects)
{
    return world_of_text(text_with(objects));
}

/* The density of kind 0 at x, y metres. */
static float density_at(const struct world *world, int64_t x, int64_t y)
{
    struct sampler *sampler = sampler_new();
    assert_non_null(sampler);
    const unsigned layer = world_density_layer(world, 0);
    const struct place place = {x * PLACE_METRE, y * PLACE_METRE};
    const struct sample_points points = {.places = &place, .count = 1};
    float value, *output = &value;
    const struct sample_request request = {&layer, &output, 1};
    assert_true(sampler_points(sampler, world_program(world), &points, &request, NULL));
    sampler_free(sampler);
    return value;
}

static void kinds_are_in_file_order(void **unused)
{
    (void)unused;
    struct world *world = world_with(
        "{\"oak\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":6,\"title\":\"Oak\","
        "\"color\":\"#2f6b2a\",\"radius\":3.5,\"max_slope\":28.5},"
        "\"fern\":{\"spacing\":0.5,\"density\":\"wet\"}}");
    assert_int_equal(world_object_count(world), 2);
    const struct world_object *oak = world_object(world, 0), *fern = world_object(world, 1);
    assert_string_equal(oak->name, "oak");
    assert_string_equal(oak->title, "Oak");
    assert_string_equal(oak->density, "0.5");
    assert_int_equal(oak->spacing, 12 * 65536);
    assert_int_equal(oak->min_distance, 6 * 65536);
    assert_true(oak->radius == 3.5f);
    assert_true(oak->max_slope == 28.5f);
    assert_true(fern->max_slope == 90.0f);
    assert_int_equal(oak->colour, 0x2F6B2A);
    assert_string_equal(fern->title, "fern");
    assert_int_equal(fern->spacing, 32768);
    assert_int_equal(fern->min_distance, 0);
    assert_true(fern->radius == 0.125f); /* a quarter of the spacing */
    assert_int_equal(world_find_object(world, "fern"), 1);
    assert_int_equal(world_find_object(world, "ferns"), -1);
    /* Densities are no layers that a name leads to. */
    assert_int_equal(world_layer_count(world), 3);
    assert_int_equal(world_find_layer(world, "oak"), -1);
    world_release(world);
    world = world_of("x");
    assert_int_equal(world_object_count(world), 0);
    world_release(world);
}

/* height is x: sea below 0, wood below 10, else rest. */
static void densities_may_name_biomes(void **unused)
{
    (void)unused;
    static const struct {
        const char *density;
        int x, y;
        float expected;
    } cases[] = {
        {"biome", -5, 0, 0},
        {"biome", 5, 0, 1},
        {"biome", 50, 0, 2},
        {"0.75 * (biome == wood)", 5, 0, 0.75f},
        {"0.75 * (biome == wood)", 50, 0, 0},
        {"biome == sea ? 0.25 : biome == rest ? 0.5 : 0", -5, 0, 0.25f},
        {"biome == sea ? 0.25 : biome == rest ? 0.5 : 0", 5, 0, 0},
        {"biome == sea ? 0.25 : biome == rest ? 0.5 : 0", 11, 0, 0.5f},
        {"(biome == rest) * wet", 11, 50, 0.5f}, /* smoothstep's middle */
        {"wood", 0, 0, 1},                       /* a constant anywhere */
        {"rest", 0, 0, 2},
        /* at displaced and scaled places: 5 + 20 m is the rest, 30 × ½ too, 12 × ½ is wood */
        {"warp(biome == rest, 20, 0)", 5, 0, 1},
        {"warp(biome == rest, 20, 0)", -15, 0, 0},
        {"warp(biome, 0, 20)", 5, 0, 1},
        {"scale(biome == wood, 2)", 12, 0, 1},
        {"scale(biome == wood, 2)", 30, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char objects[300];
        snprintf(objects, sizeof objects, "{\"oak\":{\"spacing\":1,\"density\":\"%s\"}}",
                 cases[i].density);
        struct world *world = world_with(objects);
        const float density = density_at(world, cases[i].x, cases[i].y);
        if (density != cases[i].expected)
            fail_msg("%s at %d: %f", cases[i].density, cases[i].x, (double)density);
        world_release(world);
    }
}

/* The biome in a density is the biome of the layer "biome", noise and all. */
static void density_biome_equals_layer(void **unused)
{
    (void)unused;
    struct world *world = world_of_text(
        "{\"generator\":1,\"layers\":{\"height\":\"fbm(300, octaves=5)\"},\"biomes\":["
        "{\"name\":\"a\",\"color\":\"#000\",\"when\":\"height + fbm(50, octaves=3) < -0.2\"},"
        "{\"name\":\"b\",\"color\":\"#000\",\"when\":\"fbm(50, octaves=3) < 0.2\"},"
        "{\"name\":\"c\",\"color\":\"#000\"}],"
        "\"objects\":{\"o\":{\"spacing\":9,\"density\":\"biome\"}}}");
    uint64_t state = 5;
    int seen[3] = {0};
    for (int i = 0; i < 300; i++) {
        const int64_t x = random_whole(&state, -5000, 5000), y = random_whole(&state, -5000, 5000);
        const float biome = layer_at(world, "biome", x * PLACE_METRE, y * PLACE_METRE);
        assert_true(density_at(world, x, y) == biome);
        seen[(int)biome]++;
    }
    assert_true(seen[0] > 10 && seen[1] > 10 && seen[2] > 10);
    world_release(world);
}

static void assert_objects_refused(const char *objects, enum error_code code, const char *path,
                                   unsigned column, const char *words)
{
    struct error error = error_of_text(text_with(objects));
    if (error.code != code || error.column != column || strcmp(error.path, path) != 0 ||
        !strstr(error.message, words))
        fail_msg("%.300s: code %d, %s, column %u: %s", objects, (int)error.code, error.path,
                 error.column, error.message);
}

/* One kind "oak" with these members. */
static void assert_kind_refused(const char *members, enum error_code code, const char *path,
                                unsigned column, const char *words)
{
    char objects[500];
    snprintf(objects, sizeof objects, "{\"oak\":{%s}}", members);
    assert_objects_refused(objects, code, path, column, words);
}

static void wrong_members_are_refused(void **unused)
{
    (void)unused;
    assert_objects_refused("5", ERROR_VALUE, "objects", 0, "must be an object, not a number");
    assert_objects_refused("[]", ERROR_VALUE, "objects", 0, "must be an object, not an array");
    assert_objects_refused("{}", ERROR_LIMIT, "objects", 0, "has 0 entries; 1 to 64");
    assert_objects_refused("{\"oak\":\"0.5\"}", ERROR_VALUE, "objects.oak", 0,
                           "must be an object, not a string");
    assert_objects_refused("{\"o k\":{\"spacing\":5,\"density\":\"1\"}}", ERROR_VALUE, "objects", 0,
                           "\"o k\" is not a valid name");
    assert_objects_refused("{\"biome\":{\"spacing\":5,\"density\":\"1\"}}", ERROR_VALUE, "objects",
                           0, "is reserved in formulas");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"min_distanc\":2", ERROR_UNKNOWN,
                        "objects.oak", 0, "did you mean \"min_distance\"?");
    assert_kind_refused("\"density\":\"1\"", ERROR_VALUE, "objects.oak.spacing", 0,
                        "is missing; it must be a number of metres from 0.5 to 65536");
    assert_kind_refused("\"spacing\":0.4,\"density\":\"1\"", ERROR_VALUE, "objects.oak.spacing", 0,
                        "from 0.5 to 65536, not 0.4");
    assert_kind_refused("\"spacing\":65537,\"density\":\"1\"", ERROR_VALUE, "objects.oak.spacing",
                        0, "not 65537");
    assert_kind_refused("\"spacing\":\"5\",\"density\":\"1\"", ERROR_VALUE, "objects.oak.spacing",
                        0, "must be a number of metres");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"min_distance\":20.5", ERROR_VALUE,
                        "objects.oak.min_distance", 0,
                        "from 0 to 20, not 20.5 (4 times the spacing, so that few neighbours");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"min_distance\":-1", ERROR_VALUE,
                        "objects.oak.min_distance", 0, "from 0 to 20");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"radius\":5.5", ERROR_VALUE,
                        "objects.oak.radius", 0, "from 0 to 5, not 5.5 (the spacing, so that");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"max_slope\":0.5", ERROR_VALUE,
                        "objects.oak.max_slope", 0,
                        "must be a number of degrees from 1 to 90, not 0.5");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"max_slope\":91", ERROR_VALUE,
                        "objects.oak.max_slope", 0, "from 1 to 90, not 91");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"max_slope\":\"30\"", ERROR_VALUE,
                        "objects.oak.max_slope", 0, "from 1 to 90");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"color\":\"green\"", ERROR_VALUE,
                        "objects.oak.color", 0, "must be a color like");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"color\":7", ERROR_VALUE,
                        "objects.oak.color", 0, "must be a color like");
    assert_kind_refused("\"spacing\":5,\"density\":\"1\",\"title\":7", ERROR_VALUE,
                        "objects.oak.title", 0, "must be a string, not a number");
    assert_kind_refused("\"spacing\":5", ERROR_VALUE, "objects.oak.density", 0,
                        "is missing; it must be a string");
    assert_kind_refused("\"spacing\":5,\"density\":0.5", ERROR_VALUE, "objects.oak.density", 0,
                        "must be a string, not a number");
    char many[6000] = "{";
    for (int i = 0; i < 65; i++)
        snprintf(many + strlen(many), sizeof many - strlen(many),
                 "%s\"k%d\":{\"spacing\":5,\"density\":\"1\"}", i > 0 ? "," : "", i);
    assert_objects_refused(strcat(many, "}"), ERROR_LIMIT, "objects", 0, "has 65 entries; 1 to 64");
}

static void wrong_densities_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *density;
        enum error_code code;
        unsigned column;
        const char *words;
    } cases[] = {
        {"0.5 *", ERROR_SYNTAX, 6, ""},
        {"biome == wod", ERROR_UNKNOWN, 10, "did you mean \"wood\"?"},
        {"bioms == wood", ERROR_UNKNOWN, 1, "did you mean \"biome\"?"},
        {"1 + elephants", ERROR_UNKNOWN, 5, "the layers and biomes of this world"},
        {"wett", ERROR_UNKNOWN, 1, "did you mean \"wet\"?"},
        {"oak", ERROR_UNKNOWN, 1, "unknown name \"oak\""},
        {"zero_distance(biome)", ERROR_VALUE, 15, "biome is not a noise"},
        {"zero_distance(wood)", ERROR_VALUE, 15, "wood is not a noise"},
        {"sin(t)", ERROR_VALUE, 0, "depends on the time t; a density may"},
        {"z > 0", ERROR_VALUE, 0, "depends on the height z"},
        {"perlin(9, axes='xyt')", ERROR_VALUE, 0, "depends on the time t"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char objects[1500];
        snprintf(objects, sizeof objects, "{\"oak\":{\"spacing\":5,\"density\":\"%s\"}}",
                 cases[i].density);
        assert_objects_refused(objects, cases[i].code, "objects.oak.density", cases[i].column,
                               cases[i].words);
    }
    char costly[3000] = "{\"oak\":{\"spacing\":5,\"density\":\"0";
    for (int i = 0; i < 51; i++)
        snprintf(costly + strlen(costly), sizeof costly - strlen(costly), " + fbm(%d, octaves=8)",
                 100 + i);
    assert_objects_refused(strcat(costly, "\"}}"), ERROR_LIMIT, "objects.oak.density", 0,
                           "too expensive: 408 of 400 octaves a sample");
    /* Layers may not name biomes, and a name may not mean two things. */
    assert_refused("biome", ERROR_UNKNOWN, 1, "unknown name");
    struct error error =
        error_of_text("{\"generator\":1,\"layers\":{\"height\":\"1\",\"wood\":\"x\"}," BIOMES
                      "\"objects\":{\"oak\":{\"spacing\":5,\"density\":\"1 - (biome == wood)\"}}}");
    assert_string_equal(error.path, "objects.oak.density");
    assert_int_equal(error.column, 15);
    assert_non_null(strstr(error.message, "\"wood\" is a layer and a biome"));
    error = error_of_text("{\"generator\":1,\"layers\":{\"height\":\"1\"},"
                          "\"objects\":{\"oak\":{\"spacing\":5,\"density\":\"biome\"}}}");
    assert_non_null(strstr(error.message, "unknown name \"biome\""));
}

static void assert_prints(const char *a, const char *b, bool equal)
{
    struct world *first = world_with(a), *second = world_with(b);
    if ((strcmp(world_fingerprint(first), world_fingerprint(second)) == 0) != equal)
        fail_msg("%s and %s", a, b);
    world_release(first);
    world_release(second);
}

static void fingerprint_covers_placement(void **unused)
{
    (void)unused;
    static const char oak[] = "{\"oak\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":6}}";
    static const struct {
        const char *objects;
        bool equal;
    } cases[] = {
        {"{\"oak\":{\"spacing\":12.0,\"density\":\" 0.50\",\"min_distance\":6}}", true},
        {"{\"oak\":{\"title\":\"O\",\"color\":\"#fff\",\"radius\":9,\"spacing\":12,\"density\":"
         "\"0.5\",\"min_distance\":6}}",
         true},
        {"{\"elm\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":6}}", false},
        {"{\"oak\":{\"spacing\":13,\"density\":\"0.5\",\"min_distance\":6}}", false},
        {"{\"oak\":{\"spacing\":12,\"density\":\"0.6\",\"min_distance\":6}}", false},
        {"{\"oak\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":7}}", false},
        {"{\"oak\":{\"spacing\":12,\"density\":\"0.5\"}}", false},
        {"{\"oak\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":6,\"max_slope\":90}}",
         true},
        {"{\"oak\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":6,\"max_slope\":30}}",
         false},
        {"{\"oak\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":6},"
         "\"elm\":{\"spacing\":12,\"density\":\"0.5\",\"min_distance\":6}}",
         false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_prints(oak, cases[i].objects, cases[i].equal);
    assert_prints(
        "{\"a\":{\"spacing\":1,\"density\":\"1\"},\"b\":{\"spacing\":2,\"density\":\"0\"}}",
        "{\"b\":{\"spacing\":2,\"density\":\"0\"},\"a\":{\"spacing\":1,\"density\":\"1\"}}", true);
}

/* The upper bounds that follow from the formula without sampling; the expected ones are by hand. */
static void density_upper_bounds(void **unused)
{
    (void)unused;
    static const struct {
        const char *density;
        double low, high; /* the bound is in this range */
    } cases[] = {
        {"0.7", 0.7, 0.7001},
        {"0.7 * (biome == wood)", 0.7, 0.7001},
        {"biome == wood ? 0.3 : biome == sea ? 0.2 : 0", 0.3, 0.3001},
        {"0.5 * smoothstep(0, 1, x) * (y > 3)", 0.5, 0.501},
        {"min(perlin(10), 0.25)", 0.25, 0.2501},
        {"clamp(x, 0, 0.125) + 0.5", 0.625, 0.6251},
        {"spline(x, 0, 0.1, 5, 0.4, 9, 0.2)", 0.4, 0.41},
        {"1 - abs(sin(x))", 1, 1.0001},
        {"floor(3.5 * (x < 1))", 3, 3.001},
        {"(-0.5) * (0 - (x < 1))", 0.5, 0.501},
        {"x", 0x1p40, 0x1p50}, /* the world ends at 2⁴⁰ m */
        {"x * x * x * x", 1e30, 1e39},
        {"1 / x", 1e30, 1e39},
        {"1 / (2 + sin(x))", 1, 1.001},
        {"sqrt(2 + 2 * sin(x))", 2, 2.001},
        {"exp(x) * 0.001", 1e30, 1e39},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char objects[300];
        snprintf(objects, sizeof objects, "{\"oak\":{\"spacing\":5,\"density\":\"%s\"}}",
                 cases[i].density);
        struct world *world = world_with(objects);
        const double high = (double)world_density_high(world, 0);
        if (!(high >= cases[i].low - 1e-6 && high <= cases[i].high))
            fail_msg("%s: %g", cases[i].density, high);
        world_release(world);
    }
}

/* No sample is above the bound, also of formulas that swing from one end to the other. */
static void no_sample_is_above_the_bound(void **unused)
{
    (void)unused;
    static const char *const densities[] = {
        "smoothstep(-1, 1, sin(x)) * cos(y) - 0.25 * abs(sin(x * y))",
        "max(min(x / 10, 2), -3) * clamp(y / 7, -1, 1)",
        "spline(sin(x), -1, 0, -0.5, 0.9, 0, 0.1, 0.5, 1, 1, 0)^2",
        "floor(4 * sin(x)) / 3 - (y > x && x > 0 || y < -50)",
        "sqrt(abs(sin(x))) * clamp(x * y, -2, 5) + !(x > y)",
    };
    uint64_t state = 3;
    for (size_t i = 0; i < sizeof densities / sizeof *densities; i++) {
        char objects[300];
        snprintf(objects, sizeof objects, "{\"oak\":{\"spacing\":5,\"density\":\"%s\"}}",
                 densities[i]);
        struct world *world = world_with(objects);
        for (int k = 0; k < 500; k++)
            assert_true(density_at(world, random_whole(&state, -200, 200),
                                   random_whole(&state, -200, 200)) <=
                        world_density_high(world, 0));
        world_release(world);
    }
}

int test_reader_objects(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_in_file_order),
        cmocka_unit_test(densities_may_name_biomes),
        cmocka_unit_test(density_biome_equals_layer),
        cmocka_unit_test(wrong_members_are_refused),
        cmocka_unit_test(wrong_densities_are_refused),
        cmocka_unit_test(fingerprint_covers_placement),
        cmocka_unit_test(density_upper_bounds),
        cmocka_unit_test(no_sample_is_above_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
