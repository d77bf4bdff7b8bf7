/* Counters and histograms. The counts of a thread are one block of 64-bit words, padded to whole
 * cache lines: a sum adds the blocks word by word without knowing their layout. The block ends with
 * a row for each route and one for requests without a route. */
#include "server/log/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Limits of the buckets. The finest separate cache hits from renders; the others are a factor of
 * two to five apart, which is exact enough for quantiles. */
static const struct {
    int64_t microseconds;
    const char *name;
} buckets[METRICS_BUCKETS] = {
    {500, "0.0005"},  {1000, "0.001"},  {2500, "0.0025"}, {5000, "0.005"},
    {10000, "0.01"},  {25000, "0.025"}, {50000, "0.05"},  {100000, "0.1"},
    {250000, "0.25"}, {1000000, "1.0"}, {5000000, "5.0"}, {INT64_MAX, "+Inf"},
};

enum { STATUS_NONE, STATUS_OTHER };

/* STATUS_NONE, STATUS_OTHER, then the most frequent ones first, as the search for a request's row
 * is linear. */
static const uint16_t statuses[METRICS_STATUSES] = {
    0,   1,   200, 304, 404, 400, 503, 429, 204, 206, 201, 301, 302, 307, 308, 401, 403, 405,
    406, 408, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 431, 500, 501, 504, 505};

static const char *const kinds[METRICS_KINDS] = {
    [METRICS_NOTHING] = "nothing", [METRICS_TILE] = "tile",     [METRICS_CHUNK] = "chunk",
    [METRICS_BATCH] = "batch",     [METRICS_VOLUME] = "volume", [METRICS_QUESTION] = "question",
    [METRICS_WORLD] = "world",
};

const struct metrics_counter_row metrics_counter_table[METRICS_COUNTERS] = {
#define COUNTER(id, ...) [id] = {__VA_ARGS__},
#include "server/log/counters.def"
};

struct metrics {
    size_t threads, routes;
    size_t stride; /* bytes from one thread's counts to the next one's */
    int64_t started;
    uint64_t reloads[2]; /* atomic: failed, done */
    uint8_t *counts;
};

static size_t counts_bytes(size_t routes)
{
    const size_t bytes =
        sizeof(struct metrics_counts) + (routes + 1) * sizeof(struct metrics_route);
    return (bytes + 63) & ~(size_t)63;
}

static void *zeroed(size_t bytes)
{
    void *memory = aligned_alloc(64, bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

struct metrics *metrics_new(size_t threads, size_t routes)
{
    struct metrics *metrics = calloc(1, sizeof *metrics);
    if (!metrics)
        return NULL;
    metrics->threads = threads;
    metrics->routes = routes;
    metrics->stride = counts_bytes(routes);
    metrics->started = (int64_t)time(NULL);
    metrics->counts = zeroed(metrics->stride * threads);
    if (metrics->counts)
        return metrics;
    free(metrics);
    return NULL;
}

void metrics_free(struct metrics *metrics)
{
    if (!metrics)
        return;
    free(metrics->counts);
    free(metrics);
}

struct metrics_counts *metrics_thread(struct metrics *metrics, size_t index)
{
    return (struct metrics_counts *)(void *)(metrics->counts + index * metrics->stride);
}

/* Only one thread writes a count, so that no other write can fall between the load and the store.
 * Both are atomic for the readers, which see whole words. */
static void add(uint64_t *count, uint64_t more)
{
    __atomic_store_n(count, __atomic_load_n(count, __ATOMIC_RELAXED) + more, __ATOMIC_RELAXED);
}

static void histogram_add(struct metrics_histogram *histogram, int64_t microseconds)
{
    size_t bucket = 0;
    while (microseconds > buckets[bucket].microseconds)
        bucket++;
    add(&histogram->buckets[bucket], 1);
    if (microseconds > 0)
        add(&histogram->microseconds, (uint64_t)microseconds);
}

static size_t status_row(unsigned status)
{
    if (status == 0)
        return STATUS_NONE;
    for (size_t row = STATUS_OTHER + 1; row < METRICS_STATUSES; row++)
        if (statuses[row] == status)
            return row;
    return STATUS_OTHER;
}

void metrics_count_request(struct metrics_counts *counts, size_t route, unsigned status,
                           int64_t microseconds)
{
    struct metrics_route *row = &counts->routes[route];
    add(&row->statuses[status_row(status)], 1);
    histogram_add(&row->seconds, microseconds);
}

void metrics_count_render(struct metrics_counts *counts, enum metrics_kind kind,
                          int64_t microseconds)
{
    if (kind != METRICS_NOTHING)
        histogram_add(&counts->renders[kind], microseconds);
}

void metrics_count(struct metrics_counts *counts, enum metrics_counter counter)
{
    if (counter != COUNTER_NONE)
        add(&counts->counters[counter], 1);
}

void metrics_set_load(struct metrics_counts *counts, unsigned active, unsigned suspended)
{
    __atomic_store_n(&counts->active, active, __ATOMIC_RELAXED);
    __atomic_store_n(&counts->suspended, suspended, __ATOMIC_RELAXED);
}

void metrics_count_reload(struct metrics *metrics, bool done)
{
    __atomic_fetch_add(&metrics->reloads[done], 1, __ATOMIC_RELAXED);
}

struct metrics_counts *metrics_sum(const struct metrics *metrics)
{
    uint64_t *sum = zeroed(metrics->stride);
    if (!sum)
        return NULL;
    const size_t words = metrics->stride / sizeof *sum;
    for (size_t i = 0; i < metrics->threads; i++) {
        const uint64_t *counts = (const void *)(metrics->counts + i * metrics->stride);
        for (size_t k = 0; k < words; k++)
            sum[k] += __atomic_load_n(&counts[k], __ATOMIC_RELAXED);
    }
    return (struct metrics_counts *)sum;
}

uint64_t metrics_reloads(const struct metrics *metrics, bool done)
{
    return __atomic_load_n(&metrics->reloads[done], __ATOMIC_RELAXED);
}

int64_t metrics_started(const struct metrics *metrics)
{
    return metrics->started;
}

const char *metrics_kind_name(enum metrics_kind kind)
{
    return kinds[kind];
}

const char *metrics_bucket_name(size_t bucket)
{
    return buckets[bucket].name;
}

void metrics_status_name(size_t row, char out[8])
{
    if (row <= STATUS_OTHER)
        snprintf(out, 8, "%s", row == STATUS_NONE ? "none" : "other");
    else
        snprintf(out, 8, "%u", statuses[row]);
}
