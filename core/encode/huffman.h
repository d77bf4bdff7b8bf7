/* Huffman codes with a limit of their length, in the canonical form of deflate (RFC 1951, section
 * 3.2.2). */
#ifndef TERRANE_ENCODE_HUFFMAN_H
#define TERRANE_ENCODE_HUFFMAN_H

#include <stdint.h>

enum {
    HUFFMAN_SYMBOLS_MAX = 288,
    HUFFMAN_BITS_MAX = 15,
    HUFFMAN_COUNT_MAX = (1 << 21) - 1,
};

struct huffman_code {
    uint16_t bits;   /* as written from the lowest bit on */
    uint16_t length; /* in bits; 0 for a symbol that does not occur */
};

/* Makes the code of each symbol, none longer than `limit`. The counts are 0 … HUFFMAN_COUNT_MAX, at
 * least two of them are not 0, and at most 2^limit are. Lengths are the shortest possible where the
 * limit allows it, and nearly so otherwise. Equal counts give equal codes on every machine. */
void huffman_make(const uint32_t *counts, unsigned symbols, unsigned limit,
                  struct huffman_code *codes);

#endif
