/* The public interface: what it refuses, and that its ways to sample agree with each other. The
 * world's formulas are chosen so that every sample follows by hand. */
#include "core/terrane.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/base/hash.h"

static const char plane[] = "{\"generator\":1,\"seed\":7,\"layers\":{"
                            "\"height\":{\"formula\":\"x + 100*y + 10000*z + t\",\"unit\":\"m\"},"
                            "\"rough\":\"fbm(wavelength=64, octaves=5) + perlin(wavelength=9)\"},"
                            "\"biomes\":[{\"name\":\"west\",\"color\":\"#00f\",\"when\":\"x < 2\"},"
                            "{\"name\":\"east\",\"color\":\"#0f0\"}]}";
enum { HEIGHT, ROUGH, BIOME };

static struct terrane_world *world;
static struct terrane_sampler *sampler;

static int set_up(void **state)
{
    (void)state;
    world = terrane_world_parse(plane, strlen(plane), "plane.json", NULL);
    sampler = terrane_sampler_new();
    return world && sampler ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    terrane_sampler_free(sampler);
    terrane_world_release(world);
    return 0;
}

static void test_world_says_what_it_has(void **state)
{
    (void)state;
    assert_string_equal(terrane_version(), TERRANE_VERSION);
    assert_int_equal(terrane_layer_count(world), 3);
    assert_string_equal(terrane_layer_name(world, HEIGHT), "height");
    assert_string_equal(terrane_layer_unit(world, HEIGHT), "m");
    assert_string_equal(terrane_layer_unit(world, ROUGH), "");
    assert_string_equal(terrane_layer_name(world, BIOME), "biome");
    assert_null(terrane_layer_name(world, 3));
    assert_null(terrane_layer_unit(world, 3));
    assert_int_equal(terrane_layer_find(world, "rough"), ROUGH);
    assert_int_equal(terrane_layer_find(world, "nothing"), -1);
    assert_int_equal(terrane_biome_count(world), 2);
    assert_string_equal(terrane_biome_name(world, 1), "east");
    assert_null(terrane_biome_name(world, 2));
}

static void test_work_is_limited(void **state)
{
    (void)state;
    enum { SIDE = 64 };
    static float samples[SIDE * SIDE];
    float *const output = samples;
    const unsigned layer = ROUGH;
    const struct terrane_grid grid = {
        .step = TERRANE_METRE, .columns = SIDE, .rows = SIDE, .spacing = 1};
    const struct terrane_request request = {&layer, &output, 1};
    struct terrane_error error = {0};
    terrane_sampler_set_limit(sampler, 1);
    assert_false(terrane_sample_grid(sampler, world, &grid, &request, &error));
    assert_int_equal(error.code, TERRANE_WORK);
    terrane_sampler_set_limit(sampler, 0);
    assert_int_equal(terrane_sampler_work(sampler), 0);
    assert_true(terrane_sample_grid(sampler, world, &grid, &request, &error));
    const uint64_t work = terrane_sampler_work(sampler);
    assert_in_range(work, SIDE * SIDE, 100 * SIDE * SIDE); /* six octaves */
    terrane_sampler_set_limit(sampler, work);
    assert_false(terrane_sample_grid(sampler, world, &grid, &request, &error));
    terrane_sampler_set_limit(sampler, work + 1);
    assert_true(terrane_sample_grid(sampler, world, &grid, &request, &error));
    terrane_sampler_set_limit(sampler, 0);
}

static void test_seed_changes_identity_and_back(void **state)
{
    (void)state;
    struct terrane_world *other = terrane_world_reseed(world, "8", NULL);
    struct terrane_world *same = terrane_world_reseed(other, "7", NULL);
    assert_non_null(same);
    assert_string_not_equal(terrane_world_fingerprint(other), terrane_world_fingerprint(world));
    assert_string_equal(terrane_world_fingerprint(same), terrane_world_fingerprint(world));
    terrane_world_release(other);
    assert_ptr_equal(terrane_world_retain(same), same);
    terrane_world_release(same);
    assert_int_equal(terrane_layer_count(same), 3);
    terrane_world_release(same);
    terrane_world_release(NULL);
    terrane_sampler_free(NULL);
}

