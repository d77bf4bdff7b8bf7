/* An output file that appears only when it is complete: it is written under a temporary name in the
 * same folder and renamed at the end, in place of a regular file of that name; a signal that ends
 * the program removes it. One at a time. A target that is no regular file (a symbolic link, a
 * device, a pipe) is written to directly. */
#ifndef TERRANE_SERVER_BASE_OUTPUT_H
#define TERRANE_SERVER_BASE_OUTPUT_H

#include <stdio.h>

#include "core/base/error.h"

struct output {
    FILE *stream;
    char *path;      /* null for standard output */
    char *temporary; /* null if the stream writes to `path` itself */
};

/* "-" is standard output, like /dev/stdout. */
bool output_open(struct output *output, const char *path, struct error *error);
bool output_write(struct output *output, const void *bytes, size_t length, struct error *error);
/* Renames the file to its path if `complete`, otherwise removes it. Must be called once after
 * output_open() has succeeded. False if a write failed. */
bool output_close(struct output *output, bool complete, struct error *error);

#endif
