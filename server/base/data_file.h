/* Files that are installed beside the program and too large, or too seldom there, to be embedded.
 */
#ifndef TERRANE_SERVER_BASE_DATA_FILE_H
#define TERRANE_SERVER_BASE_DATA_FILE_H

#include <stdbool.h>

#include "core/base/buffer.h"

/* Appends the content of a data file: of ../share/terrane/NAME seen from the folder of the running
 * program, as `make install` lays it out, or of ../wasm/NAME, as the build does. False, with the
 * content of `out` as it was, if neither can be read; out of memory, `out` has failed besides. */
bool data_file_read(const char *name, struct buffer *out);

#endif
