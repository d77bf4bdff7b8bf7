/* Meshes read as the specification of glTF 2.0 says, by cJSON; the Khronos validator reads them in
 * the HTTP tests. */
#include "core/encode/glb.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t little(const uint8_t *at, unsigned bytes)
{
    uint32_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static double real(const uint8_t *at)
{
    uint32_t bits = little(at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

struct file {
    struct buffer bytes;
    cJSON *json;
    const uint8_t *binary;
};

static struct file make_with_skirt(const struct sample_raster *grid, const struct image *colours,
                                   double skirt)
{
    struct file file = {.json = NULL};
    buffer_text(&file.bytes, "before!");
    assert_true(glb_write(grid, &(struct glb_extras){.colours = colours, .skirt = skirt},
                          &file.bytes, NULL));
    const uint8_t *start = file.bytes.data + 7;
    assert_memory_equal(start, "glTF", 4);
    assert_int_equal(little(start + 4, 4), 2);
    assert_int_equal(little(start + 8, 4), file.bytes.length - 7);
    const size_t json = little(start + 12, 4);
    assert_int_equal(json % 4, 0);
    assert_memory_equal(start + 16, "JSON", 4);
    file.json = cJSON_ParseWithLength((const char *)start + 20, json);
    assert_non_null(file.json);
    const uint8_t *chunk = start + 20 + json;
    assert_int_equal(little(chunk, 4) % 4, 0);
    assert_memory_equal(chunk + 4, "BIN", 4);
    assert_ptr_equal(chunk + 8 + little(chunk, 4), file.bytes.data + file.bytes.length);
    file.binary = chunk + 8;
    return file;
}

static struct file make(const struct sample_raster *grid, const struct image *colours)
{
    return make_with_skirt(grid, colours, 0.0);
}

static void release(struct file *file)
{
    cJSON_Delete(file->json);
    buffer_free(&file->bytes);
}

static double number(const cJSON *object, const char *list, int index, const char *name)
{
    const cJSON *item = cJSON_GetArrayItem(cJSON_GetObjectItem(object, list), index);
    const cJSON *value = cJSON_GetObjectItem(item, name);
    assert_non_null(value);
    return value->valuedouble;
}

/* 2 × 2 vertices 4 m apart in a ring; those of the mesh are 10, 14, 8, 12 m high. */
static const float samples[16] = {
    0, 6,  10, 0,  /* */
    2, 10, 14, 30, /* */
    4, 8,  12, 16, /* */
    0, 2,  20, 0,
};
static const struct sample_raster grid = {.layer = "height",
                                          .samples = samples,
                                          .columns = 4,
                                          .rows = 4,
                                          .step = 4 * PLACE_METRE,
                                          .origin = {-4 * PLACE_METRE, 96 * PLACE_METRE}};

static void square_equals_one_made_by_hand(void **state)
{
    (void)state;
    static const double places[4][3] = {{0, 10, 0}, {4, 14, 0}, {0, 8, 4}, {4, 12, 4}};
    static const uint32_t corners[] = {0, 2, 1, 1, 2, 3};
    struct file file = make(&grid, NULL);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 3; k++)
            assert_true(real(file.binary + 12 * i + 4 * k) == places[i][k]);
    /* At the first vertex: 14 − 2 over 8 m to the east, 8 − 6 to the south. */
    const double length = sqrt(1.5 * 1.5 + 0.25 * 0.25 + 1);
    assert_true(fabs(real(file.binary + 48) + 1.5 / length) < 1e-7);
    assert_true(fabs(real(file.binary + 52) - 1 / length) < 1e-7);
    assert_true(fabs(real(file.binary + 56) + 0.25 / length) < 1e-7);
    static const double texture[4][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 1}};
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 2; k++)
            assert_true(real(file.binary + 96 + 8 * i + 4 * k) == texture[i][k]);
    for (size_t i = 0; i < 6; i++)
        assert_int_equal(little(file.binary + 128 + 2 * i, 2), corners[i]);
    release(&file);
}