static void test_wrong_worlds_say_where(void **state)
{
    (void)state;
    static const char text[] = "{\"generator\":1,\"layers\":{\"height\":\"2 + nothing\"}}";
    struct terrane_error error = {0};
    char line[700], cut[12];
    assert_null(terrane_world_parse(text, strlen(text), "w.json", &error));
    assert_int_equal(error.code, TERRANE_UNKNOWN);
    assert_string_equal(error.file, "w.json");
    assert_string_equal(error.path, "layers.height");
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 40);
    assert_non_null(strstr(error.message, "nothing"));
    size_t length = terrane_error_text(&error, line, sizeof line);
    assert_int_equal(length, strlen(line));
    assert_memory_equal(line, "w.json:1:40: layers.height: ", 28);
    assert_int_equal(terrane_error_text(&error, cut, sizeof cut), length);
    assert_string_equal(cut, "w.json:1:40");
    assert_null(terrane_world_parse("{", 1, NULL, &error));
    assert_int_equal(error.code, TERRANE_SYNTAX);
    assert_string_equal(error.file, "");
    assert_null(terrane_world_parse("{", 1, NULL, NULL));
}

/* A grid of 3 × 2 metres whose height samples are x + 100 y. */
static const struct terrane_grid small = {0, 0, TERRANE_METRE, .columns = 3, .rows = 2};

static void test_grid_rows_go_south_and_layers_apart(void **state)
{
    (void)state;
    static const float heights[] = {0, 1, 2, 100, 101, 102}, biomes[] = {0, 0, 1, 0, 0, 1};
    float first[6], second[6];
    const unsigned layers[] = {BIOME, HEIGHT};
    float *const outputs[] = {first, second};
    const struct terrane_request request = {layers, outputs, 2};
    assert_true(terrane_sample_grid(sampler, world, &small, &request, NULL));
    assert_memory_equal(first, biomes, sizeof biomes);
    assert_memory_equal(second, heights, sizeof heights);
}

static void test_volume_is_slices_one_after_the_other(void **state)
{
    (void)state;
    static const float expected[] = {20003, 20004, 20005, 20103, 20104, 20105, 25003, 25004, 25005,
                                     25103, 25104, 25105, 30003, 30004, 30005, 30103, 30104, 30105};
    float samples[18], rough[18], *const outputs[] = {samples, rough};
    const unsigned layers[] = {HEIGHT, ROUGH};
    const struct terrane_request request = {layers, outputs, 2};
    struct terrane_volume volume = {.grid = small, .z_step = 0.5, .slices = 3};
    volume.grid.z = 2;
    volume.grid.t = 3;
    assert_true(terrane_sample_volume(sampler, world, &volume, &request, NULL));
    assert_memory_equal(samples, expected, sizeof expected);
    assert_memory_equal(rough + 6, rough, 6 * sizeof *rough);
    assert_memory_equal(rough + 12, rough, 6 * sizeof *rough);
}

static void test_points_have_the_bits_of_the_grid(void **state)
{
    (void)state;
    enum { COLUMNS = 37, ROWS = 23, COUNT = COLUMNS * ROWS };
    static float in_grid[2][COUNT], in_points[2][COUNT];
    static struct terrane_place places[COUNT];
    const struct terrane_grid grid = {.x = -900 * TERRANE_METRE - 1,
                                      .y = 5,
                                      .step = 77777,
                                      .columns = COLUMNS,
                                      .rows = ROWS,
                                      .spacing = 1.2,
                                      .z = 0.25f,
                                      .t = 9};
    for (int i = 0; i < COUNT; i++)
        places[i] = (struct terrane_place){grid.x + i % COLUMNS * grid.step,
                                           grid.y + i / COLUMNS * grid.step};
    const unsigned layers[] = {ROUGH, HEIGHT};
    float *const grid_outputs[] = {in_grid[0], in_grid[1]};
    float *const point_outputs[] = {in_points[0], in_points[1]};
    const struct terrane_request request = {layers, grid_outputs, 2},
                                 again = {layers, point_outputs, 2};
    const struct terrane_points points = {places, COUNT, grid.spacing, grid.z, grid.t};
    assert_true(terrane_sample_grid(sampler, world, &grid, &request, NULL));
    assert_true(terrane_sample_points(sampler, world, &points, &again, NULL));
    assert_memory_equal(in_points, in_grid, sizeof in_grid);
}

