/* A clock for the limit of a unit test, which leaves out the time that its threads waited for a
 * processor while other programs had them all.
 *
 * Linux counts for each thread how long it ran and how long it waited although it could run:
 * /proc/self/task/TID/schedstat. Of threads that waited or ran at once only their share is left
 * out. Threads that wait for anything else, such as a lock, count as on a quiet machine, so that a
 * test that hangs there is ended in time. tests/tools/limit-clock.cjs does the same for Node. */
#ifndef LIMIT_CLOCK_H
#define LIMIT_CLOCK_H

/* Starts the clock for a test. */
void limit_clock_start(void);

/* Seconds of the test so far, by this clock and on the wall. Both may be called in a handler of
 * signals: they allocate nothing and take no lock. */
double limit_clock_seconds(void);
double limit_clock_wall_seconds(void);

#endif
