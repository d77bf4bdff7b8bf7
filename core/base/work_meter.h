/* The work that a computation does, counted while it is done, and the limit at which it stops.
 *
 * Whoever computes adds what each step costs, in nanoseconds of one core of the machine of
 * tests/bench/README.md: estimates that are the same on every machine and in every build, and no
 * clock. So a computation that begins with nothing kept from an earlier one stops at the same step
 * everywhere. Whoever asks for the computation sets the limit, and may give a function that is
 * asked now and then whether it shall go on: that one may look at a clock.
 *
 * A computation that must stop returns false, as if memory were out, and work_fail() says why.
 *
 * A meter is one thread's at a time. */
#ifndef TERRANE_BASE_WORK_METER_H
#define TERRANE_BASE_WORK_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/error.h"

enum work_verdict {
    WORK_GO_ON,
    WORK_TOO_MUCH, /* more than the caller allows */
    WORK_CANCELLED /* the result is not wanted any more */
};

#define WORK_UNLIMITED UINT64_MAX

struct work_limit {
    uint64_t most; /* nanoseconds, or WORK_UNLIMITED */
    /* Asked about every WORK_BETWEEN_QUESTIONS of work; null: nobody is asked. */
    enum work_verdict (*ask)(void *context);
    void *context;
};

/* Some tenths of a millisecond: what asking costs does not show, and what is cancelled ends soon.
 */
enum { WORK_BETWEEN_QUESTIONS = 200000 };

/* Zeroed, it allows nothing: work_begin() comes first. */
struct work_meter {
    uint64_t done;
    uint64_t next; /* the count at which to look again: 0 once it has stopped */
    struct work_limit limit;
    enum work_verdict verdict;
};

/* Counts from 0 again. */
void work_begin(struct work_meter *meter, const struct work_limit *limit);

/* True if the computation may go on. For work_add() alone. */
bool work_review(struct work_meter *meter);

/* Adds work that was done, or is about to be. False if the computation must stop: then it is false
 * until the next work_begin(). */
static inline bool work_add(struct work_meter *meter, uint64_t nanoseconds)
{
    meter->done += nanoseconds;
    return meter->done < meter->next || work_review(meter);
}

/* Fills the error of a computation that has returned false: ERROR_WORK with the limit, or
 * ERROR_CANCELLED; of one that was not stopped, error_memory(). Returns false. */
bool work_fail(const struct work_meter *meter, struct error *error);

#endif
