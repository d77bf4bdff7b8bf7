/* The table of operations: the rows of operations.def, by their constants. */
#include "core/program/operation_bounds.h"
#include "core/program/operation_facts.h"
#include "core/program/operation_slopes.h"
#include "core/program/operation_steepness.h"
#include "core/program/row_kernels.h"
#include "core/program/row_kernels_position.h"
#include "core/program/simplify.h"

const struct operation_row operation_rows[OP_COUNT] = {
#define OPERATION(id, title, ...) [OP_##id] = {.name = #title, __VA_ARGS__},
#define ROW_OPERATION(id, title, ...) [OP_##id] = {.name = #title, .run = run_##title, __VA_ARGS__},
#define BAND_OPERATION(id, title, ...)                                                             \
    [OP_##id] = {.name = #title, .run_band = run_##title, __VA_ARGS__},
#include "core/program/operations.def"
};
