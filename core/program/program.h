/* A compiled world: a flat list of operations on rows of samples, each result used by any number of
 * later ones. program_builder.h makes it.
 *
 * Operands have lower numbers than the operations that read them. Marking what a value depends on
 * is therefore one walk backwards, and evaluation could be one walk forwards; the sampler goes by
 * demand instead, because of guards (see sampler_evaluate.c).
 *
 * A program is built by one thread and immutable after program_finish(); then any number of threads
 * may read it. */
#ifndef TERRANE_PROGRAM_PROGRAM_H
#define TERRANE_PROGRAM_PROGRAM_H

#include "core/base/arena.h"
#include "core/base/hash.h"
#include "core/base/hash_index.h"
#include "core/drainage/drainage.h"
#include "core/noise/noise.h"
#include "core/polylines/polyline.h"
#include "core/program/operation.h"
#include "core/program/work.h"

enum {
    PROGRAM_OPERATIONS_MAX = 8192,
    PROGRAM_OCTAVES_MAX = 32768, /* of all noises: 9 MB */
    SPLINE_POINTS_MAX = 31,
    SPLINE_GROUP = 8, /* segments that a vector of a kernel has */
    SPLINE_ARRAY = SPLINE_POINTS_MAX + 2 * SPLINE_GROUP,
};

/* A monotone cubic: F. N. Fritsch, R. E. Carlson, "Monotone Piecewise Cubic Interpolation" (1980).
 * A segment begins at each point; v is clamped to the first and the last one. From x on, it is
 * ((c3·d + c2)·d + c1)·d + c0 with d = v − x. Kernels may read two groups of segments from
 * any one on. */
struct spline {
    uint32_t count;
    float x[SPLINE_ARRAY], c0[SPLINE_ARRAY], c1[SPLINE_ARRAY], c2[SPLINE_ARRAY], c3[SPLINE_ARRAY];
};

/* spline.c: prepares the spline through `count` points x0, y0, x1, y1 …; x strictly rising. */
void spline_prepare(struct spline *spline, const double *points, uint32_t count);

/* A coordinate within a period along x or y, or, if form is not 0, along a direction. */
struct cycle {
    int64_t shift_x, shift_y; /* 2⁻¹⁶ m, added to the place */
    int64_t form[2];          /* 2⁻⁵⁶ period for a metre of x and of y */
    int32_t sign;             /* 1, or -1 if the axis is reversed */
    uint32_t axis;            /* 0 x, 1 y */
    float period;             /* metres */
};

/* Where the nodes of an OP_COARSE lie: at whole multiples of a spacing on both axes of a scope
 * (compile.h); of an OP_DRAINAGE, the scope and the spacing of the network's coarsest nodes; of an
 * OP_CELL_NUMBER or OP_CELL_PLACE, the scope in which cells are 1 m wide.
 * Operations with the same number of a node grid have the same operands dx and dy. */
struct node_grid {
    struct noise_domain domain;  /* how the scope's plane lies in the world */
    double scale;                /* metres of the world in a metre of the scope */
    uint32_t spacing_log2;       /* of metres of the scope, 0 … NODE_SPACING_LOG2_MAX */
    int32_t dx, dy;              /* operations that displace the place, or both -1 */
    const struct spread *spread; /* spread.h: of an OP_DRAINAGE, if it was measured */
};
enum { NODE_SPACING_LOG2_MAX = 20 };
/* Nodes are limited to ± this, so that no difference or sum of nodes overflows. */
#define COARSE_NODE_MAX 0x1p126f

/* A polyline of the world in a scope, for the operations OP_POLYLINE_…. */
struct polyline_view {
    const struct polyline *line; /* of the world's file, which outlives the program */
    struct noise_domain domain;  /* how the scope's plane lies in the world */
    double scale;                /* metres of the world in a metre of the scope */
    int32_t dx, dy;              /* operations that displace the place, or both -1 */
};

