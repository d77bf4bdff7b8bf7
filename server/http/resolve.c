#include "server/http/resolve.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/router.h"

/* A world that is being compiled for an exchange. */
struct compilation {
    struct reference reference;
    struct catalog *catalog;
    const struct catalog_world *world;
    struct error error;
    bool cancelled;
};

static void compilation_free(void *work)
{
    struct compilation *compilation = work;
    catalog_release(compilation->world);
    free(compilation);
}

static void compile(struct job *job, struct tools *tools)
{
    struct compilation *compilation = exchange_of_job(job)->work;
    job->kind = METRICS_WORLD;
    compilation->cancelled = tools == NULL;
    if (tools)
        compilation->world = catalog_acquire(compilation->catalog, compilation->reference.name,
                                             compilation->reference.seed, &compilation->error);
}

static enum handled no_world(struct problem *problem, const struct error *error)
{
    problem_from_error(problem, PROBLEM_PATH, error);
    problem->list = error->code == ERROR_UNKNOWN ? "/worlds" : NULL;
    problem_name(problem, "world");
    return FAILED;
}

static enum handled compiled(struct exchange *exchange, struct problem *problem)
{
    struct compilation *compilation = exchange->work;
    exchange->world = compilation->world;
    compilation->world = NULL;
    if (compilation->cancelled) {
        problem_set(problem, PROBLEM_STOPPING, "the server is shutting down");
        return FAILED;
    }
    if (!exchange->world)
        return no_world(problem, &compilation->error);
    exchange->work = NULL;
    exchange->paid = 0; /* that was not in vain, whatever comes of the request */
    compilation_free(compilation);
    return exchange->route->handle(exchange, problem);
}

static enum handled start_compiling(struct exchange *exchange, const struct reference *reference,
                                    struct problem *problem)
{
    struct catalog *catalog = exchange->generation->catalog;
    struct error error;
    const struct catalog_world *base = catalog_acquire(catalog, reference->name, NULL, &error);
    if (!base)
        return no_world(problem, &error);
    const struct charge charge = {cost_compile(base), "a world without another seed", "/worlds"};
    catalog_release(base);
    if (!admission_check(exchange, &charge, problem))
        return FAILED;
    struct compilation *compilation = calloc(1, sizeof *compilation);
    if (!compilation) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    compilation->reference = *reference;
    compilation->catalog = catalog;
    exchange->work = compilation;
    exchange->work_free = compilation_free;
    return exchange_run(exchange, compile, compiled, problem);
}

bool resolve_check_pin(const struct reference *reference, const char *current, const char *what,
                       struct problem *problem)
{
    if (!reference->pinned || strcmp(reference->pin, current) == 0)
        return true;
    problem_set(problem, PROBLEM_GONE, "the %s \"%s\" has changed: %s is now %s", what,
                reference->name, reference->pin, current);
    snprintf(problem->current, sizeof problem->current, "%s", current);
    return problem_name(problem, what);
}

static bool parse_world(const struct request_text *text, struct reference *reference,
                        struct problem *problem)
{
    reference->name[0] = '\0';
    reference->seeded = reference->pinned = false;
    return !text || reference_parse(text, REFERENCE_WORLD, reference, problem) ||
           problem_name(problem, "world");
}

static bool check_world_pin(struct exchange *exchange, const struct reference *reference,
                            struct problem *problem)
{
    exchange->world_pinned = reference->pinned;
    return resolve_check_pin(reference, exchange->world->fingerprint, "world", problem);
}

bool resolve_promise(struct exchange *exchange, const struct request_text *text,
                     struct problem *problem)
{
    struct catalog *catalog = exchange->generation->catalog;
    struct reference reference;
    struct error error;
    if (!parse_world(text, &reference, problem))
        return false;
    if (reference.seeded)
        exchange->world = catalog_acquire_ready(catalog, reference.name, reference.seed);
    if (!exchange->world && reference.seeded)
        exchange->world = catalog_promise(catalog, reference.name, reference.seed, &error);
    else if (!exchange->world)
        exchange->world = catalog_acquire(catalog, text ? reference.name : NULL, NULL, &error);
    if (exchange->world)
        return check_world_pin(exchange, &reference, problem);
    no_world(problem, &error);
    return false;
}

enum handled resolve_world(struct exchange *exchange, const struct request_text *text,
                           struct problem *problem)
{
    struct catalog *catalog = exchange->generation->catalog;
    struct reference reference;
    struct error error;
    if (!parse_world(text, &reference, problem))
        return FAILED;
    if (!exchange->world && reference.seeded) {
        exchange->world = catalog_acquire_ready(catalog, reference.name, reference.seed);
        if (!exchange->world)
            return start_compiling(exchange, &reference, problem);
    } else if (!exchange->world) {
        exchange->world = catalog_acquire(catalog, text ? reference.name : NULL, NULL, &error);
        if (!exchange->world)
            return no_world(problem, &error);
    }
    return check_world_pin(exchange, &reference, problem) ? HANDLED : FAILED;
}

const struct painter *resolve_style(struct exchange *exchange, const struct request_text *text,
                                    struct problem *problem)
{
    struct reference reference = {.pinned = false};
    struct error error;
    if (text && !reference_parse(text, REFERENCE_STYLE, &reference, problem)) {
        problem_name(problem, "style");
        return NULL;
    }
    const struct painter *painter =
        catalog_painter(exchange->world, text ? reference.name : NULL, &error);
    if (!painter) {
        problem_from_error(problem, PROBLEM_PATH, &error);
        problem->list = "/worlds/{world}";
        problem_name(problem, "style");
        return NULL;
    }
    if (!resolve_check_pin(&reference, painter_fingerprint(painter), "style", problem))
        return NULL;
    return painter;
}

void resolve_world_path(const struct catalog_world *world, bool pinned, struct buffer *out)
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

void resolve_tiles_path(const struct catalog_world *world, const struct painter *painter,
                        struct buffer *out)
{
    resolve_world_path(world, true, out);
    buffer_text(out, "/tiles/");
    reference_escape(painter_name(painter), out);
    buffer_format(out, "@%s", painter_fingerprint(painter));
}
