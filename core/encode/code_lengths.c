/* Lengths are run-length coded first: an item is a length, or says how often the one before it, or
 * a length of 0, is repeated. The items then have a Huffman code of their own. */
#include "core/encode/code_lengths.h"

enum {
    REPEAT = 16,     /* the length before, 3 … 6 times */
    ZEROS = 17,      /* 3 … 10 times */
    MANY_ZEROS = 18, /* 11 … 138 times */
    ITEM_KINDS = 19,
    ITEM_CODE_BITS = 7,
    ITEMS_MAX = HUFFMAN_SYMBOLS_MAX + 1,
};

struct item {
    uint8_t kind; /* a length, or one of the above */
    uint8_t more; /* repetitions beyond the least number */
};

static unsigned repeat_item(unsigned length, unsigned times, struct item *item)
{
    const unsigned kind = length ? REPEAT : times < 11 ? ZEROS : MANY_ZEROS;
    const unsigned least = kind == MANY_ZEROS ? 11 : 3;
    const unsigned most = kind == MANY_ZEROS ? 138 : kind == ZEROS ? 10 : 6;
    const unsigned taken = times < most ? times : most;
    *item = (struct item){(uint8_t)kind, (uint8_t)(taken - least)};
    return taken;
}

/* Returns the number of items. */
static unsigned find_items(const struct huffman_code *codes, unsigned symbols,
                           struct item items[ITEMS_MAX])
{
    unsigned count = 0;
    for (unsigned i = 0, times; i < symbols; i += times) {
        const unsigned length = codes[i].length;
        for (times = 1; i + times < symbols && codes[i + times].length == length;)
            times++;
        unsigned rest = times;
        if (length || rest < 3) {
            items[count++].kind = (uint8_t)length;
            rest--;
        }
        while (rest >= 3)
            rest -= repeat_item(length, rest, &items[count++]);
        times -= rest;
    }
    items[count++].kind = 1; /* the distance */
    return count;
}

void code_lengths_put(struct bit_writer *writer, const struct huffman_code *codes, unsigned symbols)
{
    static const uint8_t order[ITEM_KINDS] = {16, 17, 18, 0, 8,  7, 9,  6, 10, 5,
                                              11, 4,  12, 3, 13, 2, 14, 1, 15};
    static const uint8_t more_bits[ITEM_KINDS] = {[REPEAT] = 2, [ZEROS] = 3, [MANY_ZEROS] = 7};
    struct item items[ITEMS_MAX] = {{0}};
    uint32_t counts[ITEM_KINDS] = {0};
    struct huffman_code item_codes[ITEM_KINDS];
    while (codes[symbols - 1].length == 0)
        symbols--;
    const unsigned count = find_items(codes, symbols, items);
    for (unsigned i = 0; i < count; i++)
        counts[items[i].kind]++;
    huffman_make(counts, ITEM_KINDS, ITEM_CODE_BITS, item_codes);
    bit_writer_put(writer, symbols - 257, 5);
    bit_writer_put(writer, 0, 5); /* one distance */
    bit_writer_put(writer, ITEM_KINDS - 4, 4);
    for (int i = 0; i < ITEM_KINDS; i++) {
        bit_writer_put(writer, item_codes[order[i]].length, 3);
        bit_writer_flush(writer);
    }
    for (unsigned i = 0; i < count; i++) {
        const struct huffman_code code = item_codes[items[i].kind];
        bit_writer_put(writer, code.bits, code.length);
        bit_writer_put(writer, items[i].more, more_bits[items[i].kind]);
        bit_writer_flush(writer);
    }
}