/* The world's drainage network; all 0 if there is none. Its fields are operations that are sampled
 * at its nodes. */
struct program_drainage {
    int32_t potential, target, relief;
    int32_t lakes;                     /* may be −1: there are none */
    int32_t outputs[DRAINAGE_OUTPUTS]; /* operations: drainage() in the scope of the world */
    int32_t warp[2];                   /* of the plane, in metres; −1 for none */
    double warp_steepness; /* metres that the warp moves places apart which are a metre apart, at
                              most; infinite if not known */
    uint32_t spacing_log2; /* of metres; 0 if there is no network */
    float deltas;          /* the share of large rivers that build one */
    uint64_t key;          /* a hash of the seed */
    const struct field_prices *field_prices; /* price/drainage.h: if they were kept */
};
/* The warp may move a place so far, metres: as far as places are from the origin. */
#define PROGRAM_WARP_MAX 0x1p40

struct program {
    struct operation *operations;
    struct noise **noises; /* each with no more octaves than it has, in the arena */
    struct spline *splines;
    struct place *centres;
    struct cycle *cycles;
    struct node_grid *node_grids;
    struct polyline_view *polyline_views;
    uint32_t count, noise_count, spline_count, centre_count, cycle_count, node_grid_count,
        polyline_view_count;
    uint32_t octave_count; /* of all noises */
    struct program_drainage drainage;
    /* The operations that may be sampled, which the sampler calls layers; −1 for what there is not.
     * In the arena; program_reserve_values(). */
    int32_t *values;
    uint32_t value_count;
    /* A hash of everything that decides over the samples of an operation with the same number; set
     * by program_finish() if there are node grids. */
    struct hash128 identity;
    /* for building */
    size_t capacity, noise_capacity, spline_capacity, centre_capacity, cycle_capacity,
        node_grid_capacity, polyline_view_capacity;
    struct arena arena;
    struct hash_index operation_index, noise_index, spline_index, centre_index, cycle_index,
        node_grid_index, polyline_view_index;
    uint32_t formula;    /* that noises belong to which are added from now on */
    uint64_t work;       /* steps of building so far (work.h) */
    bool failed;         /* an operation could not be added: none can from then on */
    struct error *error; /* of the caller, for the adders; null once the program is finished */
};

/* A zeroed struct is an empty program. */
void program_free(struct program *program);

/* Frees what only building needs. */
void program_free_indexes(struct program *program);
/* The memory of a finished program, in bytes. */
size_t program_bytes(const struct program *program);

/* True if operation `value` is a constant; then *constant is its value. */
bool program_is_constant(const struct program *program, int32_t value, float *constant);

/* operation_facts.c: the octaves of a sample of the operation itself, counted in octaves of
 * two-dimensional noise: of noises, the network and cells; 0 of any other operation. */
uint32_t program_octaves(const struct program *program, const struct operation *operation);

/* What is known of an operation from everything that it depends on. */
struct operation_facts {
    uint32_t octaves; /* of a sample: of all noises, each counted once */
    float wave;       /* metres: the longest waves of its noises and cycles; 0 if it has none */
};
/* program_facts.c: the facts of all operations, to be freed by the caller; null when memory is out.
 */
struct operation_facts *program_analyze(struct program *program);
/* operation_steepness.c: how much an operation can change in a metre at most; infinite if that is
 * not known. For a program that is not finished yet. False when memory is out. */
bool program_find_steepness(const struct program *program, int32_t value, double *steepness);

/* The bounds of the network's outputs, which they are limited to. */
extern const struct interval drainage_outputs[DRAINAGE_OUTPUTS];

/* Marks in needed[0 … count) everything that operation `value` depends on, itself included. */
void program_mark(const struct program *program, int32_t value, bool *needed);
/* program_mark() for all operations that are marked already. */
void program_mark_all(const struct program *program, bool *needed);

#endif
