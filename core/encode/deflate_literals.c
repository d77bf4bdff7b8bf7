/* A block has one Huffman code, made from the counts of its symbols. Bytes are literals, but for
 * runs of zeros (zero_runs.h), which are written as matches at distance 1. Three passes: find the
 * runs, count symbols, write.
 *
 * Counting takes as long as writing, so of literals a sample is counted, and every literal gets a
 * code, whether it was seen or not: 0.3 % more bytes. No code is longer than 14
 * bits: four and the seven bits that may wait for the rest of their byte fit into the writer's
 * 64. */
#include "core/encode/deflate_literals.h"

#include <libdeflate.h>
#include <string.h>

#include "core/base/simd.h"
#include "core/encode/bit_writer.h"
#include "core/encode/code_lengths.h"
#include "core/encode/huffman.h"
#include "core/encode/zero_runs.h"

enum {
    BYTES = 256,
    END_OF_BLOCK = 256,
    NOTHING = BYTES, /* in the place of a literal */
    LENGTHS = 257,   /* the first of the symbols for lengths of matches */
    SYMBOLS = LENGTHS + 29,
    CODE_BITS = 14,
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    WORD = 8,
    COUNTED = 1536,  /* words of literals in a block, about */
    BLOCK = 1 << 18, /* bytes: a tile of 256² colours, and counts stay below HUFFMAN_COUNT_MAX */
    HEADER = 1024,   /* bytes: more than a block's description and the stream's frame take */
};

/* RFC 1951, section 3.2.5: four symbols for each number of extra bits, but the lengths from 3 to 10
 * have a symbol each, and so has the greatest. */
struct match_symbol {
    unsigned symbol;
    unsigned extra, extra_bits; /* written behind the symbol's code */
};

static struct match_symbol find_match_symbol(unsigned length)
{
    const unsigned rest = length - MATCH_MIN;
    if (length == MATCH_MAX)
        return (struct match_symbol){SYMBOLS - 1, 0, 0};
    if (rest < 8)
        return (struct match_symbol){LENGTHS + rest, 0, 0};
    const unsigned bits = 29 - (unsigned)__builtin_clz(rest);
    return (struct match_symbol){LENGTHS + 4 * bits + (rest >> bits), rest & ((1u << bits) - 1),
                                 bits};
}

/* The length of the next match in a run of `rest` zeros, so that no rest is too short for one. */
TERRANE_INLINE unsigned next_match(size_t rest)
{
    if (rest <= MATCH_MAX)
        return (unsigned)rest;
    return rest - MATCH_MAX < MATCH_MIN ? MATCH_MAX - MATCH_MIN : MATCH_MAX;
}

static void count_run(size_t rest, uint32_t counts[SYMBOLS])
{
    for (unsigned length; rest > 0; rest -= length) {
        length = next_match(rest);
        counts[find_match_symbol(length).symbol]++;
    }
}

/* There are four counts of each byte, so that equal bytes that follow each other need not wait for
 * a sum. */
struct sample {
    uint32_t counts[4][BYTES];
    size_t step; /* from a counted word to the next, in words */
    size_t skip; /* from the next literals to the next counted word, in bytes */
};

static void count_literals(struct sample *sample, const uint8_t *at, size_t length)
{
    size_t word = sample->skip;
    for (; word + WORD <= length; word += sample->step * WORD)
        for (size_t i = 0; i < WORD; i++)
            sample->counts[i % 4][at[word + i]]++;
    if (word < length) {
        for (size_t i = word; i < length; i++)
            sample->counts[i % 4][at[i]]++;
        word += sample->step * WORD;
    }
    sample->skip = word - length;
}

/* The counts of all symbols in the block, of literals at least 1. */
static void count_symbols(const uint8_t *at, const uint8_t *end, const uint32_t *runs,
                          size_t run_count, uint32_t counts[SYMBOLS])
{
    struct sample sample = {.step = (size_t)(end - at) / (COUNTED * WORD) + 1};
    memset(counts, 0, SYMBOLS * sizeof *counts);
    for (size_t i = 0; i < run_count; i++) {
        count_literals(&sample, at, runs[2 * i]);
        count_run(runs[2 * i + 1], counts);
        at += runs[2 * i] + runs[2 * i + 1];
    }
    count_literals(&sample, at, (size_t)(end - at));
    for (int i = 0; i < BYTES; i++)
        counts[i] = 1 + (uint32_t)sample.step * (sample.counts[0][i] + sample.counts[1][i] +
                                                 sample.counts[2][i] + sample.counts[3][i]);
    counts[END_OF_BLOCK] = 1;
}

/* The code words, one for each literal and for each length of a match: the bits are the highest
 * ones, and the lowest six hold their number. The processor's shifts take their distance from the
 * lowest six bits of a register, so such a word is its own distance; sums of words are sums of
 * distances.
 */
struct words {
    uint64_t literals[BYTES + 1];    /* and NOTHING */
    uint64_t matches[MATCH_MAX + 1]; /* with the bit for their distance, which is 0 */
};

static void make_words(const struct huffman_code codes[SYMBOLS], struct words *words)
{
    words->literals[NOTHING] = 0;
    for (int i = 0; i < BYTES; i++)
        words->literals[i] = (uint64_t)codes[i].bits << (64 - codes[i].length) | codes[i].length;
    for (unsigned length = MATCH_MIN; length <= MATCH_MAX; length++) {
        const struct match_symbol match = find_match_symbol(length);
        const struct huffman_code code = codes[match.symbol];
        const uint64_t bits = code.bits | match.extra << code.length;
        const unsigned count = code.length + match.extra_bits + 1;
        words->matches[length] = bits << (64 - count) | count;
    }
}

