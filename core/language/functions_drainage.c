/* The builder of drainage(): an output of the world's network (core/drainage) at the place of the
 * scope, moved by the network's warp, which is compiled in that scope as any layer is.
 *
 * What the network is made from, its fields, is sampled on lattices in the world's own scope; no
 * operation of a formula reads it. Where the network's coarsest cells have few samples, its rivers
 * could not be seen any more, and the land gives way to the target, without rivers. */
#include "core/language/compile.h"

static bool is_drainage_layer(const struct compile_source *source, uint32_t layer)
{
    return layer >= source->drainage_first && layer < source->drainage_first + DRAINAGE_FORMULAS;
}

/* Moves the scope by the network's warp. False with an error. */
static bool warp_scope(struct compiler *compiler, const struct formula *call)
{
    const struct compile_source *source = compiler->source;
    const struct compile_layer *formulas = source->layers + source->drainage_first;
    int32_t moves[2];
    if (!formulas[DRAINAGE_WARP_X].formula && !formulas[DRAINAGE_WARP_Y].formula)
        return true;
    for (int axis = 0; axis < 2; axis++) {
        const uint32_t layer = source->drainage_first + DRAINAGE_WARP_X + (uint32_t)axis;
        moves[axis] = source->layers[layer].formula ? compile_named_layer(compiler, layer, call)
                                                    : build_number(compiler, 0.0f);
        if (moves[axis] < 0)
            return false;
    }
    return compile_move_scope(compiler, moves[0], moves[1]);
}

/* The output in the compiler's scope, which is moved by the warp. */
static int32_t add_output(struct compiler *compiler, enum drainage_output output)
{
    const struct compile_scope *scope = &compiler->scope;
    const struct node_grid grid = {.domain = scope->domain,
                                   .scale = scope->scale,
                                   .spacing_log2 = compiler->source->drainage_spacing_log2,
                                   .dx = scope->dx,
                                   .dy = scope->dy};
    return program_drainage(compiler->program, &grid, output);
}

/* What the output is where no streams can be seen. */
static int32_t far_value(struct compiler *compiler, enum drainage_output output,
                         const struct formula *call)
{
    const struct compile_source *source = compiler->source;
    switch (output) {
    case DRAINAGE_HEIGHT:
    case DRAINAGE_BED:
    case DRAINAGE_WATER:
        return compile_named_layer(compiler, source->drainage_first + DRAINAGE_TARGET, call);
    case DRAINAGE_DISTANCE:
        return build_number(compiler, (float)((uint32_t)1 << source->drainage_spacing_log2));
    default:
        return build_number(compiler, 0.0f);
    }
}

/* The output, which gives way to that from 16 to 8 samples in a cell of level 0 on. */
static int32_t add_by_spacing(struct compiler *compiler, enum drainage_output output,
                              const struct formula *call)
{
    const double spacing = (double)((uint32_t)1 << compiler->source->drainage_spacing_log2);
    struct operation by_spacing = {.code = OP_BY_SPACING, .c = -1};
    by_spacing.b = far_value(compiler, output, call);
    by_spacing.a = by_spacing.b < 0 ? -1 : add_output(compiler, output);
    by_spacing.k[0] = (float)(compiler->scope.scale * spacing / 4.0);
    return by_spacing.a < 0 ? -1 : program_add(compiler->program, &by_spacing);
}

/* Checks that the scope's cells, from the coarsest to the finest, have sizes that places are exact
 * in. */
static bool check_scale(struct compiler *compiler, const struct formula *call)
{
    const double scale = compiler->scope.scale;
    const double widest = (double)((uint32_t)1 << compiler->source->drainage_spacing_log2) * scale;
    const double narrowest = (double)(1 << DRAINAGE_FINEST_LOG2) * scale;
    return (narrowest >= NOISE_WAVELENGTH_MIN && widest <= NOISE_WAVELENGTH_MAX) ||
           compile_fail(compiler, call, ERROR_VALUE,
                        "drainage: scale() makes the network's cells %g to %g m wide; they must be "
                        "%g to %g",
                        narrowest, widest, NOISE_WAVELENGTH_MIN, NOISE_WAVELENGTH_MAX) >= 0;
}

int32_t compile_drainage(struct compiler *compiler, enum drainage_output output,
                         const struct formula *call)
{
    const struct compile_scope outer = compiler->scope;
    const int32_t value = warp_scope(compiler, call) ? add_by_spacing(compiler, output, call) : -1;
    compiler->scope = outer;
    return value;
}

int32_t build_drainage(struct compiler *compiler, const struct arguments *arguments)
{
    const struct formula *call = arguments->call;
    const enum drainage_output output = (enum drainage_output)arguments->numbers[0];
    if (compiler->source->drainage_spacing_log2 == 0)
        return compile_fail(compiler, call, ERROR_VALUE,
                            "drainage() needs the member \"drainage\" of the world file, which "
                            "describes the network");
    if (is_drainage_layer(compiler->source, compiler->scope.layer))
        return compile_fail(compiler, call, ERROR_VALUE,
                            "drainage() cannot be used in what the network is made from");
    return check_scale(compiler, call) ? compile_drainage(compiler, output, call) : -1;
}
