/* Finds operations of a program that have the same samples as one that is about to be added, bit
 * for bit. Each function returns its number, or -1 if there is none; the operands are not negative,
 * and of commutative operations a constant is the second one. May add simpler operations. */
#ifndef TERRANE_PROGRAM_SIMPLIFY_H
#define TERRANE_PROGRAM_SIMPLIFY_H

#include "core/program/program.h"

int32_t simplify_unary(struct program *program, enum operation_code code, int32_t a);
int32_t simplify_binary(struct program *program, enum operation_code code, int32_t a, int32_t b);
int32_t simplify_choose(struct program *program, int32_t condition, int32_t yes, int32_t no);

#endif
