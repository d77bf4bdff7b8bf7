/* The steps in their order:
 *
 *   read_url      the names and values of the parameters, and the rest of the URL: 400, 404
 *   resolve_url   the worlds that the path and the parameters name: 400, 404, 410
 *   read_body     at once, or on a render thread
 *   resolve_body  a second world that the body names: 404, 410
 *   order         what is wanted of the worlds: layers, biomes, styles: 400, 404, 410
 *   find          304, or a hit in memory
 *   admit         the charge for the answer: 413, and to the client: 429
 *   compile       the worlds, on a render thread, for routes that need them compiled
 *   find_views    where maps begin, on a render thread, for routes that need it
 *   make          the answer
 *
 * So a request that is refused has compiled nothing, and the same fault of a request has the same
 * status on every route. A step that waits returns WAITING; steps_take() goes on with the next one
 * afterwards, and no step is taken twice. */
#include "server/http/routes/steps.h"

#include "server/http/jobs/http_request_wait.h"
#include "server/http/request/parameters.h"
#include "server/http/response/base_url.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"
#include "server/http/routes/views.h"

static const struct route_steps *steps_of(const struct http_request *request)
{
    static const struct route_steps none;
    const struct route_steps *steps = request->route->steps;
    return steps ? steps : &none;
}

static enum handler_result result_of(bool done)
{
    return done ? HANDLER_CONTINUE : HANDLER_FAILED;
}

static enum handler_result read_url(struct http_request *request, struct problem *problem)
{
    const parameter_set set = request->route->parameters;
    route_step *read = steps_of(request)->read;
    if (request->route->traits & ROUTE_OWS)
        target_capitalize_names(&request->target);
    return result_of(request_parameters_check(set, &request->target, problem) &&
                     request_parameters_read(set, &request->target, request->values, problem) &&
                     (!read || read(request, problem)));
}

static enum handler_result resolve_url(struct http_request *request, struct problem *problem)
{
    const enum route_world world = request->route->world;
    return result_of(world == ROUTE_WORLD_NONE || world == ROUTE_WORLD_VIEWS ||
                     resolve_worlds(request, problem));
}

static enum handler_result read_body(struct http_request *request, struct problem *problem)
{
    answer_work *read = steps_of(request)->read_body;
    return read ? answer_job_read_body(request->work, read, steps_take, problem) : HANDLER_CONTINUE;
}

static enum handler_result resolve_body(struct http_request *request, struct problem *problem)
{
    const struct route_steps *steps = steps_of(request);
    const char *name;
    const struct reference *other = steps->other_world ? steps->other_world(request, &name) : NULL;
    return result_of(!other || resolve_other_world(request, other, name, problem));
}

static enum handler_result order(struct http_request *request, struct problem *problem)
{
    route_step *step = steps_of(request)->order;
    return result_of(!step || step(request, problem));
}

static enum handler_result find(struct http_request *request, struct problem *problem)
{
    http_handler *step = steps_of(request)->find;
    return step ? step(request, problem) : HANDLER_CONTINUE;
}

/* The time of compiling the worlds that the route needs compiled and that are not. */
static uint64_t compile_time(const struct http_request *request)
{
    uint64_t time = 0;
    for (int i = 0; i < HTTP_REQUEST_WORLDS; i++)
        if (request->route->world == ROUTE_WORLD_COMPILED && request->worlds[i].base)
            time += resolved_world_compile_time(&request->worlds[i]);
    return time;
}

/* The charge for compiling is one of its own, so that an answer has the same 413 with any seed.
 * It comes first, and with it the charge for the request itself: both stay when the worlds do. */
static enum handler_result admit(struct http_request *request, struct problem *problem)
{
    const struct route_steps *steps = steps_of(request);
    const struct charge compiling = {.nanoseconds = compile_time(request),
                                     .smaller = "a world without another seed",
                                     .example = "/worlds"};
    struct charge charge = {.nanoseconds = 0};
    if (!steps->charge)
        return HANDLER_CONTINUE;
    if (!steps->charge(request, &charge, problem) ||
        !admission_check_limit(request, &charge, problem))
        return HANDLER_FAILED;
    if (compiling.nanoseconds > 0 && !admission_reserve(request, &compiling, problem))
        return HANDLER_FAILED;
    if (steps->is_paid_by_piece || admission_reserve(request, &charge, problem))
        return HANDLER_CONTINUE;
    admission_refund(request);
    return HANDLER_FAILED;
}

/* On a render thread. Another request may have compiled a world meanwhile; then it is shared. After
 * a failure a world is not compiled, and the problem is set. */
static void compile_worlds(struct job *job, struct worker_context *worker)
{
    struct http_request *request = http_request_of_job(job);
    struct error error = {0};
    job->kind = METRICS_WORLD;
    if (!worker) {
        problem_shutting_down(&request->problem);
        return;
    }
    for (int i = 0; i < HTTP_REQUEST_WORLDS; i++)
        if (request->worlds[i].base &&
            !resolved_world_compile(&request->worlds[i], request->generation->catalog, &error)) {
            problem_from_error(&request->problem, PROBLEM_PATH, &error);
            problem_set_parameter(&request->problem, "world");
            return;
        }
}

/* The worlds stay, whatever comes of the request, and so does their charge. */
static enum handler_result worlds_compiled(struct http_request *request, struct problem *problem)
{
    if (compile_time(request) > 0)
        return HANDLER_FAILED;
    admission_keep_part(request, request->job.expected + ADMISSION_REQUEST, request->job.used);
    return steps_take(request, problem);
}

static enum handler_result compile(struct http_request *request, struct problem *problem)
{
    const uint64_t time = compile_time(request);
    return time == 0
               ? HANDLER_CONTINUE
               : http_request_run_job(request, compile_worlds, worlds_compiled, time, problem);
}

/* Nothing is searched for a document whose addresses cannot be written. */
static enum handler_result find_views(struct http_request *request, struct problem *problem)
{
    const enum route_world world = request->route->world;
    if (world != ROUTE_WORLD_VIEW && world != ROUTE_WORLD_VIEWS)
        return HANDLER_CONTINUE;
    return request->route->traits & ROUTE_ABSOLUTE_URLS && !base_url_is_known(request, problem)
               ? HANDLER_FAILED
               : views_find(request, world == ROUTE_WORLD_VIEWS, steps_take, problem);
}

static enum handler_result make(struct http_request *request, struct problem *problem)
{
    return request->route->make(request, problem);
}

enum handler_result steps_take(struct http_request *request, struct problem *problem)
{
    static http_handler *const steps[] = {read_url, resolve_url, read_body, resolve_body, order,
                                          find,     admit,       compile,   find_views,   make};
    enum handler_result result = HANDLER_CONTINUE;
    while (result == HANDLER_CONTINUE)
        result = steps[request->step++](request, problem);
    return result;
}
