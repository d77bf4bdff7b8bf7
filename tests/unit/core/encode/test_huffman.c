/* Huffman codes against a plain construction of the tree (Huffman 1952), and the canonical numbers
 * against the example in RFC 1951, section 3.2.2. */
#include "core/encode/huffman.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/core/random.h"

/* The length of the message in bits under the best code without a limit: the sum of the weights of
 * the tree's inner nodes. */
static uint64_t best_cost(const uint32_t *counts, unsigned symbols)
{
    uint64_t weights[HUFFMAN_SYMBOLS_MAX], cost = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < symbols; i++)
        if (counts[i])
            weights[left++] = counts[i];
    while (left > 1) {
        for (unsigned least = 0; least < 2; least++) /* the two least to the front */
            for (unsigned i = least + 1; i < left; i++)
                if (weights[i] < weights[least]) {
                    const uint64_t weight = weights[i];
                    weights[i] = weights[least];
                    weights[least] = weight;
                }
        weights[0] += weights[1];
        cost += weights[0];
        weights[1] = weights[--left];
    }
    return cost;
}

/* Every symbol that occurs has a code within the limit, and the codes fill their space exactly.
 * Returns the cost of the message. */
static uint64_t check_code(const uint32_t *counts, unsigned symbols, unsigned limit)
{
    struct huffman_code codes[HUFFMAN_SYMBOLS_MAX];
    uint64_t space = 0, cost = 0;
    huffman_make(counts, symbols, limit, codes);
    for (unsigned i = 0; i < symbols; i++) {
        assert_int_equal(codes[i].length > 0, counts[i] > 0);
        assert_true(codes[i].length <= limit);
        assert_true(codes[i].bits >> codes[i].length == 0);
        space += codes[i].length ? (uint64_t)1 << (limit - codes[i].length) : 0;
        cost += (uint64_t)counts[i] * codes[i].length;
    }
    assert_int_equal(space, (uint64_t)1 << limit);
    return cost;
}

static void lengths_are_the_shortest(void **state)
{
    (void)state;
    uint64_t random = 5;
    for (int round = 0; round < 500; round++) {
        uint32_t counts[HUFFMAN_SYMBOLS_MAX];
        const unsigned symbols = (unsigned)random_whole(&random, 2, HUFFMAN_SYMBOLS_MAX);
        for (unsigned i = 0; i < symbols; i++)
            counts[i] = (uint32_t)random_whole(&random, i < 2, 1 << (round % 9));
        assert_int_equal(check_code(counts, symbols, HUFFMAN_BITS_MAX), best_cost(counts, symbols));
    }
}

/* Counts like Fibonacci's numbers give the deepest tree: 30 levels here. */
static void lengths_keep_the_limit(void **state)
{
    (void)state;
    uint32_t counts[30] = {1, 1};
    for (int i = 2; i < 30; i++)
        counts[i] = counts[i - 1] + counts[i - 2];
    for (unsigned limit = 5; limit <= HUFFMAN_BITS_MAX; limit++)
        assert_true(check_code(counts, 30, limit) >= best_cost(counts, 30));
    /* 256 codes of 8 bits at most can only all have 8. */
    uint32_t many[256];
    uint64_t random = 6, sum = 0;
    for (int i = 0; i < 256; i++) {
        many[i] = (uint32_t)random_whole(&random, 1, HUFFMAN_COUNT_MAX);
        sum += many[i];
    }
    assert_int_equal(check_code(many, 256, 8), 8 * sum);
}

/* The least cost with a limit, by packages (Larmore and Hirschberg 1990): for each bit from the
 * last to the first, pairs of the packages before are merged with the symbols. The cost is that of
 * the 2n − 2 cheapest at the end. */
static uint64_t best_limited_cost(const uint32_t *sorted, unsigned symbols, unsigned limit)
{
    uint64_t packages[2 * HUFFMAN_SYMBOLS_MAX], pairs[HUFFMAN_SYMBOLS_MAX], cost = 0;
    unsigned count = 0;
    for (unsigned bit = 0; bit < limit; bit++) {
        const unsigned pair_count = count / 2;
        for (unsigned i = 0; i < pair_count; i++)
            pairs[i] = packages[2 * i] + packages[2 * i + 1];
        count = 0;
        for (unsigned i = 0, pair = 0; i < symbols || pair < pair_count;) {
            const bool symbol = pair >= pair_count || (i < symbols && sorted[i] <= pairs[pair]);
            packages[count++] = symbol ? sorted[i++] : pairs[pair++];
        }
    }
    for (unsigned i = 0; i < 2 * symbols - 2; i++)
        cost += packages[i];
    return cost;
}

/* Most symbols hardly ever occur, as differences in a smooth picture; the code that is cut is half
 * of all. */
static void cut_codes_cost_little(void **state)
{
    (void)state;
    static const uint32_t often[] = {346,   350,   1360,  1741,  4080,   6100,
                                     15300, 15330, 32100, 32500, 100000, 400000};
    enum { OFTEN = sizeof often / sizeof *often, RARE = 242 };
    for (unsigned limit = 12; limit <= HUFFMAN_BITS_MAX; limit++)
        for (unsigned used = 2; used <= OFTEN; used++) {
            uint32_t counts[RARE + OFTEN];
            for (unsigned i = 0; i < RARE; i++)
                counts[i] = 1;
            for (unsigned i = 0; i < used; i++)
                counts[RARE + i] = often[i];
            const uint64_t best = best_limited_cost(counts, RARE + used, limit);
            assert_true(check_code(counts, RARE + used, limit) * 1000 <= best * 1025);
        }
}

/* The limit costs little where it cuts few codes. */
static void limited_lengths_are_nearly_the_shortest(void **state)
{
    (void)state;
    uint32_t counts[256];
    for (int i = 0; i < 256; i++)
        counts[i] = 1 + (1000000u >> (i / 8));
    const uint64_t best = best_cost(counts, 256);
    assert_true(check_code(counts, 256, 14) * 1000 <= best * 1010);
}

/* A … H of the example have 3, 3, 3, 3, 3, 2, 4 and 4 bits: 010 011 100 101 110 00 1110 1111. */
static void codes_are_canonical(void **state)
{
    (void)state;
    static const uint32_t counts[8] = {8, 8, 8, 8, 8, 16, 4, 4};
    static const struct huffman_code wanted[8] = {{0x2, 3}, {0x6, 3}, {0x1, 3}, {0x5, 3},
                                                  {0x3, 3}, {0x0, 2}, {0x7, 4}, {0xF, 4}};
    struct huffman_code codes[8];
    huffman_make(counts, 8, HUFFMAN_BITS_MAX, codes);
    for (int i = 0; i < 8; i++) {
        assert_int_equal(codes[i].length, wanted[i].length);
        assert_int_equal(codes[i].bits, wanted[i].bits);
    }
}

int test_huffman(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_are_the_shortest),
        cmocka_unit_test(lengths_keep_the_limit),
        cmocka_unit_test(cut_codes_cost_little),
        cmocka_unit_test(limited_lengths_are_nearly_the_shortest),
        cmocka_unit_test(codes_are_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
