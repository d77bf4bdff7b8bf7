/* Materials: how weights become shares, what a world file says of them, and what stays the same
 * when they change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/worldfile/materials.h"
#include "tests/unit/core/random.h"
#include "tests/unit/core/world_of.h"

#define BEGIN                                                                                      \
    "{\"generator\":1,\"seed\":\"one\",\"layers\":{\"height\":\"200 * fbm(64, 5)\",\"wet\":"       \
    "\"smoothstep(0, 100, y)\"},\"biomes\":[{\"name\":\"sea\",\"color\":\"#00f\",\"when\":"        \
    "\"height < 0\"},{\"name\":\"land\",\"color\":\"#0f0\"}]"
#define GRASS "{\"name\":\"grass\",\"color\":\"#0a0\",\"weight\":\"biome == land\"}"
#define ROCK "{\"name\":\"rock\",\"color\":\"#888\",\"weight\":\"slope(height, 1) - 0.5\"}"
#define SAND "{\"name\":\"sand\",\"color\":\"#fd0\",\"weight\":\"0.4 - 0.01 * abs(height)\"}"

static const char text[] = BEGIN ",\"materials\":[" GRASS "," ROCK "," SAND "]}";
enum { KINDS = 3 };

static void check_shares(const float *weights, unsigned count, const float *expected)
{
    float values[WORLD_MATERIALS_MAX] = {0}, *planes[WORLD_MATERIALS_MAX] = {NULL};
    for (unsigned k = 0; k < count; k++) {
        values[k] = weights[k];
        planes[k] = &values[k];
    }
    materials_share(planes, count, 1);
    for (unsigned k = 0; k < count; k++)
        assert_true(values[k] == expected[k]);
}
#define CHECK_SHARES(expected, ...)                                                                \
    check_shares((const float[]){__VA_ARGS__}, sizeof(const float[]){__VA_ARGS__} / sizeof(float), \
                 expected)
#define SHARES(...) ((const float[]){__VA_ARGS__})

static void shares_are_parts_of_255(void **state)
{
    (void)state;
    CHECK_SHARES(SHARES(255), 0.25f);
    CHECK_SHARES(SHARES(85, 170), 1, 2);
    CHECK_SHARES(SHARES(128, 127), 3, 3);             /* 127.5 each: the first one gains */
    CHECK_SHARES(SHARES(64, 64, 64, 63), 1, 1, 1, 1); /* 63.75 each */
    CHECK_SHARES(SHARES(36, 73, 146), 1, 2, 4);       /* 36.43, 72.86, 145.71 */
    CHECK_SHARES(SHARES(0, 255, 0), -5, 1e-30f, 0);
    CHECK_SHARES(SHARES(255, 0), 0, 0);
    CHECK_SHARES(SHARES(255, 0), -1, -2);
    CHECK_SHARES(SHARES(125, 0, 130), 3e38f, 0,
                 3.1e38f);                  /* 125.41 and 129.59; their sum is no float */
    CHECK_SHARES(SHARES(0, 255), 1e-9f, 1); /* below 2⁻²⁴ */
}

/* The same by long division: multiply, divide, sort. Weights are whole numbers up to 2¹⁶ whose
 * largest is 2¹⁶, so the library's are exact. */
static void expect_shares(const unsigned *weights, unsigned count, unsigned *shares)
{
    unsigned long long sum = 0;
    unsigned given = 0;
    bool gained[WORLD_MATERIALS_MAX] = {false};
    for (unsigned k = 0; k < count; k++)
        sum += weights[k];
    for (unsigned k = 0; k < count; k++)
        given += shares[k] = (unsigned)(255ull * weights[k] / sum);
    for (; given < 255; given++) {
        unsigned best = count;
        for (unsigned k = count; k-- > 0;)
            if (!gained[k] &&
                (best == count || 255ull * weights[k] % sum >= 255ull * weights[best] % sum))
                best = k;
        gained[best] = true;
        shares[best]++;
    }
}

static void random_weights_have_the_largest_remainders(void **state)
{
    (void)state;
    uint64_t random = 7;
    for (int n = 0; n < 20000; n++) {
        const unsigned count = (unsigned)random_whole(&random, 1, WORLD_MATERIALS_MAX);
        unsigned whole[WORLD_MATERIALS_MAX], expected[WORLD_MATERIALS_MAX];
        float values[WORLD_MATERIALS_MAX] = {0}, *planes[WORLD_MATERIALS_MAX] = {NULL};
        for (unsigned k = 0; k < count; k++)
            whole[k] = (unsigned)random_whole(&random, 0, n % 2 ? 7 : 65536);
        whole[random_whole(&random, 0, count - 1)] = 65536;
        for (unsigned k = 0; k < count; k++) {
            values[k] = (float)whole[k] / 1024.0f;
            planes[k] = &values[k];
        }
        expect_shares(whole, count, expected);
        materials_share(planes, count, 1);
        for (unsigned k = 0; k < count; k++)
            assert_int_equal((int)values[k], expected[k]);
    }
}

