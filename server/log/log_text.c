#include "server/log/log_text.h"

/* The length of the character at the start, 0 if that is no UTF-8 (Unicode, table 3-7). */
static size_t character_length(const uint8_t *bytes, size_t length, uint32_t *character)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    const uint8_t lead = bytes[0];
    const size_t size = lead < 0x80             ? 1
                        : (lead & 0xE0) == 0xC0 ? 2
                        : (lead & 0xF0) == 0xE0 ? 3
                        : (lead & 0xF8) == 0xF0 ? 4
                                                : 0;
    if (size == 0 || size > length)
        return 0;
    *character = size == 1 ? lead : lead & (0x7FU >> size);
    for (size_t i = 1; i < size; i++) {
        if ((bytes[i] & 0xC0) != 0x80)
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3FU);
    }
    const bool surrogate = *character >= 0xD800 && *character < 0xE000;
    return *character < least[size] || *character > 0x10FFFF || surrogate ? 0 : size;
}

/* Whether a character may be written unescaped: no control character (C0, C1), no line separator.
 */
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
            size = character_length(bytes, length, &character);
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
