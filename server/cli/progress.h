/* A progress bar on standard error for long work: only on a terminal, and only after half a second.
 */
#ifndef TERRANE_SERVER_CLI_PROGRESS_H
#define TERRANE_SERVER_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool wanted; /* standard error is a terminal */
    bool shown;
    int64_t begun, drawn; /* milliseconds of the monotonic clock */
};

void progress_begin(struct progress *progress);
void progress_show(struct progress *progress, uint64_t done, uint64_t total);
/* Erases the bar. */
void progress_end(struct progress *progress);

#endif
