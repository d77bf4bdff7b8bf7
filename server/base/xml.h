/* Text inside XML documents. */
#ifndef TERRANE_SERVER_BASE_XML_H
#define TERRANE_SERVER_BASE_XML_H

#include "core/base/buffer.h"

/* Appends UTF-8 text, escaped for element content and for attribute values in either kind of
 * quotes. Characters that XML 1.0 does not allow (control characters, U+FFFE, U+FFFF) become
 * U+FFFD. */
void xml_text(struct buffer *out, const char *text);

/* Appends <name>text</name>. */
void xml_element(struct buffer *out, const char *name, const char *text);

#endif
