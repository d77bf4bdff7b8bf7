/* A run of more than 14 zeros holds a word of eight at a multiple of eight, wherever it begins.
 *
 * Where runs begin and end cannot be foretold, and a processor that guesses wrong loses the time of
 * fifty instructions. So there are few branches: words of eight bytes are compared with 0 into a
 * bit each, the places where bits change are listed, and in a loop of its own each run of words of
 * zeros is extended by the zeros on both sides. */
#include "core/encode/zero_runs.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/simd.h"

enum { WORD = 8, BITS = 64 };

/* The first byte in the lowest bits. */
static uint64_t load_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* A bit for each of at most 64 words, the first one's the lowest: 1 for a word of zeros. */
TERRANE_INLINE uint64_t compare_words(const uint8_t *at, size_t words)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < words; i++)
        bits |= (uint64_t)(load_word(at + WORD * i) == 0) << i;
    return bits;
}

/* Lists the numbers of the words at which runs of words of zeros begin and end, in turn. */
TERRANE_CLONES static size_t find_edges(const uint8_t *bytes, size_t words, uint32_t *edges)
{
    size_t count = 0;
    uint64_t before = 0; /* the bit of the word before */
    for (size_t first = 0; first < words; first += BITS) {
        const uint8_t *at = bytes + WORD * first;
        const uint64_t bits =
            words - first < BITS ? compare_words(at, words - first) : compare_words(at, BITS);
        for (uint64_t rest = bits ^ (bits << 1 | before); rest; rest &= rest - 1)
            edges[count++] = (uint32_t)first + (uint32_t)__builtin_ctzll(rest);
        before = bits >> (BITS - 1);
    }
    if (count % 2 == 1)
        edges[count++] = (uint32_t)words;
    return count;
}

/* The zeros before a word of zeros: less than a word. */
static size_t zeros_before(const uint8_t *bytes, size_t place)
{
    return place < WORD ? 0 : (size_t)__builtin_clzll(load_word(bytes + place - WORD)) / 8;
}

/* The zeros behind words of zeros: less than a word. */
static size_t zeros_behind(const uint8_t *bytes, size_t length, size_t place)
{
    if (length - place >= WORD)
        return (size_t)__builtin_ctzll(load_word(bytes + place)) / 8;
    size_t zeros = 0;
    while (place + zeros < length && bytes[place + zeros] == 0)
        zeros++;
    return zeros;
}

size_t zero_runs_find(const uint8_t *bytes, size_t length, uint32_t *lengths)
{
    const size_t edges = find_edges(bytes, length / WORD, lengths);
    size_t count = 0, start = 0;
    for (size_t i = 0; i < edges; i += 2) {
        size_t begin = (size_t)lengths[i] * WORD, end = (size_t)lengths[i + 1] * WORD;
        begin -= zeros_before(bytes, begin);
        begin++; /* a literal */
        end += zeros_behind(bytes, length, end);
        /* Written in any case, in place of edges that were read, and kept if it is long enough. */
        lengths[2 * count] = (uint32_t)(begin - start);
        lengths[2 * count + 1] = (uint32_t)(end - begin);
        const bool kept = end - begin >= ZERO_RUN_MIN;
        start = kept ? end : start;
        count += kept;
    }
    return count;
}
