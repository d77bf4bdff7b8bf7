/* Where a formula is sampled: moved, scaled, differentiated, and places themselves. A scope counts
 * its moves in metres of the world, and how much larger than the world's its metres are. */
#include "core/world/functions_build.h"

/* Metres of the scope as metres of the world. */
static int32_t in_world(struct compiler *compiler, int32_t metres)
{
    if (compiler->scope.scale == 1.0)
        return metres;
    return build_pair(compiler, OP_MULTIPLY, metres,
                      build_number(compiler, (float)compiler->scope.scale));
}

/* A formula at places moved by dx and dy metres of the scope, on top of any move that already
 * holds. */
static int32_t compile_moved(struct compiler *compiler, const struct formula *formula, int32_t dx,
                             int32_t dy)
{
    const struct compile_scope outer = compiler->scope;
    dx = in_world(compiler, dx);
    dy = in_world(compiler, dy);
    if (outer.dx >= 0) {
        dx = build_pair(compiler, OP_ADD, outer.dx, dx);
        dy = build_pair(compiler, OP_ADD, outer.dy, dy);
    }
    if (dx < 0 || dy < 0)
        return -1;
    compiler->scope.dx = dx;
    compiler->scope.dy = dy;
    int32_t value = compile_formula(compiler, formula);
    compiler->scope = outer;
    return value;
}

int32_t build_warp(struct compiler *compiler, const struct arguments *arguments)
{
    return compile_moved(compiler, arguments->formulas[0], arguments->fields[1],
                         arguments->fields[2]);
}

int32_t build_scale(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope outer = compiler->scope;
    const double scale = outer.scale * arguments->numbers[1];
    if (scale < SCALE_MIN || scale > SCALE_MAX)
        return compile_fail(compiler, arguments->formulas[1], ERROR_VALUE,
                            "scale: scales within each other multiply to %g; they must stay from "
                            "%g to %g",
                            scale, SCALE_MIN, SCALE_MAX);
    compiler->scope.scale = scale;
    int32_t value = compile_formula(compiler, arguments->formulas[0]);
    compiler->scope = outer;
    return value;
}

/* The central difference along an axis, over `spacing` metres. */
static int32_t difference(struct compiler *compiler, const struct arguments *arguments, bool east)
{
    const float spacing = (float)arguments->numbers[1];
    int32_t none = build_number(compiler, 0.0f);
    int32_t ahead = build_number(compiler, 0.5f * spacing);
    int32_t behind = build_number(compiler, -0.5f * spacing);
    const struct formula *e = arguments->formulas[0];
    int32_t high = compile_moved(compiler, e, east ? ahead : none, east ? none : ahead);
    int32_t low =
        high < 0 ? -1 : compile_moved(compiler, e, east ? behind : none, east ? none : behind);
    return build_pair(compiler, OP_DIVIDE, build_pair(compiler, OP_SUBTRACT, high, low),
                      build_number(compiler, spacing));
}

int32_t build_gradient_x(struct compiler *compiler, const struct arguments *arguments)
{
    return difference(compiler, arguments, true);
}

int32_t build_gradient_y(struct compiler *compiler, const struct arguments *arguments)
{
    return difference(compiler, arguments, false);
}

int32_t build_slope(struct compiler *compiler, const struct arguments *arguments)
{
    int32_t east = difference(compiler, arguments, true);
    int32_t south = east < 0 ? -1 : difference(compiler, arguments, false);
    int32_t square = build_pair(compiler, OP_ADD, build_pair(compiler, OP_MULTIPLY, east, east),
                                build_pair(compiler, OP_MULTIPLY, south, south));
    return program_unary(compiler->program, OP_SQRT, square, compiler->error);
}

/* Metres of the world to those of the scope. */
static int32_t from_world(struct compiler *compiler, int32_t metres)
{
    if (compiler->scope.scale == 1.0)
        return metres;
    return build_pair(compiler, OP_DIVIDE, metres,
                      build_number(compiler, (float)compiler->scope.scale));
}

int32_t build_variable_place(struct compiler *compiler, enum operation_code code)
{
    const struct operation operation = {.code = code, .a = -1, .b = -1, .c = -1};
    int32_t value = program_add(compiler->program, &operation, compiler->error);
    int32_t moved = code == OP_X ? compiler->scope.dx : code == OP_Y ? compiler->scope.dy : -1;
    if (moved >= 0)
        value = build_pair(compiler, OP_ADD, value, moved);
    return code == OP_X || code == OP_Y ? from_world(compiler, value) : value;
}

int32_t build_cycle(struct compiler *compiler, const struct arguments *arguments)
{
    struct operation operation = {.code = OP_CYCLE, .b = -1, .c = -1};
    const double period = arguments->numbers[1] * compiler->scope.scale;
    if (period < NOISE_WAVELENGTH_MIN || period > NOISE_WAVELENGTH_MAX)
        return compile_fail(compiler, arguments->formulas[1], ERROR_VALUE,
                            "cycle: scale() makes the period %g m; it must stay from 0.01 to 1e9",
                            period);
    operation.table = (uint32_t)arguments->numbers[0];
    operation.k[0] = (float)period;
    operation.a = operation.table == 0 ? compiler->scope.dx : compiler->scope.dy;
    return program_add(compiler->program, &operation, compiler->error);
}

int32_t build_distance(struct compiler *compiler, const struct arguments *arguments)
{
    struct place centre;
    for (int axis = 0; axis < 2; axis++) {
        const double metres = arguments->numbers[axis] * compiler->scope.scale;
        if (!(__builtin_fabs(metres) <= 0x1p40))
            return compile_fail(compiler, arguments->formulas[axis], ERROR_VALUE,
                                "distance: the place is beyond 2^40 m (about 1.1e12)");
        *(axis == 0 ? &centre.x : &centre.y) = (int64_t)__builtin_floor(metres * 0x1p16 + 0.5);
    }
    return from_world(compiler, program_distance(compiler->program, &centre, compiler->scope.dx,
                                                 compiler->scope.dy, compiler->error));
}
