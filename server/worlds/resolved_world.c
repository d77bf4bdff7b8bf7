/* The fingerprint is that of the compiled world if there is one, else a hash of the base's text and
 * the seed; both are the same. */
#include "server/worlds/resolved_world.h"

#include <stdio.h>

#include "server/worlds/catalog_world.h"

enum {
    COMPILE_BASE = 60000, /* nanoseconds of any world, */
    COMPILE_STEP = 22,    /* of each step of core/program/work.h, */
    COMPILE_PAINTER = 1200,
};

/* A compiled world needs no hash. */
static bool write_identity(struct resolved_world *world, const char *seed)
{
    struct world_identity *identity = &world->identity;
    if (world->compiled) {
        *identity = world->compiled->identity;
        return true;
    }
    *identity = world->base->identity;
    identity->is_reseeded = true;
    snprintf(identity->seed, sizeof identity->seed, "%s", seed);
    return world_fingerprint_reseeded(world->base->world, seed, identity->fingerprint);
}

bool resolved_world_identify(struct resolved_world *world, struct catalog *catalog,
                             const struct catalog_world *base, const char *seed,
                             struct error *error)
{
    world->base = catalog_world_retain(base);
    world->compiled = catalog_acquire_ready(catalog, base, seed);
    if (write_identity(world, seed))
        return true;
    resolved_world_release(world);
    return error_memory(error);
}

bool resolved_world_compile(struct resolved_world *world, struct catalog *catalog,
                            struct error *error)
{
    const char *seed = world->identity.is_reseeded ? world->identity.seed : NULL;
    if (!world->compiled)
        world->compiled = catalog_acquire_seed(catalog, world->base, seed, error);
    return world->compiled != NULL;
}

uint64_t resolved_world_compile_time(const struct resolved_world *world)
{
    const struct catalog_world *base = world->base;
    return world->compiled ? 0
                           : COMPILE_BASE + world_work(base->world) * COMPILE_STEP +
                                 base->painter_count * COMPILE_PAINTER;
}

struct resolved_world resolved_world_copy(const struct resolved_world *world)
{
    struct resolved_world copy = *world;
    catalog_world_retain(copy.base);
    if (copy.compiled)
        catalog_world_retain(copy.compiled);
    return copy;
}

void resolved_world_release(struct resolved_world *world)
{
    catalog_release(world->compiled);
    catalog_release(world->base);
    world->compiled = world->base = NULL;
}
