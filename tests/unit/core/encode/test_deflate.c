/* Streams in the zlib format, decompressed by libdeflate, which checks header and Adler-32; igzip
 * and libdeflate are independent of each other. */
#include "core/encode/deflate.h"

#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { LARGEST = 3 << 20 };

/* Clears `out`, which begins with what was in it before. */
static void check(struct buffer *out, const uint8_t *bytes, size_t length)
{
    static const size_t before = sizeof "before" - 1;
    assert_memory_equal(out->data, "before", before);
    uint8_t *back = malloc(length + 1);
    assert_non_null(back);
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t got = 0;
    assert_int_equal(libdeflate_zlib_decompress(decompressor, out->data + before,
                                                out->length - before, back, length + 1, &got),
                     LIBDEFLATE_SUCCESS);
    assert_int_equal(got, length);
    assert_memory_equal(back, bytes, length);
    libdeflate_free_decompressor(decompressor);
    free(back);
    buffer_clear(out);
    buffer_text(out, "before");
}

static void every_level_reads_back(void **state)
{
    struct deflater *deflater = *state;
    static const size_t lengths[] = {0, 1, 2, 257, 70000, LARGEST};
    uint8_t *bytes = malloc(LARGEST);
    assert_non_null(bytes);
    struct buffer out = {0};
    buffer_text(&out, "before");
    uint32_t random = 99;
    for (unsigned noise = 0; noise <= 256; noise += 128) {
        for (size_t i = 0; i < LARGEST; i++) {
            random = random * 1664525 + 1013904223;
            bytes[i] = (uint8_t)((random >> 24) < noise ? random >> 16 : i / 100);
        }
        for (size_t n = 0; n < sizeof lengths / sizeof *lengths; n++) {
            for (int level = 0; level <= DEFLATE_FAST_MAX; level++) {
                assert_true(deflate_fast(deflater, level, bytes, lengths[n], &out));
                check(&out, bytes, lengths[n]);
            }
            for (int level = 1; level <= DEFLATE_SMALL_MAX; level += lengths[n] > 70000 ? 8 : 1) {
                assert_true(deflate_small(deflater, level, bytes, lengths[n], &out));
                check(&out, bytes, lengths[n]);
            }
        }
    }
    buffer_free(&out);
    free(bytes);
}

static int make_deflater(void **state)
{
    *state = deflater_new();
    return *state ? 0 : -1;
}

static int free_deflater(void **state)
{
    deflater_free(*state);
    deflater_free(NULL);
    return 0;
}

int test_deflate(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_reads_back),
    };
    return cmocka_run_group_tests(tests, make_deflater, free_deflater);
}
