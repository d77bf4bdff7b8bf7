/* Every query of server/queries/query.h whose parameters are all that it reads.
 *
 * The entity tag is a hash of the query, its values and the world, so a conditional request is
 * answered without sampling. What the query costs is known before it waits for a render thread. */
#include "server/http/jobs/admission.h"
#include "server/http/request/parameters.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
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

/* Names the first parameter of the query, which decides how much there is to do. Returns false. */
static bool name_parameter(const struct query *query, struct problem *problem)
{
    return problem_set_parameter(problem, parameter_table[__builtin_ctzll(query->parameters)].name);
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
    return name_parameter(query, &answer->problem);
}

static const struct answer_type query_answer = {METRICS_QUESTION, true, make_query, NULL, NULL};

/* The cost of the query with fewer samples. */
static uint64_t fewer_samples_cost(const void *context, uint64_t count)
{
    struct query_run run = *(const struct query_run *)context;
    run.values.samples = (int64_t)count;
    return run.query->cost(&run);
}

typedef bool charge_check(struct http_request *request, const struct charge *charge,
                          struct problem *problem);

static bool check_cost(struct http_request *request, const struct query_run *run,
                       charge_check *check_charge, struct problem *problem)
{
    const struct query *query = run->query;
    struct error error = {0};
    if (query->check && !query->check(run, &error))
        return fail_too_large(&error, problem);
    const struct charge charge = {
        .cost = query->cost(run),
        .smaller = query->smaller,
        .example = "",
        .parts = query->parts,
        .count = (uint64_t)run->values.samples,
        .cost_of = fewer_samples_cost,
        .context = run,
    };
    if (check_charge(request, &charge, problem))
        return true;
    /* A client that has asked for too much in all has no parameter to mend. */
    return problem->kind == PROBLEM_TOO_LARGE && name_parameter(query, problem);
}

/* Everything that needs no sampling, in the order of its price: the tag, the 304, the cost. */
static enum handler_result start_query(struct http_request *request, const struct query_run *run,
                                       struct problem *problem)
{
    struct query_job *job = answer_job_new(request, &query_answer, sizeof *job, problem);
    struct hash128 recipe;
    if (!job)
        return HANDLER_FAILED;
    job->run = *run;
    job->answer.content_type = query_forms[run->form].content_type;
    if (!query_hash(run, &recipe)) {
        problem_out_of_memory(problem);
        return HANDLER_FAILED;
    }
    etag_write_with_coding(recipe, headers_select_coding(&request->headers, CODINGS_ALL),
                           job->answer.etag);
    const struct response_caching caching = {job->answer.policy, true};
    if (response_not_modified(request, job->answer.etag, caching))
        return HANDLER_DONE;
    if (!check_cost(request, run, admission_check_cost, problem))
        return HANDLER_FAILED;
    return answer_job_run(&job->answer, problem);
}

/* An outdated pin is reported whatever the query's own parameters are, so that a client learns of
 * it. The world may be lazy. */
static bool read_query(struct http_request *request, struct parameter_values *values,
                       struct problem *problem)
{
    const uint64_t of_output = PARAMETER_BIT(FORMAT) | PARAMETER_BIT(PRETTY);
    const bool parameters_first = request->route->query->parameters_first;
    if (parameters_first && !router_read_parameters(request, values, problem))
        return false;
    if (!parameters_first && !request_parameters_read(request->route->parameters & of_output,
                                                      &request->target, values, problem))
        return false;
    return resolve_lazy_world(request, request->world_text, problem) &&
           (parameters_first || router_read_parameters(request, values, problem));
}

/* Names of the world's biomes and kinds are checked by prepare(). */
static bool prepare_query(struct http_request *request, struct query_run *run,
                          struct problem *problem)
{
    struct error error = {0};
    run->world = request->world;
    return !run->query->prepare || run->query->prepare(run, &error) ||
           problem_from_parameter(request->route->parameters, &error, problem);
}

/* A seed changes neither names nor costs: a query that is refused does not compile its world. */
enum handler_result handle_query(struct http_request *request, struct problem *problem)
{
    const struct route *route = request->route;
    struct query_run run = {.query = route->query, .form = route->form};
    if (!read_query(request, &run.values, problem))
        return HANDLER_FAILED;
    if (run.form == QUERY_JSON)
        run.form = (enum query_form)run.values.format;
    if (!prepare_query(request, &run, problem))
        return HANDLER_FAILED;
    if (request->world->is_lazy && !check_cost(request, &run, admission_check_limit, problem))
        return HANDLER_FAILED;
    const enum handler_result compiled = resolve_compiled(request, problem);
    if (compiled != HANDLER_DONE)
        return compiled;
    return prepare_query(request, &run, problem) ? start_query(request, &run, problem)
                                                 : HANDLER_FAILED;
}
