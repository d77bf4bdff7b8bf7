/* Conditions over the layers, biomes and materials of a world (core/language/condition.h). */
#ifndef TERRANE_WORLDFILE_WORLD_CONDITION_H
#define TERRANE_WORLDFILE_WORLD_CONDITION_H

#include "core/language/condition.h"
#include "core/worldfile/world.h"

/* condition_new() with the names of a world; the condition's layers are those of the world. */
struct condition *world_condition_new(const struct world *world, const char *text,
                                      struct error *error);

#endif
