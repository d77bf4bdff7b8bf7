#include "tests/bench/land/words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/bench/measure.h"

const char *land_word_number(const char *text, char end, const int64_t bounds[2], int64_t *number)
{
    char *rest;
    errno = 0;
    const long long value = strtoll(text, &rest, 10);
    if (rest == text || *rest != end || errno || value < bounds[0] || value > bounds[1]) {
        char why[120];
        snprintf(why, sizeof why, "must be a whole number from %lld to %lld", (long long)bounds[0],
                 (long long)bounds[1]);
        measure_stop(text, why);
    }
    *number = value;
    return rest + 1;
}

int64_t land_word(const char *word, int64_t low, int64_t high)
{
    int64_t number;
    land_word_number(word, '\0', (const int64_t[]){low, high}, &number);
    return number;
}