/* Each field in turn is wrong, and the message says which. */
static void test_wrong_grids_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct terrane_volume volume;
        enum terrane_code code;
        const char *words;
    } cases[] = {
        {{{0, 0, 1, 0, 1, 0, 0, 0}, 0, 1}, TERRANE_VALUE, "1 column"},
        {{{0, 0, 1, 1, 0, 0, 0, 0}, 0, 1}, TERRANE_VALUE, "1 row"},
        {{{0, 0, 0, 1, 1, 0, 0, 0}, 0, 1}, TERRANE_VALUE, "step"},
        {{{0, 0, -1, 1, 1, 0, 0, 0}, 0, 1}, TERRANE_VALUE, "step"},
        {{{0, 0, INT64_MAX, 3, 1, 0, 0, 0}, 0, 1}, TERRANE_VALUE, "2^57"},
        {{{0, 0, 1, 1, 1, -1, 0, 0}, 0, 1}, TERRANE_VALUE, "spacing"},
        {{{0, 0, 1, 1, 1, NAN, 0, 0}, 0, 1}, TERRANE_VALUE, "spacing"},
        {{{0, 0, 1, 1, 1, 0, INFINITY, 0}, 0, 1}, TERRANE_VALUE, "z and t"},
        {{{0, 0, 1, 1, 1, 0, 0, NAN}, 0, 1}, TERRANE_VALUE, "z and t"},
        {{{0, 0, 1, 1, 1, 0, 0, 0}, 0, 0}, TERRANE_VALUE, "1 slice"},
        {{{0, 0, 1, 1, 1, 0, 0, 0}, NAN, 1}, TERRANE_VALUE, "slice"},
        {{{0, 0, 1, 1, 1, 0, 0, 0}, 1e38, 5}, TERRANE_VALUE, "slice"},
        {{{INT64_MIN, 0, 1, 1, 1, 0, 0, 0}, 0, 1}, TERRANE_LIMIT, "2^40"},
    };
    float sample, *const output = &sample;
    const unsigned layer = HEIGHT;
    const struct terrane_request request = {&layer, &output, 1};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct terrane_error error = {0};
        assert_false(terrane_sample_volume(sampler, world, &cases[i].volume, &request, &error));
        if (error.code != cases[i].code || !strstr(error.message, cases[i].words))
            fail_msg("case %zu: code %d, %s", i, (int)error.code, error.message);
    }
}

static void test_wrong_requests_are_refused(void **state)
{
    (void)state;
    const unsigned layer = 3;
    float samples[6], *const output = samples;
    const struct terrane_request none = {&layer, &output, 0}, unknown = {&layer, &output, 1},
                                 many = {&layer, &output, 258};
    const struct terrane_place place = {INT64_MAX, 0};
    const struct terrane_points far = {.places = &place, .count = 1},
                                nowhere = {.places = &place, .spacing = -1};
    const unsigned height = HEIGHT;
    const struct terrane_request good = {&height, &output, 1};
    struct terrane_error error = {0};
    assert_false(terrane_sample_grid(sampler, world, &small, &none, &error));
    assert_int_equal(error.code, TERRANE_LIMIT);
    assert_false(terrane_sample_grid(sampler, world, &small, &many, NULL));
    assert_false(terrane_sample_grid(sampler, world, &small, &unknown, &error));
    assert_int_equal(error.code, TERRANE_UNKNOWN);
    assert_string_equal(error.message, "there is no layer 3; this world has 0 to 2");
    assert_false(terrane_sample_points(sampler, world, &nowhere, &good, &error));
    assert_int_equal(error.code, TERRANE_VALUE);
    assert_false(terrane_sample_points(sampler, world, &far, &good, &error));
    assert_int_equal(error.code, TERRANE_LIMIT);
}

