/* The description of a Huffman code at the head of a deflate block (RFC 1951, section 3.2.7). */
#ifndef TERRANE_ENCODE_CODE_LENGTHS_H
#define TERRANE_ENCODE_CODE_LENGTHS_H

#include "core/encode/bit_writer.h"
#include "core/encode/huffman.h"

/* Writes the lengths of the codes of all literals and of the lengths of matches, 257 … 286 symbols,
 * and that there is one distance, whose code is the bit 0. It takes less than 600 bytes. */
void code_lengths_put(struct bit_writer *writer, const struct huffman_code *codes,
                      unsigned symbols);

#endif
