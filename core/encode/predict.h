/* A predictor for 16-bit heights that makes them compress better: the format `r16z` before gzip.
 *
 * A number x at column i and row j is predicted by its neighbours as left + up − upleft, all modulo
 * 2¹⁶ and 0 outside the grid. The difference d, taken as signed, is zigzagged to
 * (d << 1) ^ (d >> 15), so that small ones of either sign are small. Then the low bytes of all of
 * them stand in the grid's order, and behind them their high bytes, nearly all 0.
 *
 * The inverse, with v the bytes and n numbers:
 *   z = v[k] | v[n + k] << 8;  d = (z >> 1) ^ −(z & 1);  x[k] = d + left + up − upleft  mod 2¹⁶ */
#ifndef TERRANE_ENCODE_PREDICT_H
#define TERRANE_ENCODE_PREDICT_H

#include "core/base/buffer.h"

enum { PREDICT_VERSION = 1 }; /* changes when the bytes for the same numbers do */

/* Appends 2 · columns · rows bytes. `numbers` are uint16, low byte first, row-major, as
 * samples_write_r16() writes them. */
void predict_write(const uint8_t *numbers, uint32_t columns, uint32_t rows, struct buffer *out);

#endif
