/* Words of eight bytes are compared with 0; a word of zeros is then extended to both sides, byte by
 * byte where less than a word is left. A longer run of zeros holds such a word wherever it
 * begins. */
#include "core/encode/zero_runs.h"

#include <string.h>

enum { WORD = 8 };

/* The first byte in the lowest bits. */
static uint64_t load_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(word) : word;
}

/* The beginning of the zeros before `at`, not before `start`. The word before `at`, if there is one
 * behind `start`, is not 0. */
static const uint8_t *zeros_begin(const uint8_t *at, const uint8_t *start)
{
    if (at - start >= WORD)
        return at - __builtin_clzll(load_word(at - WORD)) / 8;
    while (at > start && at[-1] == 0)
        at--;
    return at;
}

static const uint8_t *zeros_end(const uint8_t *at, const uint8_t *end)
{
    for (; end - at >= WORD; at += WORD) {
        const uint64_t word = load_word(at);
        if (word)
            return at + __builtin_ctzll(word) / 8;
    }
    while (at < end && *at == 0)
        at++;
    return at;
}

size_t zero_runs_find(const uint8_t *bytes, size_t length, struct zero_run *runs)
{
    const uint8_t *at = bytes, *start = bytes, *const end = bytes + length;
    size_t count = 0;
    while (end - at >= WORD) {
        if (load_word(at)) {
            at += WORD;
            continue;
        }
        const uint8_t *first = zeros_begin(at, start) + 1; /* behind the zero that is a literal */
        at = zeros_end(at + WORD, end);
        if (at - first < ZERO_RUN_MIN)
            continue;
        runs[count++] = (struct zero_run){(uint32_t)(first - start), (uint32_t)(at - first)};
        start = at;
    }
    return count;
}
