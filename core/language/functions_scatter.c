/* The builder of scatter(), and the names that its formula knows.
 *
 * The plane of the scope is divided into cells, each with one point at a place of its own. Of a
 * sample, the points of its own cell and of the eight around it are looked at: every point nearer
 * than one spacing is among them. So e is compiled nine times, each time with other operations
 * behind the names dx, dy, r, angle and id, and what does not use them is one operation for all.
 * A feature fades out from three quarters of a spacing on, and what is faded is not evaluated
 * (guards.c). */
#include <string.h>

#include "core/language/compile.h"

enum { AROUND = 9, RANDOM_X = 65536, RANDOM_Y }; /* beyond the n of random() */
#define FADE_FROM 0.75                           /* of a spacing */

enum { NAME_DX, NAME_DY, NAME_R, NAME_ANGLE, NAME_ID };
const char *const scatter_names[SCATTER_NAMES] = {
    [NAME_DX] = "dx", [NAME_DY] = "dy", [NAME_R] = "r", [NAME_ANGLE] = "angle", [NAME_ID] = "id"};

/* A call being compiled: where samples are in their cells, and the feature that names mean. */
struct scatter {
    struct compile_scope scope;
    struct node_grid grid;
    int32_t place[2]; /* operations: in the cell, 0 … 1 */
    float spacing, key;
    int32_t dx, dy, r, id;
};

static int32_t add_cells(struct compiler *compiler, const struct scatter *scatter,
                         enum operation_code code, float first)
{
    const struct operation operation = {.code = code, .k = {first, scatter->key}};
    return program_cells(compiler->program, &scatter->grid, &operation);
}

/* Metres from the point of a cell to the sample along an axis, of which the cell is `away`. */
static int32_t way(struct compiler *compiler, const struct scatter *scatter, int axis, int away)
{
    const int32_t own = compile_random(compiler, scatter->id, axis == 0 ? RANDOM_X : RANDOM_Y);
    const int32_t point = build_pair(compiler, OP_ADD, own, build_number(compiler, (float)away));
    const int32_t spacing = build_number(compiler, scatter->spacing);
    const int32_t cells = build_pair(compiler, OP_SUBTRACT, scatter->place[axis], point);
    return build_pair(compiler, OP_MULTIPLY, cells, spacing);
}

/* Makes the names mean the feature of a cell. False with an error. */
static bool find_feature(struct compiler *compiler, struct scatter *scatter, int cell)
{
    scatter->id = add_cells(compiler, scatter, OP_CELL_NUMBER, (float)cell);
    scatter->dx = way(compiler, scatter, 0, cell % 3 - 1);
    scatter->dy = way(compiler, scatter, 1, cell / 3 - 1);
    scatter->r = build_length(compiler, scatter->dx, scatter->dy);
    return scatter->r >= 0;
}

static bool is_moved(const struct compile_scope *a, const struct compile_scope *b)
{
    return a->dx != b->dx || a->dy != b->dy || a->scale != b->scale ||
           !noise_domain_equal(&a->domain, &b->domain);
}

/* The operation of a name in its scope; the angle is built where it is used alone. */
static int32_t value_of(struct compiler *compiler, const struct scatter *scatter, int name)
{
    switch (name) {
    case NAME_DX:
        return scatter->dx;
    case NAME_DY:
        return scatter->dy;
    case NAME_R:
        return scatter->r;
    case NAME_ANGLE:
        return build_pair(compiler, OP_ANGLE, scatter->dy, scatter->dx);
    default:
        return scatter->id;
    }
}

bool compile_scatter_name(struct compiler *compiler, const struct formula *name, int32_t *value)
{
    const struct scatter *scatter = compiler->scatter;
    int i = compiler->scope.feature > 0 ? 0 : SCATTER_NAMES;
    while (i < SCATTER_NAMES && strcmp(scatter_names[i], name->text) != 0)
        i++;
    if (i == SCATTER_NAMES)
        return false;
    if (compile_find_layer(compiler, name->text) >= 0)
        *value = compile_fail(compiler, name, ERROR_VALUE,
                              "\"%s\" is a layer, and a name of its own inside scatter(); rename "
                              "the layer",
                              name->text);
    else if (compiler->scope.result != NOISE_SAMPLE)
        *value = compile_fail_not_noise(compiler, name);
    else if (i != NAME_ID && is_moved(&compiler->scope, &scatter->scope))
        *value = compile_fail(compiler, name, ERROR_VALUE,
                              "scatter: %s is known at the sample only, not where warp(), at(), "
                              "slope() and the like sample; only id is",
                              name->text);
    else
        *value = value_of(compiler, scatter, i);
    return true;
}

