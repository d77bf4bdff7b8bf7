/* Divides bytes into literals and runs of zeros, for deflate_literals.h. */
#ifndef TERRANE_ENCODE_ZERO_RUNS_H
#define TERRANE_ENCODE_ZERO_RUNS_H

#include <stddef.h>
#include <stdint.h>

/* Shorter runs take about as many bits as literals, and each run costs some ten nanoseconds. */
enum { ZERO_RUN_MIN = 12 };

/* `literals` bytes, and then `zeros` bytes that are 0. */
struct zero_run {
    uint32_t literals; /* at least 1, and the last one is 0 as well */
    uint32_t zeros;    /* at least ZERO_RUN_MIN */
};

/* Writes the runs of at least ZERO_RUN_MIN + 3 zeros, and of shorter ones those of at least
 * ZERO_RUN_MIN + 1 that hold one of the words of eight bytes that are looked at. Returns their
 * number, at most length / ZERO_RUN_MIN. What follows the last of them is literals. At most
 * 2³² − 1 bytes. */
size_t zero_runs_find(const uint8_t *bytes, size_t length, struct zero_run *runs);

#endif