/* Takes words: the newest bits are the highest, and push those before them down. */
struct word_writer {
    uint8_t *out;
    uint64_t bits;
    uint64_t count; /* of the highest of `bits`, which are not written yet: at most 7 */
};

TERRANE_INLINE uint64_t behind(uint64_t first, uint64_t second, uint64_t distance)
{
    return first >> (distance & 63) | second;
}

/* The distance is the number of bits; below them are at most 57 − distance others. */
TERRANE_INLINE void put_bits(struct word_writer *writer, uint64_t bits, uint64_t distance)
{
    writer->bits = behind(writer->bits, bits, distance);
    writer->count += distance;
    uint64_t lowest = writer->bits >> (-writer->count & 63);
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        lowest = __builtin_bswap64(lowest);
    memcpy(writer->out, &lowest, sizeof lowest);
    writer->out += writer->count >> 3 & 7;
    writer->count &= 7;
}

/* Two words are joined before they meet the other two, which spares half of the waiting. What is
 * left below the codes are the words' numbers, of four bits. */
TERRANE_INLINE void put_four(struct word_writer *writer, uint64_t a, uint64_t b, uint64_t c,
                             uint64_t d)
{
    const uint64_t bits = behind(behind(a, b, b), behind(c, d, d), c + d);
    put_bits(writer, bits & ~(uint64_t)15, a + b + c + d);
}

/* At least one literal. The three bytes behind them are read as well, but not written. */
TERRANE_INLINE void put_literals(struct word_writer *writer, const uint8_t *at, size_t length,
                                 const struct words *words)
{
    const uint64_t *literals = words->literals;
    for (; length > 4; length -= 4, at += 4)
        put_four(writer, literals[at[0]], literals[at[1]], literals[at[2]], literals[at[3]]);
    const unsigned b = at[1], c = at[2], d = at[3];
    put_four(writer, literals[at[0]], literals[length > 1 ? b : NOTHING],
             literals[length > 2 ? c : NOTHING], literals[length > 3 ? d : NOTHING]);
}

TERRANE_INLINE void put_run(struct word_writer *writer, size_t rest, const struct words *words)
{
    for (unsigned length; rest > 0; rest -= length) {
        length = next_match(rest);
        put_bits(writer, words->matches[length], words->matches[length]);
    }
}

TERRANE_BIT_CLONES static void put_symbols(struct bit_writer *to, const uint8_t *at,
                                           const uint8_t *end, const uint32_t *runs,
                                           size_t run_count, const struct words *words)
{
    struct word_writer writer = {to->out, to->bits << (-to->count & 63), to->count};
    for (size_t i = 0; i < run_count; i++) {
        put_literals(&writer, at, runs[2 * i], words);
        put_run(&writer, runs[2 * i + 1], words);
        at += runs[2 * i] + runs[2 * i + 1];
    }
    const size_t fours = (size_t)(end - at) & ~(size_t)3;
    if (fours > 0)
        put_literals(&writer, at, fours, words);
    for (at += fours; at < end; at++)
        put_bits(&writer, words->literals[*at], words->literals[*at]);
    *to = (struct bit_writer){writer.out, writer.bits >> 1 >> (63 - writer.count),
                              (unsigned)writer.count};
}

static void put_block(struct bit_writer *writer, const uint8_t *at, const uint8_t *end, bool last,
                      uint32_t *runs)
{
    enum { DYNAMIC = 2 };
    uint32_t counts[SYMBOLS];
    struct huffman_code codes[SYMBOLS];
    struct words words;
    const size_t run_count = zero_runs_find(at, (size_t)(end - at), runs);
    count_symbols(at, end, runs, run_count, counts);
    huffman_make(counts, SYMBOLS, CODE_BITS, codes);
    bit_writer_put(writer, last | DYNAMIC << 1, 3);
    code_lengths_put(writer, codes, SYMBOLS);
    make_words(codes, &words);
    put_symbols(writer, at, end, runs, run_count, &words);
    bit_writer_put(writer, codes[END_OF_BLOCK].bits, codes[END_OF_BLOCK].length);
    bit_writer_flush(writer);
}

bool deflate_literals(const uint8_t *bytes, size_t length, struct buffer *scratch,
                      struct buffer *out)
{
    const size_t blocks = length / BLOCK + 1, block = length < BLOCK ? length : BLOCK;
    buffer_clear(scratch);
    void *runs = buffer_reserve(scratch, (block / 8 + 2) * sizeof(uint32_t));
    uint8_t *start = buffer_reserve(out, length / 8 * CODE_BITS + CODE_BITS + blocks * HEADER);
    if (!runs || !start)
        return false;
    const uint8_t *end = bytes + length;
    struct bit_writer writer = {.out = start};
    bit_writer_put(&writer, 0x0178, 16); /* deflate with a window of 32 KB, no dictionary */
    const uint8_t *next = bytes;
    do {
        const uint8_t *at = next;
        next = end - at > BLOCK ? at + BLOCK : end;
        put_block(&writer, at, next, next == end, runs);
    } while (next < end);
    bit_writer_end(&writer);
    const uint32_t checksum = __builtin_bswap32(libdeflate_adler32(1, bytes, length));
    bit_writer_put(&writer, checksum, 32);
    bit_writer_flush(&writer);
    out->length += (size_t)(writer.out - start);
    return true;
}