/* Samples the shares of a grid with that corner. */
static void sample_shares(const struct world *world, int64_t x, uint32_t columns, uint32_t rows,
                          float *const planes[KINDS])
{
    unsigned layers[KINDS];
    struct sampler *sampler = sampler_new();
    const struct sample_grid grid = {.x = x * PLACE_METRE,
                                     .step = PLACE_METRE,
                                     .columns = columns,
                                     .rows = rows,
                                     .spacing = 1.0};
    for (unsigned k = 0; k < KINDS; k++)
        layers[k] = world_material_layer(world, k);
    const struct sample_request request = {layers, planes, KINDS};
    assert_non_null(sampler);
    assert_true(sampler_grid(sampler, world_program(world), &grid, &request, NULL));
    materials_share(planes, KINDS, (size_t)columns * rows);
    sampler_free(sampler);
}

enum { SIDE = 1024 };

static void a_million_vertices_sum_up_and_neighbours_agree(void **state)
{
    (void)state;
    struct world *world = world_of_text(text);
    float *planes[KINDS], *border[KINDS];
    unsigned seen[KINDS] = {0};
    for (unsigned k = 0; k < KINDS; k++) {
        planes[k] = malloc(sizeof(float) * SIDE * SIDE);
        border[k] = malloc(sizeof(float) * SIDE * 2);
        assert_true(planes[k] && border[k]);
    }
    sample_shares(world, 0, SIDE, SIDE, planes);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        float sum = 0;
        for (unsigned k = 0; k < KINDS; k++) {
            const float share = planes[k][i];
            assert_true(share >= 0 && share <= 255 && share == __builtin_floorf(share));
            seen[k] += share > 0 && share < 255;
            sum += share;
        }
        assert_true(sum == 255);
    }
    sample_shares(world, SIDE - 1, 2, SIDE, border); /* the chunk to the east */
    for (unsigned k = 0; k < KINDS; k++) {
        assert_true(seen[k] > SIDE); /* so there is something to sum up */
        for (size_t row = 0; row < SIDE; row++)
            assert_true(border[k][2 * row] == planes[k][row * SIDE + SIDE - 1]);
        free(planes[k]);
        free(border[k]);
    }
    world_release(world);
}

static void worlds_list_materials(void **state)
{
    (void)state;
    struct world *world = world_of_text(text), *other = world_reseed(world, "two", 3, NULL);
    assert_non_null(other);
    assert_int_equal(world_material_count(world), KINDS);
    assert_string_equal(world_material(world, 1)->name, "rock");
    assert_string_equal(world_material(world, 1)->title, "rock");
    assert_string_equal(world_material(world, 1)->weight, "slope(height, 1) - 0.5");
    assert_int_equal(world_material(world, 2)->colour, 0xffdd00);
    assert_int_equal(world_material_layer(world, 0), world_layer_count(world));
    assert_string_equal(world_layer(world, world_material_layer(world, 2))->name, "materials.sand");
    assert_int_equal(world_find_layer(world, "materials.sand"), -1);
    assert_string_equal(world_materials_fingerprint(other), world_materials_fingerprint(world));
    world_release(other);
    world_release(world);
}

/* Both fingerprints of a world with these materials, or without if the text is empty. */
struct fingerprints {
    char world[WORLD_FINGERPRINT_TEXT], materials[MATERIALS_FINGERPRINT_TEXT];
};

static struct fingerprints fingerprints_with(const char *materials)
{
    char whole[4000];
    struct fingerprints found;
    snprintf(whole, sizeof whole, BEGIN "%s%s}", *materials ? ",\"materials\":" : "", materials);
    struct world *world = world_of_text(whole);
    snprintf(found.world, sizeof found.world, "%s", world_fingerprint(world));
    snprintf(found.materials, sizeof found.materials, "%s", world_materials_fingerprint(world));
    world_release(world);
    return found;
}

