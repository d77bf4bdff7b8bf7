/* Reference counts of generations, without a lock on the path of a request.
 *
 * A generation has one reference of the publisher and one of each loop. A loop counts its requests
 * of each generation in a field that only its own thread writes, so that beginning and ending a
 * request touch no cache line of another thread; the atomic reference is given back once, when the
 * loop has moved on to a newer generation and its own count is 0. Old generations stay linked to
 * their successors, so a loop that slept through several reloads passes through all of them.
 *
 * The last loop to leave pushes the generation onto a lock-free stack, and the thread that
 * publishes frees it: freeing a catalogue takes longer than a loop may be busy. */
#include "server/http/connection/generation.h"

#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>

#include "server/http/connection/tls.h"

void generation_free(struct generation *generation)
{
    if (!generation)
        return;
    catalog_free(generation->catalog);
    for (size_t i = 0; i < generation->allowed_host_count; i++)
        free(generation->allowed_hosts[i]);
    free(generation->allowed_hosts);
    network_list_free(&generation->trusted_proxies);
    tls_identity_release(generation->identity);
    free(generation->public_url);
    free(generation);
}

struct generation *generation_new(struct catalog *catalog, unsigned loops)
{
    const size_t size = sizeof(struct generation) + loops * sizeof(struct generation_users);
    /* The size is a multiple of the alignment, as both of its parts are. */
    struct generation *generation = aligned_alloc(_Alignof(struct generation_users), size);
    if (!generation) {
        catalog_free(catalog);
        return NULL;
    }
    memset(generation, 0, size);
    generation->catalog = catalog;
    generation->references = loops + 1;
    return generation;
}

static void retire_generation(struct generations *all, struct generation *generation)
{
    struct generation *first = __atomic_load_n(&all->retired, __ATOMIC_RELAXED);
    do
        generation->next_retired = first;
    while (!__atomic_compare_exchange_n(&all->retired, &first, generation, true, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED));
    if (all->event >= 0)
        eventfd_write(all->event, 1); /* one that is full is readable already */
}

static void release_generation(struct generations *all, struct generation *generation)
{
    if (__atomic_sub_fetch(&generation->references, 1, __ATOMIC_ACQ_REL) == 0)
        retire_generation(all, generation);
}

void generations_publish(struct generations *all, struct generation *next)
{
    struct generation *old = all->current;
    next->number = old ? old->number + 1 : 1;
    all->current = next;
    if (!old)
        return;
    __atomic_store_n(&old->next, next, __ATOMIC_RELEASE);
    release_generation(all, old);
}

bool generations_collect(struct generations *all)
{
    struct generation *generation = __atomic_exchange_n(&all->retired, NULL, __ATOMIC_ACQUIRE);
    const bool any = generation;
    for (struct generation *next_retired; generation; generation = next_retired) {
        next_retired = generation->next_retired;
        generation_free(generation);
    }
    return any;
}

void generations_free(struct generations *all)
{
    if (all->current)
        release_generation(all, all->current);
    all->current = NULL;
    generations_collect(all);
}

void generation_view_begin(struct generation_view *view, struct generations *all, unsigned loop)
{
    *view = (struct generation_view){all, all->current, loop};
}

void generation_view_advance(struct generation_view *view)
{
    struct generation *next;
    while ((next = __atomic_load_n(&view->current->next, __ATOMIC_ACQUIRE))) {
        struct generation *old = view->current;
        view->current = next;
        if (old->users[view->loop].count == 0)
            release_generation(view->all, old);
    }
}

struct generation *generation_enter(struct generation_view *view)
{
    generation_view_advance(view);
    view->current->users[view->loop].count++;
    return view->current;
}

void generation_leave(struct generation_view *view, struct generation *generation)
{
    if (--generation->users[view->loop].count == 0 && generation != view->current)
        release_generation(view->all, generation);
}

void generation_retain(struct generation_view *view, struct generation *generation)
{
    generation->users[view->loop].count++;
}

void generation_view_end(struct generation_view *view)
{
    if (!view->current)
        return;
    generation_view_advance(view);
    release_generation(view->all, view->current);
    view->current = NULL;
}
