/* The header of NumPy's file format, version 1.0 (NEP 1): 128 bytes in front of the float32 of
 * samples_write_r32f(), row by row. numpy.load() gives an array of rows × columns. */
#ifndef TERRANE_ENCODE_NPY_H
#define TERRANE_ENCODE_NPY_H

#include <stdint.h>

#include "core/base/buffer.h"

enum { NPY_VERSION = 1 }; /* changes when the bytes for the same samples do: part of every ETag */

void npy_write_header(uint32_t columns, uint32_t rows, struct buffer *out);

#endif
