/* Text inside XML documents. */
#ifndef TERRANE_SERVER_BASE_XML_H
#define TERRANE_SERVER_BASE_XML_H

#include "core/base/buffer.h"

/* Appends UTF-8 so that it stands for itself as content and between quotes of either kind. What XML
 * 1.0 cannot say at all, control characters and U+FFFE and U+FFFF, becomes U+FFFD. */
void xml_text(struct buffer *out, const char *text);

/* Appends <name>text</name>. */
void xml_element(struct buffer *out, const char *name, const char *text);

#endif
