/* GET /diff: how far two worlds differ over a rectangle.
 *
 * The worlds may have to be compiled, which the render thread does; so their fingerprints are not
 * known before, and the entity tag is a hash of the output. */
#include <stdio.h>

#include "core/price/inspect.h"
#include "core/terrain/difference.h"
#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/request/parameters.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"
#include "server/queries/query_output.h"
#include "server/render/cost.h"
#include "server/worlds/catalog_world.h"

struct comparison {
    struct answer_job answer;
    struct reference references[2];       /* of a and b; a's name is empty for the path's world */
    const struct catalog_world *bases[2]; /* with their own seeds; null where the world is there */
    const struct catalog_world
        *worlds[2]; /* null until they are compiled; references, like those */
    struct parameter_values values;
    struct sample_grid grid; /* of the values */
};

static const char *const names[2] = {"a", "b"};

static void release_comparison(struct answer_job *answer)
{
    struct comparison *comparison = (struct comparison *)answer;
    for (int i = 0; i < 2; i++) {
        catalog_release(comparison->bases[i]);
        catalog_release(comparison->worlds[i]);
    }
}

/* A count as a share of all samples. */
static double fraction(const struct difference *difference, uint64_t count)
{
    return (double)count / (double)difference->samples;
}

static void write_json(struct comparison *comparison, const struct difference *difference)
{
    struct json_writer json;
    json_begin(&json, &comparison->answer.out, comparison->values.pretty);
    json_object_open(&json);
    for (int i = 0; i < 2; i++) {
        json_member_object(&json, names[i]);
        query_output_world(&json, comparison->worlds[i]);
        json_object_close(&json);
    }
    query_output_grid(&json, &comparison->values.area, &comparison->grid);
    json_member_double(&json, "changed", fraction(difference, difference->changed));
    json_member_double(&json, "mean", difference->mean);
    json_member_float(&json, "largest", difference->largest);
    query_output_place(&json, difference->where);
    json_member_double(&json, "drowned", fraction(difference, difference->became_water));
    json_member_double(&json, "risen", fraction(difference, difference->became_land));
    if (difference->has_biomes)
        json_member_double(&json, "biomes", fraction(difference, difference->biomes));
    else
        json_member_null(&json, "biomes");
    query_output_close(&json);
}

static void write_text(struct comparison *comparison, const struct difference *difference)
{
    struct buffer *out = &comparison->answer.out;
    query_output_number_line(out, "changed", fraction(difference, difference->changed), "");
    query_output_number_line(out, "mean", difference->mean, "m");
    query_output_number_line(out, "largest", (double)difference->largest, "m");
    query_output_place_lines(out, difference->where);
    query_output_number_line(out, "drowned", fraction(difference, difference->became_water), "");
    query_output_number_line(out, "risen", fraction(difference, difference->became_land), "");
    if (difference->has_biomes)
        query_output_number_line(out, "biomes", fraction(difference, difference->biomes), "");
}

/* A problem with the parameter of a world. Always false. */
static bool fail_world(int i, const struct error *error, struct problem *problem)
{
    problem_from_error(problem, PROBLEM_PARAMETER, error);
    problem->list_path = error->code == ERROR_UNKNOWN ? "/worlds" : NULL;
    snprintf(problem->parameter, sizeof problem->parameter, "%s", names[i]);
    return false;
}

/* Acquires a world, which is compiled if need be; false with the answer's problem. */
static bool acquire_world(struct comparison *comparison, int i)
{
    const struct reference *reference = &comparison->references[i];
    const struct http_request *request = comparison->answer.request;
    struct problem *problem = &comparison->answer.problem;
    struct error error = {0};
    if (comparison->worlds[i])
        return true;
    comparison->worlds[i] =
        catalog_acquire_seed(request->generation->catalog, comparison->bases[i],
                             reference->has_seed ? reference->seed : NULL, &error);
    if (!comparison->worlds[i])
        return fail_world(i, &error, problem);
    if (reference_check_pin(reference, REFERENCE_WORLD,
                            world_fingerprint(comparison->worlds[i]->world), problem))
        return true;
    snprintf(problem->parameter, sizeof problem->parameter, "%s", names[i]);
    return false;
}

/* Both worlds are sampled on one grid, so a difference is between equal places at one level of
 * detail. */
static bool make_diff(struct answer_job *answer, struct worker_context *worker)
{
    struct comparison *comparison = (struct comparison *)answer;
    struct difference difference = {.grid = comparison->grid};
    struct error error = {0};
    if (!acquire_world(comparison, 0) || !acquire_world(comparison, 1))
        return false;
    difference.a = comparison->worlds[0]->world;
    difference.b = comparison->worlds[1]->world;
    if (!difference_measure(canvas_sampler(tile_maker_canvas(worker->maker)), &difference, &error))
        return problem_from_error(&answer->problem, PROBLEM_PARAMETER, &error);
    if (comparison->values.format == QUERY_TEXT)
        write_text(comparison, &difference);
    else
        write_json(comparison, &difference);
    return true;
}

