/* Numbers among the words of a command line. */
#ifndef TERRANE_BENCH_LAND_WORDS_H
#define TERRANE_BENCH_LAND_WORDS_H

#include <stdint.h>

/* A whole number from low to high, up to the character `end`; returns what is behind it. Ends the
 * program with a message if it is none. */
const char *land_word_number(const char *text, char end, const int64_t bounds[2], int64_t *number);
/* A word that is such a number. */
int64_t land_word(const char *word, int64_t low, int64_t high);

#endif
