/* UTF-8, as RFC 3629 has it: no surrogates, no longer forms than needed, up to U+10FFFF. */
#ifndef TERRANE_BASE_UTF8_H
#define TERRANE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

bool utf8_valid(const char *text, size_t length);

#endif
