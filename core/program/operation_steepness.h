/* The steepness of operations, for their rows. */
#ifndef TERRANE_PROGRAM_OPERATION_STEEPNESS_H
#define TERRANE_PROGRAM_OPERATION_STEEPNESS_H

#include "core/program/operation_row.h"

operation_steepness steepness_of_constant;
operation_steepness steepness_of_coordinate;
operation_steepness steepness_of_noise;
operation_steepness steepness_of_polyline_distance;
operation_steepness steepness_of_sum;
operation_steepness steepness_of_product; /* by a number */

#endif
