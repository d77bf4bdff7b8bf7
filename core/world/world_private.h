/* What a world is made of, for the files of this folder. */
#ifndef TERRANE_WORLD_WORLD_PRIVATE_H
#define TERRANE_WORLD_WORLD_PRIVATE_H

#include "core/base/arena.h"
#include "core/world/compile.h"
#include "core/world/world.h"

struct world {
    struct arena arena; /* owns all texts and tables below */
    struct json_document *document;
    struct world_limits limits;
    const char *text; /* the file's text, for reseeding */
    size_t text_length;
    const char *file;
    const char *title, *description, *attribution, *seed;
    uint64_t seed_number;
    unsigned generator;
    struct world_layer *layers;
    const struct formula **formulas; /* of the layers */
    const char **layer_paths;        /* JSON paths of the formulas */
    int32_t *values; /* operations of the layers, the biome layer too, of the densities, of their
                        sieves (-1: none) */
    uint8_t *uses;   /* likewise: bit 0 for z, bit 1 for t */
    uint32_t layer_count; /* without the biome layer */
    struct world_biome *biomes;
    const struct formula **conditions; /* of the biomes; null where there is none */
    const char **condition_paths;
    uint32_t biome_count;
    struct world_object *objects;
    const struct formula **densities; /* of the objects */
    const char **density_paths;
    float *density_highs;      /* what no sample of a density is above */
    float *early_reject_highs; /* what the rest of a density with a sieve is not above; else 0 */
    uint32_t object_count;
    uint32_t height;
    struct program program;
    const char *canonical; /* what the fingerprint is of, without generator and seed */
    size_t canonical_length;
    char fingerprint[WORLD_FINGERPRINT_TEXT];
    unsigned references; /* atomic */
};

/* reader.c: fills titles, seed, layers, formulas, biomes and objects from the document. */
bool world_read(struct world *world, struct error *error);
/* Its parts that reader_objects.c uses as well. */
bool world_expect_type(const struct json *value, enum json_type type, const char *path,
                       struct error *error);
bool world_check_name(const char *name, const char *path, struct error *error);
/* "a.b" in the arena, or "a" if b is ""; null when memory is out. */
const char *world_join_path(struct world *world, const char *a, const char *b);
const struct formula *world_read_formula(struct world *world, const struct json *value,
                                         const char *path, struct error *error);
/* reader_objects.c */
bool world_read_objects(struct world *world, const struct json *root, struct error *error);
/* build_program.c: from what was read to the program. */
bool world_compile(struct world *world, struct error *error);
/* world_early_reject.c: finds the densities' sieves, before the program is finished. */
bool world_find_early_rejects(struct world *world, struct error *error);
/* fingerprint.c */
bool world_make_fingerprint(struct world *world, struct error *error);
/* The 64 bits a seed's text means: the number it writes in decimal, or a hash of its UTF-8. */
uint64_t world_seed_number(const char *seed);

#endif
