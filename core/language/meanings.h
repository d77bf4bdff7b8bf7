/* What other languages call things that formulas have under another name: for messages. */
#ifndef TERRANE_LANGUAGE_MEANINGS_H
#define TERRANE_LANGUAGE_MEANINGS_H

#include <stddef.h>

/* How a formula says what a word or a sign (not terminated) means elsewhere: "mix(a, b, t)" for
 * lerp; null if that is not known. Case does not matter. */
const char *meaning_find(const char *word, size_t length);

#endif
