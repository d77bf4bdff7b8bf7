/* Builds programs. Building numbers the values: an operation that is in the program with the same
 * operands is not added again, and one on constants alone is computed at once. So everything that
 * formulas and layers share is sampled once. */
#ifndef TERRANE_PROGRAM_PROGRAM_BUILDER_H
#define TERRANE_PROGRAM_PROGRAM_BUILDER_H

#include "core/program/program.h"

/* The adders return the number of the operation, or -1 with ERROR_MEMORY or ERROR_LIMIT in
 * program->error. An operand of -1 makes them return -1 at once, so that calls can be nested and
 * the result checked once. */
int32_t program_constant(struct program *program, float value);
int32_t program_add(struct program *program, const struct operation *operation);
/* program_add(), or the value of the operation if all its operands are constant. */
int32_t program_fold(struct program *program, const struct operation *operation);
int32_t program_unary(struct program *program, enum operation_code code, int32_t a);
int32_t program_binary(struct program *program, enum operation_code code, int32_t a, int32_t b);
int32_t program_choose(struct program *program, int32_t condition, int32_t yes, int32_t no);
int32_t program_smoothstep(struct program *program, int32_t low, int32_t high, int32_t a);
/* dx and dy are operations, or both -1 for none. */
int32_t program_noise(struct program *program, const struct noise_settings *settings, int32_t dx,
                      int32_t dy);
int32_t program_distance(struct program *program, const struct place *centre, int32_t dx,
                         int32_t dy);
/* `moved` is an operation, metres along the cycle, or -1 for none. */
int32_t program_cycle(struct program *program, const struct cycle *cycle, int32_t moved);
/* coarse(): `nodes` is the operation at the nodes. */
int32_t program_coarse(struct program *program, const struct node_grid *grid, int32_t nodes);
/* scatter(): OP_CELL_NUMBER or OP_CELL_PLACE with its numbers, of cells as wide as grid->scale. */
int32_t program_cells(struct program *program, const struct node_grid *grid,
                      const struct operation *cells);
/* drainage(): an output of the network in a scope. */
int32_t program_drainage(struct program *program, const struct node_grid *grid,
                         enum drainage_output output);
/* path() and area(): an operation OP_POLYLINE_… of a polyline in a scope, as far as `reach` metres
 * of the scope. */
int32_t program_polyline(struct program *program, enum operation_code code,
                         const struct polyline_view *view, float reach);
/* `points` has 2 × count numbers: x0, y0, x1, y1 …; x strictly rising. */
int32_t program_spline(struct program *program, int32_t a, const double *points, uint32_t count);

/* program_finish.c: makes room for the values; all are -1. False when memory is out. */
bool program_reserve_values(struct program *program, uint32_t count);
/* Chooses guards and fuses operations, once all are there, and frees what only building needs.
 * False when memory is out. */
bool program_finish(struct program *program);

#endif
