/* GET /diff: how far two worlds differ over a rectangle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/terrain/difference.h"
#include "core/world/inspect.h"
#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/request/parameters.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/queries/query_output.h"
#include "server/queries/query_params.h"
#include "server/render/cost.h"
#include "server/worlds/catalog_world.h"

/* A comparison on its way to a render thread and back. */
struct comparison {
    struct catalog *catalog;
    struct reference references[2];        /* a's is empty if it is the path's world */
    const struct catalog_world *worlds[2]; /* references of its own */
    struct area area;
    struct sample_grid grid;
    bool text, pretty;
    struct buffer out;
    bool done; /* `out` is the answer, not `problem` */
    struct problem problem;
};

static const char *const names[2] = {"a", "b"};
static const char example[] = "/diff?a=terra&b=terra~2&bbox=-1000,-1000,1000,1000";

static void comparison_free(void *work)
{
    struct comparison *comparison = work;
    for (int i = 0; i < 2; i++)
        catalog_release(comparison->worlds[i]);
    buffer_free(&comparison->out);
    free(comparison);
}

static double fraction(const struct difference *difference, uint64_t count)
{
    return (double)count / (double)difference->samples;
}

static void write_world(struct json_writer *json, const char *key,
                        const struct catalog_world *world)
{
    json_write_key(json, key);
    json_object_open(json);
    json_member_string(json, "world", world->name);
    json_member_string(json, "seed", world_seed(world->world));
    json_member_string(json, "fingerprint", world_fingerprint(world->world));
    json_object_close(json);
}

static void write_json(struct comparison *comparison, const struct difference *difference)
{
    struct json_writer json;
    json_begin(&json, &comparison->out, comparison->pretty);
    json_object_open(&json);
    for (int i = 0; i < 2; i++)
        write_world(&json, names[i], comparison->worlds[i]);
    answer_area(&json, &comparison->area);
    json_member_integer(&json, "columns", comparison->grid.columns);
    json_member_integer(&json, "rows", comparison->grid.rows);
    json_write_key(&json, "step");
    json_write_place(&json, comparison->grid.step);
    json_member_double(&json, "changed", fraction(difference, difference->changed));
    json_member_double(&json, "mean", difference->mean);
    json_member_float(&json, "largest", difference->largest);
    answer_place(&json, difference->where);
    json_member_double(&json, "drowned", fraction(difference, difference->became_water));
    json_member_double(&json, "risen", fraction(difference, difference->became_land));
    json_write_key(&json, "biomes");
    if (difference->has_biomes)
        json_write_double(&json, fraction(difference, difference->biomes));
    else
        json_write_null(&json);
    json_object_close(&json);
    json_finish(&json);
}

static void write_text(struct comparison *comparison, const struct difference *difference)
{
    struct buffer *out = &comparison->out;
    answer_number_line(out, "changed", fraction(difference, difference->changed), "");
    answer_number_line(out, "mean", difference->mean, "m");
    answer_number_line(out, "largest", (double)difference->largest, "m");
    answer_place_lines(out, difference->where);
    answer_number_line(out, "drowned", fraction(difference, difference->became_water), "");
    answer_number_line(out, "risen", fraction(difference, difference->became_land), "");
    if (difference->has_biomes)
        answer_number_line(out, "biomes", fraction(difference, difference->biomes), "");
}

/* Compiles what has to be; false with the comparison's problem. */
static bool acquire_worlds(struct comparison *comparison)
{
    for (int i = 0; i < 2; i++) {
        const struct reference *reference = &comparison->references[i];
        struct problem *problem = &comparison->problem;
        struct error error = {0};
        if (comparison->worlds[i])
            continue;
        comparison->worlds[i] =
            catalog_acquire(comparison->catalog, reference->name,
                            reference->has_seed ? reference->seed : NULL, &error);
        if (!comparison->worlds[i]) {
            problem_from_error(problem, PROBLEM_PARAMETER, &error);
            snprintf(problem->parameter, sizeof problem->parameter, "%s", names[i]);
            problem->list_path = error.code == ERROR_UNKNOWN ? "/worlds" : NULL;
            return false;
        }
        if (!resolve_check_pin(reference, world_fingerprint(comparison->worlds[i]->world), "world",
                               problem)) {
            snprintf(problem->parameter, sizeof problem->parameter, "%s", names[i]);
            return false;
        }
    }
    return true;
}

