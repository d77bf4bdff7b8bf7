/* The row of an operation in the table: everything that differs from operation to operation. What a
 * row leaves out is 0 or null, and means what is said here. */
#ifndef TERRANE_PROGRAM_OPERATION_ROW_H
#define TERRANE_PROGRAM_OPERATION_ROW_H

#include "core/program/program.h"

struct band;

/* Computes `count` samples from the rows of a, b and c, which are null for constants and absent
 * operands. `out` must not overlap them. */
typedef void operation_run(const struct program *program, const struct operation *operation,
                           size_t count, const float *const operands[3], float *out);
/* Computes the samples of a band, by their places or by what is the same for all of them. */
typedef void operation_run_band(const struct program *program, const struct operation *operation,
                                const struct band *band, const float *const operands[3],
                                float *out);

/* An operation and what is known of its operands: of an absent one, k[0] is the only sample. */
struct operation_operands {
    const struct program *program;
    const struct operation *operation;
    struct interval bounds[3]; /* of all samples, or if `usual`, of most samples */
    float slopes[3];           /* for slopes alone: 0 of an absent operand */
    bool usual;
};
typedef struct interval operation_bounds(const struct operation_operands *of);
typedef float operation_slope(const struct operation_operands *of);
/* Metres a metre, from those of the operands, which are 0 of absent ones. */
typedef double operation_steepness(const struct program *program, const struct operation *operation,
                                   const double operands[3]);

/* A value that has the same samples as an operation that is about to be added, with all operands as
 * values; -1 if there is none (simplify.h). */
typedef int32_t operation_simplify(struct program *program, const struct operation *operation);

/* The octaves that a sample takes (program_octaves()), and the longest waves in metres. */
typedef uint32_t operation_octaves(const struct program *program,
                                   const struct operation *operation);
typedef float operation_wave(const struct program *program, const struct operation *operation);

/* The table of the program that table_index is an index of. */
enum operation_table {
    TABLE_NONE,
    TABLE_NOISES,
    TABLE_SPLINES,
    TABLE_CENTRES,
    TABLE_CYCLES,
    TABLE_NODE_GRIDS,
    TABLE_POLYLINE_VIEWS,
};

/* Tells when an operation may be 0 over an area (guards.c). */
enum operation_zeros {
    ZERO_BY_ITSELF,   /* it may be 0 whatever its operands are */
    ZERO_AT_LINES,    /* it is never 0 over an area */
    ZERO_WITH_A,      /* where a is, */
    ZERO_WITH_BOTH,   /* where a and b are, */
    ZERO_WITH_EITHER, /* where a or b is, */
    ZERO_WITH_CHOICE, /* where b or c is */
};

/* Names the operand that can make others unnecessary. */
enum operation_guarding {
    GUARDS_NOTHING,
    GUARDS_BY_ZERO,      /* where a or b is 0, the result is 0 */
    GUARDS_BY_CONDITION, /* a decides between b and c */
};

/* The operation as a half of a fused one: its loop as the first half and as the second, and as the
 * second with the first half's result as its right operand. -1: none. */
struct operation_half {
    int first, second, second_from_right;
};
struct operation_halves {
    struct operation_half rows, number; /* with two rows, and with a row and a number */
    bool clamps;                        /* cannot overflow, whatever its bounds are */
};

struct operation_row {
    const char *name;
    /* The expression, for people (program_print.h): $a, $b and $c are operands, or the number k[0]
     * in their place, $k and $l the numbers k[0] and k[1], $e the second edge of a smoothstep, $t
     * the entry of the table, $o the output of the network. What is in brackets is left out if its
     * first operand is absent. */
    const char *text;
    enum operation_table table;
    operation_run *run;                    /* null: the sampler runs it, in its own state, */
    operation_run_band *run_band;          /* unless there is this function */
    operation_bounds *bounds;              /* null: unbounded */
    operation_slope *slope;                /* null: jumps, unless it has one sample only */
    operation_steepness *steepness;        /* null: not known */
    operation_simplify *simplify;          /* null: never */
    operation_octaves *octaves;            /* null: it has none */
    operation_wave *wave;                  /* null: the longest of its operands */
    const struct operation_halves *halves; /* null: it is not fused */
    bool at_places; /* samples differ from place to place, whatever the operands */
    bool commutes;  /* a and b may be exchanged */
    bool is_truth;  /* each sample is 0 or 1 */
    uint8_t uses;   /* USES_Z …, besides what its operands use */
    enum operation_zeros zeros;
    enum operation_guarding guarding;
    /* The time, without octaves: passes over a row, for guards (0: one), and nanoseconds of a
     * sample of a grid and at a place, for prices (0: those of a sum). */
    uint32_t passes;
    struct {
        double grid, place;
    } time;
};

extern const struct operation_row operation_rows[OP_COUNT];

#endif
