/* From formulas to a program. */
#ifndef TERRANE_WORLD_COMPILE_H
#define TERRANE_WORLD_COMPILE_H

#include "core/base/buffer.h"
#include "core/world/functions.h"

enum {
    COMPILE_CHAIN_MAX = 24,    /* layers that use layers that use layers … */
    COMPILE_DEPTH_MAX = 1000,  /* levels of all their formulas together: what the stack holds */
    COMPILE_PLACES_MAX = 2048, /* layers, once for each displacement they are used at */
};

/* A layer as the compiler sees it. */
struct compile_layer {
    const char *name;
    const char *path; /* its JSON path, for messages */
    const struct formula *formula;
    int32_t value; /* the result: its operation */
};

/* A biome as the compiler sees it: which of the layers is its condition, or -1 for none. */
struct compile_biome {
    const char *name;
    int32_t condition;
};

struct compile_source {
    struct compile_layer *layers;
    uint32_t layer_count;
    uint32_t named_count;   /* the first ones can be named in formulas, … */
    uint32_t density_first; /* … conditions follow, and from here on densities of objects, which */
    const struct compile_biome *biomes; /* alone may name the biome and the biomes */
    uint32_t biome_count;
    int32_t biome; /* the result: the operation of the biome's index, or -1 without biomes */
    uint64_t seed;
};

/* Where a formula is being compiled: in which layer, and how far its places are moved. */
struct compile_scope {
    uint32_t layer;
    int32_t dx, dy;             /* operations, metres of the world; both -1 at the place itself */
    double scale;               /* metres of the world in a metre of the scope */
    struct noise_domain domain; /* how the scope's plane lies in the world */
    enum noise_result result;   /* what is asked of noises */
};

struct compiler {
    struct program *program;
    const struct compile_source *source;
    struct compile_scope scope;
    struct compiled_layer *compiled; /* layers compiled before, by scope */
    uint32_t compiled_count, compiled_capacity;
    uint32_t stack[COMPILE_CHAIN_MAX]; /* layers being compiled, outermost first */
    uint32_t stack_count;
    uint32_t depth; /* levels of formulas being compiled */
    struct error *error;
};

/* Compiles every layer and fills its value, and the biome's. False with path and column. */
bool compile_layers(struct compile_source *source, struct program *program, struct error *error);

/* For functions: a formula in the compiler's scope; -1 with an error. */
int32_t compile_formula(struct compiler *compiler, const struct formula *formula);
/* A layer at the places of the compiler's scope. `use` is the name that asks for it, or null. */
int32_t compile_layer_in_scope(struct compiler *compiler, uint32_t layer,
                               const struct formula *use);
/* The biome's index at the places of the compiler's scope. */
int32_t compile_biome_in_scope(struct compiler *compiler);
/* In a density: whether the name is "biome" or a biome's, and its operation, or -1 with an error.
 */
bool compile_biome_name(struct compiler *compiler, const struct formula *name, int32_t *value);
/* A call of a function. */
int32_t compile_call(struct compiler *compiler, const struct formula *call);
/* The variable x, y, z or t in the compiler's scope. */
int32_t build_coordinate(struct compiler *compiler, enum operation_code code);
/* The key of a noise in the layer being compiled. */
uint64_t compile_noise_key(const struct compiler *compiler, const char *function, const char *salt,
                           double wavelength);
/* Sets the error at a formula's column and returns -1. */
int32_t compile_fail(struct compiler *compiler, const struct formula *formula, enum error_code code,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Appends a formula in one canonical spelling: prefix form, numbers by their shortest digits,
 * arguments by their parameters' order and names. */
void formula_canonicalize(const struct formula *formula, struct buffer *out);

#endif
