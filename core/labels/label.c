/* Lists of labels, and what they are made of. */
#include "core/labels/label.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/hash.h"

void label_list_free(struct label_list *list)
{
    free(list->labels);
    *list = (struct label_list){0};
}

bool label_list_add(struct label_list *list, const struct label *label, struct error *error)
{
    struct label *labels =
        array_reserve(list->labels, list->count, &list->capacity, sizeof *labels);
    if (!labels)
        return error_memory(error);
    list->labels = labels;
    labels[list->count++] = *label;
    return true;
}

/* Hashes the samples of a world, and the names of its biomes. */
static uint64_t hash_world(const struct world *world)
{
    uint64_t hash = hash_bytes(world_fingerprint(world), strlen(world_fingerprint(world)), 1).low;
    for (unsigned i = 0; i < world_biome_count(world); i++) {
        const char *name = world_biome(world, i)->name;
        hash = hash_bytes(name, strlen(name), hash).low;
    }
    return hash;
}

struct label_source label_source_of(struct sampler *sampler, const struct world *world)
{
    return (struct label_source){sampler, world, hash_world(world)};
}
