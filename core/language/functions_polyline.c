/* The builders of path() and area(): the polyline of the world's file with that name, in the plane
 * of the scope. So warp(), at(), rotate() and scale() move it as they move noises. */
#include <stdio.h>
#include <string.h>

#include "core/language/compile.h"
#include "core/program/program_tables.h"

enum path_output { PATH_DISTANCE, PATH_ALONG, PATH_SIDE, PATH_DX, PATH_DY };
static const enum operation_code path_operations[] = {
    [PATH_DISTANCE] = OP_POLYLINE_DISTANCE,
    [PATH_ALONG] = OP_POLYLINE_ALONG,
    [PATH_SIDE] = OP_POLYLINE_SIDE,
    [PATH_DX] = OP_POLYLINE_X,
    [PATH_DY] = OP_POLYLINE_Y,
};
/* The parameters of both functions. */
enum { ARGUMENT_NAME, ARGUMENT_OUTPUT, ARGUMENT_REACH };

/* The polylines of one kind in the world's file. */
struct polylines {
    const struct compile_polyline *items;
    uint32_t count;
    const char *kind;
};

/* Names the one that is meant, or all there are. */
static int32_t fail_unknown(struct compiler *compiler, const struct polylines *known,
                            const struct formula *name)
{
    const char *candidates[COMPILE_POLYLINES_MAX];
    char all[160] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < known->count; i++)
        candidates[i] = known->items[i].name;
    const char *nearest = error_suggest(name->text, candidates, known->count);
    if (nearest)
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "unknown %s \"%.40s\" (did you mean \"%s\"?)", known->kind, name->text,
                            nearest);
    if (known->count == 0)
        return compile_fail(compiler, name, ERROR_UNKNOWN,
                            "unknown %s \"%.40s\": the world has no member \"%ss\"", known->kind,
                            name->text, known->kind);
    for (uint32_t i = 0; i < known->count && used < sizeof all; i++)
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i > 0 ? ", " : "",
                                 candidates[i]);
    return compile_fail(compiler, name, ERROR_UNKNOWN, "unknown %s \"%.40s\"; the world has %s%s",
                        known->kind, name->text, all, used < sizeof all ? "" : " …");
}

/* The polyline of that name in the scope. Its line is null if it could not be read, and its own
 * error was taken. False with an error. */
static bool find_view(struct compiler *compiler, const struct arguments *arguments,
                      const struct polylines *known, struct polyline_view *view)
{
    const struct compile_scope *scope = &compiler->scope;
    const char *name = arguments->texts[ARGUMENT_NAME];
    uint32_t i = 0;
    while (i < known->count && strcmp(known->items[i].name, name) != 0)
        i++;
    compiler->program->work += i / WORK_ANALYSED;
    if (i == known->count) {
        fail_unknown(compiler, known, arguments->formulas[ARGUMENT_NAME]);
        return false;
    }
    *view = (struct polyline_view){.line = known->items[i].line,
                                   .domain = scope->domain,
                                   .scale = scope->scale,
                                   .dx = scope->dx,
                                   .dy = scope->dy};
    return true;
}

static int32_t build_polyline(struct compiler *compiler, const struct arguments *arguments,
                              const struct polylines *known, enum operation_code code)
{
    struct polyline_view view;
    if (!find_view(compiler, arguments, known, &view))
        return -1;
    if (!view.line)
        return build_number(compiler, 0.0f);
    return program_polyline(compiler->program, code, &view,
                            (float)arguments->numbers[ARGUMENT_REACH]);
}

int32_t build_path(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_source *source = compiler->source;
    const struct polylines paths = {source->paths, source->path_count, "path"};
    return build_polyline(compiler, arguments, &paths,
                          path_operations[(int)arguments->numbers[ARGUMENT_OUTPUT]]);
}

/* ---- profiles */

enum { PROFILE_E = 1, PROFILE_SPACING, PROFILE_REACH, STATIONS_MAX = 4096 };

/* Metres along an axis from the place to the one in the plane of the profile. */
static int32_t move_to_profile(struct compiler *compiler, const struct polyline_view *view,
                               float reach, int axis)
{
    struct operation move = {
        .code = OP_POLYLINE_MOVE, .a = view->dx, .b = view->dy, .c = -1, .k = {reach, (float)axis}};
    if (!program_keep_polyline_view(compiler->program, view, &move.table_index))
        return -1;
    return program_add(compiler->program, &move);
}

/* From a place (s, y) in the plane of the profile to the axis' coordinate of the point s metres
 * along the line, in metres from vertex 0. */
static int32_t move_to_line(struct compiler *compiler, const struct polyline_view *line, int axis)
{
    const struct operation along = {.code = OP_X, .a = -1, .b = -1, .c = -1};
    struct operation point = {
        .code = OP_POLYLINE_POINT, .b = -1, .c = -1, .k = {0.0f, (float)axis}};
    struct operation offset = {.code = OP_OFFSET, .b = -1, .c = -1, .k = {(float)axis}};
    point.a = program_add(compiler->program, &along);
    if (point.a < 0 || !program_keep_polyline_view(compiler->program, line, &point.table_index))
        return -1;
    offset.a = program_add(compiler->program, &point);
    return offset.a < 0 ? -1 : program_add(compiler->program, &offset);
}

