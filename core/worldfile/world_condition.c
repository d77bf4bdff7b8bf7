/* Lists the names of a world for a condition. */
#include "core/worldfile/world_condition.h"

enum { LAYERS_MAX = WORLD_LAYERS_MAX + 1 }; /* those of the file, and "biome" */

_Static_assert(LAYERS_MAX + WORLD_BIOMES_MAX + WORLD_MATERIALS_MAX <= CONDITION_NAMES_MAX,
               "a condition takes all names of a world");

struct condition *world_condition_new(const struct world *world, const char *text,
                                      struct error *error)
{
    const char *layers[LAYERS_MAX], *biomes[WORLD_BIOMES_MAX], *materials[WORLD_MATERIALS_MAX];
    const struct condition_names names = {
        .layers = {layers, world_layer_count(world)},
        .biomes = {biomes, world_biome_count(world)},
        .materials = {materials, world_material_count(world)},
    };
    for (unsigned i = 0; i < names.layers.count; i++)
        layers[i] = world_layer(world, i)->name;
    for (unsigned i = 0; i < names.biomes.count; i++)
        biomes[i] = world_biome(world, i)->name;
    for (unsigned i = 0; i < names.materials.count; i++)
        materials[i] = world_material(world, i)->name;
    return condition_new(&names, text, error);
}
