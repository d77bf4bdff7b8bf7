/* Builders of functions that change where their argument is sampled: warp, at, rotate, scale, slope
 * and gradients, zero_distance; and of functions of the position: the coordinates, distance and
 * cycle; and of the level of detail.
 *
 * None of these samples anything. Each changes the scope, compiles its argument, and restores the
 * scope. A scope is a map from its own plane to the world's:
 *
 *   world position = place + shift, then rotation (domain), displaced by (dx, dy) of the world;
 *   a metre of the scope is `scale` metres of the world.
 *
 * Displacements stay in metres of the world, so nested warps add up whatever rotations lie between.
 * A displacement by whole constant units of 2⁻¹⁶ m becomes part of the shift, which is exact at any
 * distance and keeps the fast path for grids; all others are rows of floats, added to the lattice
 * coordinates of each noise. */
#include "core/base/array.h"
#include "core/base/lanes.h"
#include "core/language/compile.h"

static bool scope_is_rotated(const struct compile_scope *scope)
{
    return scope->domain.sine != 0.0 || scope->domain.cosine != 1.0;
}

/* cosine·a + sine·b. */
static int32_t linear_combination(struct compiler *compiler, int32_t a, double cosine, int32_t b,
                                  double sine)
{
    const int32_t of_b = build_pair(compiler, OP_MULTIPLY, b, build_number(compiler, (float)sine));
    const int32_t of_a =
        build_pair(compiler, OP_MULTIPLY, a, build_number(compiler, (float)cosine));
    return build_pair(compiler, OP_ADD, of_a, of_b);
}

/* Converts a vector in metres of the scope to metres of the world: turned back and scaled. */
static void scope_to_world(struct compiler *compiler, int32_t *dx, int32_t *dy)
{
    const struct compile_scope *scope = &compiler->scope;
    const double cosine = scope->domain.cosine * scope->scale;
    const double sine = scope->domain.sine * scope->scale;
    const int32_t east = *dx, south = *dy;
    if (scope_is_rotated(scope)) {
        *dx = linear_combination(compiler, east, cosine, south, sine);
        *dy = linear_combination(compiler, south, cosine, east, -sine);
    } else if (scope->scale != 1.0) {
        const int32_t scale = build_number(compiler, (float)scope->scale);
        *dx = build_pair(compiler, OP_MULTIPLY, east, scale);
        *dy = build_pair(compiler, OP_MULTIPLY, south, scale);
    }
}

/* Converts a length in metres of the world to metres of the scope. */
static int32_t world_to_scope(struct compiler *compiler, int32_t metres)
{
    if (compiler->scope.scale == 1.0)
        return metres;
    return build_pair(compiler, OP_DIVIDE, metres,
                      build_number(compiler, (float)compiler->scope.scale));
}

/* Moves the scope by a constant displacement, exactly, if it is a whole number of units of 2⁻¹⁶ m.
 * False for any other displacement. */
static bool shift_scope(struct compiler *compiler, int32_t dx, int32_t dy)
{
    struct noise_domain *domain = &compiler->scope.domain;
    float x, y;
    if (!program_is_constant(compiler->program, dx, &x) ||
        !program_is_constant(compiler->program, dy, &y))
        return false;
    const double units_x = (double)x * 0x1p16 + (double)domain->shift_x;
    const double units_y = (double)y * 0x1p16 + (double)domain->shift_y;
    if (units_x != __builtin_floor(units_x) || units_y != __builtin_floor(units_y) ||
        !(__builtin_fabs(units_x) <= 0x1p52) || !(__builtin_fabs(units_y) <= 0x1p52))
        return false;
    domain->shift_x = (int64_t)units_x;
    domain->shift_y = (int64_t)units_y;
    return true;
}

bool compile_move_scope(struct compiler *compiler, int32_t dx, int32_t dy)
{
    struct compile_scope *scope = &compiler->scope;
    scope_to_world(compiler, &dx, &dy);
    if (dx < 0 || dy < 0)
        return false;
    if (shift_scope(compiler, dx, dy))
        return true;
    if (scope->dx >= 0) {
        dx = build_pair(compiler, OP_ADD, scope->dx, dx);
        dy = build_pair(compiler, OP_ADD, scope->dy, dy);
    }
    scope->dx = dx;
    scope->dy = dy;
    return dx >= 0 && dy >= 0;
}

/* Compiles a formula at positions displaced by dx and dy, metres of the scope, in addition to the
 * displacement of the scope itself. */
