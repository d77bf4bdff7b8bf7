/* Divides bytes into literals and runs of zeros, for deflate_literals.h. */
#ifndef TERRANE_ENCODE_ZERO_RUNS_H
#define TERRANE_ENCODE_ZERO_RUNS_H

#include <stddef.h>
#include <stdint.h>

/* Matches of shorter runs take hardly fewer bits than literals, and more time. */
enum { ZERO_RUN_MIN = 16 };

/* Finds all runs of more than ZERO_RUN_MIN zeros. Writes lengths of literals and of zeros in turn,
 * and returns how many pairs there are; what follows the last one is literals again. The first zero
 * of a run counts among the literals before it, for matches to refer to. There must be room for
 * length / 8 + 2 numbers; at most 2³² − 1 bytes. */
size_t zero_runs_find(const uint8_t *bytes, size_t length, uint32_t *lengths);

#endif
