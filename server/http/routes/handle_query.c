/* Every query of server/queries/query.h whose parameters are all that it reads.
 *
 * The entity tag is a hash of the query, its values and the identity of the world, so a conditional
 * request is answered without sampling or compiling. The run is of the world's base until it is
 * evaluated. */
#include <stdio.h>
#include <string.h>

#include "server/http/request/parameters.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/router.h"

struct query_job {
    struct answer_job answer;
    struct query_run run;
};

/* An error of the evaluation: 413 if the query would take too much, else 400, 404 or 503. */
static bool fail_too_large(const struct error *error, struct problem *problem)
{
    return problem_from_error(
        problem, error->code == ERROR_LIMIT ? PROBLEM_TOO_LARGE : PROBLEM_PARAMETER, error);
}

/* The first parameter of the query, which decides how much there is to do. */
static const char *first_parameter(const struct query *query)
{
    return parameter_table[parameter_first(query->parameters)].name;
}

/* Samples and writes the output. */
static bool make_query(struct answer_job *answer, struct worker_context *worker)
{
    const struct query_run *run = &((struct query_job *)answer)->run;
    const struct query *query = run->query;
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    struct error error = {0};
    if (query_evaluate(run, sampler, &answer->out, &error))
        return true;
    fail_too_large(&error, &answer->problem);
    const enum parameter_id wrong = parameter_find(query->parameters, error.path);
    return problem_set_parameter(&answer->problem,
                                 wrong == PARAMETER_COUNT ? first_parameter(query) : error.path);
}

static const struct answer_type query_answer = {METRICS_QUESTION, true, make_query, NULL, NULL};

/* The parameter by which the price grows. */
static enum parameter_id scale_of(const struct query_run *run)
{
    return run->query->scale ? run->query->scale(run) : PARAMETER_COUNT;
}

/* What a charge calls the parts of the query, and how many it has. */
static const char *parts_of(const struct query_run *run, uint64_t *count)
{
    const enum parameter_id scale = scale_of(run);
    if (scale == PARAMETER_COUNT) {
        *count = (uint64_t)run->values.samples;
        return run->query->parts;
    }
    *count = scale == PARAMETER_LOCATE_RADIUS ? (uint64_t)(run->values.radius / PLACE_METRE)
                                              : (uint64_t)run->values.zoom;
    return parameter_table[scale].name;
}

/* The price of the query with fewer samples, or with a lesser zoom or radius. */
static uint64_t lesser_price(const void *context, uint64_t count)
{
    struct query_run run = *(const struct query_run *)context;
    struct error error;
    const enum parameter_id scale = scale_of(&run);
    if (scale == PARAMETER_COUNT)
        run.values.samples = (int64_t)count;
    else if (scale == PARAMETER_LOCATE_RADIUS)
        run.values.radius = run.search.radius = (int64_t)count * PLACE_METRE;
    else
        run.values.zoom = (int64_t)count;
    return run.query->check && !run.query->check(&run, &error) ? UINT64_MAX
                                                               : run.query->price(&run);
}

static bool begin_query(struct http_request *request, struct problem *problem)
{
    const struct route *route = request->route;
    struct query_job *job = answer_job_new(request, &query_answer, sizeof *job, problem);
    if (!job)
        return false;
    job->run =
        (struct query_run){.query = route->query, .form = route->form, .values = *request->values};
    if (job->run.form == QUERY_JSON)
        job->run.form = (enum query_form)request->values->format;
    job->answer.content_type = query_forms[job->run.form].content_type;
    return true;
}

/* A "+" of a URL is a plus here, but forms and some libraries write a space so. If the error of a
 * condition is at or behind one, the problem says it. */
static void explain_plus(const char *condition, struct problem *problem)
{
    const size_t length = strlen(problem->detail);
    size_t at = problem->column; /* behind the character, from 0 */
    if (!condition || at == 0 || at > strlen(condition) + 1)
        return;
    if (condition[at - 1] != '+')
        for (at--; at > 0 && condition[at - 1] == ' ';)
            at--;
    if (at > 0 && condition[at - 1] == '+')
        snprintf(problem->detail + length, sizeof problem->detail - length,
                 "; a \"+\" in a URL is a plus: write a space as %%20, or leave it out");
}

/* Names of the world's biomes and kinds are checked by prepare(). */
static bool order_query(struct http_request *request, struct problem *problem)
{
    struct query_run *run = &((struct query_job *)request->work)->run;
    struct error error = {0};
    run->world = request->worlds[0].base;
    if (!run->query->prepare || run->query->prepare(run, &error))
        return true;
    problem_from_parameter(request->route->parameters, &error, problem);
    if (error.code == ERROR_SYNTAX && strcmp(error.path, "where") == 0)
        explain_plus(run->values.where, problem);
    return false;
}

static enum handler_result find_query(struct http_request *request, struct problem *problem)
{
    struct query_job *job = request->work;
    const struct response_caching caching = {response_cache_policy(request->is_pinned), true};
    struct hash128 recipe;
    if (!query_hash(&job->run, &request->worlds[0].identity, &recipe)) {
        problem_out_of_memory(problem);
        return HANDLER_FAILED;
    }
    etag_write_with_coding(recipe, headers_select_coding(&request->headers, CODINGS_ALL),
                           job->answer.etag);
    return response_not_modified(request, job->answer.etag, caching) ? HANDLER_DONE
                                                                     : HANDLER_CONTINUE;
}

static bool charge_query(struct http_request *request, struct charge *charge,
                         struct problem *problem)
{
    const struct query_run *run = &((struct query_job *)request->work)->run;
    const struct query *query = run->query;
    struct error error = {0};
    *charge = (struct charge){
        .smaller = query->smaller,
        .example = "",
        .is_value = scale_of(run) != PARAMETER_COUNT,
        .nanoseconds_of = lesser_price,
        .context = run,
        .parameter = first_parameter(query),
    };
    charge->parts = parts_of(run, &charge->count);
    if (charge->is_value)
        charge->parameter = charge->parts;
    if (query->check && !query->check(run, &error)) {
        fail_too_large(&error, problem);
        if (charge->is_value)
            admission_add_fitting(request, charge, problem);
        return charge->is_value && problem_set_parameter(problem, charge->parameter);
    }
    charge->nanoseconds = query->price(run);
    return true;
}

const struct route_steps query_steps = {
    .read = begin_query,
    .order = order_query,
    .find = find_query,
    .charge = charge_query,
};

enum handler_result handle_query(struct http_request *request, struct problem *problem)
{
    struct query_job *job = request->work;
    job->run.world = request->worlds[0].compiled;
    return answer_job_run(request, problem);
}
