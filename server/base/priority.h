/* The share of the processors that threads get: those that clients wait for at once, and those that
 * work for long. Each function is for the calling thread, and needs no privileges. Where the system
 * refuses, the thread stays as it is: responses are slower then, nothing worse. */
#ifndef TERRANE_SERVER_BASE_PRIORITY_H
#define TERRANE_SERVER_BASE_PRIORITY_H

#include <stdbool.h>

enum {
    PRIORITY_LOWER_BY = 5,              /* of nice, for threads that work for long */
    PRIORITY_SLICE_NANOSECONDS = 100000 /* the least that the system allows */
};

/* For a thread that runs for some microseconds at a time: when it wakes, it need not wait until the
 * running thread has had its share of milliseconds. Linux 6.12 and later; others ignore it. */
void priority_shorten_slice(void);
/* For a thread that works for long: it gets a third of the time of one that does not, if that wants
 * all of it, and never interrupts another one. With `idle` it gets only the time that no other
 * thread of its session or container wants, and yields at once. */
void priority_lower(bool idle);

#endif
