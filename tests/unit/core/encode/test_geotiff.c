/* GeoTIFFs read as TIFF 6.0 says, tag by tag. GDAL reads them in the HTTP tests. */
#include "core/encode/geotiff.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint64_t little(const uint8_t *at, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | at[i];
    return value;
}

static double real(const uint8_t *at)
{
    uint64_t bits = little(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The values of a tag, whose type and number must be these. */
static const uint8_t *values_of(const uint8_t *file, unsigned tag, unsigned type, unsigned count)
{
    static const unsigned widths[] = {[2] = 1, [3] = 2, [4] = 4, [12] = 8};
    const uint8_t *directory = file + little(file + 4, 4);
    for (unsigned i = 0; i < little(directory, 2); i++) {
        const uint8_t *entry = directory + 2 + 12 * (size_t)i;
        if (little(entry, 2) != tag)
            continue;
        assert_int_equal(little(entry + 2, 2), type);
        assert_int_equal(little(entry + 4, 4), count);
        return widths[type] * count <= 4 ? entry + 8 : file + little(entry + 8, 4);
    }
    fail_msg("no tag %u", tag);
    return NULL;
}

static float sample_at(const uint8_t *file, size_t offset)
{
    uint32_t bits = (uint32_t)little(file + offset, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_order(const uint8_t *file)
{
    const uint8_t *directory = file + little(file + 4, 4);
    const unsigned count = (unsigned)little(directory, 2);
    for (unsigned i = 1; i < count; i++)
        assert_true(little(directory + 2 + 12 * (size_t)i, 2) >
                    little(directory + 2 + 12 * (size_t)(i - 1), 2));
    assert_int_equal(little(directory + 2 + 12 * (size_t)count, 4), 0);
}

static const float samples[12] = {1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6.5f};
static const struct sample_raster grid = {.layer = "height",
                                          .samples = samples,
                                          .columns = 3,
                                          .rows = 2,
                                          .step = PLACE_METRE / 4,
                                          .origin = {-10 * PLACE_METRE, 7 * PLACE_METRE}};

static void check_place(const uint8_t *file)
{
    static const double scale[] = {0.25, 0.25, 0}, tie[] = {0, 0, 0, -10.125, -6.875, 0};
    for (unsigned i = 0; i < 3; i++)
        assert_true(real(values_of(file, 33550, 12, 3) + 8 * (size_t)i) == scale[i]);
    for (unsigned i = 0; i < 6; i++)
        assert_true(real(values_of(file, 33922, 12, 6) + 8 * (size_t)i) == tie[i]);
}

static void one_layer(void **state)
{
    (void)state;
    struct buffer out = {0};
    buffer_text(&out, "before");
    assert_true(geotiff_write(&grid, 1, GEOTIFF_NO_CRS, &out, NULL));
    const uint8_t *file = out.data + 6;
    assert_memory_equal(file, "II*\0", 4);
    check_order(file);
    assert_int_equal(little(values_of(file, 256, 4, 1), 4), 3);
    assert_int_equal(little(values_of(file, 257, 4, 1), 4), 2);
    assert_int_equal(little(values_of(file, 258, 3, 1), 2), 32);
    assert_int_equal(little(values_of(file, 259, 3, 1), 2), 1);
    assert_int_equal(little(values_of(file, 262, 3, 1), 2), 1);
    assert_int_equal(little(values_of(file, 277, 3, 1), 2), 1);
    assert_int_equal(little(values_of(file, 278, 4, 1), 4), 2);
    assert_int_equal(little(values_of(file, 279, 4, 1), 4), 24);
    assert_int_equal(little(values_of(file, 284, 3, 1), 2), 1);
    assert_int_equal(little(values_of(file, 339, 3, 1), 2), 3);
    check_place(file);
    const size_t offset = little(values_of(file, 273, 4, 1), 4);
    assert_int_equal(6 + offset + 24, out.length);
    for (size_t i = 0; i < 6; i++)
        assert_true(sample_at(file, offset + 4 * i) == samples[i]);
    buffer_free(&out);
}

static void two_layers_are_planes(void **state)
{
    (void)state;
    struct buffer out = {0};
    assert_true(geotiff_write(&grid, 2, GEOTIFF_NO_CRS, &out, NULL));
    const uint8_t *file = out.data;
    check_order(file);
    assert_int_equal(little(values_of(file, 277, 3, 1), 2), 2);
    assert_int_equal(little(values_of(file, 284, 3, 1), 2), 2);
    assert_int_equal(little(values_of(file, 338, 3, 1), 2), 0);
    assert_int_equal(little(values_of(file, 339, 3, 2) + 2, 2), 3);
    assert_int_equal(little(values_of(file, 258, 3, 2) + 2, 2), 32);
    check_place(file);
    for (size_t band = 0; band < 2; band++) {
        const size_t offset = little(values_of(file, 273, 4, 2) + 4 * band, 4);
        assert_int_equal(little(values_of(file, 279, 4, 2) + 4 * band, 4), 24);
        for (size_t i = 0; i < 6; i++)
            assert_true(sample_at(file, offset + 4 * i) == samples[6 * band + i]);
    }
    buffer_free(&out);
}

/* The value of a GeoKey, or its place in a tag: OGC 19-008r4, 7.1.2. */
static unsigned geo_key(const uint8_t *file, unsigned keys, unsigned id, unsigned tag)
{
    const uint8_t *at = values_of(file, 34735, 3, 4 * (keys + 1));
    assert_int_equal(little(at, 2), 1);
    assert_int_equal(little(at + 2, 2), 1);
    assert_int_equal(little(at + 4, 2), 0);
    assert_int_equal(little(at + 6, 2), keys);
    for (unsigned i = 1; i <= keys; i++)
        assert_true(little(at + 8 * (size_t)i, 2) > little(at + 8 * (size_t)(i - 1), 2));
    for (unsigned i = 1; i <= keys; i++)
        if (little(at + 8 * (size_t)i, 2) == id) {
            assert_int_equal(little(at + 8 * (size_t)i + 2, 2), tag);
            return (unsigned)little(at + 8 * (size_t)i + 6, 2);
        }
    fail_msg("no key %u", id);
    return 0;
}

static double geo_double(const uint8_t *file, unsigned id)
{
    const unsigned at = geo_key(file, 21, id, 34736);
    return real(values_of(file, 34736, 12, 3) + 8 * (size_t)at);
}

/* π · 6378137 / 2²⁴ is 1.1943285669…; half of 40075016.68557849 m, the earth's equator, by 2²⁴ m.
 */
static void coordinate_systems(void **state)
{
    (void)state;
    static const double metre = 40075016.68557849 / 33554432;
    struct buffer map = {0}, local = {0};
    assert_true(geotiff_write(&grid, 1, GEOTIFF_WEB_MERCATOR, &map, NULL));
    check_order(map.data);
    assert_int_equal(geo_key(map.data, 3, 1024, 0), 1);
    assert_int_equal(geo_key(map.data, 3, 1025, 0), 1);
    assert_int_equal(geo_key(map.data, 3, 3072, 0), 3857);
    const uint8_t *scale = values_of(map.data, 33550, 12, 3),
                  *tie = values_of(map.data, 33922, 12, 6);
    assert_true(fabs(real(scale) - metre / 4) < 1e-12 && real(scale + 8) == real(scale));
    assert_true(fabs(real(tie + 24) + 10.125 * metre) < 1e-9 &&
                fabs(real(tie + 32) + 6.875 * metre) < 1e-9);
    assert_true(sample_at(map.data, little(values_of(map.data, 273, 4, 1), 4) + 20) == 6);
    assert_true(geotiff_write(&grid, 2, GEOTIFF_LOCAL, &local, NULL));
    check_order(local.data);
    check_place(local.data);
    assert_int_equal(geo_key(local.data, 21, 3075, 0), 7);
    assert_int_equal(geo_key(local.data, 21, 3076, 0), 9001);
    assert_true(geo_double(local.data, 2057) == 6378137 && geo_double(local.data, 2058) == 6378137);
    assert_true(geo_double(local.data, 3080) == 0 && geo_double(local.data, 3083) == 0);
    assert_true(fabs(geo_double(local.data, 3092) - 1 / metre) < 1e-12);
    assert_memory_equal(values_of(local.data, 34737, 2, 9), "Terrane|", 9);
    assert_true(sample_at(local.data, little(values_of(local.data, 273, 4, 2) + 4, 4) + 20) ==
                -6.5f);
    buffer_free(&map);
    buffer_free(&local);
}

static void invalid_grids_are_refused(void **state)
{
    (void)state;
    struct error error;
    struct buffer out = {0};
    struct sample_raster none = grid;
    assert_false(geotiff_write(&grid, 0, GEOTIFF_NO_CRS, &out, &error));
    assert_false(geotiff_write(&grid, GEOTIFF_LAYERS_MAX + 1, GEOTIFF_NO_CRS, &out, &error));
    none.rows = 0;
    assert_false(geotiff_write(&none, 1, GEOTIFF_NO_CRS, &out, &error));
    none.columns = none.rows = 1 << 15;
    assert_false(geotiff_write(&none, 1, GEOTIFF_NO_CRS, &out, &error));
    assert_int_equal(error.code, ERROR_LIMIT);
    assert_int_equal(out.length, 0);
    out.failed = true;
    assert_false(geotiff_write(&grid, 1, GEOTIFF_NO_CRS, &out, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_int_equal(out.length, 0);
}

int test_geotiff(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_layer),
        cmocka_unit_test(two_layers_are_planes),
        cmocka_unit_test(coordinate_systems),
        cmocka_unit_test(invalid_grids_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
