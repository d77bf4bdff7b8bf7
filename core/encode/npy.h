/* The header of NumPy's files: format 1.0 of NEP 1 (numpy.lib.format), for little-endian float32 in
 * C order. The samples follow as samples_write_r32f() writes them. */
#ifndef TERRANE_ENCODE_NPY_H
#define TERRANE_ENCODE_NPY_H

#include "core/base/buffer.h"

enum { NPY_VERSION = 1 }; /* changes when the bytes for the same samples do: part of every ETag */

/* Appends the header of an array of that shape, the slowest axis first; of 1 axis to 4. Its length
 * is a multiple of 64. `out` remembers if memory ran out. */
void npy_write_header(const uint64_t *shape, unsigned axes, struct buffer *out);

#endif
