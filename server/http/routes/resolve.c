/* From the world and style that a path names to a compiled world and its painter.
 *
 * A world with another seed may have to be compiled, which takes a while: a render thread does it,
 * and the request waits and then calls its handler from the start. Handlers that only need the
 * fingerprint, for a cache key, take a lazy world instead, which is compiled on the render thread
 * if the cache has no answer. A pin selects a former version of the world if the catalog has it; it
 * is checked last, when the fingerprint is known. */
#include "server/http/routes/resolve.h"

#include <stdio.h>
#include <string.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/server_state.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/router.h"
#include "server/render/cost.h"
#include "server/worlds/catalog_world.h"
#include "server/worlds/previews.h"

/* A world that is being compiled for a request. */
struct world_compilation {
    struct answer_job answer;
    struct reference reference;
    const struct catalog_world *base; /* owned, like: */
    const struct catalog_world *world;
};

static void release_compilation(struct answer_job *answer)
{
    const struct world_compilation *compilation = (struct world_compilation *)answer;
    catalog_release(compilation->base);
    catalog_release(compilation->world);
}

/* 404 with the list of worlds for an unknown name; else what went wrong when it was compiled. */
static enum handler_result fail_no_world(struct problem *problem, const struct error *error)
{
    problem_from_error(problem, PROBLEM_PATH, error);
    problem->list_path = error->code == ERROR_UNKNOWN ? "/worlds" : NULL;
    problem_set_parameter(problem, "world");
    return HANDLER_FAILED;
}

/* On the render thread. Another request may have compiled the world meanwhile; then it is shared.
 */
static bool compile_world(struct answer_job *answer, struct worker_context *worker)
{
    struct world_compilation *compilation = (struct world_compilation *)answer;
    struct error error;
    (void)worker;
    compilation->world =
        catalog_acquire_seed(answer->request->generation->catalog, compilation->base,
                             compilation->reference.seed, &error);
    if (!compilation->world)
        fail_no_world(&answer->problem, &error);
    return compilation->world != NULL;
}

/* The route's handler begins again, and finds the world. */
static enum handler_result world_compiled(struct answer_job *answer, struct problem *problem)
{
    struct world_compilation *compilation = (struct world_compilation *)answer;
    struct http_request *request = answer->request;
    request->world = compilation->world;
    compilation->world = NULL;
    admission_keep_charge(request); /* the world stays, whatever comes of the request */
    answer_job_detach(answer);
    answer_job_free(answer);
    return request->route->handle(request, problem);
}

static const struct answer_type compilation = {METRICS_WORLD, false, compile_world, world_compiled,
                                               release_compilation};

/* The charge is computed from the world with its own seed, because a seed does not change the cost.
 */
static enum handler_result start_compiling(struct http_request *request,
                                           const struct reference *reference,
                                           const struct catalog_world *base,
                                           struct problem *problem)
{
    const struct charge charge = {.cost = cost_compile(base),
                                  .smaller = "a world without another seed",
                                  .example = "/worlds"};
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    struct world_compilation *job = answer_job_new(request, &compilation, sizeof *job, problem);
    if (!job)
        return HANDLER_FAILED;
    job->reference = *reference;
    job->base = catalog_world_retain(base);
    return answer_job_run(&job->answer, problem);
}