static void materials_have_a_fingerprint_of_their_own(void **state)
{
    (void)state;
    static const char *const same[] = {"[{\"weight\":\"(biome==land)\",\"color\":\"#fff\","
                                       "\"title\":\"Gras\",\"name\":\"grass\"}," ROCK "]"};
    static const char *const others[] = {
        "[" ROCK "," GRASS "]", "[" GRASS "]", "[" GRASS "," SAND "]",
        "[" GRASS ",{\"name\":\"rock\",\"color\":\"#888\",\"weight\":\"slope(height, 2) - 0.5\"}]",
        "[" GRASS
        ",{\"name\":\"cliff\",\"color\":\"#888\",\"weight\":\"slope(height, 1) - 0.5\"}]"};
    const struct fingerprints none = fingerprints_with(""),
                              first = fingerprints_with("[" GRASS "," ROCK "]");
    assert_string_equal(none.materials, "");
    assert_string_equal(none.world, first.world);
    assert_int_equal(strlen(first.materials), MATERIALS_FINGERPRINT_TEXT - 1);
    assert_memory_equal(first.materials, "m1-", 3);
    assert_string_equal(fingerprints_with(same[0]).materials, first.materials);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct fingerprints other = fingerprints_with(others[i]);
        assert_string_equal(other.world, first.world);
        assert_string_not_equal(other.materials, first.materials);
    }
}

static void heights_do_not_depend_on_materials(void **state)
{
    (void)state;
    struct world *with = world_of_text(text), *without = world_of_text(BEGIN "}");
    float heights[2][64 * 64];
    const struct world *const worlds[] = {with, without};
    for (int i = 0; i < 2; i++) {
        struct sampler *sampler = sampler_new();
        const unsigned layer = world_height_layer(worlds[i]);
        float *output = heights[i];
        const struct sample_grid grid = {
            .step = PLACE_METRE, .columns = 64, .rows = 64, .spacing = 1.0};
        const struct sample_request request = {&layer, &output, 1};
        assert_true(sampler_grid(sampler, world_program(worlds[i]), &grid, &request, NULL));
        sampler_free(sampler);
    }
    assert_memory_equal(heights[0], heights[1], sizeof heights[0]);
    world_release(with);
    world_release(without);
}

static void wrong_materials_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *materials, *path, *message;
    } cases[] = {
        {"{}", "materials", "must be an array, not an object"},
        {"[]", "materials", "has 0 entries; 1 to 16 are allowed"},
        {"[" GRASS ",5]", "materials[1]", "must be an object, not a number"},
        {"[" GRASS "," GRASS "]", "materials[1].name", "is the name of an earlier material, too"},
        {"[{\"name\":\"a b\",\"color\":\"#888\",\"weight\":\"1\"}]", "materials[0].name",
         "\"a b\" is not a valid name"},
        {"[{\"name\":\"a\",\"weight\":\"1\"}]", "materials[0].color",
         "is missing; it must be a color"},
        {"[{\"name\":\"a\",\"color\":\"#888\"}]", "materials[0].weight", "is missing"},
        {"[{\"name\":\"a\",\"color\":\"#888\",\"weight\":\"hight\"}]", "materials[0].weight",
         "unknown name \"hight\" (did you mean \"height\"?)"},
        {"[{\"name\":\"a\",\"color\":\"#888\",\"weight\":\"1\",\"wheight\":\"1\"}]", "materials[0]",
         "did you mean \"weight\"?"},
        {"[{\"name\":\"a\",\"color\":\"#888\",\"weight\":\"fbm(1e6, 300) + fbm(1e6, 300)\"}]",
         "materials[0].weight", "octaves"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error = {0};
        char whole[2000];
        snprintf(whole, sizeof whole, BEGIN ",\"materials\":%s}", cases[i].materials);
        assert_null(world_parse(whole, strlen(whole), "m.json", NULL, &error));
        assert_string_equal(error.path, cases[i].path);
        assert_non_null(strstr(error.message, cases[i].message));
    }
}

static void a_layer_named_materials_is_in_the_way(void **state)
{
    (void)state;
    static const char clash[] =
        "{\"generator\":1,\"layers\":{\"height\":\"x\",\"materials\":\"y\"},\"materials\":[" SAND
        "]}";
    struct error error = {0};
    assert_null(world_parse(clash, strlen(clash), "m.json", NULL, &error));
    assert_string_equal(error.path, "materials");
    assert_non_null(strstr(error.message, "a layer is named \"materials\""));
}

int test_materials(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_are_parts_of_255),
        cmocka_unit_test(random_weights_have_the_largest_remainders),
        cmocka_unit_test(a_million_vertices_sum_up_and_neighbours_agree),
        cmocka_unit_test(worlds_list_materials),
        cmocka_unit_test(materials_have_a_fingerprint_of_their_own),
        cmocka_unit_test(heights_do_not_depend_on_materials),
        cmocka_unit_test(wrong_materials_are_refused),
        cmocka_unit_test(a_layer_named_materials_is_in_the_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
