/* Prints a program for people: what formulas compiled to, with what was shared, folded, fused and
 * guarded. */
#ifndef TERRANE_PROGRAM_PROGRAM_PRINT_H
#define TERRANE_PROGRAM_PROGRAM_PRINT_H

#include "core/base/buffer.h"
#include "core/program/program.h"

/* A value that may be sampled, by its name: "KIND NAME", or the name alone. */
struct program_result {
    const char *kind, *name; /* kind: "" if there is none */
    int32_t value;
};

/* Appends a table of the operations that all results need, or `value` if it is not -1, in the order
 * of their numbers, one a line: its number, what it does, the bounds of its samples ("-" where
 * nothing is known), how many of these operations read it, its octaves, the operand that is
 * evaluated first because it can make others needless, and the expression that it computes, with
 * the results that it is. A fused operation is named by both halves: "multiply+add". */
void program_print(const struct program *program, const struct program_result *results,
                   uint32_t count, int32_t value, struct buffer *out);

/* The name of an output of the drainage network, as formulas have it. */
const char *program_output_name(enum drainage_output output);

#endif
