/* GET /verify: whether a client that samples by itself has the same ground, by a chunk's digest. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/chunk_digest.h"
#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/arguments.h"
#include "server/http/chunk_request.h"
#include "server/http/handlers.h"
#include "server/http/recipe.h"
#include "server/http/resolve.h"
#include "server/http/response.h"

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

static enum cache_policy verify_policy(const struct exchange *exchange)
{
    return exchange->world_pinned ? CACHE_FOR_EVER : CACHE_REVALIDATE;
}

static bool refuse(struct problem *problem)
{
    snprintf(problem->example, sizeof problem->example, "%s", example);
    return false;
}

/* chunk=cx,cy, which must be there. */
static bool parse_chunk(const struct request *request, struct chunk_digest *chunk,
                        struct problem *problem)
{
    const char *text = argument_text(request, "chunk");
    if (text && chunk_digest_address(chunk, text))
        return true;
    if (text)
        problem_parameter(problem, "chunk", "cx,cy", "chunk must be two whole numbers, not \"%s\"",
                          text);
    else
        problem_parameter(problem, "chunk", "cx,cy", "chunk is needed: two whole numbers");
    return refuse(problem);
}

static bool parse_digest(const struct request *request, struct chunk_digest *chunk,
                         struct problem *problem)
{
    const char *text = argument_text(request, "digest");
    if (!text || chunk_digest_expect(chunk, text))
        return true;
    problem_parameter(problem, "digest", "32 hex digits",
                      "digest must be 32 hex digits, not \"%s\"", text);
    return refuse(problem);
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

static void run_verify(struct job *job, struct tools *tools)
{
    struct exchange *exchange = exchange_of_job(job);
    struct verification *verification = exchange->work;
    struct error error = {0};
    if (!tools) {
        problem_set(&verification->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(tools->maker));
    if (!chunk_digest_make(&verification->chunk, tools->chunks, sampler, &error)) {
        problem_from_error(&verification->problem, PROBLEM_INTERNAL, &error);
        return;
    }
    if (verification->text)
        write_text(verification);
    else
        chunk_digest_json(&verification->chunk, exchange->world, verification->pretty,
                          &verification->out);
    verification->done = !verification->out.failed;
    if (!verification->done)
        problem_set(&verification->problem, PROBLEM_BUSY, "out of memory");
}

static enum handled verified(struct exchange *exchange, struct problem *problem)
{
    struct verification *verification = exchange->work;
    if (!verification->done) {
        *problem = verification->problem;
        return FAILED;
    }
    const size_t length = verification->out.length;
    struct MHD_Response *response = response_new(
        &verification->out, verification->text ? "text/plain; charset=utf-8" : "application/json",
        verify_policy(exchange));
    return response_tagged(exchange, verification->etag, length, response);
}

/* The entity tag: of the chunk, what it is compared with, and the form. False when memory is out.
 */
static bool tag(const struct exchange *exchange, struct verification *verification)
{
    const struct chunk_digest *chunk = &verification->chunk;
    const struct chunk_recipe recipe = {chunk->order, chunk->address, CODING_IDENTITY};
    struct cache_key key;
    struct buffer text = {0};
    char samples[ETAG_TEXT], seed[ETAG_TEXT];
    const char *seed_text = world_seed(exchange->world->world);
    recipe_chunk_key(&recipe, exchange->world->fingerprint, &key);
    etag_write(key.hash, samples);
    etag_write(hash_bytes(seed_text, strlen(seed_text), 0), seed);
    buffer_format(&text, "verify %s %s %s %s %lld %d %d", samples, seed, exchange->world->name,
                  chunk->expected, (long long)chunk->order.t, verification->text,
                  verification->pretty);
    const bool done = !text.failed;
    if (done)
        etag_write(hash_bytes(text.data, text.length, 0), verification->etag);
    buffer_free(&text);
    return done;
}

static bool parse(const struct request *request, struct verification *verification,
                  struct problem *problem)
{
    struct chunk_digest *chunk = &verification->chunk;
    chunk_digest_begin(chunk);
    return parse_chunk(request, chunk, problem) && parse_digest(request, chunk, problem) &&
           chunk_parse_arguments(request, &chunk->order, problem) &&
           argument_format(request, &verification->text, problem) &&
           argument_switch(request, "pretty", &verification->pretty, problem);
}

static bool check_range(const struct chunk_digest *chunk, struct problem *problem)
{
    if (chunk_check_range(&chunk->order, &chunk->address, problem))
        return true;
    snprintf(problem->parameter, sizeof problem->parameter, "chunk");
    return false;
}

/* Everything that is checked before a render thread is asked. */
static bool prepare(struct exchange *exchange, struct verification *verification,
                    struct problem *problem)
{
    struct chunk_digest *chunk = &verification->chunk;
    chunk->order.world = exchange->world->world;
    if (!chunk_parse_layers(argument_text(&exchange->request, "layers"), "height", &chunk->order,
                            problem) ||
        !check_range(chunk, problem) ||
        !chunk_check_samples(&chunk->order, 1, exchange->generation->chunk_samples, problem))
        return false;
    return tag(exchange, verification) || problem_set(problem, PROBLEM_BUSY, "out of memory");
}

enum handled handle_verify(struct exchange *exchange, struct problem *problem)
{
    struct verification wanted = {.text = false};
    if (!parse(&exchange->request, &wanted, problem))
        return FAILED;
    enum handled resolved = resolve_world(exchange, exchange->world_text, problem);
    if (resolved != HANDLED)
        return resolved;
    if (!prepare(exchange, &wanted, problem))
        return FAILED;
    const struct response_form form = {verify_policy(exchange), false};
    if (response_unchanged(exchange, wanted.etag, form))
        return HANDLED;
    const struct charge charge = {cost_chunks(&wanted.chunk.order, 1),
                                  "a smaller size, fewer layers or a coarser step",
                                  "/verify?chunk=0,0&size=64"};
    if (!admission_check(exchange, &charge, problem))
        return FAILED;
    struct verification *verification = calloc(1, sizeof *verification);
    if (!verification) {
        problem_set(problem, PROBLEM_BUSY, "out of memory");
        return FAILED;
    }
    *verification = wanted;
    exchange->work = verification;
    exchange->work_free = verification_free;
    return exchange_run(exchange, run_verify, verified, problem);
}
