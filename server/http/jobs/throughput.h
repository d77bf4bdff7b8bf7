/* How fast work is done, from what was done in the last seconds, and so how long what waits will
 * take.
 *
 * Pure: durations are handed in. A struct is one thread's; others may be told its rate. */
#ifndef TERRANE_SERVER_HTTP_JOBS_THROUGHPUT_H
#define TERRANE_SERVER_HTTP_JOBS_THROUGHPUT_H

#include <stdint.h>

enum {
    THROUGHPUT_WINDOW = 4000000, /* microseconds of work that are remembered, about */
    THROUGHPUT_RETRY_MAX = 60,   /* seconds */
};
/* What is assumed before anything was done: octave-samples a second. */
#define THROUGHPUT_UNKNOWN ((uint64_t)1000000000)

/* Zeroed at first. */
struct throughput {
    uint64_t cost; /* octave-samples: see server/render/cost.h */
    uint64_t busy; /* microseconds that they took */
};

/* Once more than the window is remembered, everything counts half from then on. */
void throughput_add(struct throughput *throughput, uint64_t cost, uint64_t microseconds);
/* Octave-samples a second, at least 1. */
uint64_t throughput_rate(const struct throughput *throughput);
/* Seconds until so much is done at that rate: 1 … THROUGHPUT_RETRY_MAX, rounded up. */
unsigned throughput_retry_after(uint64_t cost, uint64_t rate);

#endif
