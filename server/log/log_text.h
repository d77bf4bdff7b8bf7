/* Texts that others wrote, as parts of a line in a log: whatever they hold, the line stays one and
 * its fields stay apart. Pure. */
#ifndef TERRANE_SERVER_LOG_LOG_TEXT_H
#define TERRANE_SERVER_LOG_LOG_TEXT_H

#include "core/base/buffer.h"

/* As a JSON string, quotes included. Quotes, backslashes, control characters and separators of
 * lines are escaped as \uHHHH, and bytes that are no UTF-8 become U+FFFD. */
void log_text_json(const char *text, size_t length, struct buffer *out);

/* As printable ASCII without quotes: all else becomes \xHH, a backslash too. */
void log_text_ascii(const char *text, size_t length, struct buffer *out);

#endif
