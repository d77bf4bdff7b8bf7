/* POST /preview: a world file in the body becomes a world of the server's own for a while, under a
 * name made from the file (server/worlds/previews.h).
 *
 * A render thread compiles it, whatever its size: the compiler's limits bound the time, but not to
 * what an event loop could wait for. Only pages of this server may post, and it answers without the
 * CORS headers that most routes have: base_url_check_site() says why. */
#include "core/base/json_writer.h"
#include "core/price/inspect_warp.h"
#include "server/http/jobs/server_state.h"
#include "server/http/request/world_errors.h"
#include "server/http/response/base_url.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/worlds/previews.h"

enum {
    PREVIEW_BASE = 5000000, /* nanoseconds of any file; what it has to compile is not known yet,
                               and takes 70 ms at most (COMPILE_WORK_MAX) */
    PREVIEW_BYTE = 200,     /* and of each byte */
    WARP_PLACES = 1 << 13,  /* some milliseconds */
};

struct preview_job {
    struct answer_job answer;
    char name[PREVIEW_NAME_TEXT];
    struct diagnostics errors, warnings;
    struct catalog_world *world; /* owned */
};

/* Its bytes count in the store for as long as a request holds it. */
static void release_preview(struct answer_job *answer)
{
    struct preview_job *job = (struct preview_job *)answer;
    catalog_release(job->world);
    job->world = NULL;
}

static void add_warning(struct preview_job *job, struct error *warning)
{
    error_in_path(warning, "drainage");
    diagnostics_add(&job->warnings, warning);
}

/* Looks for a warp of the drainage network that folds the plane, or moves neighbours far apart. */
static bool check_warp(struct preview_job *job, struct worker_context *worker)
{
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    struct inspect_warp warp = {.places = WARP_PLACES};
    struct error error, warning;
    if (!inspect_warp(world_program(job->world->world), sampler, &warp)) {
        work_fail(sampler_meter(sampler), &error);
        /* A warp that takes long goes without warnings. */
        return error.code == ERROR_WORK ||
               problem_from_error(&job->answer.problem, PROBLEM_INTERNAL, &error);
    }
    if (warp.folded > 0) {
        error_set(&warning, ERROR_VALUE,
                  "the warp folds the plane at %u of %u random places, where water may find no way "
                  "down; make it weaker",
                  warp.folded, warp.places);
        add_warning(job, &warning);
    }
    if (!(warp.stretch <= INSPECT_STRETCH_MAX)) {
        error_set(&warning, ERROR_VALUE,
                  "the warp moves neighbours %.3g times as far apart, so that most tiles cost too "
                  "much; at most %g times is best",
                  warp.stretch, INSPECT_STRETCH_MAX);
        add_warning(job, &warning);
    }
    return true;
}

static bool fail_with_errors(struct preview_job *job)
{
    struct diagnostics *diagnostics = &job->errors;
    struct problem *problem = &job->answer.problem;
    const struct error *first = &diagnostics->errors[0];
    char text[sizeof problem->detail];
    if (first->code == ERROR_MEMORY)
        return problem_out_of_memory(problem);
    error_format(first, text, sizeof text);
    problem_set(problem, PROBLEM_INVALID_WORLD, "%s%u error%s; the first: %s",
                diagnostics->more ? "more than " : "", diagnostics->count,
                diagnostics->count == 1 ? "" : "s", text);
    problem->diagnostics = diagnostics;
    return false;
}

static bool make_preview(struct answer_job *answer, struct worker_context *worker)
{
    struct preview_job *job = (struct preview_job *)answer;
    const struct http_request *request = answer->request;
    job->errors = (struct diagnostics){
        .file = "", .text = http_request_body(request), .length = request->body.length};
    job->world = preview_compile(request->generation->catalog, job->name, &job->errors);
    if (!job->world) {
        metrics_count(worker->counts, PREVIEW_INVALID);
        return fail_with_errors(job);
    }
    job->warnings = job->errors;
    return check_warp(job, worker);
}

/* `url` is the path of the preview, with the prefix of a proxy in front. */
static void write_preview(const struct preview_job *job, const char *url, struct buffer *out)
{
    const struct catalog_world *world = job->world;
    struct json_writer json;
    json_begin_object(&json, out, false);
    json_member_string(&json, "name", world->identity.name);
    json_member_string(&json, "title", world_title(world->world));
    json_member_string(&json, "fingerprint", world->identity.fingerprint);
    json_member_string(&json, "url", url);
    world_errors_write(&json, "warnings", job->warnings.errors, job->warnings.count);
    json_finish_object(&json);
}

static enum handler_result respond(struct preview_job *job, const char *url)
{
    struct http_request *request = job->answer.request;
    struct buffer body = {0};
    write_preview(job, url, &body);
    request->response.body_length = body.length;
    struct response response = response_new(&body, "application/json", CACHE_NO_STORE);
    response_add_header(&response, "Location", url);
    return response_set(request, MHD_HTTP_CREATED, response);
}

/* The world is compiled: puts it into the store, on the loop. From then on the store alone holds
 * it, so that it leaves room as soon as it is dropped, however slowly this client reads its answer.
 */
static enum handler_result keep_preview(struct answer_job *answer, struct problem *problem)
{
    struct preview_job *job = (struct preview_job *)answer;
    struct http_request *request = answer->request;
    struct buffer url = {0};
    struct error error;
    if (!base_url_append_path(request, &url, problem))
        return HANDLER_FAILED;
    resolve_append_world_path(&job->world->identity, false, &url);
    if (!previews_add(request->server->previews, request->generation->catalog, job->world,
                      &error)) {
        buffer_free(&url);
        problem_from_error(problem, PROBLEM_INTERNAL, &error);
        return HANDLER_FAILED;
    }
    metrics_count(request->loop->counts, PREVIEW_MADE);
    const enum handler_result result = respond(job, buffer_string(&url));
    release_preview(answer);
    buffer_free(&url);
    return result;
}

static const struct answer_type preview_answer = {METRICS_WORLD, false, make_preview, keep_preview,
                                                  release_preview};

/* False with 403. */
static bool check_allowed(const struct http_request *request, struct problem *problem)
{
    if (previews_statistics(request->server->previews).limit > 0)
        return base_url_check_site(request, problem);
    return problem_set(problem, PROBLEM_FORBIDDEN,
                       "this server takes no previews; it does if it is started with --previews N, "
                       "the number of them that it keeps");
}

static bool begin_preview(struct http_request *request, struct problem *problem)
{
    if (!check_allowed(request, problem)) {
        metrics_count(request->loop->counts, PREVIEW_FORBIDDEN);
        return false;
    }
    struct preview_job *job = answer_job_new(request, &preview_answer, sizeof *job, problem);
    return job && (preview_name(request->body.data, request->body.length, job->name) ||
                   problem_set(problem, PROBLEM_INTERNAL, "the file could not be hashed"));
}

static bool charge_preview(struct http_request *request, struct charge *charge,
                           struct problem *problem)
{
    (void)problem;
    *charge = (struct charge){
        .nanoseconds = PREVIEW_BASE + request->body.length * PREVIEW_BYTE,
        .smaller = "a shorter file",
        .example = "",
    };
    return true;
}

const struct route_steps preview_steps = {.read = begin_preview, .charge = charge_preview};
