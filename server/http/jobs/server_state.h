/* The state that all parts of a running server share. It is constant after the start, but for the
 * atomics and the parts that have a lock of their own. */
#ifndef TERRANE_SERVER_HTTP_JOBS_SERVER_STATE_H
#define TERRANE_SERVER_HTTP_JOBS_SERVER_STATE_H

#include "server/base/memory_budget.h"
#include "server/cache/memory.h"
#include "server/cache/single_flight.h"
#include "server/cache/tiers.h"
#include "server/http/connection/event_loop.h"
#include "server/http/connection/generation.h"
#include "server/http/jobs/token_buckets.h"
#include "server/http/jobs/workers.h"

struct access_log;
struct event_feed;
struct first_views;
struct metrics;
struct page_settings;
struct previews;
struct static_files;
struct stopped_jobs;

struct http_server {
    struct event_loops group;
    struct generations generations; /* worlds, styles, and settings that a reload changes */
    struct workers *workers;
    struct stopped_jobs *stopped_jobs;
    struct token_buckets *buckets; /* of clients that are limited */
    struct memory_cache *cache;    /* the nearest tier */
    struct tiers *tiers;           /* the other tiers, nearest first */
    struct single_flight_table *single_flights;
    struct previews *previews;            /* worlds that clients have posted */
    struct first_views *first_views;      /* where maps begin, as far as it was found */
    struct memory_budget response_budget; /* responses in memory that no cache holds */
    struct memory_budget cacheable;       /* bytes of all others, cached or still being sent;
                                             without a limit */
    struct memory_budget reseeded;        /* worlds with another seed; part of: */
    size_t cache_charges; /* atomic: bytes that count against the capacity of the cache, though
                             they are elsewhere: such worlds, previews, and compressed documents */
    struct static_files *static_files;
    struct page_settings *page;
    struct event_feed *events;           /* for GET /events */
    struct MHD_Response *without_memory; /* 503: see response_without_memory() */
    uint64_t without_memory_length;
    struct access_log *access_log; /* or null */
    struct metrics *metrics;       /* threads: the loops, then the render threads */
};

#endif
