/* The list of views is the request's work. Each place that the store (server/worlds/first_views.h)
 * does not know is a job of its own, and is kept as soon as it is found: a request that is refused
 * in between has not worked in vain, and none needs more than what one job may take.
 *
 * Those of the loaded worlds are found before these are served (first_views_prepare()), so that
 * hardly any request needs a search for them, and nobody pays for one. Seeds and previews are
 * without end, so that the client pays who asks for them. */
#include "server/http/routes/views.h"

#include <stdlib.h>

#include "core/terrain/first_view.h"
#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/render/price.h"
#include "server/worlds/first_views.h"

struct view {
    const struct catalog_world *world; /* with any seed: the formulas and the rule are the same */
    const char *fingerprint;           /* with the seed */
    struct place centre;
};

struct views {
    http_handler *resume;
    size_t count, known; /* the first ones are known */
    bool is_catalog;     /* they are of its worlds, not of the request's */
    bool found;          /* by the last job */
    struct view items[];
};

static struct views *new_views(size_t count)
{
    struct views *views = calloc(1, sizeof *views + count * sizeof *views->items);
    if (views)
        views->count = count;
    return views;
}

static struct views *list_world(const struct resolved_world *world)
{
    struct views *views = new_views(1);
    if (views)
        views->items[0] =
            (struct view){.world = world->base, .fingerprint = world->identity.fingerprint};
    return views;
}

static struct views *list_catalog(const struct catalog *catalog)
{
    struct views *views = new_views(catalog_world_count(catalog));
    if (!views)
        return NULL;
    views->is_catalog = true;
    for (size_t i = 0; i < views->count; i++) {
        const struct catalog_world *world = catalog_world_at(catalog, i);
        views->items[i] = (struct view){.world = world, .fingerprint = world->identity.fingerprint};
    }
    return views;
}

static struct hash128 key_of(const struct view *view)
{
    return first_views_key(view->world->world, view->fingerprint);
}

/* Fills in a place that needs no search. */
static bool look_up(struct first_views *known, struct view *view)
{
    const struct world_view *fixed = world_view(view->world->world);
    view->centre = (struct place){fixed->x, fixed->y};
    return !fixed->where || first_views_find(known, key_of(view), &view->centre);
}

/* The world with its seed, compiled; null with an error. */
static const struct world *compile(struct http_request *request, const struct view *view,
                                   struct error *error)
{
    struct resolved_world *resolved = &request->worlds[0];
    if (((const struct views *)request->work)->is_catalog)
        return view->world->world;
    return resolved_world_compile(resolved, request->generation->catalog, error)
               ? resolved->compiled->world
               : NULL;
}

/* A search that is stopped because it takes too much leaves the map where it should be near. */
static bool find_centre(struct sampler *sampler, const struct world *world, struct place *centre,
                        struct error *error)
{
    return first_view_find(sampler, world, centre, error) || error->code == ERROR_WORK;
}

/* On a render thread. */
static void search(struct job *job, struct worker_context *worker)
{
    struct http_request *request = http_request_of_job(job);
    struct views *views = request->work;
    struct view *view = &views->items[views->known];
    struct error error = {0};
    job->kind = METRICS_WORLD;
    if (!worker) {
        problem_shutting_down(&request->problem);
        return;
    }
    const struct world *world = compile(request, view, &error);
    views->found = world && find_centre(canvas_sampler(tile_maker_canvas(worker->maker)), world,
                                        &view->centre, &error);
    if (views->found)
        first_views_keep(request->server->first_views, key_of(view), view->centre);
    else
        problem_from_error(&request->problem, PROBLEM_PATH, &error);
}

static enum handler_result find_next(struct http_request *request, struct problem *problem);

static enum handler_result searched(struct http_request *request, struct problem *problem)
{
    struct views *views = request->work;
    if (!views->found)
        return HANDLER_FAILED;
    views->known++;
    if (request->admission.reserved > 0) {
        request->admission.used += request->job.used;
        admission_settle_piece(request);
    }
    const enum handler_result result = find_next(request, problem);
    return result == HANDLER_CONTINUE ? views->resume(request, problem) : result;
}

/* Reserves what the client pays for a search. The rule is one of the server's files, so that there
 * is no limit of its price, which is that of some forty places. False with 429. */
static bool pay(struct http_request *request, const struct view *view, uint64_t nanoseconds,
                struct problem *problem)
{
    if (!request->worlds[0].identity.is_reseeded && !view->world->is_preview)
        return true;
    const int64_t wait = admission_reserve_piece(request, nanoseconds);
    return wait == 0 || admission_refuse_rendering(wait, problem);
}

static enum handler_result begin_search(struct http_request *request, const struct view *view,
                                        struct problem *problem)
{
    uint64_t nanoseconds = price_nanoseconds(first_view_time(view->world->world));
    if (!((const struct views *)request->work)->is_catalog)
        nanoseconds += resolved_world_compile_time(&request->worlds[0]);
    return pay(request, view, nanoseconds, problem)
               ? http_request_run_job(request, search, searched, nanoseconds, problem)
               : HANDLER_FAILED;
}

/* Looks up places as far as they are known, and has the next one found. */
static enum handler_result find_next(struct http_request *request, struct problem *problem)
{
    struct views *views = request->work;
    while (views->known < views->count &&
           look_up(request->server->first_views, &views->items[views->known]))
        views->known++;
    views->found = false;
    return views->known == views->count
               ? HANDLER_CONTINUE
               : begin_search(request, &views->items[views->known], problem);
}

enum handler_result views_find(struct http_request *request, bool all, http_handler *resume,
                               struct problem *problem)
{
    struct views *views =
        all ? list_catalog(request->generation->catalog) : list_world(&request->worlds[0]);
    if (!views) {
        problem_out_of_memory(problem);
        return HANDLER_FAILED;
    }
    views->resume = resume;
    request->work = views;
    request->work_free = free;
    return find_next(request, problem);
}

struct place views_centre(const struct http_request *request, size_t index)
{
    return ((const struct views *)request->work)->items[index].centre;
}
