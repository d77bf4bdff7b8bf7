/* Each thread takes the next few seeds and looks at them beside the other threads; what was found
 * is written in the order of seeds (in_order.h). So the seeds are those of one thread, they appear
 * as they are found, and the end is known at once.
 *
 * A seed is compiled and searched on a coarse grid, condition after condition, until one has no
 * place: most seeds fail there, after some thousand samples. A seed that passes is checked at full
 * detail. */
#include "server/cli/seed_search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/in_order.h"

enum { SEEDS_ONCE = 16, SEED_TEXT = 24 };

struct run {
    const struct seed_search *search;
    uint64_t found;
    bool has_failed;
};

/* Seeds that a thread looks at in one turn. */
struct turn {
    struct sampler *sampler;
    uint64_t first; /* the number of the first one, from 0 */
    unsigned count;
    struct seed_result results[SEEDS_ONCE];
    unsigned found;
    bool has_failed;
    struct error error; /* of the seed behind those that were found */
};

/* True with the nearest place of each condition if the world has them all. */
static bool find_places(const struct seed_search *search, const struct world *world,
                        struct turn *turn, bool *has_all)
{
    struct locate_search one = search->near;
    struct located located;
    *has_all = true;
    for (unsigned i = 0; i < search->condition_count && *has_all; i++) {
        one.condition = search->conditions[i];
        if (!locate_nearest(turn->sampler, world, &one, &located, &turn->error))
            return false;
        *has_all = located.count > 0;
        turn->results[turn->found].places[i] = located.places[0];
    }
    return true;
}

static bool look_at_seed(const struct seed_search *search, struct turn *turn, uint64_t seed)
{
    char text[SEED_TEXT];
    const int length = snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    struct world *world = world_reseed(search->world, text, (size_t)length, &turn->error);
    bool has_all = false;
    turn->results[turn->found].seed = seed;
    const bool done = world && find_places(search, world, turn, &has_all);
    turn->found += has_all;
    world_release(world);
    return done;
}

static void *begin_turn(void *context)
{
    struct turn *turn = calloc(1, sizeof *turn);
    (void)context;
    if (turn && !(turn->sampler = sampler_new())) {
        free(turn);
        turn = NULL;
    }
    return turn;
}

static void end_turn(void *memory)
{
    struct turn *turn = memory;
    sampler_free(turn->sampler);
    free(turn);
}

/* What was found before an error may be enough, so it is kept beside it. */
static bool look_at_seeds(void *context, const struct in_order_piece *piece, struct error *error)
{
    const struct seed_search *search = ((const struct run *)context)->search;
    struct turn *turn = piece->memory;
    (void)error;
    turn->first = piece->number * SEEDS_ONCE;
    const uint64_t left = search->tries - turn->first;
    turn->count = left < SEEDS_ONCE ? (unsigned)left : SEEDS_ONCE;
    turn->found = 0;
    turn->has_failed = false;
    for (unsigned i = 0; i < turn->count && !turn->has_failed; i++)
        turn->has_failed = !look_at_seed(search, turn, search->first + turn->first + i);
    return true;
}

/* False without an error when enough seeds are found. */
static bool write_results(void *context, const struct in_order_piece *piece, struct error *error)
{
    struct run *run = context;
    const struct seed_search *search = run->search;
    const struct turn *turn = piece->memory;
    for (unsigned i = 0; i < turn->found && run->found < search->wanted; i++, run->found++)
        if (!search->write(search->context, &turn->results[i], error)) {
            run->has_failed = true;
            return false;
        }
    if (search->progress)
        search->progress(search->context, turn->first + turn->count, search->tries);
    if (run->found == search->wanted || !turn->has_failed)
        return run->found < search->wanted;
    *error = turn->error;
    run->has_failed = true;
    return false;
}

bool seed_search_run(const struct seed_search *search, uint64_t *found, struct error *error)
{
    struct run run = {.search = search};
    const struct in_order turns = {
        .count = search->tries / SEEDS_ONCE + (search->tries % SEEDS_ONCE > 0),
        .threads = search->threads,
        .context = &run,
        .begin = begin_turn,
        .end = end_turn,
        .make = look_at_seeds,
        .use = write_results,
    };
    const bool done = in_order_run(&turns, error);
    *found = run.found;
    return done || (run.found == search->wanted && !run.has_failed);
}
