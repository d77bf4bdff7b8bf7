/* Undone by libzstd's decompressor; the frame's header by RFC 8878, 3.1.1.1. */
#include "core/encode/zstd.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include <cmocka.h>

/* Bytes that neither repeat at once nor look random. */
static void fill(struct buffer *bytes, size_t length, size_t salt)
{
    buffer_clear(bytes);
    for (size_t i = 0; i < length; i++)
        buffer_byte(bytes, (uint8_t)(i * (i + salt) / 100));
}

static void check(const struct buffer *out, size_t from, const struct buffer *bytes)
{
    static uint8_t back[1 << 20];
    const size_t got = ZSTD_decompress(back, sizeof back, out->data + from, out->length - from);
    assert_false(ZSTD_isError(got));
    assert_int_equal(got, bytes->length);
    if (got > 0)
        assert_memory_equal(back, bytes->data, got);
}

static void every_level_reads_back(void **state)
{
    struct zstd_encoder *encoder = *state;
    struct buffer bytes = {0}, out = {0};
    for (size_t length = 0; length < 500000; length = 3 * length + 1) {
        fill(&bytes, length, 0);
        for (int level = 1; level <= ZSTD_LEVEL_MAX; level++) {
            buffer_clear(&out);
            buffer_text(&out, "before");
            assert_true(zstd_compress(encoder, level, &bytes, &out, NULL));
            assert_memory_equal(out.data, "before", 6);
            check(&out, 6, &bytes);
        }
    }
    buffer_free(&bytes);
    buffer_free(&out);
}

/* The magic number, then a descriptor: no checksum (bit 2), no dictionary (bits 0 and 1), and the
 * content's size, in one byte if the content is one segment (bit 5) of up to 255 bytes. */
static void the_header_has_the_size_and_nothing_else(void **state)
{
    struct zstd_encoder *encoder = *state;
    struct buffer bytes = {0}, out = {0};
    fill(&bytes, 200, 0);
    assert_true(zstd_compress(encoder, ZSTD_LEVEL_SERVE, &bytes, &out, NULL));
    static const uint8_t head[6] = {0x28, 0xb5, 0x2f, 0xfd, 0x20, 200};
    assert_memory_equal(out.data, head, sizeof head);
    buffer_free(&bytes);
    buffer_free(&out);
}

/* RFC 9659: 8 MiB. A window's descriptor is exponent (5 bits) and mantissa (3 bits): 2^(10 + e)
 * and m eighths of that more. */
static void windows_are_what_a_content_coding_may_have(void **state)
{
    struct zstd_encoder *encoder = *state;
    static const int levels[] = {ZSTD_LEVEL_SERVE, ZSTD_LEVEL_EXPORT};
    struct buffer bytes = {0}, out = {0};
    assert_non_null(buffer_reserve(&bytes, 20 << 20));
    memset(bytes.data, 7, 20 << 20);
    bytes.length = 20 << 20;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        buffer_clear(&out);
        assert_true(zstd_compress(encoder, levels[i], &bytes, &out, NULL));
        assert_int_equal(out.data[4] & 0x20, 0); /* not one segment: a window is named */
        const unsigned exponent = out.data[5] >> 3, mantissa = out.data[5] & 7;
        const uint64_t base = UINT64_C(1) << (10 + exponent);
        assert_true(base + base / 8 * mantissa <= 8 << 20);
    }
    buffer_free(&bytes);
    buffer_free(&out);
}

static void the_bytes_do_not_depend_on_what_was_made_before(void **state)
{
    struct buffer bytes = {0}, fresh = {0}, again = {0}, other = {0};
    for (size_t length = 10; length < 300000; length = 5 * length + 7) {
        struct zstd_encoder *encoder = zstd_encoder_new();
        assert_non_null(encoder);
        fill(&bytes, length, 3);
        buffer_clear(&fresh);
        assert_true(zstd_compress(encoder, ZSTD_LEVEL_SERVE, &bytes, &fresh, NULL));
        zstd_encoder_free(encoder);
        for (size_t salt = 0; salt < 20; salt++) {
            fill(&other, 1000 * salt + 1, salt);
            buffer_clear(&again);
            assert_true(zstd_compress(*state, 1 + (int)salt % 6, &other, &again, NULL));
            fill(&bytes, length, 3);
            buffer_clear(&again);
            assert_true(zstd_compress(*state, ZSTD_LEVEL_SERVE, &bytes, &again, NULL));
            assert_int_equal(again.length, fresh.length);
            assert_memory_equal(again.data, fresh.data, fresh.length);
        }
    }
    buffer_free(&bytes);
    buffer_free(&fresh);
    buffer_free(&again);
    buffer_free(&other);
}

static int make_encoder(void **state)
{
    *state = zstd_encoder_new();
    return *state ? 0 : -1;
}

static int free_encoder(void **state)
{
    zstd_encoder_free(*state);
    zstd_encoder_free(NULL);
    return 0;
}

int test_zstd(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_reads_back),
        cmocka_unit_test(the_header_has_the_size_and_nothing_else),
        cmocka_unit_test(windows_are_what_a_content_coding_may_have),
        cmocka_unit_test(the_bytes_do_not_depend_on_what_was_made_before),
    };
    return cmocka_run_group_tests(tests, make_encoder, free_encoder);
}
