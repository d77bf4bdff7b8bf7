/* Streams of deflate_literals() as zlib reads them, which checks header and Adler-32. */
#include "core/encode/deflate_literals.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"

enum { LARGEST = (5 << 20) / 2 };

static size_t check(const uint8_t *bytes, size_t length)
{
    struct buffer out = {0}, scratch = {0};
    buffer_text(&out, "before");
    assert_true(deflate_literals(bytes, length, &scratch, &out));
    assert_memory_equal(out.data, "before", 6);
    uint8_t *back = malloc(length + 1);
    assert_non_null(back);
    uLongf got = length + 1;
    uLong taken = out.length - 6;
    assert_int_equal(uncompress2(back, &got, out.data + 6, &taken), Z_OK);
    assert_int_equal(taken, out.length - 6);
    assert_int_equal(got, length);
    assert_memory_equal(back, bytes, length);
    free(back);
    buffer_free(&out);
    buffer_free(&scratch);
    return taken;
}

/* Every length of a run of zeros, at every place in a word, between bytes that are none. */
static void runs_of_zeros_read_back(void **state)
{
    (void)state;
    static uint8_t bytes[2000];
    for (size_t length = 0; length < 1100; length += length < 600 ? 1 : 13)
        for (size_t before = 0; before < 9; before++) {
            memset(bytes, 7, sizeof bytes);
            memset(bytes + before, 0, length);
            check(bytes, before + length + (length % 20));
        }
}

static void every_length_reads_back(void **state)
{
    (void)state;
    static uint8_t bytes[300];
    uint64_t random = 1;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)random_bits(&random);
    for (size_t length = 0; length <= sizeof bytes; length++)
        check(bytes, length);
}

/* Several blocks; random bytes are the worst case of the output's room, as no code helps. */
static void blocks_read_back(void **state)
{
    (void)state;
    uint8_t *bytes = malloc(LARGEST);
    assert_non_null(bytes);
    uint64_t random = 2;
    for (unsigned noise = 0; noise <= 256; noise += 64) {
        for (size_t i = 0; i < LARGEST; i++) {
            const uint64_t bits = random_bits(&random);
            bytes[i] = (bits & 255) < noise ? (uint8_t)(bits >> 8) : 0;
        }
        const size_t size = check(bytes, LARGEST);
        assert_true(size < LARGEST + LARGEST / 50 + 2000);
        if (noise == 0)
            assert_true(size < LARGEST / 500);
    }
    free(bytes);
}

/* Only some words are counted: bytes that stand in the others alone have codes as well. */
static void bytes_that_are_not_counted_read_back(void **state)
{
    (void)state;
    static uint8_t bytes[900 * 256];
    memset(bytes, 1, sizeof bytes);
    for (size_t i = 0; i < 256; i++)
        bytes[900 * i + i % 97] = (uint8_t)i;
    check(bytes, sizeof bytes);
}

/* Rare bytes have the longest codes beside others that are each half as frequent as the one before.
 * They stand at every place in a byte and among four. */
static void longest_codes_read_back(void **state)
{
    (void)state;
    enum { LENGTH = 250000 };
    uint8_t *bytes = malloc(LENGTH);
    assert_non_null(bytes);
    uint64_t random = 5;
    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (uint8_t)(1 + __builtin_ctzll(random_bits(&random) | 256));
    for (size_t i = 0; i + 7 < LENGTH; i += 1001)
        for (size_t k = 0; k < 7; k++)
            bytes[i + k] = (uint8_t)random_bits(&random);
    check(bytes, LENGTH);
    free(bytes);
}

/* A flat tile: the codes' description is most of it. Random bytes hardly grow. */
static void extremes_have_bounds(void **state)
{
    (void)state;
    enum { TILE = 256 * 769 };
    uint8_t *bytes = calloc(TILE, 1);
    assert_non_null(bytes);
    assert_true(check(bytes, TILE) < 360);
    uint64_t random = 4;
    for (size_t i = 0; i < TILE; i++)
        bytes[i] = (uint8_t)random_bits(&random);
    assert_true(check(bytes, TILE) < TILE + TILE / 200);
    free(bytes);
}

int test_deflate_literals(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_of_zeros_read_back),
        cmocka_unit_test(every_length_reads_back),
        cmocka_unit_test(blocks_read_back),
        cmocka_unit_test(longest_codes_read_back),
        cmocka_unit_test(extremes_have_bounds),
        cmocka_unit_test(bytes_that_are_not_counted_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
