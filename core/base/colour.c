/* Both forms are read digit by digit. In "#rgb" each digit stands for two equal ones, as in CSS. */
#include "core/base/colour.h"

#include <string.h>

bool colour_parse(const char *text, uint32_t *colour)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    size_t length = text ? strlen(text) : 0;
    if ((length != 4 && length != 7) || text[0] != '#')
        return false;
    uint32_t value = 0;
    for (size_t i = 1; i < length; i++) {
        const char *digit = strchr(digits, text[i]);
        if (!digit)
            return false;
        value = value << 4 | (uint32_t)(digit - digits) % 16;
        if (length == 4) /* #rgb: every digit is doubled */
            value = value << 4 | (uint32_t)(digit - digits) % 16;
    }
    *colour = value;
    return true;
}
