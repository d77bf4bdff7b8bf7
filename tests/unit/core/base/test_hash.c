/* Hashes against published values: the reference output of SplitMix64 for the seed 1234567, and
 * of MurmurHash3 x64 128. */
#include "core/base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void hash_mix_is_splitmix64(void **state)
{
    (void)state;
    static const uint64_t published[] = {6457827717110365317u, 3203168211198807973u,
                                         9817491932198370423u, 4593380528125082431u,
                                         16408922859458223821u};
    uint64_t counter = 1234567;
    for (size_t i = 0; i < 5; i++) {
        counter += 0x9E3779B97F4A7C15u;
        assert_true(hash_mix(counter) == published[i]);
    }
}

static void hash_bytes_is_murmur3(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *hex;
    } cases[] = {
        {"", "00000000000000000000000000000000"},
        {"hello", "cbd8a7b341bd9b025b1e906a48ae1d19"},
        {"hello, world", "342fac623a5ebc8e4cdcbc079642414d"},
        {"The quick brown fox jumps over the lazy dog", "e34bbc7bbc071b6c7a433ca9c49a9347"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char hex[33];
        hash_hex(hash_bytes(cases[i].text, strlen(cases[i].text), 0), hex);
        assert_string_equal(hex, cases[i].hex);
    }
}

/* Appleby's own check of an implementation (SMHasher's VerificationTest): the hashes of the texts
 * 0, 1, 2 … of every length under the seeds 256, 255, 254 … hashed once more begin with 0x6384BA69.
 */
static void hash_bytes_passes_smhasher_verification(void **state)
{
    (void)state;
    uint8_t text[256], hashes[256 * 16];
    for (unsigned i = 0; i < 256; i++) {
        text[i] = (uint8_t)i;
        struct hash128 hash = hash_bytes(text, i, 256 - i);
        for (unsigned b = 0; b < 8; b++) {
            hashes[16 * i + b] = (uint8_t)(hash.high >> 8 * b);
            hashes[16 * i + 8 + b] = (uint8_t)(hash.low >> 8 * b);
        }
    }
    struct hash128 last = hash_bytes(hashes, sizeof hashes, 0);
    assert_int_equal((uint32_t)last.high, 0x6384BA69);
}

static void hex_is_written_high_first(void **state)
{
    (void)state;
    char hex[33];
    hash_hex((struct hash128){.high = 0x0123456789abcdef, .low = 0xf}, hex);
    assert_string_equal(hex, "0123456789abcdef000000000000000f");
}

static void equal_numbers_have_one_hash(void **state)
{
    (void)state;
    assert_true(hash_number(7, 0.0) == hash_number(7, -0.0));
    assert_true(hash_number(7, 1.0) == hash_mix(7 + 0x3FF0000000000000u));
    assert_true(hash_number(7, 1.0) != hash_number(7, -1.0));
    assert_true(hash_number(7, 1.0) != hash_number(8, 1.0));
}

int test_hash(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hash_mix_is_splitmix64),
        cmocka_unit_test(hash_bytes_is_murmur3),
        cmocka_unit_test(equal_numbers_have_one_hash),
        cmocka_unit_test(hash_bytes_passes_smhasher_verification),
        cmocka_unit_test(hex_is_written_high_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
