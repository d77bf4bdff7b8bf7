/* Work in pieces that several threads make at once and that are used one after another, in their
 * order. So the outcome does not depend on the number of threads, and memory is bounded: each piece
 * has memory of its own from its beginning until it was used, and there are so many of them. */
#ifndef TERRANE_SERVER_BASE_IN_ORDER_H
#define TERRANE_SERVER_BASE_IN_ORDER_H

#include "core/base/error.h"

enum { IN_ORDER_THREADS_MAX = 256 };

struct in_order_piece {
    uint64_t number; /* from 0 */
    void *memory;    /* its own: by begin() */
    void *thread;    /* of the thread that makes it: by begin_thread() */
};

struct in_order {
    uint64_t count;   /* of pieces */
    unsigned threads; /* 1 … IN_ORDER_THREADS_MAX: the caller is one of them */
    unsigned ahead;   /* pieces for each thread that are made or wait; 0 is 1 */
    void *context;
    /* The memory of pieces, one after another; null when there is none. */
    void *(*begin)(void *context);
    void (*end)(void *memory);
    /* What a thread needs for any piece; both null if it needs nothing. */
    void *(*begin_thread)(void *context);
    void (*end_thread)(void *thread);
    /* Makes a piece, beside other threads. */
    bool (*make)(void *context, const struct in_order_piece *piece, struct error *error);
    /* Uses a piece that was made. By any of the threads, but all pieces before it have been used,
     * and nobody else is here meanwhile. */
    bool (*use)(void *context, const struct in_order_piece *piece, struct error *error);
};

/* False with the error of the first piece, in their order, that could not be made or used; none
 * behind it is used. Where no thread can be started, those that there are do the work. */
bool in_order_run(const struct in_order *work, struct error *error);

/* Pieces that are made to see how long all of them take. */
struct in_order_sample {
    unsigned least, most; /* how many: the least even if they take longer than the time */
    int64_t milliseconds; /* after which no more are begun */
    uint64_t made;
    double seconds; /* about what all pieces take on the threads, if each has a core */
};

/* Makes pieces that are spread evenly over the work, and may be made more than once. They are used,
 * in any order, if `use` is not null. False with the error of a piece that could not be made or
 * used. */
bool in_order_sample(const struct in_order *work, struct in_order_sample *sample,
                     struct error *error);

#endif
