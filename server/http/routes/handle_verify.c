/* GET /verify: tells a client that samples by itself whether it has the same ground. The handler
 * compares the client's digest of a chunk with its own, or writes its own if none was given.
 *
 * The chunk is sampled for the digest alone and not kept: a client verifies once, and for few
 * chunks. The output is too short to be worth compressing. */
#include <stdio.h>
#include <string.h>

#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/products/chunk_parameters.h"
#include "server/http/products/recipe.h"
#include "server/http/request/parameters.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/http/routes/router.h"
#include "server/render/chunk_digest.h"
#include "server/render/cost.h"

struct verification {
    struct answer_job answer;
    struct chunk_digest chunk;
    bool text, pretty;
};

/* Writes "same" or "different", or the digest if there is none to compare with. */
static void write_text(struct verification *verification)
{
    const char *const words[] = {
        [CHUNK_NOT_COMPARED] = verification->chunk.digest,
        [CHUNK_SAME] = "same",
        [CHUNK_DIFFERS] = "different",
    };
    buffer_format(&verification->answer.out, "%s\n",
                  words[chunk_digest_compare(&verification->chunk)]);
}

/* Samples the chunk, and compares or just writes the digest. */
static bool make_verification(struct answer_job *answer, struct worker_context *worker)
{
    struct verification *verification = (struct verification *)answer;
    struct error error = {0};
    if (!chunk_digest_make(&verification->chunk, worker->chunks, &error))
        return problem_from_error(&answer->problem, PROBLEM_INTERNAL, &error);
    if (verification->text)
        write_text(verification);
    else
        chunk_digest_json(&verification->chunk, answer->request->world, verification->pretty,
                          &answer->out);
    return true;
}

static const struct answer_type verify_answer = {METRICS_QUESTION, false, make_verification, NULL,
                                                 NULL};

/* The entity tag: a hash of the chunk, of the digest to compare with, and of the output's form.
 * False when memory is out. */
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
        etag_write(hash_bytes(text.data, text.length, 0), verification->answer.etag);
    buffer_free(&text);
    return done;
}

/* Reads the chunk and the digest from the parameters. */
static bool read_chunk(const struct parameter_values *values, struct chunk_digest *chunk,
                       struct problem *problem)
{
    struct error error;
    chunk_digest_begin(chunk);
    chunk_order_set_values(&chunk->order, values);
    if (!chunk_digest_address(chunk, values->chunk))
        parameter_refuse(PARAMETER_CHUNK, values->chunk, &error);
    else if (values->digest && !chunk_digest_expect(chunk, values->digest))
        parameter_refuse(PARAMETER_DIGEST, values->digest, &error);
    else
        return true;
    return problem_from_parameter(query_verify.parameters, &error, problem);
}

static bool check_range(const struct chunk_digest *chunk, struct problem *problem)
{
    if (chunk_check_range(&chunk->order, &chunk->address, problem))
        return true;
    snprintf(problem->parameter, sizeof problem->parameter, "chunk");
    return false;
}

/* Everything that is checked before the job waits for a render thread. */
static bool check_verify(struct http_request *request, const struct parameter_values *values,
                         struct verification *verification, struct problem *problem)
{
    struct chunk_digest *chunk = &verification->chunk;
    chunk->order.world = request->world->world;
    if (!chunk_parse_layers(values->layers, &chunk->order, problem) ||
        !check_range(chunk, problem) ||
        !chunk_check_samples(&chunk->order, 1, request->generation->chunk_samples, problem))
        return false;
    return write_etag(request, verification) || problem_out_of_memory(problem);
}

/* The chunk's samples and their digest, without an encoder. */
static uint64_t verify_cost(const struct chunk_order *order)
{
    const double metres = place_metres(order->step);
    const struct cost_layers layers = {
        order->world, order->layers, order->layer_count, {.step = metres, .spacing = metres}};
    return cost_grid(&layers, chunk_side(order), chunk_side(order), COST_NUMBER);
}

enum handler_result handle_verify(struct http_request *request, struct problem *problem)
{
    struct parameter_values values;
    struct chunk_digest chunk;
    struct verification checked = {.text = false};
    if (!router_read_parameters(request, &values, problem) ||
        !read_chunk(&values, &chunk, problem) ||
        !resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    checked.chunk = chunk;
    if (!check_verify(request, &values, &checked, problem))
        return HANDLER_FAILED;
    const enum handler_result compiled = resolve_compiled(request, problem);
    if (compiled != HANDLER_DONE)
        return compiled;
    struct verification *verification =
        answer_job_new(request, &verify_answer, sizeof *verification, problem);
    if (!verification)
        return HANDLER_FAILED;
    struct answer_job *answer = &verification->answer;
    verification->chunk = chunk;
    verification->text = values.format == QUERY_TEXT;
    verification->pretty = values.pretty;
    answer->content_type = query_forms[values.format].content_type;
    if (!check_verify(request, &values, verification, problem))
        return HANDLER_FAILED;
    const struct response_caching caching = {answer->policy, false};
    if (response_not_modified(request, answer->etag, caching))
        return HANDLER_DONE;
    const struct charge charge = {
        .cost = verify_cost(&verification->chunk.order),
        .smaller = query_verify.smaller,
        .example = "/verify?chunk=0,0&size=64",
    };
    if (!admission_check_cost(request, &charge, problem))
        return HANDLER_FAILED;
    return answer_job_run(answer, problem);
}