/* Floats whose little-endian bytes are the text's, on any machine. */
static void float_text(const char *text, float *floats)
{
    for (size_t i = 0; text[i]; i += 4) {
        uint32_t bits = 0;
        for (size_t k = 4; k-- > 0;)
            bits = bits << 8 | (uint8_t)text[i + k];
        memcpy(floats + i / 4, &bits, sizeof bits);
    }
}

/* The reference implementation's value for 12 bytes. */
static void test_materials_are_weights_until_they_are_shared(void **state)
{
    (void)state;
    static const char text[] = "{\"generator\":1,\"layers\":{\"height\":\"x\"},\"materials\":["
                               "{\"name\":\"low\",\"color\":\"#00f\",\"weight\":\"3 - height\"},"
                               "{\"name\":\"high\",\"color\":\"#0f0\",\"weight\":\"height\"}]}";
    struct terrane_world *ground = terrane_world_parse(text, strlen(text), NULL, NULL);
    float low[4], high[4], *outputs[] = {low, high};
    const unsigned layers[] = {terrane_layer_count(ground), terrane_layer_count(ground) + 1};
    const struct terrane_grid grid = {.step = TERRANE_METRE, .columns = 4, .rows = 1};
    const struct terrane_request request = {layers, outputs, 2};
    assert_int_equal(terrane_material_count(ground), 2);
    assert_string_equal(terrane_material_name(ground, 1), "high");
    assert_null(terrane_material_name(ground, 2));
    assert_int_equal(strlen(terrane_materials_fingerprint(ground)), 19);
    assert_string_equal(terrane_materials_fingerprint(world), "");
    assert_true(terrane_sample_grid(sampler, ground, &grid, &request, NULL));
    assert_true(low[0] == 3 && low[3] == 0 && high[2] == 2);
    terrane_share_materials(ground, outputs, 4);
    assert_memory_equal(low, ((const float[]){255, 170, 85, 0}), sizeof low);
    assert_memory_equal(high, ((const float[]){0, 85, 170, 255}), sizeof high);
    terrane_share_materials(world, NULL, 4); /* a world without materials */
    terrane_world_release(ground);
}

static void test_digest_is_murmur3_of_little_endian_bytes(void **state)
{
    (void)state;
    float floats[3];
    char digest[TERRANE_DIGEST_TEXT];
    float_text("hello, world", floats);
    terrane_digest(floats, 3, digest);
    assert_string_equal(digest, "342fac623a5ebc8e4cdcbc079642414d");
    terrane_digest(floats, 0, digest);
    assert_string_equal(digest, "00000000000000000000000000000000");
}

static void test_digest_of_many_is_that_of_all_their_bytes(void **state)
{
    (void)state;
    enum { COUNT = 2500 };
    static float floats[COUNT];
    static char text[4 * COUNT + 1];
    for (int i = 0; i < 4 * COUNT; i++)
        text[i] = (char)(1 + i * 7 % 100);
    float_text(text, floats);
    static const size_t counts[] = {1, 4, 5, 1023, 1024, 1025, 2048, 2500};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        char digest[TERRANE_DIGEST_TEXT], expected[33];
        terrane_digest(floats, counts[i], digest);
        hash_hex(hash_bytes(text, 4 * counts[i], 0), expected);
        assert_string_equal(digest, expected);
    }
}

/* ---- labels */

static const char named[] =
    "{\"generator\":1,\"layers\":{\"height\":\"10\"},\"names\":{\"tongues\":[],\"places\":["
    "{\"kind\":\"lake\",\"at\":[3000,-7000],\"name\":\"Bělá nádrž\"}]}}";

