/* Shared by the fuzz targets. Each fuzz_NAME.c is one libFuzzer program; its first inputs are the
 * files of corpus/NAME/, and NAME.dict, if there is one, has words worth trying. Inputs that once
 * broke something stay in the corpus. */
#ifndef TERRANE_FUZZ_FUZZ_H
#define TERRANE_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/error.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with the place and the text of a condition that does not hold. */
#define fuzz_expect(condition) fuzz_check((condition), __FILE__, __LINE__, #condition)
void fuzz_check(bool holds, const char *file, int line, const char *condition);

/* A terminated copy, to be freed; its size is exact, so that reading beyond it is noticed. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Checks that a failure has a code and a message. */
void fuzz_expect_error(const struct error *error);

#endif
