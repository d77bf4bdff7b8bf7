#include "core/base/colour.h"

#include <string.h>

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool colour_parse(const char *text, uint32_t *colour)
{
    size_t length = text ? strlen(text) : 0;
    if ((length != 4 && length != 7) || text[0] != '#')
        return false;
    uint32_t value = 0;
    for (size_t i = 1; i < length; i++) {
        int digit = hex_digit(text[i]);
        if (digit < 0)
            return false;
        value = value << 4 | (uint32_t)digit;
        if (length == 4) /* #rgb: every digit is doubled */
            value = value << 4 | (uint32_t)digit;
    }
    *colour = value;
    return true;
}
