#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "server/base/sha256.h"

/* FIPS 180-4, examples of NIST. */
static const char of_abc[] = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
static const char of_nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

static void parts_have_the_published_digest(void **state)
{
    (void)state;
    struct sha256 *hash = sha256_new();
    uint8_t digest[SHA256_BYTES];
    char text[SHA256_TEXT];
    assert_true(sha256_add(hash, "a", 1));
    assert_true(sha256_add(hash, "bc", 2));
    sha256_take(hash, digest);
    sha256_format(digest, text);
    assert_string_equal(text, of_abc);
    sha256_take(hash, digest); /* begins anew */
    sha256_format(digest, text);
    assert_string_equal(text, of_nothing);
    sha256_free(hash);
}

static void digits_are_read_back(void **state)
{
    (void)state;
    uint8_t digest[SHA256_BYTES], read[SHA256_BYTES];
    assert_true(sha256_of("abc", 3, digest));
    assert_true(sha256_parse(of_abc, read));
    assert_memory_equal(digest, read, sizeof read);
    assert_false(sha256_parse("ba78", read));
    assert_false(sha256_parse("", read));
    char text[SHA256_TEXT];
    memcpy(text, of_abc, sizeof text);
    text[63] = 'g';
    assert_false(sha256_parse(text, read));
}

int test_sha256(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_have_the_published_digest),
        cmocka_unit_test(digits_are_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
