/* Each thread takes the next few seeds, looks at them beside the other threads, waits until all
 * seeds before them have been written, and writes what it has found. So the seeds are those of one
 * thread, they appear as they are found, and the end is known at once.
 *
 * A seed is compiled and searched on a coarse grid, condition after condition, until one has no
 * place: most seeds fail there, after some thousand samples. A seed that passes is checked at full
 * detail. */
#include "server/cli/seed_search.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { SEEDS_ONCE = 16, SEED_TEXT = 24 };

struct run {
    const struct seed_search *search;
    pthread_mutex_t lock;
    pthread_cond_t turned; /* `written` or `ended` has changed */
    uint64_t taken;        /* seeds that threads have taken */
    uint64_t written;      /* seeds whose results are written */
    uint64_t found;
    bool ended, failed;
    struct error *error;
};

/* Seeds that a thread looks at in one turn. */
struct turn {
    uint64_t first; /* the number of the first one, from 0 */
    unsigned count;
    struct seed_result results[SEEDS_ONCE];
    unsigned found;
};

/* True with the nearest place of each condition if the world has them all. */
static bool find_places(const struct seed_search *search, const struct world *world,
                        struct sampler *sampler, struct seed_result *result, bool *has_all,
                        struct error *error)
{
    struct locate_search one = search->near;
    struct located located;
    *has_all = true;
    for (unsigned i = 0; i < search->condition_count && *has_all; i++) {
        one.condition = search->conditions[i];
        if (!locate_nearest(sampler, world, &one, &located, error))
            return false;
        *has_all = located.count > 0;
        result->places[i] = located.places[0];
    }
    return true;
}

static bool look_at_seed(const struct seed_search *search, struct sampler *sampler,
                         struct turn *turn, uint64_t seed, struct error *error)
{
    char text[SEED_TEXT];
    const int length = snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    struct world *world = world_reseed(search->world, text, (size_t)length, error);
    struct seed_result *result = &turn->results[turn->found];
    bool has_all = false;
    result->seed = seed;
    const bool done = world && find_places(search, world, sampler, result, &has_all, error);
    turn->found += has_all;
    world_release(world);
    return done;
}

static bool look_at_seeds(const struct seed_search *search, struct sampler *sampler,
                          struct turn *turn, struct error *error)
{
    turn->found = 0;
    if (!sampler)
        return error_memory(error);
    for (unsigned i = 0; i < turn->count; i++)
        if (!look_at_seed(search, sampler, turn, search->first + turn->first + i, error))
            return false;
    return true;
}

/* Takes the next seeds; false if there are none. */
static bool take_turn(struct run *run, struct turn *turn)
{
    pthread_mutex_lock(&run->lock);
    const uint64_t left = run->ended ? 0 : run->search->tries - run->taken;
    turn->first = run->taken;
    turn->count = left < SEEDS_ONCE ? (unsigned)left : SEEDS_ONCE;
    run->taken += turn->count;
    pthread_mutex_unlock(&run->lock);
    return left > 0;
}

static bool write_results(struct run *run, const struct turn *turn)
{
    const struct seed_search *search = run->search;
    for (unsigned i = 0; i < turn->found && run->found < search->wanted; i++) {
        if (!search->write(search->context, &turn->results[i], run->error))
            return false;
        run->found++;
    }
    if (search->progress)
        search->progress(search->context, turn->first + turn->count, search->tries);
    return true;
}

/* Waits until all seeds before are written, and writes the results, or the error. */
static void end_turn(struct run *run, const struct turn *turn, bool done, const struct error *error)
{
    pthread_mutex_lock(&run->lock);
    while (run->written != turn->first && !run->ended)
        pthread_cond_wait(&run->turned, &run->lock);
    if (!run->ended) {
        if (!write_results(run, turn))
            run->failed = true;
        else if (!done && run->found < run->search->wanted) {
            *run->error = *error;
            run->failed = true;
        }
        run->written += turn->count;
        run->ended = run->failed || run->found == run->search->wanted;
        pthread_cond_broadcast(&run->turned);
    }
    pthread_mutex_unlock(&run->lock);
}

static void *search_seeds(void *context)
{
    struct run *run = context;
    struct turn turn;
    struct sampler *sampler = sampler_new();
    while (take_turn(run, &turn)) {
        struct error error = {0};
        const bool done = look_at_seeds(run->search, sampler, &turn, &error);
        end_turn(run, &turn, done, &error);
    }
    sampler_free(sampler);
    return NULL;
}

/* Where no thread can be started, those that there are do the work. */
bool seed_search_run(const struct seed_search *search, uint64_t *found, struct error *error)
{
    struct run run = {.search = search,
                      .lock = PTHREAD_MUTEX_INITIALIZER,
                      .turned = PTHREAD_COND_INITIALIZER,
                      .error = error};
    pthread_t threads[SEED_THREADS_MAX];
    unsigned count = 0;
    while (count + 1 < search->threads &&
           pthread_create(&threads[count], NULL, search_seeds, &run) == 0)
        count++;
    search_seeds(&run);
    while (count > 0)
        pthread_join(threads[--count], NULL);
    pthread_mutex_destroy(&run.lock);
    pthread_cond_destroy(&run.turned);
    *found = run.found;
    return !run.failed;
}
