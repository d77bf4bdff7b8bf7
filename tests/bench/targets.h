/* The requests of open_loop.c. */
#ifndef TERRANE_TESTS_BENCH_TARGETS_H
#define TERRANE_TESTS_BENCH_TARGETS_H

#include <stdbool.h>
#include <stdint.h>

enum { TARGETS_REQUEST_MAX = 4096 };

enum targets_kind { TARGETS_LISTED, TARGETS_COLD, TARGETS_HOSTILE };

struct targets {
    enum targets_kind kind;
    char **list; /* null behind the last */
    unsigned count, next;
    uint64_t random;
};

/* False if there is no such kind, or nothing to ask for. */
bool targets_begin(struct targets *targets, const char *kind, char **list);
/* Writes the next request, and says whether the client leaves without waiting for the answer. */
bool targets_next(struct targets *targets, char request[TARGETS_REQUEST_MAX]);

#endif
