/* Reading a user's file as a whole, with a limit on its size. */
#ifndef TERRANE_SERVER_BASE_FILE_H
#define TERRANE_SERVER_BASE_FILE_H

#include "core/base/buffer.h"
#include "core/base/error.h"

/* Appends the file's content to `out`. False, with the file named, if it cannot be read, is no
 * regular file, or has more than `limit` bytes (ERROR_LIMIT). */
bool file_read(const char *path, size_t limit, struct buffer *out, struct error *error);

/* The base name without its extension (".json"), cut to `size` - 1 bytes, terminated. */
void file_stem(const char *path, char *out, size_t size);

#endif