/* A lake's reach is 10 km: at rank 10, of 128 m a pixel, 64 pixels are less, at 9 more. */
static void test_labels_have_fixed_names_at_their_places(void **state)
{
    (void)state;
    struct terrane_world *own = terrane_world_parse(named, strlen(named), NULL, NULL);
    struct terrane_labels *labels = terrane_labels_new();
    const int64_t x = 3000 * TERRANE_METRE, y = -7000 * TERRANE_METRE;
    struct terrane_label label = {.rank = -7};
    assert_non_null(own);
    for (int zoom = 0; zoom <= TERRANE_LABEL_ZOOM_MAX; zoom++) {
        struct terrane_label_view view = {x, y, x + 1, y + 1, zoom};
        assert_true(terrane_labels_find(labels, sampler, own, &view, NULL));
        assert_int_equal(terrane_label_count(labels), zoom >= 10);
        view = (struct terrane_label_view){x + 1, y, x + 2, y + 1, zoom};
        assert_true(terrane_labels_find(labels, sampler, own, &view, NULL));
        assert_int_equal(terrane_label_count(labels), 0);
        assert_false(terrane_label_get(labels, 0, &label));
        assert_int_equal(label.rank, -7);
    }
    const struct terrane_label_view view = {x, y, x + 1, y + 1, 12};
    assert_true(terrane_labels_find(labels, sampler, own, &view, NULL));
    assert_true(terrane_label_get(labels, 0, &label));
    assert_string_equal(label.name, "Bělá nádrž");
    assert_string_equal(label.kind, "lake");
    assert_true(label.x == x && label.y == y && label.rank == 10 && label.length == 0.0);
    terrane_labels_free(labels);
    terrane_world_release(own);
}

static void test_labels_of_no_view_are_refused(void **state)
{
    (void)state;
    static const struct {
        struct terrane_label_view view;
        enum terrane_code code;
        const char *message;
    } cases[] = {
        {{0, 0, 1, 1, -1}, TERRANE_VALUE, "the zoom must be from 0 to 20, not -1"},
        {{0, 0, 1, 1, 21}, TERRANE_VALUE, "the zoom must be from 0 to 20, not 21"},
        {{0, 0, 0, 1, 9}, TERRANE_VALUE, NULL},
        {{0, 2, 1, 1, 9}, TERRANE_VALUE, NULL},
        {{INT64_MIN, 0, INT64_MAX, 1, 9}, TERRANE_LIMIT, "a rectangle must be within 2^40 metres"},
        {{0, 0, 8192 * 65536 + 1, 1, 17}, TERRANE_LIMIT, NULL},
    };
    struct terrane_labels *labels = terrane_labels_new();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct terrane_error error = {0};
        assert_false(terrane_labels_find(labels, sampler, world, &cases[i].view, &error));
        assert_int_equal(error.code, cases[i].code);
        assert_true(!cases[i].message || strcmp(error.message, cases[i].message) == 0);
        assert_int_equal(terrane_label_count(labels), 0);
    }
    const struct terrane_label_view widest = {0, 0, 8192 * 65536, 1, 17};
    assert_true(terrane_labels_find(labels, sampler, world, &widest, NULL));
    terrane_labels_free(labels);
    terrane_labels_free(NULL);
}

int test_terrane(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_world_says_what_it_has),
        cmocka_unit_test(test_work_is_limited),
        cmocka_unit_test(test_seed_changes_identity_and_back),
        cmocka_unit_test(test_wrong_worlds_say_where),
        cmocka_unit_test(test_grid_rows_go_south_and_layers_apart),
        cmocka_unit_test(test_volume_is_slices_one_after_the_other),
        cmocka_unit_test(test_points_have_the_bits_of_the_grid),
        cmocka_unit_test(test_wrong_grids_are_refused),
        cmocka_unit_test(test_wrong_requests_are_refused),
        cmocka_unit_test(test_materials_are_weights_until_they_are_shared),
        cmocka_unit_test(test_labels_have_fixed_names_at_their_places),
        cmocka_unit_test(test_labels_of_no_view_are_refused),
        cmocka_unit_test(test_digest_is_murmur3_of_little_endian_bytes),
        cmocka_unit_test(test_digest_of_many_is_that_of_all_their_bytes),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
