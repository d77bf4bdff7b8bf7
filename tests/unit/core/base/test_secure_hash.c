/* BLAKE2b: hashes by b2sum of coreutils, as of `printf abc | b2sum -l 256`; and texts of every
 * length around a block, with the hash of their hashes: for i in $(seq 0 260); do head -c $i
 * /dev/zero | tr '\0' x | b2sum -l 256 | head -c 64; done | tr a-f A-F | basenc -d --base16 | b2sum
 * -l 256 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/secure_hash.h"

static void assert_hash(struct secure_hash *hash, const char *expected)
{
    uint8_t digest[SECURE_HASH_BYTES];
    char text[2 * SECURE_HASH_BYTES + 1];
    secure_hash_end(hash, digest);
    for (size_t i = 0; i < SECURE_HASH_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    assert_string_equal(text, expected);
}

static void hashes_of_texts(void **state)
{
    (void)state;
    static const struct {
        const char *text, *hash;
    } examples[] = {
        {"", "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"},
        {"abc", "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319"},
    };
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        struct secure_hash hash = secure_hash_begin();
        secure_hash_add(&hash, examples[i].text, strlen(examples[i].text));
        assert_hash(&hash, examples[i].hash);
    }
    struct secure_hash million = secure_hash_begin();
    for (int i = 0; i < 1000000; i++)
        secure_hash_add(&million, "a", 1);
    assert_hash(&million, "0741850f36cba4259628355d1073e24ddb9ca0e1bfac36fd39ae5dc2101e23a4");
}

static void all_lengths_around_blocks(void **state)
{
    (void)state;
    enum { MOST = 260 };
    uint8_t text[MOST], digest[SECURE_HASH_BYTES];
    memset(text, 'x', sizeof text);
    struct secure_hash all = secure_hash_begin();
    for (size_t length = 0; length <= MOST; length++) {
        struct secure_hash one = secure_hash_begin();
        secure_hash_add(&one, text, length / 3);
        secure_hash_add(&one, text, length - length / 3);
        secure_hash_end(&one, digest);
        secure_hash_add(&all, digest, sizeof digest);
    }
    assert_hash(&all, "50608ec56adfc4928dbcaf469bb6e9cfc0bc5acd34a52a4bd02a6c40b72f51a4");
}

/* As their bytes, the lowest first, in as many blocks as they fill. */
static void words_are_bytes(void **state)
{
    (void)state;
    enum { MOST = 70 };
    uint32_t words[MOST];
    uint8_t bytes[4 * MOST], digests[2][SECURE_HASH_BYTES];
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t)(i * 89 + 7);
    for (unsigned i = 0; i < MOST; i++)
        words[i] = bytes[4 * i] + bytes[4 * i + 1] * 0x100u + bytes[4 * i + 2] * 0x10000u +
                   bytes[4 * i + 3] * 0x1000000u;
    for (size_t count = 0; count <= MOST; count++) {
        struct secure_hash of_words = secure_hash_begin(), of_bytes = secure_hash_begin();
        secure_hash_add_words(&of_words, words, count);
        secure_hash_add(&of_bytes, bytes, 4 * count);
        secure_hash_end(&of_words, digests[0]);
        secure_hash_end(&of_bytes, digests[1]);
        assert_memory_equal(digests[0], digests[1], SECURE_HASH_BYTES);
    }
}

int test_secure_hash(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hashes_of_texts),
        cmocka_unit_test(all_lengths_around_blocks),
        cmocka_unit_test(words_are_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
