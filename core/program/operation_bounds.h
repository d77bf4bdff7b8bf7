/* The bounds of operations, for their rows. */
#ifndef TERRANE_PROGRAM_OPERATION_BOUNDS_H
#define TERRANE_PROGRAM_OPERATION_BOUNDS_H

#include "core/program/operation_row.h"

operation_bounds bounds_of_a; /* its operand, or number, is the result */
operation_bounds bounds_of_coordinate;
operation_bounds bounds_of_spacing;
operation_bounds bounds_of_cycle;
operation_bounds bounds_of_cell_number;
operation_bounds bounds_of_gullies;
operation_bounds bounds_of_polyline_distance;
operation_bounds bounds_of_polyline_along;
operation_bounds bounds_of_polyline_side;
operation_bounds bounds_of_polyline_signed;
operation_bounds bounds_of_polyline_move;
operation_bounds bounds_of_polyline_point;
operation_bounds bounds_of_distance;
operation_bounds bounds_of_offset;
operation_bounds bounds_of_noise;
operation_bounds bounds_of_drainage;
operation_bounds bounds_of_coarse;
operation_bounds bounds_by_spacing;
operation_bounds bounds_of_not;
operation_bounds bounds_of_less;
operation_bounds bounds_of_less_equal;
operation_bounds bounds_of_equal;
operation_bounds bounds_of_and;
operation_bounds bounds_of_or;
operation_bounds bounds_of_choice;
operation_bounds bounds_of_abs;
operation_bounds bounds_of_floor;
operation_bounds bounds_of_sqrt;
operation_bounds bounds_of_random;
operation_bounds bounds_of_angle;
operation_bounds bounds_of_sine;
operation_bounds bounds_of_smoothstep_rows;
operation_bounds bounds_of_smoothstep;
operation_bounds bounds_of_exp;
operation_bounds bounds_of_spline;
operation_bounds bounds_of_log;
operation_bounds bounds_of_power;
operation_bounds bounds_of_sum;
operation_bounds bounds_of_difference;
operation_bounds bounds_of_product;
operation_bounds bounds_of_quotient;
operation_bounds bounds_of_minimum;
operation_bounds bounds_of_maximum;

/* Sets the bounds of an operation, by those of its operands, if it is finite, and the usual bounds.
 */
void program_bound(const struct program *program, struct operation *operation);

#endif
