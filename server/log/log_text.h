/* Untrusted texts as parts of a log line: whatever they contain, the line stays one line and its
 * fields stay apart. Pure. */
#ifndef TERRANE_SERVER_LOG_LOG_TEXT_H
#define TERRANE_SERVER_LOG_LOG_TEXT_H

#include "core/base/buffer.h"

/* Appends the text as a JSON string, quotes included. Quotes, backslashes, control characters and
 * line separators are escaped as \uHHHH, and bytes that are not UTF-8 become U+FFFD. */
void log_text_json(const char *text, size_t length, struct buffer *out);

/* Appends the text as printable ASCII without quotes: every other byte, and a backslash, becomes
 * \xHH. */
void log_text_ascii(const char *text, size_t length, struct buffer *out);

#endif
