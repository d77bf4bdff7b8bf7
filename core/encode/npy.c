/* The header is a text of a Python dictionary. It is filled with blanks so that the numbers begin
 * at a multiple of 64 bytes, where programs map a file into memory. */
#include "core/encode/npy.h"

#include <stdio.h>
#include <string.h>

enum { FRONT = 10, ALIGNED = 64 };

void npy_write_header(uint32_t columns, uint32_t rows, struct buffer *out)
{
    char header[2 * ALIGNED] = "";
    const int length = snprintf(header, sizeof header,
                                "{'descr': '<f4', 'fortran_order': False, 'shape': (%u, %u), }",
                                (unsigned)rows, (unsigned)columns);
    const size_t padded = sizeof header - FRONT;
    memset(header + length, ' ', padded - (size_t)length - 1);
    header[padded - 1] = '\n';
    buffer_append(out, "\x93NUMPY\x01\x00", 8);
    buffer_little_endian(out, padded, 2);
    buffer_append(out, header, padded);
}
