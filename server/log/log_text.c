/* Runs of plain ASCII, which nearly all texts are, are copied at once. Everything else is looked at
 * character by character. */
#include "server/log/log_text.h"

#include "core/base/utf8.h"

/* True if a character may appear unescaped in a line: no control character (C0, DEL, C1), no quote
 * or backslash, no line or paragraph separator. */
static bool is_plain(uint32_t character)
{
    return character >= 0x20 && (character < 0x7F || character >= 0xA0) && character != '"' &&
           character != '\\' && character != 0x2028 && character != 0x2029;
}

/* The number of bytes at the start that both forms write unescaped. */
static size_t plain_length(const uint8_t *bytes, size_t length)
{
    size_t plain = 0;
    while (plain < length && bytes[plain] < 0x80 && is_plain(bytes[plain]))
        plain++;
    return plain;
}

void log_text_json(const char *text, size_t length, struct buffer *out)
{
    const uint8_t *bytes = (const uint8_t *)text;
    buffer_byte(out, '"');
    while (length > 0) {
        uint32_t character = 0;
        size_t size = plain_length(bytes, length);
        const bool ascii = size > 0;
        if (!ascii)
            size = utf8_decode((const char *)bytes, length, &character);
        if (ascii || (size > 0 && is_plain(character)))
            buffer_append(out, bytes, size);
        else if (size > 0)
            buffer_format(out, "\\u%04x", character);
        else
            buffer_text(out, "\\ufffd");
        size = size > 0 ? size : 1;
        bytes += size;
        length -= size;
    }
    buffer_byte(out, '"');
}

void log_text_ascii(const char *text, size_t length, struct buffer *out)
{
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t i = 0; i < length;) {
        const size_t plain = plain_length(bytes + i, length - i);
        if (plain > 0)
            buffer_append(out, bytes + i, plain);
        else
            buffer_format(out, "\\x%02X", bytes[i]);
        i += plain > 0 ? plain : 1;
    }
}
