/* What a program is asked for, built or not, and its end. program_builder.c makes one. */
#include "core/program/program.h"

#include <stdlib.h>

void program_free_indexes(struct program *program)
{
    hash_index_free(&program->operation_index);
    hash_index_free(&program->noise_index);
    hash_index_free(&program->spline_index);
    hash_index_free(&program->centre_index);
    hash_index_free(&program->cycle_index);
    hash_index_free(&program->node_grid_index);
    hash_index_free(&program->polyline_view_index);
}

void program_free(struct program *program)
{
    free(program->operations);
    free(program->noises);
    free(program->splines);
    free(program->centres);
    free(program->cycles);
    free(program->node_grids);
    free(program->polyline_views);
    program_free_indexes(program);
    arena_free(&program->arena);
    *program = (struct program){0};
}

bool program_is_constant(const struct program *program, int32_t value, float *constant)
{
    if (value < 0 || program->operations[value].code != OP_CONSTANT)
        return false;
    *constant = program->operations[value].k[0];
    return true;
}

/* Marks the operands of everything that is marked up to `last`. */
static void mark_operands(const struct program *program, int32_t last, bool *needed)
{
    for (int32_t i = last; i >= 0; i--) {
        const int32_t *operands = program->operations[i].operands;
        for (int k = 0; k < 3; k++)
            if (needed[i] && operands[k] >= 0)
                needed[operands[k]] = true;
    }
}

void program_mark(const struct program *program, int32_t value, bool *needed)
{
    needed[value] = true;
    mark_operands(program, value, needed);
}

void program_mark_all(const struct program *program, bool *needed)
{
    mark_operands(program, (int32_t)program->count - 1, needed);
}

size_t program_bytes(const struct program *program)
{
    return program->capacity * sizeof *program->operations +
           program->noise_capacity * sizeof *program->noises +
           program->spline_capacity * sizeof *program->splines +
           program->centre_capacity * sizeof *program->centres +
           program->cycle_capacity * sizeof *program->cycles +
           program->node_grid_capacity * sizeof *program->node_grids +
           program->polyline_view_capacity * sizeof *program->polyline_views + program->arena.bytes;
}
