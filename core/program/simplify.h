/* Finds operations of a program that have the same samples as one that is about to be added, bit
 * for bit. A function for each kind of operation, which its row names. It returns the operation's
 * number, or -1 if there is none; the operands are not negative, and of operations that commute a
 * constant is the second one. May add simpler operations. */
#ifndef TERRANE_PROGRAM_SIMPLIFY_H
#define TERRANE_PROGRAM_SIMPLIFY_H

#include "core/program/operation_row.h"

operation_simplify simplify_sum;
operation_simplify simplify_difference;
operation_simplify simplify_product;
operation_simplify simplify_quotient;
operation_simplify simplify_extremum; /* a minimum or a maximum */
operation_simplify simplify_logic;    /* a && b, a || b */
operation_simplify simplify_less;
operation_simplify simplify_equal; /* true if both operands are the same */
operation_simplify simplify_not;
operation_simplify simplify_floor;
operation_simplify simplify_abs;
operation_simplify simplify_choice;

#endif
