/* The geometry of terminal text: its size, and the samples that lie in a cell.
 *
 * Along an axis, `length` samples lie over `count` cells. In units of 1 / (length · count) of the
 * axis, a sample is `count` wide and a cell `length`, so all borders are whole numbers. */
#ifndef TERRANE_ENCODE_TERMINAL_PRIVATE_H
#define TERRANE_ENCODE_TERMINAL_PRIVATE_H

#include "core/encode/terminal.h"

/* Sets the number of lines that keeps the shape, at least 1. False if columns, lines or the source
 * are out of range. */
bool terminal_count_lines(uint32_t width, uint32_t height, uint32_t columns, uint32_t *lines,
                          struct error *error);

struct terminal_span {
    uint64_t start, end;  /* the cell */
    uint32_t first, last; /* the samples that lie in it, if only by a part */
    uint32_t sample;      /* a sample's width */
};

struct terminal_span terminal_find_span(uint32_t cell, uint32_t count, uint32_t length);

/* The width of a sample's part that lies in the span's cell; over all samples the sum is `length`.
 */
uint32_t terminal_overlap(const struct terminal_span *span, uint32_t sample);

#endif
