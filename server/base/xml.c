/* Escaping for XML. Numeric references are used for all five special characters, as they are valid
 * in content and attributes alike; a carriage return is escaped too, since XML parsers turn it into
 * a line feed. The text must be valid UTF-8. */
#include "server/base/xml.h"

#include <string.h>

static const char replacement[] = "\xEF\xBF\xBD";

/* The length of the character at `text` if XML 1.0 does not allow it, else 0. */
static size_t invalid_xml_char(const char *text)
{
    unsigned char byte = (unsigned char)text[0];
    if (byte < 0x20)
        return byte != '\t' && byte != '\n' && byte != '\r';
    return strncmp(text, "\xEF\xBF\xBE", 3) == 0 || strncmp(text, "\xEF\xBF\xBF", 3) == 0 ? 3 : 0;
}

void xml_text(struct buffer *out, const char *text)
{
    while (*text) {
        size_t length = invalid_xml_char(text);
        if (length > 0)
            buffer_text(out, replacement);
        else if (strchr("&<>\"'\r", *text))
            buffer_format(out, "&#%d;", *text);
        else
            buffer_byte(out, (uint8_t)*text);
        text += length > 0 ? length : 1;
    }
}

void xml_element(struct buffer *out, const char *name, const char *text)
{
    buffer_format(out, "<%s>", name);
    xml_text(out, text);
    buffer_format(out, "</%s>", name);
}