static void json_describes_the_mesh(void **state)
{
    (void)state;
    struct file file = make(&grid, NULL);
    assert_int_equal(number(file.json, "accessors", 0, "count"), 4);
    assert_int_equal(number(file.json, "accessors", 1, "count"), 4);
    assert_int_equal(number(file.json, "accessors", 2, "count"), 4);
    assert_int_equal(number(file.json, "accessors", 3, "count"), 6);
    assert_int_equal(number(file.json, "accessors", 3, "componentType"), 5123);
    assert_int_equal(number(file.json, "bufferViews", 1, "byteOffset"), 48);
    assert_int_equal(number(file.json, "bufferViews", 2, "byteOffset"), 96);
    assert_int_equal(number(file.json, "bufferViews", 3, "byteOffset"), 128);
    assert_int_equal(number(file.json, "bufferViews", 3, "byteLength"), 12);
    assert_int_equal(number(file.json, "buffers", 0, "byteLength"), 140);
    char *text = cJSON_PrintUnformatted(file.json);
    assert_non_null(strstr(text, "\"min\":[0,8,0],\"max\":[4,14,4]"));
    assert_non_null(strstr(text, "\"extras\":{\"origin\":[0,100],\"step\":4}"));
    assert_non_null(strstr(text, "\"name\":\"height\""));
    assert_non_null(strstr(text, "{\"POSITION\":0,\"NORMAL\":1,\"TEXCOORD_0\":2},\"indices\":3,"
                                 "\"material\":0}"));
    assert_non_null(strstr(text, "\"metallicFactor\":0,\"roughnessFactor\":1},"
                                 "\"doubleSided\":false"));
    cJSON_free(text);
    release(&file);
}

/* sRGB 0, 64, 128, 188 and 255 are 0, 0.0512694584, 0.2158605, 0.5028865 and 1 by the formula of
 * IEC 61966-2-1; 10 is on the straight part. */