const struct catalog_world *resolve_base(const struct http_request *request,
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

/* A world that is not compiled is made lazy, or compiled while the request waits. */
static enum handler_result resolve_seed(struct http_request *request,
                                        const struct reference *reference,
                                        const struct catalog_world *base, bool lazy,
                                        struct problem *problem)
{
    struct catalog *catalog = request->generation->catalog;
    const char *seed = reference->has_seed ? reference->seed : NULL;
    struct error error;
    if (!request->world)
        request->world = catalog_acquire_ready(catalog, base, seed);
    if (!request->world && !lazy)
        return start_compiling(request, reference, base, problem);
    if (!request->world)
        request->world = catalog_lazy_world(catalog, base, seed, &error);
    if (!request->world)
        return fail_no_world(problem, &error);
    request->world_pinned = reference->pinned;
    return reference_check_pin(reference, REFERENCE_WORLD, request->world->fingerprint, problem)
               ? HANDLER_DONE
               : HANDLER_FAILED;
}

static enum handler_result resolve(struct http_request *request, const struct target_text *text,
                                   bool lazy, struct problem *problem)
{
    struct reference reference = {.pinned = false};
    struct error error;
    if (text && !reference_parse(text, REFERENCE_WORLD, &reference, problem)) {
        problem_set_parameter(problem, "world");
        return HANDLER_FAILED;
    }
    const struct catalog_world *base =
        text ? resolve_base(request, &reference, &error)
             : catalog_world_retain(catalog_default(request->generation->catalog));
    if (!base)
        return fail_no_world(problem, &error);
    const enum handler_result result = resolve_seed(request, &reference, base, lazy, problem);
    catalog_release(base);
    return result;
}

bool resolve_lazy_world(struct http_request *request, const struct target_text *text,
                        struct problem *problem)
{
    return resolve(request, text, true, problem) == HANDLER_DONE;
}

enum handler_result resolve_world(struct http_request *request, struct problem *problem)
{
    return resolve(request, request->world_text, false, problem);
}

enum handler_result resolve_compiled(struct http_request *request, struct problem *problem)
{
    if (!request->world->is_lazy)
        return HANDLER_DONE;
    catalog_release(request->world);
    request->world = NULL;
    return resolve_world(request, problem);
}

enum handler_result resolve_charge(struct answer_job *answer, const struct charge *charge,
                                   struct problem *problem)
{
    if (answer->request->world->is_lazy)
        return resolve_check_limit(answer, charge, problem);
    return admission_check_cost(answer->request, charge, problem) ? HANDLER_DONE : HANDLER_FAILED;
}

enum handler_result resolve_check_limit(struct answer_job *answer, const struct charge *charge,
                                        struct problem *problem)
{
    struct http_request *request = answer->request;
    if (!admission_check_limit(request, charge, problem))
        return HANDLER_FAILED;
    if (!request->world->is_lazy)
        return HANDLER_DONE;
    answer_job_detach(answer);
    answer_job_free(answer);
    return resolve_compiled(request, problem);
}

enum handler_result resolve_request(struct http_request *request, struct parameter_values *values,
                                    struct problem *problem)
{
    return router_read_parameters(request, values, problem) ? resolve_world(request, problem)
                                                            : HANDLER_FAILED;
}

const struct painter *resolve_style(struct http_request *request, const struct target_text *text,
                                    struct problem *problem)
{
    struct reference reference = {.pinned = false};
    struct error error;
    if (text && !reference_parse(text, REFERENCE_STYLE, &reference, problem)) {
        problem_set_parameter(problem, "style");
        return NULL;
    }
    const struct painter *painter =
        catalog_painter(request->world, text ? reference.name : NULL, &error);
    if (!painter) {
        problem_from_error(problem, PROBLEM_PATH, &error);
        problem->list_path = "/worlds/{world}";
        problem_set_parameter(problem, "style");
        return NULL;
    }
    return reference_check_pin(&reference, REFERENCE_STYLE, painter_fingerprint(painter), problem)
               ? painter
               : NULL;
}

void resolve_append_world_path(const struct catalog_world *world, bool pinned, struct buffer *out)
{
    buffer_text(out, "/worlds/");
    reference_escape(world->name, out);
    if (world->seed_override) {
        buffer_text(out, "~");
        reference_escape(world->seed_override, out);
    }
    if (pinned)
        buffer_format(out, "@%s", world->fingerprint);
}

void resolve_append_tiles(const struct catalog_world *world, const struct painter *painter,
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
