/* Looks for seeds of a world that have places of some conditions, on several threads. */
#ifndef TERRANE_SERVER_CLI_SEED_SEARCH_H
#define TERRANE_SERVER_CLI_SEED_SEARCH_H

#include "core/terrain/locate.h"
#include "core/worldfile/world.h"

enum { SEED_CONDITIONS_MAX = 8 };

/* A seed, and for each condition the nearest place. */
struct seed_result {
    uint64_t seed;
    struct located_place places[SEED_CONDITIONS_MAX];
};

struct seed_search {
    const struct world *world;                         /* of any seed */
    struct condition *conditions[SEED_CONDITIONS_MAX]; /* of the world */
    unsigned condition_count;                          /* at least 1 */
    struct locate_search near;                         /* the search of each, but its condition */
    uint64_t first;                                    /* seed; the others follow it in order */
    uint64_t tries;                                    /* seeds to look at, at most */
    uint64_t wanted;                                   /* seeds to find */
    unsigned threads;                                  /* 1 … IN_ORDER_THREADS_MAX */
    /* Called for each seed that is found, in the order of seeds, by one thread at a time. */
    bool (*write)(void *context, const struct seed_result *result, struct error *error);
    /* Called from time to time, likewise; may be null. */
    void (*progress)(void *context, uint64_t done, uint64_t total);
    void *context;
};

/* Finds the first seeds, whatever the threads; *found is their number. Seeds that cannot be
 * compiled, which the world's limits decide, end the search, as do errors of write() and want of
 * memory: false. */
bool seed_search_run(const struct seed_search *search, uint64_t *found, struct error *error);

#endif
