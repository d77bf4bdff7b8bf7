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
    uint64_t first;       /* what was done at the beginning of progress_show_with(), + 1 */
};

void progress_begin(struct progress *progress);
void progress_show(struct progress *progress, uint64_t done, uint64_t total);
/* The same with a rate in units a second and a text at the end. */
void progress_show_with(struct progress *progress, uint64_t done, uint64_t total, const char *unit,
                        const char *text);
/* Begins another part of the work, of which so much is done: rate and time are its own. */
void progress_restart(struct progress *progress, uint64_t done);
/* Erases the bar. */
void progress_end(struct progress *progress);

#endif
