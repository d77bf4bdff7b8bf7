/* From formulas to a program: the compiler, and its interface to the builders of functions. */
#ifndef TERRANE_LANGUAGE_COMPILE_H
#define TERRANE_LANGUAGE_COMPILE_H

#include "core/language/functions.h"

enum {
    COMPILE_CHAIN_MAX = 24,    /* a layer that names a layer that names a layer … */
    COMPILE_DEPTH_MAX = 1000,  /* levels of all their formulas together: what the stack holds */
    COMPILE_PLACES_MAX = 2048, /* layers, counted once for each scope they are used in */
    COMPILE_LAYERS_MAX = 256,  /* layers and biomes that can be named */
    COMPILE_BIOMES_MAX = 256,
    COMPILE_POLYLINES_MAX = 256, /* paths, and as many areas */
    COMPILE_COARSE_MAX = 2,      /* coarse() in coarse() …: a cold place costs 16 nodes a level */
    EXPONENT_MAX = 64,           /* of a power that is multiplied out */
    /* Steps (core/program/work.h): some 70 ms. The compiler's own tables may take some 50 MB
       meanwhile. */
    COMPILE_WORK_MAX = 3000000,
};

/* The formulas of a world's drainage network: its fields, and the warp of the plane that it is
 * sampled in. */
enum drainage_formula {
    DRAINAGE_POTENTIAL,
    DRAINAGE_TARGET,
    DRAINAGE_RELIEF,
    DRAINAGE_WARP_X,
    DRAINAGE_WARP_Y,
    DRAINAGE_LAKES,
    DRAINAGE_FORMULAS
};

/* A formula to compile: of a layer, a biome's condition, a density or a weight. */
struct compile_layer {
    const char *name;              /* part of the keys of its noises */
    const char *path;              /* its JSON path, for messages */
    const struct formula *formula; /* null if it could not be read or compiled */
    int32_t value;                 /* the result: its operation */
};

/* A path or an area that formulas can name. */
struct compile_polyline {
    const char *name;
    const struct polyline *line; /* null if it could not be read */
};

struct compiler;
struct compile_source {
    /* Layers, then the conditions of biomes, then the formulas of the network, where the formula
     * may be null, then densities, then weights of materials. */
    struct compile_layer *layers;
    uint32_t layer_count;
    uint32_t named_count;      /* only the first ones can be named in formulas */
    uint32_t density_first;    /* from here on formulas that may name the biome and biomes, too */
    const char *const *biomes; /* their names */
    uint32_t biome_count;
    /* From here on the formulas of the drainage network, by enum drainage_formula, and then the
     * densities and weights; the network's coarsest nodes are 2^… metres apart, 0 if there is none.
     */
    uint32_t drainage_first, drainage_spacing_log2;
    int32_t drainage_outputs[DRAINAGE_OUTPUTS]; /* results: their operations, if there is one */
    const struct compile_polyline *paths, *areas;
    uint32_t path_count, area_count;
    int32_t biome; /* the result: the operation of the biome's index, or -1 without biomes */
    uint64_t seed;
    /* Takes the error of a formula, which then becomes null, and clears it; false if compiling
     * shall end with it. Null ends with the first error. */
    bool (*take_error)(void *context, struct error *error);
    void *context;
    /* Of a condition (condition.c), whose names mean something else: builds one. Null for the
     * formulas of a world. */
    int32_t (*build_name)(struct compiler *compiler, const struct formula *name);
};

/* The scope of a formula: its layer, how its plane is moved, and the kind of result. */
struct compile_scope {
    uint32_t layer;
    int32_t dx, dy; /* displacement: operations, in metres of the world; both -1 for none */
    double scale;   /* metres of the world in a metre of the scope */
    struct noise_domain domain; /* how the scope's plane lies in the world */
    enum noise_result result;   /* what noises are compiled to */
    uint32_t feature;           /* of scatter(): which one names mean; 0 outside of it */
};

struct scatter;
struct compiler {
    struct program *program;
    const struct compile_source *source;
    struct compile_scope scope;
    struct hash_index names;   /* of layers, then of biomes, by the hash of the name */
    struct compiled *compiled; /* what was compiled before, by scope */
    struct hash_index compiled_index;
    uint32_t compiled_count, layer_scopes; /* how many of them are layers */
    size_t compiled_capacity;
    uint32_t stack[COMPILE_CHAIN_MAX]; /* layers being compiled, outermost first */
    uint32_t stack_count;
    uint32_t depth; /* levels of formulas being compiled */
    /* The innermost scatter() being compiled (functions_scatter.c), and how many features of all
     * calls there were. */
    struct scatter *scatter;
    uint32_t features;
    /* Of the operations up to coarse_count: how deep coarse() is nested in what they depend on. */
    uint8_t *coarse_levels;
    size_t coarse_capacity;
    uint32_t coarse_count;
    struct error *error;
};

/* Compiles every layer, and the biome's index, and fills in their values. False with path and
 * column. Where an error was taken, the values are of no use. */
bool compile_layers(struct compile_source *source, struct program *program, struct error *error);

/* Frees the compiler's own memory. */
void compile_free(struct compiler *compiler);

/* The functions below compile in the scope of the compiler, and return an operation or -1 with an
 * error. */
