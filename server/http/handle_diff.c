/* GET /diff: how far two worlds differ over a rectangle. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/terrain/difference.h"
#include "core/world/inspect.h"
#include "server/answer.h"
#include "server/catalog_world.h"
#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/arguments.h"
#include "server/http/handlers.h"
#include "server/http/resolve.h"
#include "server/http/response.h"
#include "server/question_input.h"

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

static double share(const struct difference *difference, uint64_t count)
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
    json_member_double(&json, "changed", share(difference, difference->changed));
    json_member_double(&json, "mean", difference->mean);
    json_member_float(&json, "largest", difference->largest);
    answer_place(&json, difference->where);
    json_member_double(&json, "drowned", share(difference, difference->drowned));
    json_member_double(&json, "risen", share(difference, difference->risen));
    json_write_key(&json, "biomes");
    if (difference->has_biomes)
        json_write_double(&json, share(difference, difference->biomes));
    else
        json_write_null(&json);
    json_object_close(&json);
    json_finish(&json);
}

static void write_text(struct comparison *comparison, const struct difference *difference)
{
    struct buffer *out = &comparison->out;
    answer_number_line(out, "changed", share(difference, difference->changed), "");
    answer_number_line(out, "mean", difference->mean, "m");
    answer_number_line(out, "largest", (double)difference->largest, "m");
    answer_place_lines(out, difference->where);
    answer_number_line(out, "drowned", share(difference, difference->drowned), "");
    answer_number_line(out, "risen", share(difference, difference->risen), "");
    if (difference->has_biomes)
        answer_number_line(out, "biomes", share(difference, difference->biomes), "");
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
        comparison->worlds[i] = catalog_acquire(comparison->catalog, reference->name,
                                                reference->seeded ? reference->seed : NULL, &error);
        if (!comparison->worlds[i]) {
            problem_from_error(problem, PROBLEM_PARAMETER, &error);
            snprintf(problem->parameter, sizeof problem->parameter, "%s", names[i]);
            problem->list = error.code == ERROR_UNKNOWN ? "/worlds" : NULL;
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

static void run_diff(struct job *job, struct tools *tools)
{
    struct comparison *comparison = exchange_of_job(job)->work;
    struct difference difference = {.grid = comparison->grid};
    struct error error = {0};
    if (!tools) {
        problem_set(&comparison->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    if (!acquire_worlds(comparison))
        return;
    difference.a = comparison->worlds[0]->world;
    difference.b = comparison->worlds[1]->world;
    comparison->done =
        difference_measure(canvas_sampler(tile_maker_canvas(tools->maker)), &difference, &error);
    if (!comparison->done) {
        problem_from_error(&comparison->problem, PROBLEM_PARAMETER, &error);
        return;
    }
    if (comparison->text)
        write_text(comparison, &difference);
    else
        write_json(comparison, &difference);
}

static enum handled diff_answered(struct exchange *exchange, struct problem *problem)
{
    struct comparison *comparison = exchange->work;
    const struct reference *references = comparison->references;
    bool a_pinned = references[0].name[0] ? references[0].pinned : exchange->world_pinned;
    if (!comparison->done) {
        *problem = comparison->problem;
        return FAILED;
    }
    return response_document(exchange, &comparison->out,
                             comparison->text ? "text/plain; charset=utf-8" : "application/json",
                             a_pinned && references[1].pinned ? CACHE_FOR_EVER : CACHE_REVALIDATE);
}

static const struct question_parameter parameters[] = {
    {"a", "a world: NAME, NAME~SEED, with @FINGERPRINT behind it if pinned"},
    {"b", "a world: NAME, NAME~SEED, with @FINGERPRINT behind it if pinned"},
    {"bbox", "x0,y0,x1,y1 in metres: west, north, east, south"},
    {"samples", "1 … 1024, along the longer side"},
    {NULL, NULL},
};

/* `a` may be left out, `b` not. */
static bool read_worlds(const struct request *request, struct comparison *comparison,
                        struct problem *problem)
{
    for (int i = 0; i < 2; i++) {
        const struct request_argument *argument = request_find(request, names[i]);
        if (!argument)
            continue;
        if (reference_parse(&argument->value, REFERENCE_WORLD, &comparison->references[i], problem))
            continue;
        snprintf(problem->parameter, sizeof problem->parameter, "%s", names[i]);
        return false;
    }
    if (request_find(request, "b"))
        return true;
    problem_parameter(problem, "b", parameters[1].allowed, "b: is missing");
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}

