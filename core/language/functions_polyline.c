/* The builders of path() and area(): the polyline of the world's file with that name, in the plane
 * of the scope. So warp(), at(), rotate() and scale() move it as they move noises. */
#include <stdio.h>
#include <string.h>

#include "core/language/compile.h"

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

static int32_t build_polyline(struct compiler *compiler, const struct arguments *arguments,
                              const struct polylines *known, enum operation_code code)
{
    const struct compile_scope *scope = &compiler->scope;
    const char *name = arguments->texts[ARGUMENT_NAME];
    uint32_t i = 0;
    while (i < known->count && strcmp(known->items[i].name, name) != 0)
        i++;
    compiler->program->work += i / WORK_ANALYSED;
    if (i == known->count)
        return fail_unknown(compiler, known, arguments->formulas[ARGUMENT_NAME]);
    const struct polyline_view view = {.line = known->items[i].line,
                                       .domain = scope->domain,
                                       .scale = scope->scale,
                                       .dx = scope->dx,
                                       .dy = scope->dy};
    if (!view.line) /* its own error was taken */
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

int32_t build_area(struct compiler *compiler, const struct arguments *arguments)
{
    const struct compile_source *source = compiler->source;
    const struct polylines areas = {source->areas, source->area_count, "area"};
    return build_polyline(compiler, arguments, &areas, OP_POLYLINE_SIGNED);
}
