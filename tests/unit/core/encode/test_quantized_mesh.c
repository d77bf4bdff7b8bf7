/* A mesh of 2 × 2 vertices byte by byte, as the description of the format has it, and what is
 * refused; Cesium reads whole tiles in tests/http/terrain.test.mjs. */
#include "core/encode/quantized_mesh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

enum { HEADER = 88, VERTICES = 4 };

/* 4 × 4 samples, the ring included, of which the inner four are the vertices. The vertices in the
 * west stand at the origin of the map, and all are level at 0 m but the south-eastern one. */
static struct buffer make(bool normals, float south_east)
{
    float samples[16] = {0};
    samples[10] = south_east;
    const struct sample_raster grid = {
        .samples = samples,
        .columns = 4,
        .rows = 4,
        .step = PLACE_METRE,
        .origin = {-PLACE_METRE, -PLACE_METRE},
    };
    struct buffer out = {0};
    buffer_text(&out, "ab");
    assert_true(quantized_mesh_write(&grid, normals, &out, NULL));
    return out;
}

static double double_at(const struct buffer *out, size_t at)
{
    double value;
    memcpy(&value, out->data + 2 + at, sizeof value);
    return value;
}

/* What follows the header: vertices in the order north-west, south-west, north-east, south-east, as
 * the triangles use them; differences with the sign in the lowest bit; 32767 is 0x7fff. */
static void bytes_are_those_of_the_format(void **state)
{
    (void)state;
    static const uint8_t expected[] = {
        4,    0,    0,    0,                            /* vertices */
        0,    0,    0,    0,    0xfe, 0xff, 0,    0,    /* u: 0, 0, 32767, 32767 */
        0xfe, 0xff, 0xfd, 0xff, 0xfe, 0xff, 0xfd, 0xff, /* v: 32767, 0, 32767, 0 */
        0,    0,    0,    0,    0,    0,    0xfe, 0xff, /* heights: 0, 0, 0, 32767 */
        2,    0,    0,    0,                            /* triangles */
        0,    0,    0,    0,    0,    0,                /* 0, 1, 2: each is new */
        1,    0,    2,    0,    0,    0,                /* 2, 1, 3 */
        2,    0,    0,    0,    1,    0,    0,    0,    /* the western edge: 1, 0 */
        2,    0,    0,    0,    1,    0,    3,    0,    /* the southern: 1, 3 */
        2,    0,    0,    0,    3,    0,    2,    0,    /* the eastern: 3, 2 */
        2,    0,    0,    0,    0,    0,    2,    0,    /* the northern: 0, 2 */
    };
    struct buffer out = make(false, 7.5f);
    float heights[2];
    assert_int_equal(out.length, 2 + HEADER + sizeof expected);
    assert_memory_equal(out.data, "ab", 2);
    assert_memory_equal(out.data + 2 + HEADER, expected, sizeof expected);
    memcpy(heights, out.data + 2 + 24, sizeof heights);
    assert_true(heights[0] == 0.0f && heights[1] == 7.5f);
    buffer_free(&out);
}

/* At the origin of the map, longitude 0 and latitude 0, the ellipsoid's radius is 6378137 m, and a
 * metre of the world is 1.19432856685506 of its equator. */
static void the_centre_is_on_the_ellipsoid(void **state)
{
    (void)state;
    struct buffer out = make(false, 0.0f);
    assert_true(fabs(double_at(&out, 0) - 6378137) < 1e-3);
    assert_true(fabs(double_at(&out, 8) - 1.19432856685506 / 2) < 1e-6);
    /* Along a meridian a degree is (1 - e^2) as long at the equator. */
    assert_true(fabs(double_at(&out, 16) + 0.99330562 * 1.19432856685506 / 2) < 1e-6);
    assert_true(fabs(double_at(&out, 56) - 0.5 * 1.19432856685506 * sqrt(1 + 0.98665605)) < 1e-5);
    buffer_free(&out);
}

/* On level ground they point away from the globe's centre: here along x, which is (255, 127.5). */
static void level_ground_has_level_normals(void **state)
{
    (void)state;
    static const uint8_t extension[] = {1, 8, 0, 0, 0};
    struct buffer plain = make(false, 0.0f), out = make(true, 0.0f);
    assert_int_equal(out.length, plain.length + sizeof extension + 2 * VERTICES);
    assert_memory_equal(out.data, plain.data, plain.length);
    assert_memory_equal(out.data + plain.length, extension, sizeof extension);
    for (unsigned i = 0; i < VERTICES; i++) {
        const uint8_t *normal = out.data + plain.length + sizeof extension + 2 * (size_t)i;
        assert_int_equal(normal[0], 255);
        assert_in_range(normal[1], 127, 128);
    }
    buffer_free(&plain);
    buffer_free(&out);
}

static void meshes_have_two_vertices_a_side_or_more(void **state)
{
    (void)state;
    static const uint32_t sides[][2] = {{3, 4}, {4, 3}, {259, 4}, {4, 259}, {0, 0}};
    static float samples[259 * 4];
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const struct sample_raster grid = {
            .samples = samples, .columns = sides[i][0], .rows = sides[i][1], .step = PLACE_METRE};
        struct buffer out = {0};
        struct error error = {0};
        assert_false(quantized_mesh_write(&grid, false, &out, &error));
        assert_int_equal(error.code, ERROR_LIMIT);
        assert_int_equal(out.length, 0);
    }
}

int test_quantized_mesh(void);
int test_quantized_mesh(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_those_of_the_format),
        cmocka_unit_test(the_centre_is_on_the_ellipsoid),
        cmocka_unit_test(level_ground_has_level_normals),
        cmocka_unit_test(meshes_have_two_vertices_a_side_or_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
