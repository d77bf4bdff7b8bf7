/* The members of a catalog, for catalog.c, catalog_versions.c and previews.c only. */
#ifndef TERRANE_SERVER_WORLDS_CATALOG_PRIVATE_H
#define TERRANE_SERVER_WORLDS_CATALOG_PRIVATE_H

#include <pthread.h>

#include "server/worlds/catalog.h"
#include "server/worlds/catalog_world.h"

/* A slot of the cache of reseeded worlds. */
struct reseeded {
    const struct catalog_world *world; /* null: free */
    uint64_t used;                     /* catalog->clock at its last use */
    bool again;                        /* used more than once */
};

struct catalog {
    struct world_limits limits;
    struct style_list *styles;           /* shared ones */
    const struct catalog_world **worlds; /* by name */
    size_t world_count;
    /* Former versions: those of files, then those that reloads have kept, the newest first. */
    const struct catalog_world **former;
    size_t former_count, former_file_count;
    const struct catalog_world *default_world;
    struct memory_budget *budget; /* of reseeded worlds; or null */
    unsigned live;                /* atomic: reseeded worlds in memory */
    pthread_mutex_t lock;         /* of the members below */
    struct reseeded reseeded[CATALOG_RESEEDED_MAX];
    uint64_t clock;  /* counts uses */
    bool is_caching; /* new worlds are cached */
};

/* Drops the cached worlds with other seeds of previews that were dropped; none if another thread
 * has the lock, for which it does not wait. */
void catalog_forget_seeds(struct catalog *catalog);

/* Drops former versions whose fingerprint is that of the present version. */
void catalog_drop_present(struct catalog *catalog);

#endif
