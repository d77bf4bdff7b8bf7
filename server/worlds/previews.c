/* The store of previews: an array in no order, searched from the first to the last, as there are
 * few. A preview's bytes are reserved in the store's budget until its last reference is released,
 * so that those which requests hold after they were dropped count too.
 *
 * Worlds with another seed hold their base. The other seeds of a dropped preview are dropped from
 * the cache of the catalog as well, or they would keep its bytes reserved. The cache takes none
 * that is made later. */
#include "server/worlds/previews.h"

#include <stdlib.h>
#include <string.h>

#include "server/worlds/catalog_private.h"

struct previews {
    pthread_mutex_t lock; /* of all members but the budget's atomics */
    struct memory_budget budget;
    struct previews_statistics statistics; /* but its bytes */
    uint64_t clock;                        /* counts uses */
    struct kept_preview {
        const struct catalog_world *world;
        uint64_t used; /* `clock` at its last use */
    } kept[PREVIEWS_MAX];
};

struct previews *previews_new(size_t *account)
{
    struct previews *previews = calloc(1, sizeof *previews);
    if (!previews)
        return NULL;
    previews->budget.account = account;
    pthread_mutex_init(&previews->lock, NULL);
    return previews;
}

/* The preview is about to leave the store: from now on no other seed of it is cached. */
static const struct catalog_world *mark_dropped(const struct catalog_world *world)
{
    __atomic_store_n(&((struct catalog_world *)world)->is_dropped, true, __ATOMIC_RELAXED);
    return world;
}

/* Takes the least recently used preview out of the store, with its reference. Under the lock. */
static const struct catalog_world *take_oldest(struct previews *previews)
{
    struct kept_preview *oldest = &previews->kept[0];
    struct kept_preview *end = previews->kept + previews->statistics.count;
    if (oldest == end)
        return NULL;
    for (struct kept_preview *each = oldest; each < end; each++)
        if (each->used < oldest->used)
            oldest = each;
    const struct catalog_world *world = oldest->world;
    *oldest = end[-1];
    previews->statistics.count--;
    previews->statistics.dropped++;
    return mark_dropped(world);
}

/* Drops the least recently used preview; false if there is none. Freed outside the lock. */
static bool drop_oldest(struct previews *previews, struct catalog *catalog)
{
    pthread_mutex_lock(&previews->lock);
    const struct catalog_world *world = take_oldest(previews);
    pthread_mutex_unlock(&previews->lock);
    if (world && catalog)
        catalog_forget_seeds(catalog);
    catalog_release(world);
    return world != NULL;
}

void previews_free(struct previews *previews)
{
    if (!previews)
        return;
    while (drop_oldest(previews, NULL))
        ;
    pthread_mutex_destroy(&previews->lock);
    free(previews);
}

void previews_set_limits(struct previews *previews, unsigned count, size_t bytes)
{
    memory_budget_set_limit(&previews->budget, bytes);
    pthread_mutex_lock(&previews->lock);
    previews->statistics.limit = count;
    pthread_mutex_unlock(&previews->lock);
    while (previews_statistics(previews).count > count && drop_oldest(previews, NULL))
        ;
}

struct previews_statistics previews_statistics(struct previews *previews)
{
    pthread_mutex_lock(&previews->lock);
    struct previews_statistics statistics = previews->statistics;
    pthread_mutex_unlock(&previews->lock);
    statistics.bytes = memory_budget_used(&previews->budget);
    return statistics;
}

struct catalog_world *preview_compile(struct catalog *catalog, const char *name,
                                      struct diagnostics *diagnostics)
{
    const struct catalog_recipe recipe = {
        .name = name, .pin = "", .styles = catalog->styles, .limits = catalog->limits};
    struct catalog_world *world = catalog_world_new(&recipe, diagnostics);
    if (world)
        world->is_preview = true;
    return world;
}

/* Takes the world's bytes from the budget; one that is larger than the budget needs all of it.
 * Seeds that could not be dropped with their preview, because a thread had the lock, go first. */
static bool reserve_memory(struct previews *previews, struct catalog *catalog,
                           struct catalog_world *world)
{
    const size_t bytes = catalog_world_memory(world);
    const size_t limit = memory_budget_limit(&previews->budget);
    world->reserved = bytes < limit ? bytes : limit;
    while (!memory_budget_reserve(&previews->budget, world->reserved)) {
        catalog_forget_seeds(catalog);
        if (memory_budget_reserve(&previews->budget, world->reserved))
            break;
        if (!drop_oldest(previews, catalog))
            return false;
    }
    world->budget = &previews->budget;
    return true;
}

/* Null if there is none. Under the lock. */
static struct kept_preview *find_kept(struct previews *previews, const char *name)
{
    for (unsigned i = 0; i < previews->statistics.count; i++)
        if (strcmp(previews->kept[i].world->identity.name, name) == 0)
            return &previews->kept[i];
    return NULL;
}

/* Puts the world into the store. Returns the one that it replaces, or null. */
static const struct catalog_world *put(struct previews *previews, const struct catalog_world *world)
{
    const struct catalog_world *gone = NULL;
    pthread_mutex_lock(&previews->lock);
    struct kept_preview *place = find_kept(previews, world->identity.name);
    if (place)
        gone = mark_dropped(place->world);
    else if (previews->statistics.count >= previews->statistics.limit)
        gone = take_oldest(previews);
    if (!place)
        place = &previews->kept[previews->statistics.count++];
    *place = (struct kept_preview){catalog_world_retain(world), ++previews->clock};
    pthread_mutex_unlock(&previews->lock);
    return gone;
}

bool previews_add(struct previews *previews, struct catalog *catalog, struct catalog_world *world,
                  struct error *error)
{
    if (!reserve_memory(previews, catalog, world))
        return error_set(error, ERROR_MEMORY,
                         "previews in use take all of their %zu MB of memory; try again soon",
                         memory_budget_limit(&previews->budget) >> 20);
    const struct catalog_world *gone = put(previews, world);
    if (gone)
        catalog_forget_seeds(catalog);
    catalog_release(gone);
    return true;
}

const struct catalog_world *previews_find(struct previews *previews, const char *name,
                                          struct error *error)
{
    const struct catalog_world *world = NULL;
    pthread_mutex_lock(&previews->lock);
    struct kept_preview *found = find_kept(previews, name);
    if (found) {
        found->used = ++previews->clock;
        world = catalog_world_retain(found->world);
    }
    const unsigned limit = previews->statistics.limit;
    pthread_mutex_unlock(&previews->lock);
    if (!world)
        error_set(
            error, ERROR_UNKNOWN,
            "there is no preview \"%s\", or no more: of at most %u the least recently used is "
            "dropped; POST its world file to /preview again",
            name, limit);
    return world;
}
