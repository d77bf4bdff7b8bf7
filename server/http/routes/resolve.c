/* From the names of worlds and styles that a request has to the worlds and painters.
 *
 * A pin selects a former version of the world if the catalog has it; it is checked last, when the
 * fingerprint is known. Nothing is compiled here. */
#include "server/http/routes/resolve.h"

#include <string.h>

#include "server/http/jobs/server_state.h"
#include "server/queries/parameters.h"
#include "server/worlds/catalog_world.h"
#include "server/worlds/previews.h"

/* The slots of the worlds that parameters name; the world of the path is in the first unless a
 * parameter takes its place. */
static const struct {
    enum parameter_id parameter;
    unsigned slot;
} world_parameters[] = {{PARAMETER_WORLD, 0}, {PARAMETER_A, 0}, {PARAMETER_B, 1}};

/* The version of the world with its own seed, or the preview, with a reference for the caller; null
 * with ERROR_UNKNOWN. */
static const struct catalog_world *find_base(const struct http_request *request,
                                             const struct reference *reference, struct error *error)
{
    const struct catalog_reference wanted = {
        .name = reference->name,
        .seed = reference->has_seed ? reference->seed : NULL,
        .pin = reference->pinned ? reference->pin : NULL,
    };
    if (preview_is_name(reference->name))
        return previews_find(request->server->previews, reference->name, error);
    const struct catalog_world *base =
        catalog_find_version(request->generation->catalog, &wanted, error);
    return base ? catalog_world_retain(base) : NULL;
}

/* 404 with the list of worlds for an unknown name; 410 for a pin that is not the world's. */
static bool resolve(const struct http_request *request, const struct reference *reference,
                    struct resolved_world *world, struct problem *problem)
{
    const char *seed = reference->has_seed ? reference->seed : NULL;
    struct error error = {0};
    const struct catalog_world *base = find_base(request, reference, &error);
    const bool found =
        base && resolved_world_identify(world, request->generation->catalog, base, seed, &error);
    catalog_release(base);
    if (found)
        return reference_check_pin(reference, REFERENCE_WORLD, world->identity.fingerprint,
                                   problem);
    problem_from_error(problem, PROBLEM_PATH, &error);
    problem->list_path = error.code == ERROR_UNKNOWN ? "/worlds" : NULL;
    return false;
}

/* Puts the world into its slot, in place of the one that is there. */
static bool resolve_into(struct http_request *request, unsigned slot,
                         const struct reference *reference, struct problem *problem)
{
    struct resolved_world *world = &request->worlds[slot];
    resolved_world_release(world);
    request->is_pinned = reference->pinned && (slot == 0 || request->is_pinned);
    return resolve(request, reference, world, problem);
}

/* `name` is that of the parameter, for the problem. */
static bool resolve_text(struct http_request *request, unsigned slot, const char *text,
                         const char *name, struct problem *problem)
{
    struct reference reference = {.pinned = false};
    return (reference_parse(text, strlen(text), REFERENCE_WORLD, &reference, problem) &&
            resolve_into(request, slot, &reference, problem)) ||
           problem_set_parameter(problem, name);
}

static bool resolve_path(struct http_request *request, struct problem *problem)
{
    struct error error = {0};
    if (request->world_text)
        return resolve_text(request, 0, request->world_text->text, "world", problem);
    struct catalog *catalog = request->generation->catalog;
    return resolved_world_identify(&request->worlds[0], catalog, catalog_default(catalog), NULL,
                                   &error) ||
           problem_from_error(problem, PROBLEM_PATH, &error);
}

/* The text of a parameter; null if it is not given. */
static const char *given_text(const struct parameter_values *values, enum parameter_id id)
{
    const void *text = (const char *)values + parameter_table[id].offset;
    return values->given & (uint64_t)1 << id ? *(const char *const *)text : NULL;
}

bool resolve_worlds(struct http_request *request, struct problem *problem)
{
    bool done = resolve_path(request, problem);
    for (size_t i = 0; i < sizeof world_parameters / sizeof *world_parameters && done; i++) {
        const enum parameter_id id = world_parameters[i].parameter;
        const char *text = given_text(request->values, id);
        done = !text || resolve_text(request, world_parameters[i].slot, text,
                                     parameter_table[id].name, problem);
    }
    return done;
}

bool resolve_other_world(struct http_request *request, const struct reference *reference,
                         const char *name, struct problem *problem)
{
    return resolve_into(request, 1, reference, problem) || problem_set_parameter(problem, name);
}

const struct painter *resolve_style(const struct http_request *request, const char *text,
                                    size_t length, struct problem *problem)
{
    const struct catalog_world *world = request->worlds[0].base;
    struct reference reference = {.pinned = false};
    struct error error;
    if (text && !reference_parse(text, length, REFERENCE_STYLE, &reference, problem)) {
        problem_set_parameter(problem, "style");
        return NULL;
    }
    const struct painter *painter = catalog_painter(world, text ? reference.name : NULL, &error);
    if (!painter) {
        problem_from_error(problem, PROBLEM_PATH, &error);
        problem->list_path = "/worlds/{world}";
    } else if (reference_check_pin(&reference, REFERENCE_STYLE, painter_fingerprint(painter),
                                   problem)) {
        return painter;
    }
    problem_set_parameter(problem, "style");
    return NULL;
}

void resolve_append_world_path(const struct world_identity *world, bool pinned, struct buffer *out)
{
    buffer_text(out, "/worlds/");
    reference_escape(world->name, out);
    if (world->is_reseeded) {
        buffer_text(out, "~");
        reference_escape(world->seed, out);
    }
    if (pinned)
        buffer_format(out, "@%s", world->fingerprint);
}

void resolve_append_tiles(const struct world_identity *world, const struct painter *painter,
                          const char *tile, const char *format, struct buffer *out)
{
    resolve_append_world_path(world, true, out);
    if (!painter) {
        buffer_text(out, "/tiles/contour/{z}/{x}/{y}.mvt");
        return;
    }
    buffer_text(out, "/tiles/");
    reference_escape(painter_name(painter), out);
    buffer_format(out, "@%s%s.%s", painter_fingerprint(painter), tile, format);
}

const char *resolve_tile_format(const struct http_request *request, const struct painter *painter)
{
    return painter_is_picture(painter) && headers_accept(&request->headers, "image/webp") ? "webp"
                                                                                          : "png";
}
