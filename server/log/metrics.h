/* The daemon's counters and histograms; server/http/routes/handle_metrics.c shows them at /metrics.
 *
 * Each event loop and each render thread has counts of its own, which no other thread writes: a
 * count is a load, an addition and a store, without a lock and without a cache line that threads
 * share. A reader sums the counts of all threads; a sum is of about one moment, and no counter ever
 * goes down.
 *
 * Label values come from tables (counters.def, metrics.c, the table of routes), never from a
 * client.
 */
#ifndef TERRANE_SERVER_LOG_METRICS_H
#define TERRANE_SERVER_LOG_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kinds of work of render threads. */
enum metrics_kind {
    METRICS_NOTHING, /* not counted: cancelled, or no client waited for it any more */
    METRICS_TILE,
    METRICS_CHUNK,
    METRICS_BATCH, /* POST /chunks */
    METRICS_VOLUME,
    METRICS_QUESTION,
    METRICS_WORLD, /* a world compiled for its "~SEED" */
    METRICS_KINDS
};

enum metrics_counter {
    COUNTER_NONE, /* counts nothing */
#define COUNTER(id, ...) id,
#include "server/log/counters.def"
    METRICS_COUNTERS
};

struct metrics_counter_row {
    const char *family; /* null if the page composes the family of several sources */
    const char *label;  /* of the sample, "" for none */
    const char *help;   /* of the family, in the first of its rows */
};
extern const struct metrics_counter_row metrics_counter_table[METRICS_COUNTERS];

enum {
    METRICS_BUCKETS = 12,  /* of a histogram, the last one without a limit */
    METRICS_STATUSES = 35, /* rows of metrics.c's table of statuses */
};

struct metrics_histogram {
    uint64_t buckets[METRICS_BUCKETS]; /* not cumulative */
    uint64_t microseconds;             /* the sum of all */
};

struct metrics_route {
    uint64_t statuses[METRICS_STATUSES];
    struct metrics_histogram seconds;
};

/* The counts of one thread, or the sum of all threads. Consists of 64-bit words only. */
struct metrics_counts {
    uint64_t active;    /* requests in progress at the loop's last wake-up */
    uint64_t suspended; /* requests in progress whose connection is suspended */
    uint64_t counters[METRICS_COUNTERS];
    struct metrics_histogram renders[METRICS_KINDS];
    struct metrics_route routes[]; /* the table's, and one more for what has no route */
} __attribute__((aligned(64)));

struct metrics;

/* For so many threads and rows of the table of routes. Null when memory is out. */
struct metrics *metrics_new(size_t threads, size_t routes);
void metrics_free(struct metrics *metrics); /* null is allowed */
/* The counts of one thread: from now on, only that thread calls the functions below with them. */
struct metrics_counts *metrics_thread(struct metrics *metrics, size_t index);

/* An answer, at the moment it is ready to be sent. `route` is the row's index, or the number of
 * rows for none. Status 0: the client left, or the library refused it, before there was one. */
void metrics_count_request(struct metrics_counts *counts, size_t route, unsigned status,
                           int64_t microseconds);
void metrics_count_render(struct metrics_counts *counts, enum metrics_kind kind,
                          int64_t microseconds);
/* Adds one. A request that is refused with a problem needs no call: the problem's `shed_reason` is
 * counted when the refusal is sent. */
void metrics_count(struct metrics_counts *counts, enum metrics_counter counter);
/* Sets the loop's gauges: see `active` and `suspended`. */
void metrics_set_load(struct metrics_counts *counts, unsigned active, unsigned suspended);
/* Counts a reload that was done, or that failed and left everything as it was. From any thread. */
void metrics_count_reload(struct metrics *metrics, bool done);

/* The sum over all threads, to be freed; null when memory is out. From any thread. */
struct metrics_counts *metrics_sum(const struct metrics *metrics);
uint64_t metrics_reloads(const struct metrics *metrics, bool done);
/* The time of the call of metrics_new(), in seconds since 1970. */
int64_t metrics_started(const struct metrics *metrics);

/* Names for labels. A bucket's is its limit in seconds, the last one's "+Inf". */
const char *metrics_kind_name(enum metrics_kind kind);
const char *metrics_bucket_name(size_t bucket);
/* "200"; "none" for no answer at all; "other" for one that no row has. */
void metrics_status_name(size_t row, char out[8]);

#endif
