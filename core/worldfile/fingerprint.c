/* The fingerprints of a world and of its materials: MurmurHash3 of canonical forms.
 *
 * The canonical form is a text with a line for the generator, for the seed, for each layer and kind
 * of object by name, and for each biome in order; formulas are written as canonicalize.c does.
 * Order of layers, white space, titles, ranges and colours do not appear, so they can change
 * without emptying any cache. It is kept without generator and seed, so that another seed costs one
 * hash.
 *
 * Every released world's fingerprint is part of URLs and of stored tiles, so the form never
 * changes: what is added later (objects, slopes) has a line or a word only where it is used.
 *
 * Materials are no part of it, so that heights and their caches survive a change of materials. They
 * have a fingerprint of their own, of a text with a line for each. */
#include "core/language/canonicalize.h"
#include "core/worldfile/world_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct compile_layer *)a)->name, ((const struct compile_layer *)b)->name);
}

static bool canonicalize_layers(const struct world *world, struct buffer *text)
{
    const size_t size = world->layer_count * sizeof(struct compile_layer);
    struct compile_layer *sorted = malloc(size);
    if (!sorted)
        return false;
    memcpy(sorted, world->layer_formulas, size);
    qsort(sorted, world->layer_count, sizeof *sorted, compare_names);
    for (uint32_t i = 0; i < world->layer_count; i++) {
        buffer_format(text, "layer %s ", sorted[i].name);
        formula_canonicalize(sorted[i].formula, text);
        buffer_byte(text, '\n');
    }
    free(sorted);
    return true;
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp((*(const struct world_object *const *)a)->name,
                  (*(const struct world_object *const *)b)->name);
}

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
        formula_canonicalize(world->densities[sorted[i] - world->objects].formula, text);
        buffer_byte(text, '\n');
    }
}

static void canonicalize_drainage(const struct world *world, struct buffer *text)
{
    if (world->drainage_spacing_log2 == 0)
        return;
    buffer_format(text, "drainage %u\n", 1u << world->drainage_spacing_log2);
    if (world->drainage_deltas > 0.0)
        buffer_format(text, "deltas %lld\n", (long long)(world->drainage_deltas * 0x1p16));
    for (uint32_t i = 0; i < DRAINAGE_FORMULAS; i++) {
        if (!world->drainage[i].formula)
            continue;
        buffer_format(text, "%s ", world->drainage[i].name);
        formula_canonicalize(world->drainage[i].formula, text);
        buffer_byte(text, '\n');
    }
}

static int compare_polylines(const void *a, const void *b)
{
    return strcmp((*(const struct compile_polyline *const *)a)->name,
                  (*(const struct compile_polyline *const *)b)->name);
}

/* Vertices are hashed, as they may be many. */
static void canonicalize_polylines(const struct compile_polyline *polylines, uint32_t count,
                                   const char *kind, struct buffer *text)
{
    const struct compile_polyline *sorted[COMPILE_POLYLINES_MAX];
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = &polylines[i];
    qsort(sorted, count, sizeof *sorted, compare_polylines);
    for (uint32_t i = 0; i < count; i++) {
        buffer_format(text, "%s %s ", kind, sorted[i]->name);
        for (int byte = 0; byte < SECURE_HASH_BYTES; byte++)
            buffer_format(text, "%02x", sorted[i]->line->digest[byte]);
        buffer_byte(text, '\n');
    }
}

static bool canonicalize_world(const struct world *world, struct buffer *text)
{
    const bool done = canonicalize_layers(world, text);
    for (uint32_t i = 0; i < world->biome_count; i++) {
        buffer_format(text, "biome %s ", world->biomes[i].name);
        if (world->conditions[i].formula)
            formula_canonicalize(world->conditions[i].formula, text);
        buffer_byte(text, '\n');
    }
    canonicalize_objects(world, text);
    canonicalize_drainage(world, text);
    canonicalize_polylines(world->paths, world->path_count, "path", text);
    canonicalize_polylines(world->areas, world->area_count, "area", text);
    return done && !text->failed;
}

static bool make_materials_fingerprint(struct world *world)
{
    struct buffer text = {0};
    char hex[33];
    for (uint32_t i = 0; i < world->material_count; i++) {
        buffer_format(&text, "material %s ", world->materials[i].name);
        formula_canonicalize(world->weights[i].formula, &text);
        buffer_byte(&text, '\n');
    }
    const bool done = !text.failed;
    if (done && world->material_count > 0) {
        hash_hex(hash_bytes(text.data, text.length, 0), hex);
        snprintf(world->materials_fingerprint, MATERIALS_FINGERPRINT_TEXT, "m1-%.16s", hex);
    }
    buffer_free(&text);
    return done;
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
        snprintf(fingerprint, WORLD_FINGERPRINT_TEXT, "g1-%s", hex);
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
    return (world->canonical && make_materials_fingerprint(world) &&
            write_fingerprint(world, world->seed_number, world->fingerprint)) ||
           error_memory(error);
}

bool world_fingerprint_reseeded(const struct world *world, const char *seed,
                                char fingerprint[WORLD_FINGERPRINT_TEXT])
{
    return write_fingerprint(world, world_parse_seed(seed), fingerprint);
}