static void colours_are_linear(void **state)
{
    (void)state;
    static uint8_t rgb[] = {0, 64, 128, 188, 255, 10, 99, 99, /* */
                            0, 0,  0,   1,   2,   3,  99, 99};
    static uint8_t indices[] = {1, 0, 0, 1}, wide[] = {188, 7, 0, 0, 255, 255, 64, 0};
    static const uint8_t palette[] = {0, 0, 0, 64, 128, 188};
    static const struct {
        struct image image;
        uint32_t first[3];
    } cases[] = {
        {{.format = IMAGE_RGB8, .pixels = rgb, .stride = 8}, {0, 3360, 14146}},
        {{.format = IMAGE_GREY8, .pixels = rgb + 3, .stride = 2}, {32957, 32957, 32957}},
        {{.format = IMAGE_PALETTE8, .pixels = indices, .stride = 2, .palette = palette},
         {3360, 14146, 32957}},
        {{.format = IMAGE_GREY16, .pixels = wide, .stride = 4}, {32957, 32957, 32957}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct file file = make(&grid, &cases[i].image);
        const uint8_t *colours = file.binary + 128;
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(little(colours + 2 * k, 2), cases[i].first[k]);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(little(colours + 8 * k + 6, 2), 65535);
        if (i == 0)
            assert_int_equal(little(colours + 8 + 4, 2), 199); /* 10 / 255 / 12.92 */
        assert_int_equal(number(file.json, "accessors", 3, "count"), 4);
        assert_int_equal(number(file.json, "accessors", 4, "count"), 6);
        assert_int_equal(little(file.binary + 160 + 2, 2), 2);
        release(&file);
    }
}

/* 255 × 257 vertices are 65535, the most that 16 bits can number; 256 × 256 are one more. */
static void many_vertices_have_long_indices(void **state)
{
    (void)state;
    static const struct {
        uint32_t columns, rows;
        int type;
        size_t bytes;
    } cases[] = {{255, 257, 5123, 2}, {256, 256, 5125, 4}};
    float *flat = calloc((size_t)258 * 259, sizeof *flat);
    assert_non_null(flat);
    for (size_t i = 0; i < 2; i++) {
        struct sample_raster large = grid;
        large.samples = flat;
        large.columns = cases[i].columns + 2;
        large.rows = cases[i].rows + 2;
        struct file file = make(&large, NULL);
        const size_t vertices = (size_t)cases[i].columns * cases[i].rows;
        const size_t count = 6 * (size_t)(cases[i].columns - 1) * (cases[i].rows - 1);
        assert_int_equal(number(file.json, "accessors", 3, "componentType"), cases[i].type);
        assert_int_equal(number(file.json, "accessors", 3, "count"), count);
        const uint8_t *last = file.binary + 32 * vertices + (count - 1) * cases[i].bytes;
        assert_int_equal(little(last, (unsigned)cases[i].bytes), vertices - 1);
        release(&file);
    }
    free(flat);
}

/* The corners of the square once around, 3 m lower, and a wall below each of its four edges. */
static void skirt_equals_one_made_by_hand(void **state)
{
    (void)state;
    static uint8_t grey[] = {10, 20, 30, 40};
    static const struct image image = {.format = IMAGE_GREY8, .pixels = grey, .stride = 2};
    static const double places[4][3] = {{0, 7, 0}, {0, 5, 4}, {4, 9, 4}, {4, 11, 0}};
    static const unsigned above[] = {0, 2, 3, 1};
    static const uint32_t walls[] = {0, 4, 2, 2, 4, 5, 2, 5, 3, 3, 5, 6,
                                     3, 6, 1, 1, 6, 7, 1, 7, 0, 0, 7, 4};
    struct file file = make_with_skirt(&grid, &image, 3.0);
    const uint8_t *normals = file.binary + 8 * 12, *texture = normals + 8 * 12;
    const uint8_t *colours = texture + 8 * 8, *indices = colours + 8 * 8;
    for (size_t k = 0; k < 4; k++) {
        for (size_t n = 0; n < 3; n++)
            assert_true(real(file.binary + 12 * (4 + k) + 4 * n) == places[k][n]);
        assert_memory_equal(normals + 12 * (4 + k), normals + 12 * above[k], 12);
        assert_memory_equal(texture + 8 * (4 + k), texture + 8 * above[k], 8);
        assert_memory_equal(colours + 8 * (4 + k), colours + 8 * above[k], 8);
    }
    for (size_t i = 0; i < 24; i++)
        assert_int_equal(little(indices + 2 * (6 + i), 2), walls[i]);
    assert_int_equal(number(file.json, "accessors", 0, "count"), 8);
    assert_int_equal(number(file.json, "accessors", 4, "count"), 30);
    char *text = cJSON_PrintUnformatted(file.json);
    assert_non_null(strstr(text, "\"min\":[0,5,0],\"max\":[4,14,4]"));
    cJSON_free(text);
    release(&file);
}

static void invalid_grids_are_refused(void **state)
{
    (void)state;
    struct error error;
    struct buffer out = {0};
    struct sample_raster none = grid;
    none.columns = 3;
    assert_false(glb_write(&none, &(struct glb_extras){NULL}, &out, &error));
    none.columns = 4;
    none.rows = GLB_SIDE_MAX + 3;
    assert_false(glb_write(&none, &(struct glb_extras){NULL}, &out, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    out.failed = true;
    assert_false(glb_write(&grid, &(struct glb_extras){NULL}, &out, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_int_equal(out.length, 0);
}

int test_glb(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(square_equals_one_made_by_hand),
        cmocka_unit_test(json_describes_the_mesh),
        cmocka_unit_test(colours_are_linear),
        cmocka_unit_test(many_vertices_have_long_indices),
        cmocka_unit_test(skirt_equals_one_made_by_hand),
        cmocka_unit_test(invalid_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
