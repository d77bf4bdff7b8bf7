/* What storm.c asks for. */
#ifndef TERRANE_BENCH_STORM_H
#define TERRANE_BENCH_STORM_H

#include <stdbool.h>
#include <stdint.h>

enum { STORM_REQUEST_MAX = 4096 };

enum storm_kind { STORM_TARGETS, STORM_COLD, STORM_HOSTILE };

struct targets {
    enum storm_kind kind;
    char **list; /* null behind the last */
    unsigned count, next;
    uint64_t random;
};

/* False if there is no such kind, or nothing to ask for. */
bool targets_begin(struct targets *targets, const char *kind, char **list);
/* Writes the next request, and says whether the client leaves without waiting for the answer. */
bool targets_next(struct targets *targets, char request[STORM_REQUEST_MAX]);

#endif
