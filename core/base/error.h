/* What went wrong, where, and what would be allowed: one value for the whole project.
 *
 * Functions that can fail return bool (or a pointer) and fill a `struct error` the caller owns.
 * Nothing in it points anywhere, so it can be copied, kept and passed between threads freely. */
#ifndef TERRANE_BASE_ERROR_H
#define TERRANE_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum error_code {
    ERROR_NONE = 0,
    ERROR_SYNTAX,  /* text that does not parse */
    ERROR_VALUE,   /* parses, but is not an allowed value */
    ERROR_UNKNOWN, /* a name nobody knows */
    ERROR_LIMIT,   /* too large, too deep, too costly */
    ERROR_MEMORY,  /* an allocation failed */
    ERROR_IO,      /* a file or socket said no */
};

struct error {
    enum error_code code;
    uint32_t line;   /* in the file's text, from 1; 0 if it does not apply */
    uint32_t column; /* in that line, or inside the formula `path` names, from 1; 0 likewise */
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

/* Name the place, for a function that knows it better than the one that failed. Each fills only
 * what is still empty, so the innermost wins. All return false. */
bool error_in_file(struct error *error, const char *file);
bool error_in_path(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes "file: path: line L: column C: message" (what is empty is left out) as one line without a
 * newline, always terminated. Returns the length it would have had, like snprintf. */
size_t error_format(const struct error *error, char *out, size_t size);

/* The candidate nearest to `name` by edit distance, for "did you mean"; null if none is near
 * (more than a third of the name's length away, and more than 2). `candidates[i]` may be null and
 * is skipped. Names longer than 63 bytes are never near. */
const char *error_suggest(const char *name, const char *const *candidates, size_t count);

#endif