static int32_t compile_displaced(struct compiler *compiler, const struct formula *formula,
                                 int32_t dx, int32_t dy)
{
    const struct compile_scope outer = compiler->scope;
    const int32_t value =
        compile_move_scope(compiler, dx, dy) ? compile_formula(compiler, formula) : -1;
    compiler->scope = outer;
    return value;
}

int32_t build_warp(struct compiler *compiler, const struct arguments *arguments)
{
    return compile_displaced(compiler, arguments->formulas[0], arguments->fields[1],
                             arguments->fields[2]);
}

/* Moves the scope from each place to the place (x, y) of the scope: to one place of the world,
 * whatever moved the scope before. */
static bool go_to(struct compiler *compiler, int32_t x, int32_t y)
{
    struct compile_scope *scope = &compiler->scope;
    int32_t *const targets[2] = {&x, &y};
    scope_to_world(compiler, &x, &y);
    for (int axis = 0; axis < 2; axis++) {
        struct operation offset = {.code = OP_OFFSET, .a = *targets[axis], .b = -1, .c = -1};
        offset.k[0] = (float)axis;
        if (offset.a < 0)
            return false;
        *targets[axis] = program_add(compiler->program, &offset);
    }
    scope->domain.shift_x = scope->domain.shift_y = 0;
    scope->dx = x;
    scope->dy = y;
    return x >= 0 && y >= 0;
}

int32_t build_at(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope outer = compiler->scope;
    const int32_t value = go_to(compiler, arguments->fields[1], arguments->fields[2])
                              ? compile_formula(compiler, arguments->formulas[0])
                              : -1;
    compiler->scope = outer;
    return value;
}

int32_t build_scale(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope outer = compiler->scope;
    const double scale = outer.scale * arguments->numbers[1];
    if (scale < SCALE_MIN || scale > SCALE_MAX)
        return compile_fail(compiler, arguments->formulas[1], ERROR_VALUE,
                            "scale: nested scales multiply to %g; their product must be from %g "
                            "to %g",
                            scale, SCALE_MIN, SCALE_MAX);
    compiler->scope.scale = scale;
    int32_t value = compile_formula(compiler, arguments->formulas[0]);
    compiler->scope = outer;
    return value;
}

/* The series 1 − q/(n(n+1)) + q²/(n(n+1)(n+2)(n+3)) …, where q is the square of an angle: for n = 1
 * it is the cosine, for n = 2 the sine divided by the angle. Good to 1e-17 for angles up to 45
 * degrees. */
static double series(double q, int n)
{
    double sum = 1.0;
    for (int k = n + 18; k >= n; k -= 2)
        sum = 1.0 - sum * q / (double)(k * (k + 1));
    return sum;
}

/* Exact for multiples of 90 degrees; the same bits on every machine, which libm does not promise.
 */
static void sine_and_cosine(double degrees, double *sine, double *cosine)
{
    const double quarters = __builtin_floor(degrees / 90.0 + 0.5);
    const double radians = (degrees - quarters * 90.0) * 0.017453292519943295;
    const double q = radians * radians;
    const double s = radians * series(q, 2), c = series(q, 1);
    const int quarter = (int)(quarters - 4.0 * __builtin_floor(quarters / 4.0));
    const double sines[] = {s, c, -s, -c};
    *sine = sines[quarter];
    *cosine = sines[(quarter + 1) & 3];
}

int32_t build_rotate(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope outer = compiler->scope;
    double sine, cosine;
    /* Turning the picture clockwise means sampling at positions turned back. */
    sine_and_cosine(-arguments->numbers[1], &sine, &cosine);
    compiler->scope.domain.cosine = cosine * outer.domain.cosine - sine * outer.domain.sine;
    compiler->scope.domain.sine = sine * outer.domain.cosine + cosine * outer.domain.sine;
    int32_t value = compile_formula(compiler, arguments->formulas[0]);
    compiler->scope = outer;
    return value;
}

/* How deep coarse() is nested in what an operation depends on; -1 when memory is out. Operands have
 * lower numbers, so each operation is looked at once in the life of the compiler. */
