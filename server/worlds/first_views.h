/* Where maps begin of worlds whose view is a rule (core/terrain/first_view.h), as far as it has
 * been found: finding it takes milliseconds, for each seed. All functions may be called by many
 * threads.
 *
 * The store is bounded by number. Its keys are hashes of the fingerprint and the rule, so that what
 * it has stays true whatever is loaded. */
#ifndef TERRANE_SERVER_WORLDS_FIRST_VIEWS_H
#define TERRANE_SERVER_WORLDS_FIRST_VIEWS_H

#include "core/base/hash.h"
#include "core/base/place.h"
#include "server/worlds/catalog.h"

struct first_views;

enum { FIRST_VIEWS_MAX = 2048 }; /* in the store: 80 KB */

struct first_views *first_views_new(void);        /* null when memory is out */
void first_views_free(struct first_views *views); /* null is allowed */

/* The key of the world with the fingerprint, which may be that of another seed. */
struct hash128 first_views_key(const struct world *world, const char *fingerprint);
/* For event loops: never waits. False if the place is not known, or if another thread has the lock
 * just now. */
bool first_views_find(struct first_views *views, struct hash128 key, struct place *centre);
/* Keeps a place. Of places whose keys have the same part of the store, the one that was used
 * longest ago goes. */
void first_views_keep(struct first_views *views, struct hash128 key, struct place centre);

/* Finds the places of all worlds of the catalog with their own seeds, before it is served: some
 * milliseconds for each. What fails, or may take too long, is left to the requests that need it. */
void first_views_prepare(struct first_views *views, const struct catalog *catalog);

#endif
