/* Divides bytes into literals and runs of zeros, for deflate_literals.h. */
#ifndef TERRANE_ENCODE_ZERO_RUNS_H
#define TERRANE_ENCODE_ZERO_RUNS_H

#include <stddef.h>
#include <stdint.h>

/* Shorter runs take about as many bits as literals do. */
enum { ZERO_RUN_MIN = 12 };

/* Writes lengths of literals and of zeros in turn, and returns how many pairs there are. What
 * follows the last run of zeros is literals again.
 *
 * The last literal before a run is a zero as well. All runs of at least ZERO_RUN_MIN + 3 zeros
 * behind it are found, and of those with at least ZERO_RUN_MIN, the ones that hold eight zeros at a
 * multiple of eight. There must be room for length / 8 + 2 numbers; at most 2³² − 1 bytes. */
size_t zero_runs_find(const uint8_t *bytes, size_t length, uint32_t *lengths);

#endif
