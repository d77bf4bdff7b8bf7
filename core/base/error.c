/* Messages are cut to fixed buffers, so an error needs no memory and can report that there is none.
 * They quote file contents, requests and names that anyone may have written, and end up in
 * terminals and logs: each stays one line of well-formed UTF-8 without control characters. */
#include "core/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/utf8.h"

enum { SUGGEST_NAME_MAX = 63 };

/* Replaces control characters, and bytes that are no characters: "%.40s" may cut a quoted text
 * within one. */
static void clean_text(char *text)
{
    const char *const end = text + strlen(text);
    for (size_t length; text < end; text += length) {
        uint32_t character;
        length = utf8_decode(text, (size_t)(end - text), &character);
        if (length == 0 || character < 0x20 || character == 0x7F) {
            *text = '?';
            length = 1;
        }
    }
}

/* vsnprintf into one line of whole characters: line breaks and terminal sequences in quoted text
 * become question marks. */
static void write_text(char *out, size_t size, const char *format, va_list arguments)
{
    int wanted = vsnprintf(out, size, format, arguments);
    if (wanted < 0)
        out[0] = '\0';
    else if ((size_t)wanted >= size)
        out[utf8_trim(out, size - 1)] = '\0';
    clean_text(out);
}

bool error_set(struct error *error, enum error_code code, const char *format, ...)
{
    if (!error)
        return false;
    /* Written to a copy first: an argument may point into the error itself. */
    char message[sizeof error->message];
    va_list arguments;
    va_start(arguments, format);
    write_text(message, sizeof message, format, arguments);
    va_end(arguments);
    *error = (struct error){.code = code};
    memcpy(error->message, message, sizeof message);
    return false;
}

bool error_memory(struct error *error)
{
    return error_set(error, ERROR_MEMORY, "out of memory");
}

void *error_memory_null(struct error *error)
{
    error_memory(error);
    return NULL;
}

static void fill_text(char *out, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void fill_text(char *out, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_text(out, size, format, arguments);
    va_end(arguments);
}

bool error_in_file(struct error *error, const char *file)
{
    if (error && file && !error->file[0])
        fill_text(error->file, sizeof error->file, "%s", file);
    return false;
}

bool error_in_path(struct error *error, const char *format, ...)
{
    if (!error || error->path[0])
        return false;
    va_list arguments;
    va_start(arguments, format);
    write_text(error->path, sizeof error->path, format, arguments);
    va_end(arguments);
    return false;
}

/* The parts behind the file, with the line and column where the file is not followed by them. */
static int format_message(const struct error *error, bool placed, char *out, size_t size)
{
    char line[32] = "", column[32] = "";
    if (error->line && !placed)
        fill_text(line, sizeof line, "line %u: ", (unsigned)error->line);
    if (error->column && !placed)
        fill_text(column, sizeof column, "column %u: ", (unsigned)error->column);
    return snprintf(out, size, "%s%s%s%s%s", error->path, error->path[0] ? ": " : "", line, column,
                    error->message);
}

size_t error_format(const struct error *error, char *out, size_t size)
{
    const bool placed = error->file[0] && error->line && error->column;
    char file[sizeof error->file + 32] = "";
    if (placed)
        fill_text(file, sizeof file, "%s:%u:%u: ", error->file, (unsigned)error->line,
                  (unsigned)error->column);
    else if (error->file[0])
        fill_text(file, sizeof file, "%s: ", error->file);
    char message[sizeof error->path + sizeof error->message + 64];
    const int wanted = format_message(error, placed, message, sizeof message);
    const int written = snprintf(out, size, "%s%s", file, message);
    return wanted < 0 || written < 0 ? 0 : (size_t)written;
}

/* The Levenshtein distance of two texts of at most SUGGEST_NAME_MAX bytes, one row of the matrix at
 * a time. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t row[SUGGEST_NAME_MAX + 1];
    size_t width = strlen(b);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 0; a[i]; i++) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            size_t replaced = diagonal + (a[i] != b[j]);
            size_t added = (row[j] < row[j + 1] ? row[j] : row[j + 1]) + 1;
            diagonal = row[j + 1];
            row[j + 1] = replaced < added ? replaced : added;
        }
    }
    return row[width];
}

const char *error_suggest(const char *name, const char *const *candidates, size_t count)
{
    size_t length = name ? strlen(name) : 0;
    if (length == 0 || length > SUGGEST_NAME_MAX)
        return NULL;
    size_t allowed = length / 3 > 2 ? length / 3 : 2;
    size_t best = allowed + 1;
    const char *nearest = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t other = candidates[i] ? strlen(candidates[i]) : 0;
        if (other == 0 || other > SUGGEST_NAME_MAX)
            continue;
        size_t distance = edit_distance(name, candidates[i]);
        /* A distance of the whole length means that no letter is shared: no suggestion. */
        if (distance < best && distance < (length > other ? length : other)) {
            best = distance;
            nearest = candidates[i];
        }
    }
    return nearest;
}

bool error_unknown(struct error *error, const char *what, const char *name,
                   const char *const *candidates, size_t count)
{
    const char *near = error_suggest(name, candidates, count);
    return near ? error_set(error, ERROR_UNKNOWN, "unknown %s \"%s\" (did you mean \"%s\"?)", what,
                            name, near)
                : error_set(error, ERROR_UNKNOWN, "unknown %s \"%s\"", what, name);
}
