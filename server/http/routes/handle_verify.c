/* GET /verify: whether a client that samples by itself has the same ground, by a chunk's digest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/recipe.h"
#include "server/http/request/parameters.h"
#include "server/http/response/response.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/render/chunk_digest.h"
#include "server/render/cost.h"

static const char example[] = "/verify?chunk=0,0";

/* A comparison on its way to a render thread and back. */
struct verification {
    struct chunk_digest chunk;
    bool text, pretty;
    char etag[ETAG_TEXT];
    struct buffer out;
    bool done; /* `out` is the answer, not `problem` */
    struct problem problem;
};

static void verification_free(void *work)
{
    struct verification *verification = work;
    buffer_free(&verification->out);
    free(verification);
}

static enum cache_policy verify_cache_policy(const struct http_request *request)
{
    return request->world_pinned ? CACHE_IMMUTABLE : CACHE_REVALIDATE;
}

static bool fail_with_example(struct problem *problem)
{
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}

/* chunk=cx,cy, which must be there. */
static bool parse_chunk(const struct http_target *target, struct chunk_digest *chunk,
                        struct problem *problem)
{
    const char *text = parameter_text(target, "chunk");
    if (text && chunk_digest_address(chunk, text))
        return true;
    if (text)
        problem_parameter(problem, "chunk", "cx,cy", "chunk must be two whole numbers, not \"%s\"",
                          text);
    else
        problem_parameter(problem, "chunk", "cx,cy", "chunk is needed: two whole numbers");
    return fail_with_example(problem);
}

static bool parse_digest(const struct http_target *target, struct chunk_digest *chunk,
                         struct problem *problem)
{
    const char *text = parameter_text(target, "digest");
    if (!text || chunk_digest_expect(chunk, text))
        return true;
    problem_parameter(problem, "digest", "32 hex digits",
                      "digest must be 32 hex digits, not \"%s\"", text);
    return fail_with_example(problem);
}

/* "same", "different", or the digest if there is nothing to compare it with. */
static void write_text(struct verification *verification)
{
    const char *const words[] = {
        [CHUNK_NOT_COMPARED] = verification->chunk.digest,
        [CHUNK_SAME] = "same",
        [CHUNK_DIFFERS] = "different",
    };
    buffer_format(&verification->out, "%s\n", words[chunk_digest_compare(&verification->chunk)]);
}

static void run_verify(struct job *job, struct worker_context *worker)
{
    struct http_request *request = http_request_of_job(job);
    struct verification *verification = request->work;
    struct error error = {0};
    if (!worker) {
        problem_set(&verification->problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
        return;
    }
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    if (!chunk_digest_make(&verification->chunk, worker->chunks, sampler, &error)) {
        problem_from_error(&verification->problem, PROBLEM_INTERNAL, &error);
        return;
    }
    if (verification->text)
        write_text(verification);
    else
        chunk_digest_json(&verification->chunk, request->world, verification->pretty,
                          &verification->out);
    verification->done = !verification->out.failed;
    if (!verification->done)
        problem_set(&verification->problem, PROBLEM_BUSY, "out of memory");
}

static enum handler_result respond_with_verification(struct http_request *request,
                                                     struct problem *problem)
{
    struct verification *verification = request->work;
    if (!verification->done) {
        *problem = verification->problem;
        return HANDLER_FAILED;
    }
    const size_t length = verification->out.length;
    struct MHD_Response *response = response_new(
        &verification->out, verification->text ? "text/plain; charset=utf-8" : "application/json",
        verify_cache_policy(request));
    return response_with_etag(request, verification->etag, length, response);
}

/* The entity tag: of the chunk, what it is compared with, and the form. False when memory is out.
 */
static bool write_etag(const struct http_request *request, struct verification *verification)
{
    const struct chunk_digest *chunk = &verification->chunk;
    const struct chunk_recipe recipe = {chunk->order, chunk->address, CODING_IDENTITY};
    struct cache_key key;
    struct buffer text = {0};
    char samples[ETAG_TEXT], seed[ETAG_TEXT];
    const char *seed_text = world_seed(request->world->world);
    recipe_chunk_key(&recipe, request->world->fingerprint, &key);
    etag_write(key.hash, samples);
    etag_write(hash_bytes(seed_text, strlen(seed_text), 0), seed);
    buffer_format(&text, "verify %s %s %s %s %lld %d %d", samples, seed, request->world->name,
                  chunk->expected, (long long)chunk->order.t, verification->text,
                  verification->pretty);
    const bool done = !text.failed;
    if (done)
        etag_write(hash_bytes(text.data, text.length, 0), verification->etag);
    buffer_free(&text);
    return done;
}

static bool parse_verify(const struct http_target *target, struct verification *verification,
                         struct problem *problem)
{
    struct chunk_digest *chunk = &verification->chunk;
    chunk_digest_begin(chunk);
    return parse_chunk(target, chunk, problem) && parse_digest(target, chunk, problem) &&
           chunk_parse_parameters(target, &chunk->order, problem) &&
           parameter_format(target, &verification->text, problem) &&
           parameter_bool(target, "pretty", &verification->pretty, problem);
}

static bool check_range(const struct chunk_digest *chunk, struct problem *problem)
{
    if (chunk_check_range(&chunk->order, &chunk->address, problem))
        return true;
    snprintf(problem->parameter, sizeof problem->parameter, "chunk");
    return false;
}

/* Everything that is checked before a render thread is asked. */
static bool check_verify(struct http_request *request, struct verification *verification,
                         struct problem *problem)
{
    struct chunk_digest *chunk = &verification->chunk;
    chunk->order.world = request->world->world;
    if (!chunk_parse_layers(parameter_text(&request->target, "layers"), "height", &chunk->order,
                            problem) ||
        !check_range(chunk, problem) ||
        !chunk_check_samples(&chunk->order, 1, request->generation->chunk_samples, problem))
        return false;
    return write_etag(request, verification) || problem_set(problem, PROBLEM_BUSY, "out of memory");
}

enum handler_result handle_verify(struct http_request *request, struct problem *problem)
{
    struct verification parsed = {.text = false};
    if (!parse_verify(&request->target, &parsed, problem))
        return HANDLER_FAILED;
    enum handler_result resolved = resolve_world(request, request->world_text, problem);
    if (resolved != HANDLER_DONE)
        return resolved;
    if (!check_verify(request, &parsed, problem))
        return HANDLER_FAILED;
    const struct response_caching caching = {verify_cache_policy(request), false};
    if (response_not_modified(request, parsed.etag, caching))
        return HANDLER_DONE;
    const struct charge charge = {cost_chunks(&parsed.chunk.order, 1),
                                  "a smaller size, fewer layers or a coarser step",
                                  "/verify?chunk=0,0&size=64"};
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    struct verification *verification = calloc(1, sizeof *verification);
    if (!verification) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return HANDLER_FAILED;
    }
    *verification = parsed;
    request->work = verification;
    request->work_free = verification_free;
    return http_request_run_job(request, run_verify, respond_with_verification, problem);
}
