/* Sealed records: what opens, and that nothing else does. */
#include "server/cache/record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct hash128 build = {.high = 1, .low = 2};

static struct cache_key key_of(uint8_t first)
{
    struct cache_key key;
    memset(&key, 0, sizeof key);
    key.bytes[0] = first;
    cache_key_seal(&key);
    return key;
}

static void seal(const struct cache_key *key, const char *bytes, struct buffer *out)
{
    struct record record = {.build = build,
                            .format = "png",
                            .format_version = 0x1234,
                            .coding = 2,
                            .bytes = (const uint8_t *)bytes,
                            .length = strlen(bytes)};
    memcpy(record.key, key->bytes, CACHE_KEY_BYTES);
    record_seal(&record, out);
    assert_false(out->failed);
}

static void a_sealed_record_opens(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "a", "sixteen bytes 16", "a longer run of bytes"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const struct cache_key key = key_of(7);
        struct buffer out = {0};
        struct record record;
        seal(&key, texts[i], &out);
        assert_int_equal(out.length, RECORD_HEADER_SIZE + strlen(texts[i]));
        assert_true(record_open(out.data, out.length, &key, build, &record));
        assert_string_equal(record.format, "png");
        assert_int_equal(record.format_version, 0x1234);
        assert_int_equal(record.coding, 2);
        assert_int_equal(record.length, strlen(texts[i]));
        assert_memory_equal(record.bytes, texts[i], record.length);
        buffer_free(&out);
    }
}

/* The layout as record.h says it: other builds and machines must agree on it. */
static void the_layout_is_as_documented(void **state)
{
    (void)state;
    const struct cache_key key = key_of(0xAB);
    struct buffer out = {0};
    seal(&key, "xyz", &out);
    assert_memory_equal(out.data, "TRNR\1\0\0\0", 8);
    assert_memory_equal(out.data + 8, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
    assert_memory_equal(out.data + 24, "\xAB\0", 2);
    assert_memory_equal(out.data + 136, "png\0", 4);
    assert_memory_equal(out.data + 152, "\x34\x12\2\0\3\0\0\0", 8);
    assert_memory_equal(out.data + 176, "xyz", 3);
    buffer_free(&out);
}

/* The example of record.h. Key, digest and checksum were computed by an implementation of
 * MurmurHash3 in Python. */
static void the_example_has_its_bytes(void **state)
{
    (void)state;
    enum { LENGTH = 224 };
    static const uint8_t expected[LENGTH + 1] =
        "TRNR\1\0\0\0\xef\xcd\xab\x89\x67\x45\x23\1\7\0\0\0\0\0\0\0"
        "g1-538311345d5f35e4c2d57d7fce5d6fc3\0\0\0\0\0"
        "chunk\0\1\1\1\0\0\0\1\0\0\0\1\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\3\0\0\0\0\0\0\0\xfe\xff\xff\xff\xff\xff\xff\xff\0\0\0\0\0\0\0\0"
        "\x87\x0e\x62\xa4\xec\xeb\x8e\x05\xfd\x00\xc8\x58\x9c\xbf\x18\x49\0\0"
        "r32f\0\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0\x30\0\0\0"
        "\x98\xc3\x8a\x45\xe4\x55\x50\x33\x10\xc2\xfc\x81\xdf\x16\x70\x52"
        "002529d3cf4eb5fd6629e3017d663d3a\0\0@@\0\0\x80@\0\0@@\0\0\x80@";
    struct record record = {
        .build = {0x0123456789abcdef, 7}, .format = "r32f", .format_version = 1, .length = 48};
    struct buffer out = {0};
    memcpy(record.key, expected + 24, CACHE_KEY_BYTES);
    record.bytes = expected + RECORD_HEADER_SIZE;
    record_seal(&record, &out);
    assert_int_equal(out.length, LENGTH);
    assert_memory_equal(out.data, expected, LENGTH);
    buffer_free(&out);
}

static void another_key_or_build_does_not_open(void **state)
{
    (void)state;
    const struct cache_key key = key_of(1), other = key_of(2);
    struct hash128 builds[] = {{1, 3}, {0, 2}};
    struct buffer out = {0};
    struct record record;
    seal(&key, "bytes", &out);
    assert_false(record_open(out.data, out.length, &other, build, &record));
    for (size_t i = 0; i < 2; i++)
        assert_false(record_open(out.data, out.length, &key, builds[i], &record));
    /* A key of the same hash, as a collision would have it. */
    struct cache_key collision = other;
    collision.hash = key.hash;
    assert_false(record_open(out.data, out.length, &collision, build, &record));
    buffer_free(&out);
}

static void every_flipped_bit_is_detected(void **state)
{
    (void)state;
    const struct cache_key key = key_of(1);
    struct buffer out = {0};
    struct record record;
    seal(&key, "some bytes of a tile", &out);
    for (size_t bit = 0; bit < out.length * 8; bit++) {
        out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
        assert_int_not_equal(record_read(out.data, out.length, &record), RECORD_VALID);
        out.data[bit / 8] ^= (uint8_t)(1 << bit % 8);
    }
    assert_int_equal(record_read(out.data, out.length, &record), RECORD_VALID);
    buffer_free(&out);
}

/* In blocks of exactly that size, so that a sanitizer sees a read beyond it. */
static void every_other_length_is_detected(void **state)
{
    (void)state;
    const struct cache_key key = key_of(1);
    struct buffer out = {0};
    struct record record;
    seal(&key, "some bytes of a tile", &out);
    for (size_t length = 0; length < out.length + 40; length++) {
        uint8_t *copy = calloc(1, length ? length : 1);
        assert_non_null(copy);
        memcpy(copy, out.data, length < out.length ? length : out.length);
        if (length != out.length)
            assert_int_equal(record_read(copy, length, &record), RECORD_DAMAGED);
        free(copy);
    }
    buffer_free(&out);
}

static void another_layout_version_is_recognized(void **state)
{
    (void)state;
    const struct cache_key key = key_of(1);
    struct buffer out = {0};
    struct record record;
    seal(&key, "bytes", &out);
    out.data[4] = 2;
    assert_int_equal(record_read(out.data, out.length, &record), RECORD_OTHER_LAYOUT);
    assert_false(record_open(out.data, out.length, &key, build, &record));
    buffer_free(&out);
}

int test_record(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sealed_record_opens),
        cmocka_unit_test(the_layout_is_as_documented),
        cmocka_unit_test(the_example_has_its_bytes),
        cmocka_unit_test(another_key_or_build_does_not_open),
        cmocka_unit_test(every_flipped_bit_is_detected),
        cmocka_unit_test(every_other_length_is_detected),
        cmocka_unit_test(another_layout_version_is_recognized),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
