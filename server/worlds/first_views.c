/* A table of sets of a few places each; a key belongs to one set. A lock that is held for some
 * instructions guards all of it. Event loops do not wait for it: a render thread that holds it has
 * a low priority, and may get no time for long. */
#include "server/worlds/first_views.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/terrain/first_view.h"

#define PREPARE_MOST 0.5e9 /* nanoseconds of the price of a world's search before it is served */

enum { SET_SIZE = 8, SETS = FIRST_VIEWS_MAX / SET_SIZE };

struct known_view {
    struct hash128 key;
    struct place centre;
    uint64_t used; /* views->clock at its last use; 0: free */
};

struct first_views {
    pthread_mutex_t lock; /* of the members below */
    uint64_t clock;       /* counts uses */
    struct known_view sets[SETS][SET_SIZE];
};

struct first_views *first_views_new(void)
{
    struct first_views *views = calloc(1, sizeof *views);
    if (views)
        pthread_mutex_init(&views->lock, NULL);
    return views;
}

void first_views_free(struct first_views *views)
{
    if (!views)
        return;
    pthread_mutex_destroy(&views->lock);
    free(views);
}

struct hash128 first_views_key(const struct world *world, const char *fingerprint)
{
    const struct world_view *view = world_view(world);
    const struct hash128 rule = hash_bytes(view->where, strlen(view->where), (uint64_t)view->zoom);
    struct {
        char fingerprint[WORLD_FINGERPRINT_TEXT + 4];
        int64_t x, y;
        struct hash128 rule;
    } named = {.x = view->x, .y = view->y, .rule = rule};
    _Static_assert(sizeof named == 40 + 2 * sizeof(int64_t) + sizeof rule, "it has no padding");
    memcpy(named.fingerprint, fingerprint, strlen(fingerprint));
    return hash_bytes(&named, sizeof named, 0);
}

/* The place of that key in its set, or null. Under the lock. */
static struct known_view *find(struct first_views *views, struct hash128 key)
{
    struct known_view *set = views->sets[key.low % SETS];
    for (struct known_view *each = set; each < set + SET_SIZE; each++)
        if (each->used > 0 && each->key.low == key.low && each->key.high == key.high)
            return each;
    return NULL;
}

bool first_views_find(struct first_views *views, struct hash128 key, struct place *centre)
{
    if (pthread_mutex_trylock(&views->lock) != 0)
        return false;
    struct known_view *found = find(views, key);
    if (found) {
        found->used = ++views->clock;
        *centre = found->centre;
    }
    pthread_mutex_unlock(&views->lock);
    return found != NULL;
}

/* A free entry, or the one that was used longest ago. */
static struct known_view *find_oldest(struct known_view *set)
{
    struct known_view *oldest = set;
    for (struct known_view *each = set; each < set + SET_SIZE; each++)
        if (each->used < oldest->used)
            oldest = each;
    return oldest;
}

void first_views_keep(struct first_views *views, struct hash128 key, struct place centre)
{
    pthread_mutex_lock(&views->lock);
    struct known_view *kept = find(views, key);
    if (!kept)
        kept = find_oldest(views->sets[key.low % SETS]);
    *kept = (struct known_view){key, centre, ++views->clock};
    pthread_mutex_unlock(&views->lock);
}

/* Finds the place of a world unless it is known. */
static void prepare(struct first_views *views, struct sampler *sampler, const struct world *world)
{
    const double time = first_view_time(world);
    struct place centre;
    struct error error;
    if (time == 0.0 || time > PREPARE_MOST)
        return;
    const struct hash128 key = first_views_key(world, world_fingerprint(world));
    if (!first_views_find(views, key, &centre) && first_view_find(sampler, world, &centre, &error))
        first_views_keep(views, key, centre);
}

void first_views_prepare(struct first_views *views, const struct catalog *catalog)
{
    struct sampler *sampler = sampler_new();
    for (size_t i = 0; i < catalog_world_count(catalog) && sampler; i++)
        prepare(views, sampler, catalog_world_at(catalog, i)->world);
    sampler_free(sampler);
}