/* e for the feature that the names mean. */
static int32_t compile_feature(struct compiler *compiler, const struct formula *e,
                               struct scatter *scatter)
{
    const struct compile_scope outer = compiler->scope;
    struct scatter *const outer_scatter = compiler->scatter;
    compiler->scatter = scatter;
    compiler->scope.feature = ++compiler->features;
    const int32_t value = compile_formula(compiler, e);
    compiler->scatter = outer_scatter;
    compiler->scope = outer;
    return value;
}

/* e times what is left of the feature: 1 up to three quarters of a spacing, 0 from a spacing on. */
static int32_t faded(struct compiler *compiler, const struct scatter *scatter, int32_t value)
{
    const int32_t end = build_number(compiler, scatter->spacing);
    const int32_t from = build_number(compiler, (float)FADE_FROM * scatter->spacing);
    return build_pair(compiler, OP_MULTIPLY, value,
                      program_smoothstep(compiler->program, end, from, scatter->r));
}

/* Of all features, the sum, or the greatest or least of them and 0. */
static int32_t join_all(struct compiler *compiler, const struct formula *e, enum scatter_join join,
                        struct scatter *scatter)
{
    static const enum operation_code codes[] = {
        [JOIN_SUM] = OP_ADD, [JOIN_MAX] = OP_MAXIMUM, [JOIN_MIN] = OP_MINIMUM};
    int32_t joined = build_number(compiler, 0.0f);
    for (int cell = 0; cell < AROUND && joined >= 0; cell++) {
        if (!find_feature(compiler, scatter, cell))
            return -1;
        const int32_t value = compile_feature(compiler, e, scatter);
        joined = build_pair(compiler, codes[join], joined, faded(compiler, scatter, value));
    }
    const int32_t detail = compile_detail(compiler, build_number(compiler, scatter->spacing));
    return build_pair(compiler, OP_MULTIPLY, joined, detail);
}

/* Of the nearest feature, if it is nearer than a spacing; else 0. */
static int32_t join_nearest(struct compiler *compiler, const struct formula *e,
                            struct scatter *scatter)
{
    int32_t nearest = build_number(compiler, scatter->spacing);
    int32_t joined = build_number(compiler, 0.0f);
    for (int cell = 0; cell < AROUND && joined >= 0; cell++) {
        if (!find_feature(compiler, scatter, cell))
            return -1;
        const int32_t value = compile_feature(compiler, e, scatter);
        const int32_t nearer = build_pair(compiler, OP_LESS, scatter->r, nearest);
        joined = program_choose(compiler->program, nearer, value, joined);
        nearest = build_pair(compiler, OP_MINIMUM, nearest, scatter->r);
    }
    return joined;
}

/* Hashes the seed, the salt and the spacing, but not the layer: layers share their points. A float
 * holds the 24 bits. */
static float key_of(struct compiler *compiler, const char *salt, double spacing)
{
    const uint64_t seed = hash_mix(compiler->source->seed);
    compiler->program->work += WORK_NOISE + strlen(salt) / WORK_SALT;
    const uint64_t key = hash_bytes(salt, strlen(salt), seed).low;
    return (float)(int32_t)(hash_number(key, spacing) >> 40);
}

/* Places samples in the cells of the scope. False with an error. */
static bool open_scatter(struct compiler *compiler, const struct arguments *arguments,
                         struct scatter *scatter)
{
    const struct compile_scope *scope = &compiler->scope;
    const double spacing = arguments->numbers[0], side = spacing * scope->scale;
    *scatter = (struct scatter){
        .scope = *scope,
        .grid = {.domain = scope->domain, .scale = side, .dx = scope->dx, .dy = scope->dy},
        .spacing = (float)spacing,
    };
    if (side < NOISE_WAVELENGTH_MIN || side > NOISE_WAVELENGTH_MAX)
        return compile_fail(compiler, arguments->formulas[0], ERROR_VALUE,
                            "scatter: scale() makes the spacing %g m; it must be from %g to %g",
                            side, NOISE_WAVELENGTH_MIN, NOISE_WAVELENGTH_MAX) >= 0;
    scatter->key = key_of(compiler, arguments->texts[3], spacing);
    scatter->place[0] = add_cells(compiler, scatter, OP_CELL_PLACE, 0.0f);
    scatter->place[1] = add_cells(compiler, scatter, OP_CELL_PLACE, 1.0f);
    return scatter->place[1] >= 0;
}

int32_t build_scatter(struct compiler *compiler, const struct arguments *arguments)
{
    const enum scatter_join join = (enum scatter_join)arguments->numbers[2];
    struct scatter scatter;
    if (!open_scatter(compiler, arguments, &scatter))
        return -1;
    return join == JOIN_NEAREST ? join_nearest(compiler, arguments->formulas[1], &scatter)
                                : join_all(compiler, arguments->formulas[1], join, &scatter);
}
