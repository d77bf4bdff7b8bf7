/* See label_memory.h. */
#include "core/labels/label_memory.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

struct label_memory *label_memory_new(void)
{
    return calloc(1, sizeof(struct label_memory));
}

void label_memory_free(struct label_memory *memory)
{
    free(memory);
}

/* Hashes the samples of a world, and the names of its biomes. Never 0. */
static uint64_t hash_world(const struct world *world)
{
    uint64_t hash = hash_bytes(world_fingerprint(world), strlen(world_fingerprint(world)), 1).low;
    for (unsigned i = 0; i < world_biome_count(world); i++) {
        const char *name = world_biome(world, i)->name;
        hash = hash_bytes(name, strlen(name), hash).low;
    }
    return hash | 1;
}

struct label_source label_source_of(struct sampler *sampler, const struct world *world,
                                    struct label_memory *memory)
{
    return (struct label_source){sampler, world, memory, hash_world(world)};
}
