/* Bytes against the vector tile specification 2.1: its examples of geometry (section 4.3.5), and
 * messages put together by hand from the protocol buffers encoding. */
#include "core/encode/mvt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct features features;
static struct buffer out;

static void encode(void)
{
    struct error error = {0};
    buffer_clear(&out);
    if (!mvt_encode(&features, &out, &error))
        fail_msg("%s", error.message);
}

static void begin(enum feature_geometry geometry)
{
    features_begin(&features, 4096);
    features_add_layer(&features, "a");
    features_add(&features, geometry);
}

static void add_path(const int32_t (*points)[2], size_t count)
{
    features_add_path(&features);
    for (size_t i = 0; i < count; i++)
        features_add_point(&features, points[i][0], points[i][1]);
}
#define ADD_PATH(...)                                                                              \
    do {                                                                                           \
        static const int32_t points[][2] = {__VA_ARGS__};                                          \
        add_path(points, sizeof points / sizeof points[0]);                                        \
    } while (0)

/* A tile of one layer "a" with one feature of a kind (1 … 3) and these commands, all below 128 and
 * so a byte each. */
static void assert_commands(uint8_t kind, const uint8_t *commands, size_t count)
{
    uint8_t wanted[100] = {
        0x1a, (uint8_t)(14 + count), /* layer, its length */
        0x78, 2,                     /* version 2 */
        0x0a, 1,
        'a',                        /* name */
        0x12, (uint8_t)(4 + count), /* feature, its length */
        0x18, kind,                 /* type */
        0x22, (uint8_t)count,       /* geometry */
    };
    static const uint8_t end[] = {0x28, 0x80, 0x20}; /* extent 4096 */
    memcpy(wanted + 13, commands, count);
    memcpy(wanted + 13 + count, end, sizeof end);
    encode();
    assert_int_equal(out.length, 16 + count);
    assert_memory_equal(out.data, wanted, 16 + count);
}
#define ASSERT_COMMANDS(kind, ...)                                                                 \
    do {                                                                                           \
        static const uint8_t commands[] = {__VA_ARGS__};                                           \
        assert_commands(kind, commands, sizeof commands);                                          \
    } while (0)

static void points_as_specified(void **state)
{
    (void)state;
    begin(FEATURE_POINTS); /* 4.3.5.1 */
    ADD_PATH({25, 17});
    ASSERT_COMMANDS(1, 9, 50, 34);
    begin(FEATURE_POINTS); /* 4.3.5.2 */
    ADD_PATH({5, 7});
    ADD_PATH({3, 2});
    ASSERT_COMMANDS(1, 17, 10, 14, 3, 9);
}

static void lines_as_specified(void **state)
{
    (void)state;
    begin(FEATURE_LINES); /* 4.3.5.3 */
    ADD_PATH({2, 2}, {2, 10}, {10, 10});
    ASSERT_COMMANDS(2, 9, 4, 4, 18, 0, 16, 16, 0);
    begin(FEATURE_LINES); /* 4.3.5.4 */
    ADD_PATH({2, 2}, {2, 10}, {10, 10});
    ADD_PATH({1, 1}, {3, 5});
    ASSERT_COMMANDS(2, 9, 4, 4, 18, 0, 16, 16, 0, 9, 17, 17, 10, 4, 8);
}

static void polygons_as_specified(void **state)
{
    (void)state;
    begin(FEATURE_POLYGONS); /* 4.3.5.5 */
    ADD_PATH({3, 6}, {8, 12}, {20, 34});
    ASSERT_COMMANDS(3, 9, 6, 12, 18, 10, 12, 24, 44, 15);
    begin(FEATURE_POLYGONS); /* 4.3.5.6: a polygon, and one with a hole */
    ADD_PATH({0, 0}, {10, 0}, {10, 10}, {0, 10});
    ADD_PATH({11, 11}, {20, 11}, {20, 20}, {11, 20});
    ADD_PATH({13, 13}, {13, 17}, {17, 17}, {17, 13});
    ASSERT_COMMANDS(3, 9, 0, 0, 26, 20, 0, 0, 20, 19, 0, 15, 9, 22, 2, 26, 18, 0, 0, 18, 17, 0, 15,
                    9, 4, 13, 26, 0, 8, 8, 0, 0, 7, 15);
}

/* The command integers of section 4.3.1 with long counts: LineTo × 120 is 962. */
static void long_counts_and_far_points_take_more_bytes(void **state)
{
    (void)state;
    begin(FEATURE_LINES);
    features_add_path(&features);
    for (int i = 0; i <= 120; i++)
        features_add_point(&features, 8192 * (i % 2), -64);
    encode();
    /* Layer, version, name; feature of 5 + 2 + 362 bytes. */
    static const uint8_t head[] = {0x1a, 0xfd, 0x02, 0x78, 2, 0x0a, 1, 'a', 0x12, 0xf1, 0x02, 0x18,
                                   2, 0x22, 0xec, 0x02,
                                   /* MoveTo, 0, −64 → 127, 962, 8192 → 16384, 0, −8192 → 16383 */
                                   9, 0, 127, 0xc2, 0x07, 0x80, 0x80, 0x01, 0, 0xff, 0x7f, 0};
    assert_memory_equal(out.data + 16, head + 16, sizeof head - 16);
    /* 120 steps, by turns of 3 + 1 and 2 + 1 bytes, behind 5. */
    size_t commands = 5 + 60 * 4 + 60 * 3;
    assert_int_equal(out.data[14] | out.data[15] << 7, commands | 0x80);
    assert_int_equal(out.length, 16 + commands + 3);
}