/* e at the stations, smooth between them. The plane of the profile has x for the metres along the
 * line; its nodes are the stations, in rows that are all alike. So what coarse() does with nodes
 * holds for stations: they are sampled where they are needed, and kept. */
static int32_t build_stations(struct compiler *compiler, const struct arguments *arguments,
                              const struct polyline_view *view, struct node_grid *grid)
{
    const struct place origin = view->line->vertices[0];
    const float reach = (float)arguments->numbers[PROFILE_REACH];
    struct compile_scope scope = compile_world_scope(compiler->scope.layer);
    const struct polyline_view line = {
        .line = view->line, .domain = scope.domain, .scale = 1.0, .dx = -1, .dy = -1};
    grid->domain = (struct noise_domain){.cosine = 1.0, .shift_x = -origin.x, .shift_y = -origin.y};
    grid->dx = move_to_profile(compiler, view, reach, 0);
    grid->dy = grid->dx < 0 ? -1 : move_to_profile(compiler, view, reach, 1);
    scope.domain.shift_x = origin.x;
    scope.domain.shift_y = origin.y;
    scope.dx = grid->dy < 0 ? -1 : move_to_line(compiler, &line, 0);
    scope.dy = scope.dx < 0 ? -1 : move_to_line(compiler, &line, 1);
    if (scope.dy < 0)
        return -1;
    return compile_nodes(compiler, arguments->call, arguments->formulas[PROFILE_E], &scope, grid);
}

/* e itself at the nearest point: where samples are too far apart for stations to pay. */
static int32_t build_at_line(struct compiler *compiler, const struct arguments *arguments,
                             const struct polyline_view *view)
{
    const struct compile_scope outer = compiler->scope;
    const float reach = (float)arguments->numbers[PROFILE_REACH];
    int32_t moves[2] = {-1, -1};
    for (int axis = 0; axis < 2; axis++) {
        const int32_t off = program_polyline(
            compiler->program, axis == 0 ? OP_POLYLINE_X : OP_POLYLINE_Y, view, reach);
        moves[axis] = build_pair(compiler, OP_SUBTRACT, build_number(compiler, 0.0f), off);
    }
    const int32_t value = compile_move_scope(compiler, moves[0], moves[1])
                              ? compile_formula(compiler, arguments->formulas[PROFILE_E])
                              : -1;
    compiler->scope = outer;
    return value;
}

static int32_t build_within_reach(struct compiler *compiler, const struct polyline_view *view,
                                  float reach, int32_t value)
{
    const int32_t distance = program_polyline(compiler->program, OP_POLYLINE_DISTANCE, view, reach);
    const int32_t within = build_pair(compiler, OP_LESS, distance, build_number(compiler, reach));
    return within < 0 || value < 0
               ? -1
               : program_choose(compiler->program, within, value, build_number(compiler, 0.0f));
}

/* False with an error if there would be too many. */
static bool check_stations(struct compiler *compiler, const struct arguments *arguments,
                           const struct polyline *line)
{
    const double length = line->starts[line->segments];
    double least = 1.0;
    while (length > STATIONS_MAX * least)
        least *= 2.0;
    return arguments->numbers[PROFILE_SPACING] >= least ||
           compile_fail(compiler, arguments->formulas[PROFILE_SPACING], ERROR_LIMIT,
                        "profile: path \"%.40s\" is %.0f m long, and has at most %d stations: "
                        "their spacing must be %.0f m or more",
                        arguments->texts[ARGUMENT_NAME], length, STATIONS_MAX, least) >= 0;
}

int32_t build_profile(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_source *source = compiler->source;
    const struct polylines paths = {source->paths, source->path_count, "path"};
    const double spacing = arguments->numbers[PROFILE_SPACING];
    struct polyline_view view;
    struct node_grid grid = {.scale = 1.0};
    if (!find_view(compiler, arguments, &paths, &view))
        return -1;
    if (!view.line)
        return build_number(compiler, 0.0f);
    if (!compile_node_spacing(compiler, arguments, PROFILE_SPACING, &grid.spacing_log2))
        return -1;
    if (!check_stations(compiler, arguments, view.line))
        return -1;
    struct operation by_spacing = {.code = OP_BY_SPACING, .c = -1};
    by_spacing.k[0] = (float)(spacing * compiler->scope.scale);
    by_spacing.a = build_stations(compiler, arguments, &view, &grid);
    by_spacing.b = by_spacing.a < 0 ? -1 : build_at_line(compiler, arguments, &view);
    return build_within_reach(compiler, &view, (float)arguments->numbers[PROFILE_REACH],
                              by_spacing.b < 0 ? -1 : program_add(compiler->program, &by_spacing));
}

int32_t build_area(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_source *source = compiler->source;
    const struct polylines areas = {source->areas, source->area_count, "area"};
    return build_polyline(compiler, arguments, &areas, OP_POLYLINE_SIGNED);
}
