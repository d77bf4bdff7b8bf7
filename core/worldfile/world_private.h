/* The contents of struct world, for the files that read and compile one. */
#ifndef TERRANE_WORLDFILE_WORLD_PRIVATE_H
#define TERRANE_WORLDFILE_WORLD_PRIVATE_H

#include "core/base/arena.h"
#include "core/language/compile.h"
#include "core/worldfile/world.h"

/* Upper bounds of a density's samples, and of the product of its expensive factors where it has an
 * early reject (see early_reject.c). */
struct density_bounds {
    float high, early_reject_high;
};

struct world {
    struct arena arena; /* owns all texts and tables below */
    /* Of a reseeded world, the world that was read: a reference. It owns the document, and all
     * texts and tables but those that world_compile() fills in. */
    struct world *base;
    struct json_document *document;
    struct diagnostics *diagnostics; /* of world_diagnose() while it runs; or null */
    struct world_limits limits;
    const char *file;
    const char *title, *description, *attribution, *seed;
    struct world_view view;
    uint64_t seed_number;
    unsigned generator;
    struct world_layer *layers; /* those of the file, "biome" if there are biomes, the materials */
    uint32_t layer_count;       /* without the layer "biome" */
    struct world_biome *biomes;
    uint32_t biome_count;
    struct world_material *materials;
    uint32_t material_count;
    struct world_object *objects;
    struct density_bounds *density_bounds;
    uint32_t object_count;
    uint32_t drainage_spacing_log2; /* of the network's coarsest nodes, in metres; 0: no network */
    struct compile_polyline *paths, *areas;
    uint32_t path_count, area_count, vertex_count; /* vertices: of all of them */
    double drainage_deltas; /* the share of its large rivers that build deltas, 0 … 1 */
    /* One table of all formulas: those of the layers, the conditions of the biomes and the formulas
     * of the network, by enum drainage_formula (both null where there is none), the densities of
     * the objects and the weights of the materials. */
    struct compile_layer *layer_formulas, *conditions, *drainage, *densities, *weights;
    uint32_t formula_count;
    uint32_t height; /* index of the layer "height" */
    /* Its values: the layers of the file, "biome" if there are biomes, weights of materials,
     * densities, early rejects, outputs of the network; then its formulas. */
    struct program program;
    struct sampling_price place_price; /* of all layers at a place, if prices were prepared */
    bool prices_prepared;
    uint64_t read_work;    /* steps of everything but the program (core/program/work.h) */
    const char *canonical; /* what the fingerprint hashes, without generator and seed */
    size_t canonical_length;
    char fingerprint[WORLD_FINGERPRINT_TEXT];
    char materials_fingerprint[MATERIALS_FINGERPRINT_TEXT];
    struct names names;
    char names_fingerprint[NAMES_FINGERPRINT_TEXT];
    unsigned references; /* atomic; the last member: see borrow_world() */
};

/* reader.c: fills titles, seed, layers, formulas, biomes, materials and objects from a document's
 * text. */
bool world_read(struct world *world, const char *text, size_t length, struct error *error);
/* build_program.c: makes the program from what was read, and writes to layers, objects, formulas,
 * and density_bounds. */
bool world_compile(struct world *world, struct error *error);
/* early_reject.c: finds the early rejects of the densities, before the program is finished. */
bool world_find_early_rejects(struct world *world, const struct operation_facts *facts);
/* fingerprint.c: both fingerprints. */
bool world_make_fingerprint(struct world *world, struct error *error);
/* The 64 bits that a seed's text means: the number it writes in decimal, else a hash of its bytes.
 */
uint64_t world_parse_seed(const char *seed);

#endif
