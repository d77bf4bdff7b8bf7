/* The share of the processors that threads get: those that clients wait for at once, and those that
 * work for long. Each function is for the calling thread, and needs no privileges. Where the system
 * refuses, the thread stays as it is: responses are slower then, nothing worse. */
#ifndef TERRANE_SERVER_BASE_PRIORITY_H
#define TERRANE_SERVER_BASE_PRIORITY_H

enum {
    PRIORITY_LOWER_BY = 5,              /* of nice, for threads that work for long */
    PRIORITY_SLICE_NANOSECONDS = 100000 /* the least that the system allows */
};

/* For a thread that runs for some microseconds at a time: when it wakes, it need not wait until the
 * running thread has had its share of milliseconds. Linux 6.12 and later; others ignore it. */
void priority_shorten_slice(void);

/* The shares, and their names in this order: for the values of a setting. */
enum priority_share {
    PRIORITY_LOW,    /* a third of the time of a thread that wants all of it */
    PRIORITY_IDLE,   /* only what no other thread of its session or container wants */
    PRIORITY_NORMAL, /* as much as any other */
    PRIORITY_SHARES,
};
#define PRIORITY_SHARE_NAMES "low", "idle", "normal"
/* The share of a name, which is one of these. */
enum priority_share priority_share_of(const char *name);

/* For a thread that works for long: its share of the time, and that it interrupts no other one.
 * With PRIORITY_IDLE it yields at once. */
void priority_lower(enum priority_share share);

#endif
