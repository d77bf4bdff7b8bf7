/* A pin is a letter for its kind, one digit for the generation that computed it, a dash, and the
 * digits of a hash. Pins of generations that are still to come have the form of a pin, so that an
 * old server says "changed" of them and not "malformed". */
#include "server/worlds/pin.h"

#include <string.h>

#include "core/tile/style.h"

enum { PREFIX = 3 }; /* bytes of "g1-" */

static const struct {
    char letter;
    size_t length;
    const char *form;
} kinds[] = {
    [PIN_WORLD] = {'g', WORLD_FINGERPRINT_TEXT - 1, "g1- and 32 digits of 0-9a-f"},
    [PIN_STYLE] = {'s', STYLE_FINGERPRINT_TEXT - 1, "s1- and 16 digits of 0-9a-f"},
    [PIN_MATERIALS] = {'m', MATERIALS_FINGERPRINT_TEXT - 1, "m1- and 16 digits of 0-9a-f"},
};

bool pin_begins(enum pin_kind kind, const char *text)
{
    return text[0] == kinds[kind].letter && text[1] >= '1' && text[1] <= '9' && text[2] == '-';
}

bool pin_is_valid(enum pin_kind kind, const char *text, size_t length)
{
    return length == kinds[kind].length && pin_begins(kind, text) &&
           PREFIX + strspn(text + PREFIX, "0123456789abcdef") >= length;
}

const char *pin_form(enum pin_kind kind)
{
    return kinds[kind].form;
}
