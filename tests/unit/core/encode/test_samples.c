/* Samples as bytes and JSON: known bytes by hand, JSON as cJSON reads it. */
#include "core/encode/samples.h"

#include <cjson/cJSON.h>
#include <float.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* IEEE 754 binary32: 1 = 0x3F800000, −2.5 = −1.25 · 2 = 0xC0200000, 0.1 ≈ 0x3DCCCCCD. */
static void floats_are_low_byte_first(void **state)
{
    (void)state;
    static const float samples[] = {1.0f, -2.5f, 0.1f, -0.0f, FLT_MAX};
    static const uint8_t expected[] = {
        'x',  0x00, 0x00, 0x80, 0x3F, 0x00, 0x00, 0x20, 0xC0, 0xCD, 0xCC,
        0xCC, 0x3D, 0x00, 0x00, 0x00, 0x80, 0xFF, 0xFF, 0x7F, 0x7F,
    };
    struct buffer out = {0};
    buffer_text(&out, "x");
    samples_write_r32f(samples, COUNT(samples), &out);
    assert_false(out.failed);
    assert_int_equal(out.length, sizeof expected);
    assert_memory_equal(out.data, expected, sizeof expected);
    buffer_free(&out);
}

/* 32768 + 8·h. */
static const struct {
    float height;
    uint16_t number;
} heights[] = {
    {0.0f, 32768},     {100.0f, 33568},   {-5000.0f, 0},     {1e9f, 65535},
    {-1e9f, 0},        {FLT_MAX, 65535},  {-FLT_MAX, 0},     {0.125f, 32769},
    {-0.125f, 32767},  {0.0624f, 32768},  {0.0625f, 32769}, /* a half goes up */
    {-0.0625f, 32768}, {-0.0626f, 32767}, {0.1875f, 32770},  {-4096.0f, 0},
    {-4095.875f, 1},   {-4095.94f, 0},    {-4095.9375f, 1},  {4095.875f, 65535},
    {4095.75f, 65534}, {8848.86f, 65535}, {2962.06f, 56464}, {-1e-30f, 32768},
};

static void heights_are_eighths_of_a_metre(void **state)
{
    (void)state;
    float samples[COUNT(heights)];
    for (size_t i = 0; i < COUNT(heights); i++)
        samples[i] = heights[i].height;
    struct buffer low = {0}, high = {0};
    samples_write_r16(samples, COUNT(heights), &low);
    samples_write_grey16(samples, COUNT(heights), &high);
    assert_int_equal(low.length, 2 * COUNT(heights));
    assert_int_equal(high.length, 2 * COUNT(heights));
    for (size_t i = 0; i < COUNT(heights); i++) {
        assert_int_equal(low.data[2 * i] + 256 * low.data[2 * i + 1], heights[i].number);
        assert_int_equal(256 * high.data[2 * i] + high.data[2 * i + 1], heights[i].number);
    }
    buffer_free(&low);
    buffer_free(&high);
}

static void ranges_fill_a_byte(void **state)
{
    (void)state;
    static const struct {
        float low, high, sample;
        uint8_t number;
    } cases[] = {
        {-0.5f, 0.5f, 0, 128}, /* 127.5 */
        {-0.5f, 0.5f, -1e-5f, 127}, {-0.5f, 0.5f, 9, 255}, {-0.5f, 0.5f, -9, 0},
        {0, 255, 254.5f, 255},      {0, 255, 254.4f, 254}, {0, 1, 0.2f, 51},
        {0, 1, FLT_MAX, 255},       {5, 5, 5, 0},          {5, 5, 5.0001f, 255},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct buffer out = {0};
        samples_write_r8_range(&cases[i].sample, 1, cases[i].low, cases[i].high, &out);
        assert_int_equal(out.length, 1);
        assert_int_equal(out.data[0], cases[i].number);
        buffer_free(&out);
    }
}