static int coarse_level(struct compiler *compiler, int32_t value)
{
    const struct program *program = compiler->program;
    for (; compiler->coarse_count <= (uint32_t)value; compiler->coarse_count++) {
        const uint32_t i = compiler->coarse_count;
        const struct operation *operation = &program->operations[i];
        uint8_t *levels = array_reserve(compiler->coarse_levels, i, &compiler->coarse_capacity, 1);
        compiler->coarse_levels = levels ? levels : compiler->coarse_levels;
        if (!levels)
            return error_memory(compiler->error) ? 0 : -1;
        levels[i] = 0;
        for (int k = 0; k < 3; k++)
            if (operation->operands[k] >= 0 && levels[operation->operands[k]] > levels[i])
                levels[i] = levels[operation->operands[k]];
        if (operation->code == OP_COARSE)
            levels[i]++;
    }
    return compiler->coarse_levels[value];
}

bool compile_node_spacing(struct compiler *compiler, const struct arguments *arguments, int spacing,
                          uint32_t *spacing_log2)
{
    const double metres = arguments->numbers[spacing], side = metres * compiler->scope.scale;
    const char *name = arguments->function->name;
    *spacing_log2 = 0;
    while ((double)(1 << *spacing_log2) < metres)
        ++*spacing_log2;
    if ((double)(1 << *spacing_log2) != metres)
        return compile_fail(compiler, arguments->formulas[spacing], ERROR_VALUE,
                            "%s: spacing must be a power of two from 1 to %d, as 64 or 1024, "
                            "not %g",
                            name, 1 << NODE_SPACING_LOG2_MAX, metres) >= 0;
    if (side < NOISE_WAVELENGTH_MIN || side > NOISE_WAVELENGTH_MAX)
        return compile_fail(compiler, arguments->formulas[spacing], ERROR_VALUE,
                            "%s: scale() makes the spacing %g m; it must be from %g to %g", name,
                            side, NOISE_WAVELENGTH_MIN, NOISE_WAVELENGTH_MAX) >= 0;
    return true;
}

int32_t compile_nodes(struct compiler *compiler, const struct formula *call,
                      const struct formula *e, const struct compile_scope *scope,
                      const struct node_grid *grid)
{
    const struct compile_scope outer = compiler->scope;
    float constant;
    compiler->scope = *scope;
    const int32_t nodes = compile_formula(compiler, e);
    compiler->scope = outer;
    const int level = nodes < 0 ? -1 : coarse_level(compiler, nodes);
    if (level < 0)
        return -1;
    if (program_is_constant(compiler->program, nodes, &constant))
        return build_number(compiler,
                            max_float(min_float(constant, COARSE_NODE_MAX), -COARSE_NODE_MAX));
    if (level == COMPILE_COARSE_MAX)
        return compile_fail(compiler, call, ERROR_LIMIT,
                            "coarse() and profile() are nested more than %d levels deep, with the "
                            "layers that e names",
                            COMPILE_COARSE_MAX);
    return program_coarse(compiler->program, grid, nodes);
}

/* coarse() compiles its argument twice: in the scope of the world for the nodes, and in the scope
 * of the use for samples that are too far apart for nodes to pay. In a scope that is not moved both
 * are the same operations. */
int32_t build_coarse(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope *scope = &compiler->scope, world = compile_world_scope(scope->layer);
    const struct formula *e = arguments->formulas[0];
    struct node_grid grid = {
        .domain = scope->domain, .scale = scope->scale, .dx = scope->dx, .dy = scope->dy};
    float constant;
    if (!compile_node_spacing(compiler, arguments, 1, &grid.spacing_log2))
        return -1;
    const int32_t smooth = compile_nodes(compiler, arguments->call, e, &world, &grid);
    if (smooth < 0 || program_is_constant(compiler->program, smooth, &constant))
        return smooth;
    struct operation by_spacing = {.code = OP_BY_SPACING, .a = smooth, .c = -1};
    by_spacing.b = compile_formula(compiler, e);
    by_spacing.k[0] = (float)(arguments->numbers[1] * scope->scale);
    return by_spacing.b < 0 ? -1 : program_add(compiler->program, &by_spacing);
}

int32_t build_zero_distance(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope outer = compiler->scope;
    const bool with_sign = arguments->numbers[1] != 0.0;
    compiler->scope.result = NOISE_ZERO_DISTANCE;
    int32_t value = compile_formula(compiler, arguments->formulas[0]);
    compiler->scope = outer;
    if (!with_sign)
        value = program_unary(compiler->program, OP_ABS, value);
    return world_to_scope(compiler, value);
}

/* The central difference along an axis: e at half the spacing ahead, less e at half the spacing
 * behind, over the spacing. Two compilations of the argument, in two scopes. */