int32_t compile_formula(struct compiler *compiler, const struct formula *formula);
/* An operator and its operands. */
int32_t compile_operator(struct compiler *compiler, const struct formula *formula);
/* A value to a whole power from -EXPONENT_MAX to EXPONENT_MAX, by multiplications. */
int32_t compile_power(struct compiler *compiler, int32_t base, int exponent);
/* A call of a function. */
int32_t compile_call(struct compiler *compiler, const struct formula *call);
/* The scope of a layer itself: neither moved nor scaled. */
struct compile_scope compile_world_scope(uint32_t layer);
/* A layer, in the compiler's scope. `use` is what refers to it, for messages, or null. */
int32_t compile_named_layer(struct compiler *compiler, uint32_t layer, const struct formula *use);
/* The index of the biome, which densities and weights share, whatever layer they are in. */
int32_t compile_biome(struct compiler *compiler);
/* compile_names.c: what a name stands for. */
int32_t compile_name(struct compiler *compiler, const struct formula *name);
/* Prepares finding names. False when memory is out. */
bool compile_index_names(struct compiler *compiler);
/* The layer of that name, or -1 if there is none. */
int32_t compile_find_layer(const struct compiler *compiler, const char *name);
/* functions_domain.c: the spacing of nodes, an argument of coarse() or profile(), is checked in the
 * scope of the compiler. False with an error. */
bool compile_node_spacing(struct compiler *compiler, const struct arguments *arguments, int spacing,
                          uint32_t *spacing_log2);
/* A formula of the call, compiled in `scope` for the nodes and interpolated between them in the
 * plane of the grid; a number if it is one. */
int32_t compile_nodes(struct compiler *compiler, const struct formula *call,
                      const struct formula *e, const struct compile_scope *scope,
                      const struct node_grid *grid);
/* functions_scatter.c: the names that scatter() gives to its formula. */
enum { SCATTER_NAMES = 5 };
extern const char *const scatter_names[SCATTER_NAMES];
/* True if the name is one of these and known here; then *value is its operation, or -1 with an
 * error. */
bool compile_scatter_name(struct compiler *compiler, const struct formula *name, int32_t *value);
/* functions_domain.c: the rise of e per metre of the scope, to the east or to the south, by the
 * difference over so many metres. */
int32_t compile_difference(struct compiler *compiler, const struct formula *e, float spacing,
                           bool east);
/* functions_domain.c: detail() of an operation. */
int32_t compile_detail(struct compiler *compiler, int32_t wavelength);
/* functions_drainage.c: drainage() in the compiler's scope. `call` is for messages, or null. */
int32_t compile_drainage(struct compiler *compiler, enum drainage_output output,
                         const struct formula *call);
/* functions_domain.c: moves the compiler's scope by dx and dy, operations in metres of the scope.
 * False with an error. */
bool compile_move_scope(struct compiler *compiler, int32_t dx, int32_t dy);
/* functions_shape.c: random() of an operation. */
int32_t compile_random(struct compiler *compiler, int32_t id, uint32_t n);
/* The variable x, y, z or t. */
int32_t build_coordinate(struct compiler *compiler, enum operation_code code);

/* True if a name has a meaning in every formula, so that no layer may have it. */
bool compile_is_reserved(const char *name);
/* The key of a noise in the layer being compiled. */
uint64_t compile_noise_key(struct compiler *compiler, const char *function, const char *salt,
                           double wavelength);

/* Fails at a name that is no noise, in zero_distance(). Returns -1. */
int32_t compile_fail_not_noise(struct compiler *compiler, const struct formula *name);
/* Sets the error at a formula's column and returns -1. */
int32_t compile_fail(struct compiler *compiler, const struct formula *formula, enum error_code code,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));

/* The builders of functions, for the table in functions.c: a builder adds the operations of a call
 * to the program and returns the operation of the result, or -1 with an error. */

/* Axes, in the order of their names. */
enum axes_choice { AXES_X, AXES_XY, AXES_XYZ, AXES_XYT, AXES_XYZT };
enum published_choice { PUBLISHED_XY, PUBLISHED_XYZ, PUBLISHED_XYT };
/* What scatter() makes of all features, in the order of their names. */
enum scatter_join { JOIN_SUM, JOIN_MAX, JOIN_MIN, JOIN_NEAREST };

/* The limits of the product of nested scales. */
#define SCALE_MIN 1e-6
#define SCALE_MAX 1e6

/* Add an operation on two values, or a constant. An operand of -1 makes the result -1. No two of
 * them stand in the arguments of one call: C leaves to the compiler which is added first, and the
 * program's identity depends on the order. */
int32_t build_pair(struct compiler *compiler, enum operation_code code, int32_t a, int32_t b);
int32_t build_number(struct compiler *compiler, float value);
int32_t build_clamped(struct compiler *compiler, int32_t v, int32_t low, int32_t high);
/* sqrt(x² + y²). */
int32_t build_length(struct compiler *compiler, int32_t x, int32_t y);

/* The builders of functions_*.c. build_basis() takes the basis that has the name of the function; a
 * function's `code` decides the fractal, the axis OP_X or OP_Y of a gradient, and the operation of
 * build_unary() and build_fold(). */
function_builder build_basis, build_fractal;
function_builder build_warp, build_at, build_rotate, build_scale, build_coarse, build_zero_distance,
    build_drainage, build_scatter, build_gullies, build_path, build_area, build_profile;
function_builder build_slope, build_gradient, build_distance, build_cycle, build_detail,
    build_coverage;
function_builder build_unary, build_fold, build_angle, build_random, build_pow, build_fract,
    build_clamp, build_mix, build_step;
function_builder build_smoothstep, build_spline, build_terrace, build_bias, build_gain;

#endif
