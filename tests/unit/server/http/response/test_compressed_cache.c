/* Documents compressed once. */
#include "server/http/response/compressed_cache.h"

#include <libdeflate.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void write_document(unsigned number, struct buffer *out)
{
    buffer_clear(out);
    for (unsigned i = 0; i < 400; i++)
        buffer_format(out, "line %u of document %u\n", i, number);
}

static void check(const struct buffer *compressed_cache, unsigned number)
{
    static uint8_t back[1 << 16];
    struct buffer expected = {0};
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    size_t got;
    write_document(number, &expected);
    assert_int_equal(libdeflate_gzip_decompress(decompressor, compressed_cache->data,
                                                compressed_cache->length, back, sizeof back, &got),
                     LIBDEFLATE_SUCCESS);
    assert_int_equal(got, expected.length);
    assert_memory_equal(back, expected.data, got);
    libdeflate_free_decompressor(decompressor);
    buffer_free(&expected);
}

static size_t account; /* bytes that tables store */

static void many_documents_stay_distinct(void **state)
{
    (void)state;
    struct compressed_cache *compressed_cache = compressed_cache_new(&account);
    struct buffer body = {0};
    for (unsigned round = 0; round < 3; round++)
        for (unsigned number = 0; number < 100; number++) {
            write_document(number, &body);
            const struct hash128 hash = hash_bytes(body.data, body.length, 0);
            assert_true(compressed_cache_encode(compressed_cache, hash, CODING_GZIP, &body));
            check(&body, number);
            buffer_free(&body);
            write_document(number, &body);
            assert_true(compressed_cache_encode(compressed_cache, hash, CODING_ZSTD, &body));
            /* A frame's magic number: RFC 8878, 3.1.1. */
            assert_memory_equal(body.data, "\x28\xb5\x2f\xfd", 4);
            buffer_free(&body);
        }
    assert_in_range(account, 32 * 100, 32 * 8192); /* 32 slots */
    compressed_cache_free(compressed_cache);
    assert_int_equal(account, 0);
}

/* The body is not looked at again: what comes is what the hash stood for. */
static void a_cached_document_is_not_compressed_again(void **state)
{
    (void)state;
    struct compressed_cache *compressed_cache = compressed_cache_new(&account);
    struct buffer body = {0};
    const struct hash128 hash = {1, 2};
    write_document(1, &body);
    assert_true(compressed_cache_encode(compressed_cache, hash, CODING_GZIP, &body));
    buffer_free(&body);
    write_document(2, &body);
    assert_true(compressed_cache_encode(compressed_cache, hash, CODING_GZIP, &body));
    check(&body, 1);
    buffer_free(&body);
    compressed_cache_free(compressed_cache);
}

/* It is compressed as what is left of it neither now nor for the next request with that hash. */
static void a_document_that_lacks_memory_is_not_compressed(void **state)
{
    (void)state;
    struct compressed_cache *compressed_cache = compressed_cache_new(&account);
    struct buffer body = {.failed = true};
    const struct hash128 hash = {1, 2};
    assert_false(compressed_cache_encode(compressed_cache, hash, CODING_GZIP, &body));
    assert_int_equal(body.length, 0);
    buffer_free(&body);
    write_document(1, &body);
    assert_true(compressed_cache_encode(compressed_cache, hash, CODING_GZIP, &body));
    check(&body, 1);
    buffer_free(&body);
    compressed_cache_free(compressed_cache);
}

int test_compressed_cache(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_documents_stay_distinct),
        cmocka_unit_test(a_cached_document_is_not_compressed_again),
        cmocka_unit_test(a_document_that_lacks_memory_is_not_compressed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
