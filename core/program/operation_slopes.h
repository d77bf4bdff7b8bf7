/* The slopes of operations, for their rows. */
#ifndef TERRANE_PROGRAM_OPERATION_SLOPES_H
#define TERRANE_PROGRAM_OPERATION_SLOPES_H

#include "core/program/operation_row.h"

operation_slope slope_of_coordinate;
operation_slope slope_of_cycle;
operation_slope slope_of_distance;
operation_slope slope_of_offset;
operation_slope slope_of_cells;
operation_slope slope_of_gullies;
operation_slope slope_of_polyline_distance;
operation_slope slope_of_polyline_jumps;
operation_slope slope_of_noise;
operation_slope slope_of_drainage;
operation_slope slope_of_coarse;
operation_slope slope_of_smoothstep;
operation_slope slope_of_spline;
operation_slope slope_of_log;
operation_slope slope_of_power;
operation_slope slope_greatest; /* as steep as its steepest operand */
operation_slope slope_of_sum;
operation_slope slope_of_product;
operation_slope slope_of_quotient;
operation_slope slope_of_choice;

/* Sets the slope of an operation, once its bounds are set. */
void program_find_slope(const struct program *program, struct operation *operation);

#endif
