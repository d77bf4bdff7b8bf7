/* A growable array of bytes. A failed allocation is remembered in `failed` and later appends do
 * nothing, so a writer checks for failure once, at the end. Not shared between threads. */
#ifndef TERRANE_BASE_BUFFER_H
#define TERRANE_BASE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer {
    uint8_t *data; /* owned; null while nothing was reserved */
    size_t length, capacity;
    bool failed;
};

/* A zeroed struct is an empty buffer. Frees the bytes and leaves it empty again. */
void buffer_free(struct buffer *buffer);
/* Sets the length to 0 and clears `failed`; keeps the memory. */
void buffer_clear(struct buffer *buffer);
/* Makes room for `extra` more bytes behind `length` and returns a pointer to it; null on failure.
 */
uint8_t *buffer_reserve(struct buffer *buffer, size_t extra);
void buffer_append(struct buffer *buffer, const void *bytes, size_t length);
void buffer_text(struct buffer *buffer, const char *text);
void buffer_byte(struct buffer *buffer, uint8_t byte);
/* The lowest `count` bytes of a number, the lowest first. */
void buffer_little_endian(struct buffer *buffer, uint64_t number, unsigned count);
/* printf into the buffer. No %f, %e or %g: they follow the locale; see number.h. */
void buffer_format(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A terminating zero behind the content, not counted in `length`; "" if it failed. */
const char *buffer_string(struct buffer *buffer);

#endif