int32_t compile_difference(struct compiler *compiler, const struct formula *e, float spacing,
                           bool east)
{
    int32_t none = build_number(compiler, 0.0f);
    int32_t ahead = build_number(compiler, 0.5f * spacing);
    int32_t behind = build_number(compiler, -0.5f * spacing);
    int32_t high = compile_displaced(compiler, e, east ? ahead : none, east ? none : ahead);
    int32_t low =
        high < 0 ? -1 : compile_displaced(compiler, e, east ? behind : none, east ? none : behind);
    int32_t metres = build_number(compiler, spacing);
    return build_pair(compiler, OP_DIVIDE, build_pair(compiler, OP_SUBTRACT, high, low), metres);
}

int32_t build_gradient(struct compiler *compiler, const struct arguments *arguments)
{
    return compile_difference(compiler, arguments->formulas[0], (float)arguments->numbers[1],
                              arguments->function->code == OP_X);
}

int32_t build_slope(struct compiler *compiler, const struct arguments *arguments)
{
    const struct formula *e = arguments->formulas[0];
    const float spacing = (float)arguments->numbers[1];
    int32_t east = compile_difference(compiler, e, spacing, true);
    int32_t south = east < 0 ? -1 : compile_difference(compiler, e, spacing, false);
    return build_length(compiler, east, south);
}

/* The position along an axis of the world, shifted and displaced as the scope is, in metres. */
static int32_t coordinate_along(struct compiler *compiler, enum operation_code code)
{
    const struct compile_scope *scope = &compiler->scope;
    const struct operation operation = {.code = code, .a = -1, .b = -1, .c = -1};
    const int64_t shift = code == OP_X ? scope->domain.shift_x : scope->domain.shift_y;
    const int32_t moved = code == OP_X ? scope->dx : scope->dy;
    int32_t value = program_add(compiler->program, &operation);
    if (shift != 0)
        value = build_pair(compiler, OP_ADD, value,
                           build_number(compiler, (float)((double)shift * 0x1p-16)));
    return moved >= 0 ? build_pair(compiler, OP_ADD, value, moved) : value;
}

int32_t build_coordinate(struct compiler *compiler, enum operation_code code)
{
    const struct noise_domain *domain = &compiler->scope.domain;
    const struct operation operation = {.code = code, .a = -1, .b = -1, .c = -1};
    if (code == OP_T)
        return program_add(compiler->program, &operation);
    if (code == OP_Z)
        return world_to_scope(compiler, program_add(compiler->program, &operation));
    if (!scope_is_rotated(&compiler->scope))
        return world_to_scope(compiler, coordinate_along(compiler, code));
    const int32_t x = coordinate_along(compiler, OP_X),
                  y = x < 0 ? -1 : coordinate_along(compiler, OP_Y);
    const int32_t along = code == OP_X
                              ? linear_combination(compiler, x, domain->cosine, y, -domain->sine)
                              : linear_combination(compiler, x, domain->sine, y, domain->cosine);
    return world_to_scope(compiler, along);
}

int32_t build_cycle(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope *scope = &compiler->scope;
    const double period = arguments->numbers[1] * scope->scale;
    if (period < NOISE_WAVELENGTH_MIN || period > NOISE_WAVELENGTH_MAX)
        return compile_fail(compiler, arguments->formulas[1], ERROR_VALUE,
                            "cycle: scale() makes the period %g m; it must be from %g to %g",
                            period, NOISE_WAVELENGTH_MIN, NOISE_WAVELENGTH_MAX);
    /* The axis of the scope as a direction of the world. Along an axis of the world the cycle is
     * exact integer arithmetic on one coordinate; in any other direction, a form of both. */
    const bool first = arguments->numbers[0] == 0.0;
    const double x = first ? scope->domain.cosine : scope->domain.sine;
    const double y = first ? -scope->domain.sine : scope->domain.cosine;
    struct cycle cycle = {
        .shift_x = scope->domain.shift_x,
        .shift_y = scope->domain.shift_y,
        .axis = x == 0.0,
        .sign = x + y < 0.0 ? -1 : 1,
        .period = (float)period,
    };
    int32_t moved = cycle.axis == 0 ? scope->dx : scope->dy;
    if (x != 0.0 && y != 0.0) {
        cycle.axis = 0;
        cycle.sign = 1;
        cycle.form[0] = (int64_t)__builtin_floor(x / period * 0x1p56 + 0.5);
        cycle.form[1] = (int64_t)__builtin_floor(y / period * 0x1p56 + 0.5);
        if (moved >= 0 && (moved = linear_combination(compiler, scope->dx, x, scope->dy, y)) < 0)
            return -1;
    } else if (moved >= 0 && cycle.sign < 0) {
        moved = build_pair(compiler, OP_MULTIPLY, moved, build_number(compiler, -1.0f));
        if (moved < 0)
            return -1;
    }
    return program_cycle(compiler->program, &cycle, moved);
}