static const struct answer_type diff_answer = {METRICS_QUESTION, false, make_diff, NULL,
                                               release_comparison};

/* The references of a and b; a may be absent. */
static bool parse_worlds(const struct http_target *target, struct comparison *comparison,
                         struct problem *problem)
{
    for (int i = 0; i < 2; i++) {
        const struct target_parameter *parameter = target_find(target, names[i]);
        if (!parameter || reference_parse(&parameter->value, REFERENCE_WORLD,
                                          &comparison->references[i], problem))
            continue;
        return problem_set_parameter(problem, names[i]);
    }
    return true;
}

/* The worlds that the references name, but for one that is there. */
static bool find_bases(struct comparison *comparison, struct problem *problem)
{
    for (int i = 0; i < 2; i++) {
        struct error error = {0};
        if (comparison->worlds[i])
            continue;
        comparison->bases[i] =
            resolve_base(comparison->answer.request, &comparison->references[i], &error);
        if (!comparison->bases[i])
            return fail_world(i, &error, problem);
    }
    return true;
}

/* The cost of a comparison: samples of both worlds, and compiling them. */
struct cost_estimate {
    unsigned octaves; /* of a sample, in both worlds together */
    uint64_t cost;    /* see cost.h */
};

/* Seeds do not change what a world costs, so nothing needs to be compiled to know it. */
static void add_world_cost(const struct comparison *comparison, int i,
                           const struct sample_grid *grid, struct cost_estimate *cost_estimate)
{
    const struct reference *reference = &comparison->references[i];
    const bool is_compiled = comparison->worlds[i] != NULL;
    const struct catalog_world *world = is_compiled ? comparison->worlds[i] : comparison->bases[i];
    const int biome = world_biome_layer(world->world);
    const unsigned layers[2] = {world_height_layer(world->world), biome < 0 ? 0 : (unsigned)biome};
    const struct cost_layers both = {world->world,
                                     layers,
                                     biome < 0 ? 1 : 2,
                                     {.step = place_metres(grid->step), .spacing = grid->spacing}};
    cost_estimate->octaves += inspect_cost(world_program(world->world), layers, both.count);
    cost_estimate->cost += cost_grid(&both, grid->columns, grid->rows, COST_NUMBER) +
                           (reference->has_seed && !is_compiled ? cost_compile(world) : 0);
}

static struct cost_estimate estimate_cost(const struct comparison *comparison,
                                          const struct sample_grid *grid)
{
    struct cost_estimate cost_estimate = {0};
    add_world_cost(comparison, 0, grid, &cost_estimate);
    add_world_cost(comparison, 1, grid, &cost_estimate);
    return cost_estimate;
}

static uint64_t fewer_samples_cost(const void *context, uint64_t samples)
{
    const struct comparison *comparison = context;
    struct parameter_values values = comparison->values;
    values.samples = (int64_t)samples;
    const struct sample_grid grid = query_grid(&values);
    return estimate_cost(comparison, &grid).cost;
}

/* The bound of one answer counts octaves of both worlds; the charge adds compiling. */
static bool check_diff_cost(struct http_request *request, const struct comparison *comparison,
                            struct problem *problem)
{
    const struct sample_grid *grid = &comparison->grid;
    const struct cost_estimate cost_estimate = estimate_cost(comparison, grid);
    struct error error = {0};
    if (!query_check_samples((uint64_t)grid->columns * grid->rows, cost_estimate.octaves, &error))
        return problem_from_error(problem, PROBLEM_TOO_LARGE, &error);
    const struct charge charge = {
        .cost = cost_estimate.cost,
        .smaller = request->route->query->smaller,
        .example = "",
        .parts = "samples along the longer side",
        .count = grid->columns > grid->rows ? grid->columns : grid->rows,
        .cost_of = fewer_samples_cost,
        .context = comparison,
    };
    return admission_check_cost(request, &charge, problem);
}

enum handler_result handle_diff(struct http_request *request, struct problem *problem)
{
    struct parameter_values values;
    const enum handler_result resolved = resolve_world(request, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    if (!router_read_parameters(request, &values, problem))
        return HANDLER_FAILED;
    struct comparison *comparison =
        answer_job_new(request, &diff_answer, sizeof *comparison, problem);
    if (!comparison || !parse_worlds(&request->target, comparison, problem))
        return HANDLER_FAILED;
    const struct reference *references = comparison->references;
    const bool a_pinned = references[0].name[0] ? references[0].pinned : request->world_pinned;
    comparison->answer.policy = response_cache_policy(a_pinned && references[1].pinned);
    comparison->answer.content_type = query_forms[values.format].content_type;
    comparison->values = values;
    comparison->grid = query_grid(&values);
    if (!references[0].name[0])
        comparison->worlds[0] = catalog_world_retain(request->world);
    if (!find_bases(comparison, problem) || !check_diff_cost(request, comparison, problem))
        return HANDLER_FAILED;
    return answer_job_run(&comparison->answer, problem);
}
