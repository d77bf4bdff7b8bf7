#include "core/base/colour.h"

#include <stdlib.h>
#include <string.h>

bool colour_parse(const char *text, uint32_t *colour)
{
    if (!text || text[0] != '#')
        return false;
    const size_t digits = strspn(text + 1, "0123456789abcdefABCDEF");
    if ((digits != 3 && digits != 6) || text[1 + digits])
        return false;
    const uint32_t value = (uint32_t)strtoul(text + 1, NULL, 16);
    /* #rgb: every digit is doubled */
    *colour =
        digits == 6 ? value : 0x11 * ((value & 0xF00) << 8 | (value & 0xF0) << 4 | (value & 0xF));
    return true;
}
