/* Capacity doubles, so appending n bytes one by one moves at most 2n. A buffer that failed stays
 * failed until it is cleared, and keeps what it held; no append after the failure succeeds, so the
 * content never has a hole. */
#include "core/base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER_FIRST = 256 };

void buffer_free(struct buffer *buffer)
{
    free(buffer->data);
    *buffer = (struct buffer){0};
}

void buffer_clear(struct buffer *buffer)
{
    buffer->length = 0;
    buffer->failed = false;
}

uint8_t *buffer_reserve(struct buffer *buffer, size_t extra)
{
    if (buffer->failed || extra > SIZE_MAX / 2 - buffer->length) {
        buffer->failed = true;
        return NULL;
    }
    size_t needed = buffer->length + extra;
    if (!buffer->data || needed > buffer->capacity) {
        size_t capacity = buffer->capacity ? buffer->capacity * 2 : BUFFER_FIRST;
        if (capacity < needed)
            capacity = needed;
        uint8_t *data = realloc(buffer->data, capacity);
        if (!data) {
            buffer->failed = true;
            return NULL;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    return buffer->data + buffer->length;
}

void buffer_append(struct buffer *buffer, const void *bytes, size_t length)
{
    uint8_t *end = buffer_reserve(buffer, length);
    if (!end || length == 0)
        return;
    memcpy(end, bytes, length);
    buffer->length += length;
}

void buffer_text(struct buffer *buffer, const char *text)
{
    buffer_append(buffer, text, strlen(text));
}

void buffer_byte(struct buffer *buffer, uint8_t byte)
{
    buffer_append(buffer, &byte, 1);
}

void buffer_little_endian(struct buffer *buffer, uint64_t number, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        buffer_byte(buffer, (uint8_t)(number >> 8 * i));
}

void buffer_format(struct buffer *buffer, const char *format, ...)
{
    va_list arguments, arguments_copy;
    va_start(arguments, format);
    va_copy(arguments_copy, arguments);
    int wanted = vsnprintf(NULL, 0, format, arguments);
    /* One more byte: vsnprintf always writes its zero. */
    uint8_t *end = wanted < 0 ? NULL : buffer_reserve(buffer, (size_t)wanted + 1);
    if (end) {
        vsnprintf((char *)end, (size_t)wanted + 1, format, arguments_copy);
        buffer->length += (size_t)wanted;
    } else {
        buffer->failed = true;
    }
    va_end(arguments_copy);
    va_end(arguments);
}

const char *buffer_string(struct buffer *buffer)
{
    uint8_t *end = buffer_reserve(buffer, 1);
    if (!end)
        return "";
    *end = '\0';
    return (const char *)buffer->data;
}