static bool read_diff(const struct request *request, struct comparison *comparison,
                      struct problem *problem)
{
    struct error error = {0};
    const struct question_source source = {request, argument_text, &error};
    int64_t samples = 256;
    if (!argument_format(request, &comparison->text, problem) ||
        !argument_switch(request, "pretty", &comparison->pretty, problem) ||
        !read_worlds(request, comparison, problem))
        return false;
    if (!input_bbox(&source, &comparison->area) ||
        !input_whole(&source, "samples", 1, QUESTION_SAMPLES_MAX, &samples))
        return argument_problem(parameters, example, &error, problem);
    comparison->grid = area_grid(&comparison->area, (uint32_t)samples);
    return true;
}

/* What the comparison costs: samples of both worlds, and compiling. */
struct bill {
    unsigned octaves; /* a sample */
    uint64_t cost;    /* see cost.h */
};

/* Seeds do not change what a world costs, so nothing needs to be compiled to know it. An unknown
 * world costs nothing. */
static bool add_world(const struct comparison *comparison, int i, struct bill *bill,
                      struct error *error)
{
    const struct reference *reference = &comparison->references[i];
    const bool ready = comparison->worlds[i] != NULL;
    const struct catalog_world *world =
        ready ? catalog_world_retain(comparison->worlds[i])
              : catalog_acquire_ready(comparison->catalog, reference->name, NULL);
    if (!world)
        return true;
    const int biome = world_biome_layer(world->world);
    const unsigned layers[2] = {world_height_layer(world->world), biome < 0 ? 0 : (unsigned)biome};
    const struct cost_layers both = {world->world, layers, biome < 0 ? 1 : 2, 0};
    unsigned octaves = 0;
    const bool done = inspect_cost(world->world, layers, both.count, &octaves, error);
    bill->octaves += octaves;
    bill->cost += cost_grid(&both, (uint64_t)comparison->grid.columns * comparison->grid.rows) +
                  (reference->seeded && !ready ? cost_compile(world) : 0);
    catalog_release(world);
    return done;
}

static bool admit(struct exchange *exchange, const struct comparison *comparison,
                  struct problem *problem)
{
    const struct sample_grid *grid = &comparison->grid;
    struct bill bill = {0};
    struct error error = {0};
    if (!add_world(comparison, 0, &bill, &error) || !add_world(comparison, 1, &bill, &error) ||
        !input_check_cost((uint64_t)grid->columns * grid->rows, bill.octaves, &error))
        return problem_from_error(problem, PROBLEM_TOO_LARGE, &error);
    const struct charge charge = {bill.cost, "fewer samples", example};
    return admission_check(exchange, &charge, problem);
}

enum handled handle_diff(struct exchange *exchange, struct problem *problem)
{
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    struct comparison *comparison = calloc(1, sizeof *comparison);
    if (!comparison) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    comparison->catalog = exchange->generation->catalog;
    exchange->work = comparison;
    exchange->work_free = comparison_free;
    if (!read_diff(&exchange->request, comparison, problem))
        return FAILED;
    if (!comparison->references[0].name[0])
        comparison->worlds[0] = catalog_world_retain(exchange->world);
    if (!admit(exchange, comparison, problem))
        return FAILED;
    return exchange_run(exchange, run_diff, diff_answered, problem);
}
