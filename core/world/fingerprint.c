/* The fingerprint: a hash of the canonical form, in which the order of layers, white space, titles,
 * ranges and colours do not appear. */
#include "core/world/world_private.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

struct named {
    const char *name;
    const struct formula *formula;
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

static bool canonicalize_layers(const struct world *world, struct buffer *text)
{
    struct named *named = malloc((world->layer_count + 1) * sizeof *named);
    if (!named)
        return false;
    for (uint32_t i = 0; i < world->layer_count; i++)
        named[i] = (struct named){world->layers[i].name, world->formulas[i]};
    qsort(named, world->layer_count, sizeof *named, compare_names);
    for (uint32_t i = 0; i < world->layer_count; i++) {
        buffer_format(text, "layer %s ", named[i].name);
        formula_canonicalize(named[i].formula, text);
        buffer_byte(text, '\n');
    }
    free(named);
    return true;
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp((*(const struct world_object *const *)a)->name,
                  (*(const struct world_object *const *)b)->name);
}

/* Only if there are any, so that a world without objects keeps its fingerprint. */
static void canonicalize_objects(const struct world *world, struct buffer *text)
{
    const struct world_object *sorted[WORLD_OBJECTS_MAX];
    for (uint32_t i = 0; i < world->object_count; i++)
        sorted[i] = &world->objects[i];
    qsort(sorted, world->object_count, sizeof *sorted, compare_objects);
    for (uint32_t i = 0; i < world->object_count; i++) {
        buffer_format(text, "object %s %lld %lld ", sorted[i]->name, (long long)sorted[i]->spacing,
                      (long long)sorted[i]->min_distance);
        if (sorted[i]->max_slope < 90.0f) /* in 2⁻¹⁶ degree */
            buffer_format(text, "slope %lld ", (long long)((double)sorted[i]->max_slope * 65536.0));
        formula_canonicalize(world->densities[sorted[i] - world->objects], text);
        buffer_byte(text, '\n');
    }
}

static bool canonicalize_world(const struct world *world, struct buffer *text)
{
    const bool done = canonicalize_layers(world, text);
    for (uint32_t i = 0; i < world->biome_count; i++) {
        buffer_format(text, "biome %s ", world->biomes[i].name);
        if (world->conditions[i])
            formula_canonicalize(world->conditions[i], text);
        buffer_byte(text, '\n');
    }
    canonicalize_objects(world, text);
    return done && !text->failed;
}

static bool write_fingerprint(const struct world *world, uint64_t seed,
                              char fingerprint[WORLD_FINGERPRINT_TEXT])
{
    struct buffer text = {0};
    char hex[33];
    buffer_format(&text, "generator %u\nseed %llu\n", world->generator, (unsigned long long)seed);
    buffer_append(&text, world->canonical, world->canonical_length);
    const bool done = !text.failed;
    if (done) {
        hash_hex(hash_bytes(text.data, text.length, 0), hex);
        memcpy(fingerprint, "g1-", 3);
        memcpy(fingerprint + 3, hex, sizeof hex);
    }
    buffer_free(&text);
    return done;
}

bool world_make_fingerprint(struct world *world, struct error *error)
{
    struct buffer text = {0};
    if (canonicalize_world(world, &text))
        world->canonical = arena_copy(&world->arena, (const char *)text.data, text.length);
    world->canonical_length = text.length;
    buffer_free(&text);
    return (world->canonical && write_fingerprint(world, world->seed_number, world->fingerprint)) ||
           error_memory(error);
}

bool world_fingerprint_reseeded(const struct world *world, const char *seed,
                                char fingerprint[WORLD_FINGERPRINT_TEXT])
{
    return write_fingerprint(world, world_seed_number(seed), fingerprint);
}
