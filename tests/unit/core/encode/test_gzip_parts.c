/* Members in parts are decompressed by libdeflate, which takes one member and checks CRC-32 and
 * length. */
#include "core/encode/gzip_parts.h"

#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void parts_are_one_member(void **state)
{
    (void)state;
    static const size_t lengths[][5] = {
        {0}, {1}, {5, 7}, {100000, 3, 50000}, {0, 17, 0, 4096}, {65535, 65536, 65537, 1, 131072}};
    static uint8_t back[1 << 19];
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    for (size_t row = 0; row < sizeof lengths / sizeof *lengths; row++) {
        struct buffer out = {0}, all = {0};
        struct gzip_trailer sum = {0};
        size_t got = 0;
        gzip_parts_write_header(&out);
        for (size_t part = 0; part < 5; part++) {
            struct buffer bytes = {0};
            struct gzip_trailer own = {0};
            for (size_t i = 0; i < lengths[row][part]; i++)
                buffer_byte(&bytes, (uint8_t)(i * i / 100 + part * 31));
            assert_true(gzip_parts_add(&bytes, &own, &out, NULL));
            gzip_trailer_combine(&sum, &own);
            buffer_append(&all, bytes.data, bytes.length);
            buffer_free(&bytes);
        }
        gzip_parts_write_trailer(&sum, &out);
        assert_false(out.failed);
        assert_int_equal(sum.length, all.length);
        assert_int_equal(sum.checksum, libdeflate_crc32(0, all.data, all.length));
        assert_int_equal(
            libdeflate_gzip_decompress(decompressor, out.data, out.length, back, sizeof back, &got),
            LIBDEFLATE_SUCCESS);
        assert_int_equal(got, all.length);
        if (got > 0)
            assert_memory_equal(back, all.data, got);
        buffer_free(&out);
        buffer_free(&all);
    }
    libdeflate_free_decompressor(decompressor);
}

static void repetition_compresses_well(void **state)
{
    (void)state;
    struct buffer bytes = {0}, out = {0};
    struct gzip_trailer sum = {0};
    for (int i = 0; i < 50000; i++)
        buffer_byte(&bytes, (uint8_t)(i % 10));
    assert_true(gzip_parts_add(&bytes, &sum, &out, NULL));
    assert_true(out.length < 2000);
    buffer_free(&bytes);
    buffer_free(&out);
}

int test_gzip_parts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_one_member),
        cmocka_unit_test(repetition_compresses_well),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
