/* A progress bar on standard error for long work: only on a terminal, and only after half a second.
 * Work that may take hours also has a line every ten seconds where there is no terminal. */
#ifndef TERRANE_SERVER_BASE_PROGRESS_H
#define TERRANE_SERVER_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool wanted; /* standard error is a terminal */
    bool shown;
    int64_t begun, drawn; /* milliseconds of the monotonic clock */
    /* Of progress_step(): */
    uint64_t first;               /* what was done at its first call, + 1 */
    const char *unit;             /* "tiles" */
    const char *phase;            /* "finishing": told where the work has no bytes */
    bool (*is_interrupted)(void); /* null for work that nothing interrupts */
};

void progress_begin(struct progress *progress);
void progress_show(struct progress *progress, uint64_t done, uint64_t total);
/* Begins a part of the work, whose rate and time are its own. What interrupts the work stays. */
void progress_begin_phase(struct progress *progress, const char *unit, const char *phase);
/* Shows how far the phase is, with a rate in units a second, and the bytes that were written or,
 * without any, the name of the phase. False if the work is to end, which is no error. Null is
 * allowed, for work that shows nothing. */
bool progress_step(struct progress *progress, uint64_t done, uint64_t total, uint64_t bytes);
/* Erases the bar. */
void progress_end(struct progress *progress);

#endif
