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

/* A noise basis by itself: the one named as the function. */
int32_t build_basis(struct compiler *compiler, const struct arguments *arguments);
int32_t build_fbm(struct compiler *compiler, const struct arguments *arguments);
int32_t build_billow(struct compiler *compiler, const struct arguments *arguments);
int32_t build_turbulence(struct compiler *compiler, const struct arguments *arguments);
int32_t build_ridged(struct compiler *compiler, const struct arguments *arguments);
int32_t build_warp(struct compiler *compiler, const struct arguments *arguments);
int32_t build_rotate(struct compiler *compiler, const struct arguments *arguments);
int32_t build_zero_distance(struct compiler *compiler, const struct arguments *arguments);
int32_t build_scale(struct compiler *compiler, const struct arguments *arguments);
int32_t build_gradient_x(struct compiler *compiler, const struct arguments *arguments);
int32_t build_gradient_y(struct compiler *compiler, const struct arguments *arguments);
int32_t build_slope(struct compiler *compiler, const struct arguments *arguments);
int32_t build_cycle(struct compiler *compiler, const struct arguments *arguments);
int32_t build_distance(struct compiler *compiler, const struct arguments *arguments);
int32_t build_abs(struct compiler *compiler, const struct arguments *arguments);
int32_t build_floor(struct compiler *compiler, const struct arguments *arguments);
int32_t build_fract(struct compiler *compiler, const struct arguments *arguments);
int32_t build_sqrt(struct compiler *compiler, const struct arguments *arguments);
int32_t build_sin(struct compiler *compiler, const struct arguments *arguments);
int32_t build_cos(struct compiler *compiler, const struct arguments *arguments);
int32_t build_exp(struct compiler *compiler, const struct arguments *arguments);
int32_t build_min(struct compiler *compiler, const struct arguments *arguments);
int32_t build_max(struct compiler *compiler, const struct arguments *arguments);
int32_t build_clamp(struct compiler *compiler, const struct arguments *arguments);
int32_t build_mix(struct compiler *compiler, const struct arguments *arguments);
int32_t build_step(struct compiler *compiler, const struct arguments *arguments);
int32_t build_smoothstep(struct compiler *compiler, const struct arguments *arguments);
int32_t build_spline(struct compiler *compiler, const struct arguments *arguments);
int32_t build_terrace(struct compiler *compiler, const struct arguments *arguments);
int32_t build_bias(struct compiler *compiler, const struct arguments *arguments);
int32_t build_gain(struct compiler *compiler, const struct arguments *arguments);

#endif
