/* The error value of the whole project: what is wrong, where, and what would be allowed.
 *
 * Functions that can fail return bool (or a pointer) and fill a `struct error` that the caller
 * owns. It contains no pointers, so it can be copied, kept and passed between threads freely. */
#ifndef TERRANE_BASE_ERROR_H
#define TERRANE_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum error_code {
    ERROR_NONE = 0,
    ERROR_SYNTAX,    /* text that does not parse */
    ERROR_VALUE,     /* parses, but is not an allowed value */
    ERROR_UNKNOWN,   /* a name that is not defined */
    ERROR_LIMIT,     /* too large, too deep, too expensive */
    ERROR_MEMORY,    /* an allocation failed */
    ERROR_WORK,      /* it would take more work than the caller allows: work_meter.h */
    ERROR_CANCELLED, /* the caller does not want the result any more */
    ERROR_WORLD,     /* a world's file leads to what cannot be computed, as shows while it is */
    ERROR_IO,        /* an operation on a file or socket failed */
};

struct error {
    enum error_code code;
    uint32_t line;   /* in the text of the file, from 1; 0 if it does not apply */
    uint32_t column; /* in that line, or in the formula that `path` names, from 1; 0 as above */
    char file[160];  /* the file's name, or "" */
    char path[128];  /* JSON path: "layers.height.formula", or "" */
    char message[320];
};

/* Fills `error` (file, path and position are cleared) and returns false, so that a caller can
 * write `return error_set(...)`. A null `error` is allowed; longer texts are cut at a character. */
bool error_set(struct error *error, enum error_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* error_set() for an allocation that failed. */
bool error_memory(struct error *error);
/* The same for functions that return a pointer: null. */
void *error_memory_null(struct error *error);

/* Add the place, for a caller that knows it when the function that failed does not. Each fills its
 * member only if it is still empty, so the innermost caller decides. Both return false. */
bool error_in_file(struct error *error, const char *file);
bool error_in_path(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes "file:L:C: path: message", as compilers do, as one terminated line without a newline, and
 * without the parts that are empty. Without a file, line or column it is "file: path: line L:
 * column C: message". Returns the length of the whole line, like snprintf. */
size_t error_format(const struct error *error, char *out, size_t size);

/* The candidate nearest to `name` by edit distance, for "did you mean"; null if all are farther
 * away than 2 and than a third of the length of `name`. Null candidates are skipped, and names
 * longer than 63 bytes have no distance. */
const char *error_suggest(const char *name, const char *const *candidates, size_t count);

/* Sets ERROR_UNKNOWN: unknown WHAT "NAME", and the candidate that error_suggest() finds. */
bool error_unknown(struct error *error, const char *what, const char *name,
                   const char *const *candidates, size_t count);

#endif
