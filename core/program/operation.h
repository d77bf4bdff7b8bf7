/* An operation of a program: what it does, with which operands, and what is known of its samples.
 * operations.def is the table of all operations. */
#ifndef TERRANE_PROGRAM_OPERATION_H
#define TERRANE_PROGRAM_OPERATION_H

#include <stdbool.h>
#include <stdint.h>

enum operation_code {
#define OPERATION(id, ...) OP_##id,
#include "core/program/operations.def"
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

#endif
