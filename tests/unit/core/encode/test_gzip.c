/* Members are decompressed by libdeflate, which checks CRC-32 and length; the header is that of RFC
 * 1952. */
#include "core/encode/gzip.h"

#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void check(const struct buffer *out, size_t from, const struct buffer *bytes)
{
    static uint8_t back[1 << 20];
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t got = 0;
    assert_int_equal(libdeflate_gzip_decompress(decompressor, out->data + from, out->length - from,
                                                back, sizeof back, &got),
                     LIBDEFLATE_SUCCESS);
    assert_int_equal(got, bytes->length);
    if (got > 0)
        assert_memory_equal(back, bytes->data, got);
    libdeflate_free_decompressor(decompressor);
}

static void every_level_reads_back(void **state)
{
    struct gzip_encoder *encoder = *state;
    struct buffer bytes = {0}, out = {0};
    for (size_t length = 0; length < 500000; length = 3 * length + 1) {
        buffer_clear(&bytes);
        for (size_t i = 0; i < length; i++)
            buffer_byte(&bytes, (uint8_t)(i * i / 100));
        for (int level = 1; level <= GZIP_LEVEL_MAX; level++) {
            buffer_clear(&out);
            buffer_text(&out, "before");
            assert_true(gzip_compress(encoder, level, &bytes, &out, NULL));
            assert_memory_equal(out.data, "before", 6);
            check(&out, 6, &bytes);
        }
    }
    buffer_free(&bytes);
    buffer_free(&out);
}

static void header_has_no_time_and_no_name(void **state)
{
    struct gzip_encoder *encoder = *state;
    struct buffer bytes = {0}, out = {0}, again = {0};
    buffer_text(&bytes, "the same bytes the same bytes the same bytes");
    assert_true(gzip_compress(encoder, GZIP_LEVEL_SERVE, &bytes, &out, NULL));
    /* Magic number, deflate, no flags, time 0; then a hint at the level, and no system. */
    static const uint8_t head[8] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0};
    assert_memory_equal(out.data, head, sizeof head);
    assert_int_equal(out.data[9], 255);
    assert_true(gzip_compress(encoder, GZIP_LEVEL_EXPORT, &bytes, &again, NULL));
    buffer_clear(&again);
    assert_true(gzip_compress(encoder, GZIP_LEVEL_SERVE, &bytes, &again, NULL));
    assert_int_equal(again.length, out.length);
    assert_memory_equal(again.data, out.data, out.length);
    buffer_free(&bytes);
    buffer_free(&out);
    buffer_free(&again);
}

static int make_encoder(void **state)
{
    *state = gzip_encoder_new();
    return *state ? 0 : -1;
}

static int free_encoder(void **state)
{
    gzip_encoder_free(*state);
    gzip_encoder_free(NULL);
    return 0;
}

/* The check value of CRC-32/ISO-HDLC in Greg Cook's catalogue. */
static void checksum_has_the_published_check_value(void **state)
{
    (void)state;
    assert_int_equal(gzip_crc32("123456789", 9), 0xCBF43926);
    assert_int_equal(gzip_crc32("", 0), 0);
}

int test_gzip(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(checksum_has_the_published_check_value),
        cmocka_unit_test(every_level_reads_back),
        cmocka_unit_test(header_has_no_time_and_no_name),
    };
    return cmocka_run_group_tests(tests, make_encoder, free_encoder);
}
