/* The header is the text of a Python dictionary, which readers evaluate as a literal, behind eight
 * bytes of magic and version and a length of two bytes. Spaces fill it up so that the samples begin
 * at a multiple of 64 bytes, and can be mapped into memory. */
#include "core/encode/npy.h"

#include <inttypes.h>

enum { ALIGNMENT = 64, PREFIX = 10 };

void npy_write_header(const uint64_t *shape, unsigned axes, struct buffer *out)
{
    struct buffer text = {0};
    buffer_text(&text, "{'descr': '<f4', 'fortran_order': False, 'shape': (");
    for (unsigned i = 0; i < axes; i++)
        buffer_format(&text, "%" PRIu64 "%s", shape[i], axes == 1 ? "," : i + 1 < axes ? ", " : "");
    buffer_text(&text, "), }");
    while ((PREFIX + text.length + 1) % ALIGNMENT != 0 && !text.failed)
        buffer_byte(&text, ' ');
    buffer_byte(&text, '\n');
    buffer_text(out, "\x93NUMPY\x01");
    buffer_byte(out, 0);
    buffer_little_endian(out, text.length, 2);
    buffer_append(out, text.data, text.length);
    out->failed = out->failed || text.failed;
    buffer_free(&text);
}
