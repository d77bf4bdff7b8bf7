#include "core/base/utf8.h"

#include <stdint.h>

/* What the second byte may be decides over longer forms, surrogates and the end of Unicode. */
static const struct {
    uint8_t lead_low, lead_high, second_low, second_high, more; /* `more` bytes behind the lead */
} forms[] = {
    {0xC2, 0xDF, 0x80, 0xBF, 1}, {0xE0, 0xE0, 0xA0, 0xBF, 2}, {0xE1, 0xEC, 0x80, 0xBF, 2},
    {0xED, 0xED, 0x80, 0x9F, 2}, {0xEE, 0xEF, 0x80, 0xBF, 2}, {0xF0, 0xF0, 0x90, 0xBF, 3},
    {0xF1, 0xF3, 0x80, 0xBF, 3}, {0xF4, 0xF4, 0x80, 0x8F, 3},
};

/* Bytes of the character at `bytes`, 0 if there is none. */
static size_t character_length(const uint8_t *bytes, size_t left)
{
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (bytes[0] < forms[i].lead_low || bytes[0] > forms[i].lead_high)
            continue;
        if (left <= forms[i].more || bytes[1] < forms[i].second_low ||
            bytes[1] > forms[i].second_high)
            return 0;
        for (size_t k = 2; k <= forms[i].more; k++)
            if ((bytes[k] & 0xC0) != 0x80)
                return 0;
        return (size_t)forms[i].more + 1;
    }
    return 0;
}

bool utf8_valid(const char *text, size_t length)
{
    const uint8_t *bytes = (const uint8_t *)text;
    for (size_t at = 0; at < length;) {
        size_t size = bytes[at] < 0x80 ? 1 : character_length(bytes + at, length - at);
        if (size == 0)
            return false;
        at += size;
    }
    return true;
}