static void run_diff(struct job *job, struct worker_context *worker)
{
    struct comparison *comparison = http_request_of_job(job)->work;
    struct difference difference = {.grid = comparison->grid};
    struct error error = {0};
    if (!worker) {
        problem_set(&comparison->problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
        return;
    }
    if (!acquire_worlds(comparison))
        return;
    difference.a = comparison->worlds[0]->world;
    difference.b = comparison->worlds[1]->world;
    comparison->done =
        difference_measure(canvas_sampler(tile_maker_canvas(worker->maker)), &difference, &error);
    if (!comparison->done) {
        problem_from_error(&comparison->problem, PROBLEM_PARAMETER, &error);
        return;
    }
    if (comparison->text)
        write_text(comparison, &difference);
    else
        write_json(comparison, &difference);
}

static enum handler_result respond_with_diff(struct http_request *request, struct problem *problem)
{
    struct comparison *comparison = request->work;
    const struct reference *references = comparison->references;
    bool a_pinned = references[0].name[0] ? references[0].pinned : request->world_pinned;
    if (!comparison->done) {
        *problem = comparison->problem;
        return HANDLER_FAILED;
    }
    return response_document(request, &comparison->out,
                             comparison->text ? "text/plain; charset=utf-8" : "application/json",
                             a_pinned && references[1].pinned ? CACHE_IMMUTABLE : CACHE_REVALIDATE);
}

static const struct question_parameter parameters[] = {
    {"a", "a world: NAME, NAME~SEED, with @FINGERPRINT behind it if pinned"},
    {"b", "a world: NAME, NAME~SEED, with @FINGERPRINT behind it if pinned"},
    {"bbox", "x0,y0,x1,y1 in metres: west, north, east, south"},
    {"samples", "1 … 1024, along the longer side"},
    {NULL, NULL},
};

/* `a` may be left out, `b` not. */
static bool parse_worlds(const struct http_target *target, struct comparison *comparison,
                         struct problem *problem)
{
    for (int i = 0; i < 2; i++) {
        const struct target_parameter *parameter = target_find(target, names[i]);
        if (!parameter)
            continue;
        if (reference_parse(&parameter->value, REFERENCE_WORLD, &comparison->references[i],
                            problem))
            continue;
        snprintf(problem->parameter, sizeof problem->parameter, "%s", names[i]);
        return false;
    }
    if (target_find(target, "b"))
        return true;
    problem_parameter(problem, "b", parameters[1].allowed, "b: is missing");
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}

static bool parse_diff(const struct http_target *target, struct comparison *comparison,
                       struct problem *problem)
{
    struct error error = {0};
    const struct question_source source = {target, parameter_text, &error};
    int64_t samples = 256;
    if (!parameter_format(target, &comparison->text, problem) ||
        !parameter_bool(target, "pretty", &comparison->pretty, problem) ||
        !parse_worlds(target, comparison, problem))
        return false;
    if (!input_bbox(&source, &comparison->area) ||
        !input_whole(&source, "samples", 1, QUESTION_SAMPLES_MAX, &samples))
        return parameter_problem(parameters, example, &error, problem);
    comparison->grid = area_grid(&comparison->area, (uint32_t)samples);
    return true;
}

/* What the comparison costs: samples of both worlds, and compiling. */
struct cost_estimate {
    unsigned octaves; /* a sample */
    uint64_t cost;    /* see cost.h */
};

/* Seeds do not change what a world costs, so nothing needs to be compiled to know it. An unknown
 * world costs nothing. */
static bool add_world_cost(const struct comparison *comparison, int i,
                           struct cost_estimate *cost_estimate, struct error *error)
{
    const struct reference *reference = &comparison->references[i];
    const bool is_compiled = comparison->worlds[i] != NULL;
    const struct catalog_world *world =
        is_compiled ? catalog_world_retain(comparison->worlds[i])
                    : catalog_acquire_ready(comparison->catalog, reference->name, NULL);
    if (!world)
        return true;
    const int biome = world_biome_layer(world->world);
    const unsigned layers[2] = {world_height_layer(world->world), biome < 0 ? 0 : (unsigned)biome};
    const struct cost_layers both = {world->world, layers, biome < 0 ? 1 : 2, 0};
    unsigned octaves = 0;
    const bool done = inspect_cost(world->world, layers, both.count, &octaves, error);
    cost_estimate->octaves += octaves;
    cost_estimate->cost +=
        cost_grid(&both, (uint64_t)comparison->grid.columns * comparison->grid.rows) +
        (reference->has_seed && !is_compiled ? cost_compile(world) : 0);
    catalog_release(world);
    return done;
}

static bool check_diff_cost(struct http_request *request, const struct comparison *comparison,
                            struct problem *problem)
{
    const struct sample_grid *grid = &comparison->grid;
    struct cost_estimate cost_estimate = {0};
    struct error error = {0};
    if (!add_world_cost(comparison, 0, &cost_estimate, &error) ||
        !add_world_cost(comparison, 1, &cost_estimate, &error) ||
        !input_check_cost((uint64_t)grid->columns * grid->rows, cost_estimate.octaves, &error))
        return problem_from_error(problem, PROBLEM_TOO_LARGE, &error);
    const struct charge charge = {cost_estimate.cost, "fewer samples", example};
    return admission_check_cost(request, &charge, problem);
}

enum handler_result handle_diff(struct http_request *request, struct problem *problem)
{
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    struct comparison *comparison = calloc(1, sizeof *comparison);
    if (!comparison) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return HANDLER_FAILED;
    }
    comparison->catalog = request->generation->catalog;
    request->work = comparison;
    request->work_free = comparison_free;
    if (!parse_diff(&request->target, comparison, problem))
        return HANDLER_FAILED;
    if (!comparison->references[0].name[0])
        comparison->worlds[0] = catalog_world_retain(request->world);
    if (!check_diff_cost(request, comparison, problem))
        return HANDLER_FAILED;
    return http_request_run_job(request, run_diff, respond_with_diff, problem);
}