/* One feature with each type of value, and a second one that shares keys and values. */
static void tags_are_indices_into_keys_and_values(void **state)
{
    (void)state;
    begin(FEATURE_POINTS);
    features_set_id(&features, 300);
    features_add_integer(&features, "w", -3);
    features_add_number(&features, "n", 0.5);
    features_add_boolean(&features, "f", true);
    features_add_text(&features, "t", "oak");
    ADD_PATH({1, 1});
    features_add(&features, FEATURE_POINTS);
    features_add_text(&features, "t", "oak");
    features_add_integer(&features, "w", 7);
    features_add_boolean(&features, "g", true);
    ADD_PATH({0, 0});
    features_add_layer(&features, "b"); /* tables of its own */
    features_add(&features, FEATURE_POINTS);
    features_add_text(&features, "t", "");
    ADD_PATH({0, 0});
    static const uint8_t wanted[] = {
        0x1a, 92,   0x78, 2,    0x0a, 1,    'a',                          /* layer */
        0x12, 20,   0x08, 0xac, 0x02, 0x12, 8,    0, 0,    1,    1,    2, /* feature 300, tags */
        2,    3,    3,    0x18, 1,    0x22, 3,    9, 2,    2,             /* … point */
        0x12, 15,   0x12, 6,    3,    3,    0,    4, 4,    2,             /* feature, tags */
        0x18, 1,    0x22, 3,    9,    0,    0,                            /* … point */
        0x1a, 1,    'w',  0x1a, 1,    'n',  0x1a, 1, 'f',                 /* keys */
        0x1a, 1,    't',  0x1a, 1,    'g',                                /* … */
        0x22, 2,    0x30, 5,                                              /* sint −3: zigzag 5 */
        0x22, 9,    0x19, 0,    0,    0,    0,    0, 0,    0xe0, 0x3f,    /* double 0.5 */
        0x22, 2,    0x38, 1,                                              /* bool */
        0x22, 5,    0x0a, 3,    'o',  'a',  'k',                          /* string */
        0x22, 2,    0x30, 14,                                             /* sint 7 */
        0x28, 0x80, 0x20,                                                 /* extent */
        0x1a, 28,   0x78, 2,    0x0a, 1,    'b',                          /* layer */
        0x12, 11,   0x12, 2,    0,    0,    0x18, 1, 0x22, 3,    9,    0,
        0,    0x1a, 1,    't',  0x22, 2,    0x0a, 0, 0x28, 0x80, 0x20,
    };
    encode();
    for (size_t i = 0; i < sizeof wanted && i < out.length; i++)
        if (out.data[i] != wanted[i])
            fail_msg("byte %zu is %d, not %d", i, out.data[i], wanted[i]);
    assert_int_equal(out.length, sizeof wanted);
}

static void empty_layers_are_left_out(void **state)
{
    (void)state;
    features_begin(&features, 4096);
    encode();
    assert_int_equal(out.length, 0);
    features_add_layer(&features, "empty");
    features_add_layer(&features, "hollow");
    features_add(&features, FEATURE_LINES); /* without a path */
    encode();
    assert_int_equal(out.length, 0);
}

/* So many values that the table grows several times; each is found at its place. */
static void large_tables_hold_each_value_once(void **state)
{
    (void)state;
    enum { COUNT = 3000 };
    features_begin(&features, 4096);
    features_add_layer(&features, "a");
    for (int i = 0; i < 2 * COUNT; i++) {
        features_add(&features, FEATURE_POINTS);
        features_add_integer(&features, "k", i % COUNT);
        ADD_PATH({0, 0});
    }
    encode();
    /* Read back: fields 2 and 4 of the layer. */
    const uint8_t *at = out.data + 1;
    int feature = 0, value = 0;
    while (*at++ & 0x80)
        continue;
    at += 5; /* version, name */
    for (; *at == 0x12; at += 2 + at[1], feature++) {
        int index = at[5] & 0x7f;
        if (at[5] & 0x80)
            index |= at[6] << 7;
        assert_int_equal(index, feature % COUNT);
    }
    assert_int_equal(feature, 2 * COUNT);
    assert_memory_equal(at, "\x1a\x01k", 3);
    for (at += 3; *at == 0x22; at += 2 + at[1], value++) {
        int zigzag = at[3] & 0x7f;
        if (at[3] & 0x80)
            zigzag |= at[4] << 7;
        assert_int_equal(zigzag, 2 * value);
    }
    assert_int_equal(value, COUNT);
}

static void bytes_are_appended(void **state)
{
    (void)state;
    begin(FEATURE_POINTS);
    ADD_PATH({25, 17});
    encode();
    size_t length = out.length;
    assert_true(mvt_encode(&features, &out, NULL));
    assert_int_equal(out.length, 2 * length);
    assert_memory_equal(out.data, out.data + length, length);
    features.failed = true; /* as a failed allocation leaves it */
    struct error error = {0};
    assert_false(mvt_encode(&features, &out, &error));
    assert_int_equal(error.code, ERROR_MEMORY);
    assert_int_equal(out.length, 2 * length);
}

static int free_all(void **state)
{
    (void)state;
    features_free(&features);
    buffer_free(&out);
    return 0;
}

int test_mvt(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_as_specified),
        cmocka_unit_test(lines_as_specified),
        cmocka_unit_test(polygons_as_specified),
        cmocka_unit_test(long_counts_and_far_points_take_more_bytes),
        cmocka_unit_test(tags_are_indices_into_keys_and_values),
        cmocka_unit_test(empty_layers_are_left_out),
        cmocka_unit_test(large_tables_hold_each_value_once),
        cmocka_unit_test(bytes_are_appended),
    };
    return cmocka_run_group_tests(tests, NULL, free_all);
}
