/* A block has one Huffman code, made from the counts of its symbols. It is read in words of eight
 * bytes. A word of zeros behind a zero byte belongs to a run, which is written as matches at
 * distance 1; any other word is eight literals.
 *
 * Counting takes as long as writing, so only every fourth word is counted, and every symbol gets a
 * code, whether it was seen or not: 0.7 % more bytes. No code is longer than 14 bits: four and the
 * seven bits that may wait for the rest of their byte fit into the writer's 64. */
#include "core/encode/deflate_literals.h"

#include <libdeflate.h>
#include <string.h>

#include "core/base/simd.h"
#include "core/encode/huffman.h"

enum {
    BYTES = 256,
    END_OF_BLOCK = 256,
    LENGTHS = 29, /* symbols for lengths of matches, behind END_OF_BLOCK */
    SYMBOLS = 257 + LENGTHS,
    CODE_BITS = 14,
    MATCH_MIN = 3,
    MATCH_MAX = 258,
    WORD = 8,
    COUNTED = 4,       /* one word in so many is counted */
    BLOCK = 1 << 20,   /* bytes, so that counts stay below HUFFMAN_COUNT_MAX */
    DESCRIPTIONS = 19, /* symbols that describe the codes of a block */
    DESCRIPTION_BITS = 7,
    HEADER =
        1024, /* bytes: more than the description of a block and the frame of the stream take */
};

/* The least length of each symbol for matches; the length less that is written in `extra` bits. */
static const uint16_t match_length[LENGTHS] = {3,  4,  5,  6,   7,   8,   9,   10,  11, 13,
                                               15, 17, 19, 23,  27,  31,  35,  43,  51, 59,
                                               67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t match_extra[LENGTHS] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                             2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};

/* Bits go into the stream from the lowest on. */
struct bit_writer {
    uint8_t *out;
    uint64_t bits;
    unsigned count; /* of `bits`; at most 7 after write_out() */
};

TERRANE_INLINE void put(struct bit_writer *writer, uint64_t bits, unsigned count)
{
    writer->bits |= bits << writer->count;
    writer->count += count;
}

