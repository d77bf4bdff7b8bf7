/* What the daemon counts about itself; server/http/routes/metrics_page.c shows it at /metrics.
 *
 * Each event loop and each render thread has counts of its own, which no other thread writes: a
 * count is a load, an addition and a store, without a lock and without a cache line that threads
 * share. Whoever asks sums them all; a sum is of about one moment, and no count ever goes down.
 *
 * Label values come from the tables here and from the table of routes, never from a client. A new
 * reason to turn work away, or a new kind of work, is a value of an enum and its name in
 * metrics.c. */
#ifndef TERRANE_SERVER_LOG_METRICS_H
#define TERRANE_SERVER_LOG_METRICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The work of render threads, by what is made. */
enum metrics_kind {
    METRICS_NOTHING, /* not counted: cancelled, or nobody wanted it any more */
    METRICS_TILE,
    METRICS_CHUNK,
    METRICS_BATCH, /* POST /chunks */
    METRICS_VOLUME,
    METRICS_QUESTION,
    METRICS_WORLD, /* a world compiled for its "~SEED" */
    METRICS_KINDS
};

/* Why a request or a connection was turned away although nothing was wrong with it. */
enum metrics_shed {
    SHED_NOT,         /* it was not */
    SHED_QUEUE,       /* the lane of the queue is full, by number or by cost */
    SHED_MEMORY,      /* out of memory, or of what large answers may have of it */
    SHED_STOPPING,    /* the server drains */
    SHED_ABANDONED,   /* the client left before its render began */
    SHED_DEADLINE,    /* it waited too long */
    SHED_RATE,        /* the client's bucket of requests is empty */
    SHED_RENDER_RATE, /* the client's bucket of render cost is empty */
    SHED_CONNECTIONS, /* too many connections in all: it had to make room */
    SHED_CLIENT,      /* too many of one client */
    SHED_SLOW,        /* headers, body or answer took longer than they may */
    SHED_DESCRIPTORS, /* out of file descriptors */
    METRICS_SHEDS
};

/* The tiers that count here; those of server/cache/store.h keep their own statistics. */
enum metrics_found { METRICS_HIT, METRICS_MISS, METRICS_FOUNDS };

enum {
    METRICS_BUCKETS = 12,  /* of a histogram, the last one without a limit */
    METRICS_STATUSES = 34, /* rows of metrics.c's table of statuses */
};

struct metrics_histogram {
    uint64_t buckets[METRICS_BUCKETS]; /* not cumulative */
    uint64_t microseconds;             /* the sum of all */
};

struct metrics_route {
    uint64_t statuses[METRICS_STATUSES];
    struct metrics_histogram seconds;
};

/* Of one thread, or the sum of all. Nothing but 64-bit words. */
struct metrics_counts {
    uint64_t active;    /* requests that are being answered, as of the loop's last wake-up */
    uint64_t suspended; /* of those, how many wait for a render thread */
    uint64_t memory[METRICS_FOUNDS];
    uint64_t sheds[METRICS_SHEDS];
    uint64_t unlogged; /* lines that the access log had no room for */
    struct metrics_histogram renders[METRICS_KINDS];
    struct metrics_route routes[]; /* the table's, and one more for what has no route */
} __attribute__((aligned(64)));

struct metrics;

/* For so many threads and rows of the table of routes. Null when memory is out. */
struct metrics *metrics_new(size_t threads, size_t routes);
void metrics_free(struct metrics *metrics); /* null is allowed */
size_t metrics_routes(const struct metrics *metrics);
/* The counts of one thread: from now on, only that thread calls the functions below with them. */
struct metrics_counts *metrics_thread(struct metrics *metrics, size_t index);

/* An answer, at the moment it is ready to be sent. `route` is the row's index, or the number of
 * rows for none. Status 0: the client left, or the library refused it, before there was one. */
void metrics_count_request(struct metrics_counts *counts, size_t route, unsigned status,
                           int64_t microseconds);
void metrics_count_render(struct metrics_counts *counts, enum metrics_kind kind,
                          int64_t microseconds);
/* A look into the memory cache whose outcome decided something. */
void metrics_count_memory(struct metrics_counts *counts, enum metrics_found found);
/* Once for each request or connection; SHED_NOT is passed over. Requests that are refused with a
 * problem need no call: whoever fills the problem sets its `shed_reason`, and the refusal counts
 * it. */
void metrics_count_shed(struct metrics_counts *counts, enum metrics_shed reason);
/* What a loop has to do at the moment: see `active` and `suspended`. */
void metrics_set_load(struct metrics_counts *counts, unsigned active, unsigned suspended);
void metrics_count_unlogged(struct metrics_counts *counts);
/* From any thread: settings and worlds were loaded anew, or could not be and the old ones stay. */
void metrics_count_reload(struct metrics *metrics, bool done);

/* The sum over all threads, to be freed; null when memory is out. From any thread. */
struct metrics_counts *metrics_sum(const struct metrics *metrics);
uint64_t metrics_reloads(const struct metrics *metrics, bool done);
/* When metrics_new() was called: seconds since 1970. */
int64_t metrics_started(const struct metrics *metrics);

/* Names for labels. A bucket's is its limit in seconds, the last one's "+Inf". */
const char *metrics_kind_name(enum metrics_kind kind);
const char *metrics_shed_name(enum metrics_shed reason);
const char *metrics_found_name(enum metrics_found found);
const char *metrics_bucket_name(size_t bucket);
/* "200"; "none" for no answer at all; "other" for one that no row has. */
void metrics_status_name(size_t row, char out[8]);

#endif