/* Twice the distance of samples, in metres of the scope; at places, next to nothing. */
static int32_t two_samples(struct compiler *compiler)
{
    const struct operation spacing = {.code = OP_SPACING, .a = -1, .b = -1, .c = -1};
    const int32_t two = build_number(compiler, 2.0f);
    const int32_t twice =
        build_pair(compiler, OP_MULTIPLY, program_add(compiler->program, &spacing), two);
    return world_to_scope(
        compiler, build_pair(compiler, OP_MAXIMUM, twice, build_number(compiler, 0x1p-20f)));
}

/* clamp(wavelength / (2 · spacing) − 1, 0, 1), the share of an octave of noise. The wavelength is
 * limited, so that the quotient is finite. */
int32_t compile_detail(struct compiler *compiler, int32_t wavelength)
{
    const int32_t one = build_number(compiler, 1.0f), none = build_number(compiler, 0.0f);
    const int32_t limited =
        build_pair(compiler, OP_MINIMUM, wavelength, build_number(compiler, 0x1p64f));
    const int32_t waves = build_pair(compiler, OP_DIVIDE, limited, two_samples(compiler));
    const int32_t share = build_pair(compiler, OP_SUBTRACT, waves, one);
    return program_choose(compiler->program, wavelength, build_clamped(compiler, share, none, one),
                          one);
}

int32_t build_detail(struct compiler *compiler, const struct arguments *arguments)
{
    return compile_detail(compiler, arguments->fields[0]);
}

/* The part of a ramp of one sample that is below an edge `offset` metres ahead of the sample. */
static int32_t part_below(struct compiler *compiler, int32_t offset)
{
    const int32_t none = build_number(compiler, 0.0f), one = build_number(compiler, 1.0f);
    const int32_t twice = build_pair(compiler, OP_ADD, offset, offset);
    const int32_t samples = build_pair(compiler, OP_DIVIDE, twice, two_samples(compiler));
    const int32_t part = build_pair(compiler, OP_ADD, samples, build_number(compiler, 0.5f));
    return build_clamped(compiler, part, none, one);
}

/* A box filter across the line, as wide as samples are apart: the overlap of [d − s/2, d + s/2]
 * with [−w/2, w/2], in s. Two ramps, as their difference is a step where s is next to nothing. */
int32_t build_coverage(struct compiler *compiler, const struct arguments *arguments)
{
    const int32_t distance = arguments->fields[0];
    const int32_t width =
        build_pair(compiler, OP_MAXIMUM, arguments->fields[1], build_number(compiler, 0.0f));
    const int32_t half = build_pair(compiler, OP_MULTIPLY, width, build_number(compiler, 0.5f));
    const int32_t beyond = build_pair(compiler, OP_ADD, half, distance);
    const int32_t before = build_pair(compiler, OP_SUBTRACT, half, distance);
    const int32_t behind = build_pair(compiler, OP_SUBTRACT, build_number(compiler, 0.0f), beyond);
    const int32_t ahead = part_below(compiler, before), back = part_below(compiler, behind);
    return build_pair(compiler, OP_SUBTRACT, ahead, back);
}

int32_t build_distance(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_scope *scope = &compiler->scope;
    const double x = arguments->numbers[0] * scope->scale, y = arguments->numbers[1] * scope->scale;
    const struct noise_domain *domain = &scope->domain;
    const double metres[2] = {domain->cosine * x + domain->sine * y,
                              domain->cosine * y - domain->sine * x};
    for (int axis = 0; axis < 2; axis++)
        if (!(__builtin_fabs(metres[axis]) <= 0x1p40))
            return compile_fail(compiler, arguments->formulas[axis], ERROR_VALUE,
                                "distance: the place is beyond 2^40 m (about 1.1e12)");
    const struct place centre = {
        (int64_t)__builtin_floor(metres[0] * 0x1p16 + 0.5) - domain->shift_x,
        (int64_t)__builtin_floor(metres[1] * 0x1p16 + 0.5) - domain->shift_y,
    };
    return world_to_scope(compiler,
                          program_distance(compiler->program, &centre, scope->dx, scope->dy));
}