/* Writes all whole bytes; up to eight bytes behind them are overwritten. */
TERRANE_INLINE void write_out(struct bit_writer *writer)
{
    uint64_t bits = writer->bits;
    if (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
        bits = __builtin_bswap64(bits);
    memcpy(writer->out, &bits, sizeof bits);
    writer->out += writer->count >> 3;
    writer->bits >>= writer->count & ~7u;
    writer->count &= 7;
}

TERRANE_INLINE void put_code(struct bit_writer *writer, struct huffman_code code)
{
    put(writer, code.bits, code.length);
}

TERRANE_INLINE bool is_zero_word(const uint8_t *at)
{
    uint64_t word;
    memcpy(&word, at, WORD);
    return word == 0;
}

/* The end of the run of zero words, behind the first of them. */
static const uint8_t *run_end(const uint8_t *at, const uint8_t *end)
{
    do
        at += WORD;
    while (end - at >= WORD && is_zero_word(at));
    return at;
}

static unsigned symbol_of_length(size_t length)
{
    unsigned symbol = LENGTHS - 1;
    while (match_length[symbol] > length)
        symbol--;
    return symbol;
}

/* The length of the next match in a run of `rest` zeros, so that no rest is too short for one. */
static size_t next_match(size_t rest)
{
    if (rest <= MATCH_MAX)
        return rest;
    return rest - MATCH_MAX < MATCH_MIN ? MATCH_MAX - MATCH_MIN : MATCH_MAX;
}

static void count_run(size_t rest, uint32_t counts[SYMBOLS])
{
    for (size_t length; rest > 0; rest -= length) {
        length = next_match(rest);
        counts[END_OF_BLOCK + 1 + symbol_of_length(length)]++;
    }
}

/* Four arrays, so that equal bytes that follow each other need not wait for a sum. */
TERRANE_INLINE void count_word(const uint8_t *at, uint32_t bytes[4][BYTES])
{
    bytes[0][at[0]]++, bytes[1][at[1]]++, bytes[2][at[2]]++, bytes[3][at[3]]++;
    bytes[0][at[4]]++, bytes[1][at[5]]++, bytes[2][at[6]]++, bytes[3][at[7]]++;
}

/* The counts of all symbols in the block, each at least 1. */
static void count_symbols(const uint8_t *at, const uint8_t *end, uint32_t counts[SYMBOLS])
{
    uint32_t bytes[4][BYTES] = {{0}};
    bool after_zero = false;
    memset(counts, 0, SYMBOLS * sizeof *counts);
    unsigned words = 0;
    while (end - at >= WORD) {
        if (is_zero_word(at) && after_zero) {
            const uint8_t *next = run_end(at, end);
            count_run((size_t)(next - at), counts);
            at = next;
            continue;
        }
        if (words++ % COUNTED == 0)
            count_word(at, bytes);
        after_zero = at[WORD - 1] == 0;
        at += WORD;
    }
    for (int i = 0; i < BYTES; i++)
        counts[i] = COUNTED * (bytes[0][i] + bytes[1][i] + bytes[2][i] + bytes[3][i]);
    for (int i = 0; i < SYMBOLS; i++)
        counts[i]++;
}

/* The lengths of the codes as RFC 1951, section 3.2.7, describes them, each by a code of its own:
 * all of the block's symbols, and the one distance. */
static void put_description(struct bit_writer *writer, const struct huffman_code codes[SYMBOLS])
{
    static const uint8_t order[DESCRIPTIONS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                                11, 4,  12, 3, 13, 2, 14, 1, 15};
    uint32_t counts[DESCRIPTIONS] = {[1] = 1};
    struct huffman_code descriptions[DESCRIPTIONS];
    for (int i = 0; i < SYMBOLS; i++)
        counts[codes[i].length]++;
    huffman_make(counts, DESCRIPTIONS, DESCRIPTION_BITS, descriptions);
    put(writer, SYMBOLS - 257, 5);
    put(writer, 0, 5);
    put(writer, DESCRIPTIONS - 4, 4);
    for (int i = 0; i < DESCRIPTIONS; i++) {
        put(writer, descriptions[order[i]].length, 3);
        write_out(writer);
    }
    for (int i = 0; i < SYMBOLS; i++) {
        put_code(writer, descriptions[codes[i].length]);
        write_out(writer);
    }
    put_code(writer, descriptions[1]);
    write_out(writer);
}

TERRANE_INLINE void put_run(struct bit_writer *writer, size_t rest,
                            const struct huffman_code codes[SYMBOLS])
{
    for (size_t length; rest > 0; rest -= length) {
        length = next_match(rest);
        const unsigned symbol = symbol_of_length(length);
        put_code(writer, codes[END_OF_BLOCK + 1 + symbol]);
        put(writer, length - match_length[symbol], match_extra[symbol]);
        put(writer, 0, 1); /* the distance */
        write_out(writer);
    }
}

/* A literal's code in one word, which is loaded at once: the bits, and from bit 16 on the length.
 */
enum { LENGTH_SHIFT = 16 };

/* Two codes are joined before they meet the other two, which spares half of the waiting. */
TERRANE_INLINE void put_four(struct bit_writer *writer, const uint8_t *at, const uint32_t *literals)
{
    const uint32_t a = literals[at[0]], b = literals[at[1]];
    const uint32_t c = literals[at[2]], d = literals[at[3]];
    const unsigned a_length = a >> LENGTH_SHIFT, c_length = c >> LENGTH_SHIFT;
    const unsigned low_length = a_length + (b >> LENGTH_SHIFT);
    const uint64_t low = (uint16_t)a | (uint64_t)(uint16_t)b << a_length;
    const uint64_t high = (uint16_t)c | (uint64_t)(uint16_t)d << c_length;
    put(writer, low | high << low_length, low_length + c_length + (d >> LENGTH_SHIFT));
    write_out(writer);
}

static void put_symbols(struct bit_writer *to, const uint8_t *at, const uint8_t *end,
                        const struct huffman_code codes[SYMBOLS])
{
    struct bit_writer writer = *to; /* in registers */
    uint32_t literals[BYTES];
    bool after_zero = false;
    for (int i = 0; i < BYTES; i++)
        literals[i] = codes[i].bits | (uint32_t)codes[i].length << LENGTH_SHIFT;
    while (end - at >= WORD) {
        if (is_zero_word(at) && after_zero) {
            const uint8_t *next = run_end(at, end);
            put_run(&writer, (size_t)(next - at), codes);
            at = next;
            continue;
        }
        put_four(&writer, at, literals);
        put_four(&writer, at + 4, literals);
        after_zero = at[WORD - 1] == 0;
        at += WORD;
    }
    for (; at < end; at++) {
        put_code(&writer, codes[*at]);
        write_out(&writer);
    }
    put_code(&writer, codes[END_OF_BLOCK]);
    write_out(&writer);
    *to = writer;
}

static void put_block(struct bit_writer *writer, const uint8_t *at, const uint8_t *end, bool last)
{
    enum { DYNAMIC = 2 };
    uint32_t counts[SYMBOLS];
    struct huffman_code codes[SYMBOLS];
    count_symbols(at, end, counts);
    huffman_make(counts, SYMBOLS, CODE_BITS, codes);
    put(writer, last | DYNAMIC << 1, 3);
    put_description(writer, codes);
    put_symbols(writer, at, end, codes);
}

bool deflate_literals(const uint8_t *bytes, size_t length, struct buffer *out)
{
    const size_t blocks = length / BLOCK + 1;
    uint8_t *start = buffer_reserve(out, length / 8 * CODE_BITS + CODE_BITS + blocks * HEADER);
    if (!start)
        return false;
    const uint8_t *end = bytes + length;
    struct bit_writer writer = {.out = start};
    put(&writer, 0x0178, 16); /* deflate with a window of 32 KB, no dictionary */
    const uint8_t *next = bytes;
    do {
        const uint8_t *at = next;
        next = end - at > BLOCK ? at + BLOCK : end;
        put_block(&writer, at, next, next == end);
    } while (next < end);
    writer.count = (writer.count + 7) & ~7u;
    write_out(&writer);
    const uint32_t checksum = __builtin_bswap32(libdeflate_adler32(1, bytes, length));
    put(&writer, checksum, 32);
    write_out(&writer);
    out->length += (size_t)(writer.out - start);
    return true;
}
