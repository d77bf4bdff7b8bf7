#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_check(bool holds, const char *file, int line, const char *condition)
{
    if (holds)
        return;
    fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
    abort();
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_expect(text != NULL);
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

void fuzz_expect_error(const struct error *error)
{
    char line[1024];
    fuzz_expect(error->code != ERROR_NONE);
    fuzz_expect(error->message[0] != '\0');
    fuzz_expect(error_format(error, line, sizeof line) > 0);
}
