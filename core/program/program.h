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
#include "core/program/work.h"

enum {
    PROGRAM_OPERATIONS_MAX = 8192,
    PROGRAM_OCTAVES_MAX = 32768, /* of all noises: 9 MB */
    SPLINE_POINTS_MAX = 31,
    SPLINE_GROUP = 8, /* segments that a vector of a kernel has */
    SPLINE_ARRAY = SPLINE_POINTS_MAX + 2 * SPLINE_GROUP,
};

enum operation_code {
    OP_CONSTANT, /* k[0] */
    OP_X,        /* the place in metres */
    OP_Y,
    OP_Z, /* metres and seconds of the request */
    OP_T,
    OP_GIVEN,    /* row k[0] that the caller of a condition gives (condition.c) */
    OP_SPACING,  /* metres between samples, for the level of detail */
    OP_CYCLE,    /* place within cycles[table], 0 … 1; moved by a metres along it if not -1 */
    OP_DISTANCE, /* metres to centres[table]; moved by (a, b) if they are not -1 */
    OP_NOISE,    /* noises[table] at the place moved by (a, b), or not moved if they are -1 */
    /* a at the nodes of node_grids[table], interpolated at the place, which is moved by (b, c) if
     * they are not -1 (coarse.h) */
    OP_COARSE,
    /* a where samples are near each other, b where they are far apart, in nodes k[0] metres apart;
     * see coarse_direct_share() */
    OP_BY_SPACING,
    /* the output k[0] (enum drainage_output) of the world's network, in the scope node_grids[table]
     * and at the place moved by (a, b) if they are not -1 (drainage_plan.h) */
    OP_DRAINAGE,
    /* of a */
    OP_NOT,
    OP_ABS,
    OP_FLOOR,
    OP_SQRT,
    OP_SIN,
    OP_COS,
    OP_EXP,
    OP_LOG,
    OP_SMOOTHSTEP, /* from the edge k[0] on; k[1] is the reciprocal of the edges' distance */
    OP_SPLINE,     /* splines[table] */
    /* of a and b; one of them may be the constant k[0], its index is then -1 */
    OP_ADD,
    OP_SUBTRACT,
    OP_MULTIPLY,
    OP_DIVIDE,
    OP_POWER, /* a to the power of b */
    OP_MINIMUM,
    OP_MAXIMUM,
    OP_LESS,
    OP_LESS_EQUAL,
    OP_EQUAL,
    OP_AND,
    OP_OR,
    /* of a, b and c */
    OP_CHOOSE,          /* a is not 0: b, else c */
    OP_SMOOTHSTEP_ROWS, /* of c, between a and b */
    /* made by program_finish() from operations above that cannot overflow */
    OP_FUSED, /* v = `fused.first` of a and b or k[0], then `fused.second` of v and c or k[1] */
    OP_COUNT
};

/* The number is k[0] or k[1]. The constants are columns and rows of a table of loops. */
enum fused_first {
    FUSED_ADD,
    FUSED_ADD_NUMBER,
    FUSED_SUBTRACT,    /* a − b */
    FUSED_FROM_NUMBER, /* k[0] − a */
    FUSED_MULTIPLY,
    FUSED_SCALE,    /* a · k[0] */
    FUSED_AT_LEAST, /* the maximum of a and k[0] */
    FUSED_AT_MOST,
    FUSED_FIRSTS
};
enum fused_second {
    THEN_NOTHING,
    THEN_ADD,
    THEN_ADD_SCALED, /* v + c · k[1] */
    THEN_ADD_NUMBER,
    THEN_SUBTRACT,      /* v − c */
    THEN_SUBTRACT_FROM, /* c − v */
    THEN_FROM_NUMBER,   /* k[1] − v */
    THEN_MULTIPLY,
    THEN_SCALE,
    THEN_AT_LEAST,
    THEN_AT_MOST,
    THEN_GREATER, /* of v and c */
    THEN_LESSER,
    FUSED_SECONDS
};

/* The operand that is evaluated first because it can make another one unnecessary: where a factor
 * is 0, the other factor does not matter. */
enum operation_guard {
    GUARD_NONE,
    GUARD_A, /* a decides whether b (of OP_CHOOSE: b or c) is needed */
    GUARD_B, /* b decides whether a is needed */
};

/* What an operation depends on: the height z, the time t, the world's drainage network. */
enum { USES_Z = 1, USES_T = 2, USES_DRAINAGE = 4 };

/* ±FLT_MAX where nothing is known. */
struct interval {
    float low, high;
};

struct operation {
    enum operation_code code;
    union {
        struct {
            int32_t a, b, c; /* earlier operations, or -1 */
        };
        int32_t operands[3];
    };
    union {
        uint32_t table_index;
        struct {
            uint8_t first, second; /* enum fused_first, fused_second */
        } fused;
    };
    float k[2];
    struct interval bounds;     /* of all samples; set by program_add() */
    uint8_t uses;               /* USES_Z …; likewise */
    bool finite;                /* of sums and products: no sample overflows; set with the bounds */
    struct interval usual;      /* of most samples: prices and colours of maps rely on it, */
    float slope;                /* prices on how much samples change in a metre, at most about */
    uint32_t readers;           /* operations that read it; set by program_finish(), */
    enum operation_guard guard; /* as is this */
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
 * (compile.h); of an OP_DRAINAGE, the scope and the spacing of the network's coarsest nodes.
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
    uint32_t count, noise_count, spline_count, centre_count, cycle_count, node_grid_count;
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
        node_grid_capacity;
    struct arena arena;
    struct hash_index operation_index, noise_index, spline_index, centre_index, cycle_index,
        node_grid_index;
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

/* The cost of a sample of an OP_NOISE or OP_DRAINAGE, in octaves of two-dimensional noise; 0 of any
 * other operation. */
uint32_t program_noise_cost(const struct program *program, const struct operation *operation);

/* What is known of an operation from everything that it depends on. */
struct operation_facts {
    uint32_t cost; /* of a sample: of all noises, each counted once */
    float wave;    /* metres: the longest waves of its noises and cycles; 0 if it has none */
};
/* The facts of all operations, to be freed by the caller; null when memory is out. */
struct operation_facts *program_analyze(struct program *program);
/* program_bounds.c: sets the bounds of an operation, by those of its operands, if it is finite, and
 * the usual bounds. */
void program_bound(const struct program *program, struct operation *operation);
/* program_slopes.c: sets the slope, once the bounds are set. */
void program_find_slope(const struct program *program, struct operation *operation);

/* program_steepness.c: how much an operation can change in a metre at most; infinite if that is not
 * known. For a program that is not finished yet. False when memory is out. */
bool program_find_steepness(const struct program *program, int32_t value, double *steepness);

/* The bounds of the network's outputs, which they are limited to. */
extern const struct interval drainage_outputs[DRAINAGE_OUTPUTS];

/* program_facts.c: what the operation itself and its operands use. */
uint8_t program_uses(const struct program *program, const struct operation *operation);

/* Marks in needed[0 … count) everything that operation `value` depends on, itself included. */
void program_mark(const struct program *program, int32_t value, bool *needed);
/* program_mark() for all operations that are marked already. */
void program_mark_all(const struct program *program, bool *needed);

#endif
