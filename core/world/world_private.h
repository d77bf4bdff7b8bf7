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
    int32_t *values;                 /* of the layers, the biome layer too: operations */
    uint8_t *uses;                   /* likewise: bit 0 for z, bit 1 for t */
    uint32_t layer_count;            /* without the biome layer */
    struct world_biome *biomes;
    const struct formula **conditions; /* of the biomes; null where there is none */
    const char **condition_paths;
    uint32_t biome_count;
    uint32_t height;
    struct program program;
    char fingerprint[WORLD_FINGERPRINT_TEXT];
    unsigned references; /* atomic */
};

/* world_file.c: fills titles, seed, layers, formulas and biomes from the document. */
bool world_read(struct world *world, struct error *error);
/* fingerprint.c */
bool world_make_fingerprint(struct world *world, struct error *error);
/* The 64 bits a seed's text means: the number it writes in decimal, or a hash of its UTF-8. */
uint64_t world_seed_number(const char *seed);

#endif
