/* UTF-8 as RFC 3629 defines it: shortest forms only, no surrogates, nothing above U+10FFFF. This is
 * the only decoder of the project. */
#ifndef TERRANE_BASE_UTF8_H
#define TERRANE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length in bytes, 1 to 4, of the character at the start of `text`, whose code point goes to
 * *character; 0 if the first bytes are not well-formed. `length` must be at least 1. */
size_t utf8_decode(const char *text, size_t length, uint32_t *character);

/* True if the whole text is well-formed. Zero bytes are characters like any other. */
bool utf8_valid(const char *text, size_t length);

/* The characters of a well-formed text. */
size_t utf8_count(const char *text, size_t length);

/* The length of the longest prefix of at most `limit` bytes that cuts no character of a well-formed
 * text. */
size_t utf8_cut(const char *text, size_t length, size_t limit);

/* The length, without an incomplete character at the end, of a text that was cut somewhere in its
 * last character. */
size_t utf8_trim(const char *text, size_t length);

#endif
