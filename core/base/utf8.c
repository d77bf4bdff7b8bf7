/* The decoder is a table of the well-formed sequences. All other functions use it, or look for
 * continuation bytes, of which a well-formed text has all but the first of each character. */
#include "core/base/utf8.h"

/* The well-formed sequences by their first byte (Unicode, table 3-7). The range of the second byte
 * is what excludes overlong forms, surrogates and everything above U+10FFFF; all further bytes are
 * 80 to BF. */
static const struct {
    uint8_t lead_low, lead_high, second_low, second_high, length;
} forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3}, {0xE1, 0xEC, 0x80, 0xBF, 3},
    {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3}, {0xF0, 0xF0, 0x90, 0xBF, 4},
    {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
};

static bool is_continuation(char byte)
{
    return ((uint8_t)byte & 0xC0) == 0x80;
}

size_t utf8_decode(const char *text, size_t length, uint32_t *character)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t form = 0;
    *character = bytes[0];
    if (bytes[0] < 0x80)
        return 1;
    while (form < sizeof forms / sizeof *forms && bytes[0] > forms[form].lead_high)
        form++;
    if (form == sizeof forms / sizeof *forms || bytes[0] < forms[form].lead_low ||
        length < forms[form].length || bytes[1] < forms[form].second_low ||
        bytes[1] > forms[form].second_high)
        return 0;
    *character &= 0x7Fu >> forms[form].length;
    for (size_t i = 1; i < forms[form].length; i++) {
        if (!is_continuation(text[i]))
            return 0;
        *character = *character << 6 | (bytes[i] & 0x3Fu);
    }
    return forms[form].length;
}

bool utf8_valid(const char *text, size_t length)
{
    uint32_t character;
    for (size_t at = 0, size; at < length; at += size)
        if ((size = utf8_decode(text + at, length - at, &character)) == 0)
            return false;
    return true;
}

size_t utf8_count(const char *text, size_t length)
{
    size_t count = 0;
    for (size_t i = 0; i < length; i++)
        count += !is_continuation(text[i]);
    return count;
}

size_t utf8_cut(const char *text, size_t length, size_t limit)
{
    if (length <= limit)
        return length;
    while (limit > 0 && is_continuation(text[limit]))
        limit--;
    return limit;
}

size_t utf8_trim(const char *text, size_t length)
{
    uint32_t character;
    size_t last = length; /* behind the first byte of the last character */
    while (last > 0 && length - last < 3 && is_continuation(text[last - 1]))
        last--;
    if (last > 0 && utf8_decode(text + last - 1, length - last + 1, &character) == 0)
        return last - 1;
    return length;
}