static void json_is_one_line(void **state)
{
    (void)state;
    static const float samples[] = {3.5f, -7, 0, 0.1f, 1e-7f, 4000000};
    struct sample_raster grid = {.layer = "height",
                                 .unit = "m",
                                 .samples = samples,
                                 .columns = 3,
                                 .rows = 2,
                                 .step = 4 * PLACE_METRE,
                                 .origin = {-2 * PLACE_METRE, PLACE_METRE / 2}};
    struct buffer out = {0};
    samples_write_json(&grid, &out);
    assert_string_equal(buffer_string(&out),
                        "{\"layer\":\"height\",\"unit\":\"m\",\"size\":[3,2],\"step\":4,"
                        "\"origin\":[-2,0.5],\"samples\":[[3.5,-7,0],[0.1,1e-7,4000000]]}\n");
    buffer_clear(&out);
    grid.unit = "";
    grid.columns = grid.rows = 1;
    samples_write_json(&grid, &out);
    assert_string_equal(buffer_string(&out), "{\"layer\":\"height\",\"size\":[1,1],\"step\":4,"
                                             "\"origin\":[-2,0.5],\"samples\":[[3.5]]}\n");
    buffer_clear(&out);
    grid.unit = NULL;
    grid.columns = 2;
    grid.rows = 0;
    samples_write_json(&grid, &out);
    assert_string_equal(buffer_string(&out), "{\"layer\":\"height\",\"size\":[2,0],\"step\":4,"
                                             "\"origin\":[-2,0.5],\"samples\":[]}\n");
    buffer_free(&out);
}

static const cJSON *member(const cJSON *object, const char *name)
{
    const cJSON *found = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_non_null(found);
    return found;
}

static void json_reads_back_to_the_same_floats(void **state)
{
    (void)state;
    enum { COLUMNS = 64, ROWS = 61 };
    static float samples[COLUMNS * ROWS];
    uint32_t random = 7;
    for (size_t i = 0; i < COUNT(samples); i++) {
        /* Any finite float: the exponent of all ones is made smaller. */
        random = random * 1664525 + 1013904223;
        uint32_t bits = random ^ random >> 15;
        bits ^= (bits >> 23 & 255) == 255 ? 1u << 30 : 0;
        memcpy(&samples[i], &bits, sizeof bits);
    }
    samples[0] = FLT_MAX;
    samples[1] = FLT_TRUE_MIN;
    const struct sample_raster grid = {.layer = "a \"b\" \\ \n",
                                       .unit = "\xC2\xB0"
                                               "C",
                                       .samples = samples,
                                       .columns = COLUMNS,
                                       .rows = ROWS,
                                       .step = 1,
                                       .origin = {PLACE_LIMIT, -PLACE_LIMIT}};
    struct buffer out = {0};
    samples_write_json(&grid, &out);
    cJSON *document = cJSON_ParseWithLengthOpts((const char *)out.data, out.length, NULL, false);
    assert_non_null(document);
    assert_string_equal(member(document, "layer")->valuestring, "a \"b\" \\ \n");
    assert_string_equal(member(document, "unit")->valuestring, "\xC2\xB0"
                                                               "C");
    assert_true(member(document, "step")->valuedouble == 1.0 / 65536);
    assert_true(cJSON_GetArrayItem(member(document, "size"), 0)->valueint == COLUMNS);
    assert_true(cJSON_GetArrayItem(member(document, "size"), 1)->valueint == ROWS);
    assert_true(cJSON_GetArrayItem(member(document, "origin"), 0)->valuedouble == 1099511627776.0);
    assert_true(cJSON_GetArrayItem(member(document, "origin"), 1)->valuedouble == -1099511627776.0);
    assert_int_equal(cJSON_GetArraySize(member(document, "samples")), ROWS);
    size_t at = 0;
    const cJSON *row, *number;
    cJSON_ArrayForEach(row, member(document, "samples"))
    {
        assert_int_equal(cJSON_GetArraySize(row), COLUMNS);
        cJSON_ArrayForEach(number, row) assert_true((float)number->valuedouble == samples[at++]);
    }
    assert_int_equal(at, COUNT(samples));
    cJSON_Delete(document);
    buffer_free(&out);
}

static void failures_are_remembered(void **state)
{
    (void)state;
    static const float sample = 1;
    const struct sample_raster grid = {.layer = "height", .samples = &sample, .columns = 1};
    struct buffer out = {.failed = true};
    samples_write_r32f(&sample, 1, &out);
    samples_write_r16(&sample, 1, &out);
    samples_write_grey16(&sample, 1, &out);
    samples_write_json(&grid, &out);
    assert_true(out.failed);
    assert_int_equal(out.length, 0);
    buffer_clear(&out);
    samples_write_r32f(&sample, SIZE_MAX / 2, &out);
    assert_true(out.failed);
    assert_int_equal(out.length, 0);
    buffer_free(&out);
}

int test_samples(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats_are_low_byte_first),
        cmocka_unit_test(heights_are_eighths_of_a_metre),
        cmocka_unit_test(ranges_fill_a_byte),
        cmocka_unit_test(json_is_one_line),
        cmocka_unit_test(json_reads_back_to_the_same_floats),
        cmocka_unit_test(failures_are_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
