/* The builders of functions, for the table in functions.c. A builder adds the operations of a call
 * to the program and returns the operation of the result, or -1 with an error. */
#ifndef TERRANE_WORLD_FUNCTIONS_BUILD_H
#define TERRANE_WORLD_FUNCTIONS_BUILD_H

#include "core/world/compile.h"

/* Axes, in the order of their names. */
enum axes_choice { AXES_X, AXES_XY, AXES_XYZ, AXES_XYT, AXES_XYZT };
enum published_choice { PUBLISHED_XY, PUBLISHED_XYZ, PUBLISHED_XYT };

/* The limits of the product of nested scales. */
#define SCALE_MIN 1e-6
#define SCALE_MAX 1e6

/* Add an operation on two values, or a constant. An operand of -1 makes the result -1. */
int32_t build_pair(struct compiler *compiler, enum operation_code code, int32_t a, int32_t b);
int32_t build_number(struct compiler *compiler, float value);

/* Of functions_noise.c, functions_domain.c and functions_shape.c. A basis is the one that is named
 * as the function; a function's `code` tells the fractal, the axis OP_X or OP_Y of a gradient, and
 * the operation of build_unary() and build_fold(). */
function_builder build_basis, build_fractal;
function_builder build_warp, build_rotate, build_scale, build_zero_distance;
function_builder build_slope, build_gradient, build_distance, build_cycle;
function_builder build_unary, build_fold, build_fract, build_clamp, build_mix, build_step;
function_builder build_smoothstep, build_spline, build_terrace, build_bias, build_gain;

#endif
