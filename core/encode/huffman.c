/* Lengths by A. Moffat and J. Katajainen, "In-Place Calculation of Minimum-Redundancy Codes"
 * (1995): three passes over the sorted counts, in one array and without a tree. */
#include "core/encode/huffman.h"

#include <string.h>

enum { SYMBOL_BITS = 9, DIGIT_BITS = 7, DIGITS = 3 };

/* Sorts items of (count << SYMBOL_BITS | symbol), whose symbols ascend already, by their counts. */
static void sort_items(uint32_t *items, unsigned count)
{
    uint32_t sorted[HUFFMAN_SYMBOLS_MAX];
    for (unsigned shift = SYMBOL_BITS; shift < SYMBOL_BITS + DIGITS * DIGIT_BITS;
         shift += DIGIT_BITS) {
        unsigned places[(1 << DIGIT_BITS) + 1] = {0};
        for (unsigned i = 0; i < count; i++)
            places[(items[i] >> shift & ((1 << DIGIT_BITS) - 1)) + 1]++;
        for (unsigned digit = 0; digit < 1 << DIGIT_BITS; digit++)
            places[digit + 1] += places[digit];
        for (unsigned i = 0; i < count; i++)
            sorted[places[items[i] >> shift & ((1 << DIGIT_BITS) - 1)]++] = items[i];
        memcpy(items, sorted, count * sizeof *items);
    }
}

/* Replaces the counts, which ascend, by the parents of the tree's inner nodes: the two nodes of
 * least weight are joined again and again. Node i is made in round i, and the last is the root. */
static void find_parents(uint32_t *nodes, unsigned count)
{
    unsigned leaf = 0, inner = 0;
    for (unsigned next = 0; next < count - 1; next++) {
        uint32_t weight = 0;
        for (int child = 0; child < 2; child++) {
            if (inner < next && (leaf >= count || nodes[inner] < nodes[leaf])) {
                weight += nodes[inner];
                nodes[inner++] = next;
            } else {
                weight += nodes[leaf++];
            }
        }
        nodes[next] = weight;
    }
}

/* Replaces the parents by the lengths of the symbols' codes, which descend. */
static void find_lengths(uint32_t *nodes, unsigned count)
{
    nodes[count - 2] = 0;
    for (unsigned node = count - 2; node-- > 0;)
        nodes[node] = nodes[nodes[node]] + 1;
    unsigned available = 1, next = count, inner = count - 1;
    for (uint32_t depth = 0; available > 0; depth++) {
        unsigned used = 0;
        for (; inner > 0 && nodes[inner - 1] == depth; inner--)
            used++;
        for (; available > used; available--)
            nodes[--next] = depth;
        available = 2 * used;
    }
}

/* Lengths of codes for sorted items. If a code is too long, the least counts are raised to a common
 * one, and that is raised until all codes keep the limit. */
static void find_limited_lengths(const uint32_t *items, unsigned count, unsigned limit,
                                 uint32_t *lengths)
{
    uint32_t sum = 0, least = 0;
    for (unsigned i = 0; i < count; i++)
        sum += items[i] >> SYMBOL_BITS;
    do {
        for (unsigned i = 0; i < count; i++) {
            const uint32_t weight = items[i] >> SYMBOL_BITS;
            lengths[i] = weight > least ? weight : least;
        }
        find_parents(lengths, count);
        find_lengths(lengths, count);
        least = least ? least + least / 4 + 1 : sum >> (limit + 1) | 1;
    } while (lengths[0] > limit);
}

/* Swaps neighbours of one, two, four and eight bits; then the bits are the highest of 16. */
static uint16_t reverse_bits(unsigned bits, unsigned count)
{
    bits = (bits & 0x5555) << 1 | (bits >> 1 & 0x5555);
    bits = (bits & 0x3333) << 2 | (bits >> 2 & 0x3333);
    bits = (bits & 0x0F0F) << 4 | (bits >> 4 & 0x0F0F);
    bits = (bits & 0x00FF) << 8 | (bits >> 8 & 0x00FF);
    return (uint16_t)(bits >> (16 - count));
}

/* Codes of one length follow each other in the order of their symbols. */
static void number_codes(const unsigned *with_length, unsigned symbols, struct huffman_code *codes)
{
    unsigned next[HUFFMAN_BITS_MAX + 1] = {0};
    for (unsigned length = 1; length < HUFFMAN_BITS_MAX; length++)
        next[length + 1] = (next[length] + with_length[length]) << 1;
    for (unsigned i = 0; i < symbols; i++)
        if (codes[i].length)
            codes[i].bits = reverse_bits(next[codes[i].length]++, codes[i].length);
}

void huffman_make(const uint32_t *counts, unsigned symbols, unsigned limit,
                  struct huffman_code *codes)
{
    uint32_t items[HUFFMAN_SYMBOLS_MAX], nodes[HUFFMAN_SYMBOLS_MAX] = {0};
    unsigned with_length[HUFFMAN_BITS_MAX + 1] = {0}, used = 0;
    for (unsigned i = 0; i < symbols; i++) {
        codes[i] = (struct huffman_code){0};
        if (counts[i])
            items[used++] = counts[i] << SYMBOL_BITS | i;
    }
    sort_items(items, used);
    find_limited_lengths(items, used, limit, nodes);
    for (unsigned i = 0; i < used; i++) {
        codes[items[i] & ((1 << SYMBOL_BITS) - 1)].length = (uint16_t)nodes[i];
        with_length[nodes[i]]++;
    }
    number_codes(with_length, symbols, codes);
}
