/* GET /verify: tells a client that samples by itself whether it has the same ground. The handler
 * compares the client's digest of a chunk with its own, or writes its own if none was given.
 *
 * The chunk is sampled for the digest alone and not kept: a client verifies once, and for few
 * chunks. The output is too short to be worth compressing. */
#include <stdio.h>
#include <string.h>

#include "server/http/products/chunk_parameters.h"
#include "server/http/products/recipe.h"
#include "server/http/request/parameters.h"
#include "server/http/routes/handlers.h"
#include "server/queries/query.h"
#include "server/render/chunk_digest.h"
#include "server/render/price.h"

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
        chunk_digest_json(&verification->chunk, answer->request->worlds[0].compiled,
                          verification->pretty, &answer->out);
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
    const struct world_identity *identity = &request->worlds[0].identity;
    recipe_chunk_key(&recipe, identity->fingerprint, &key);
    etag_write(key.hash, samples);
    etag_write(hash_bytes(identity->seed, strlen(identity->seed), 0), seed);
    buffer_format(&text, "verify %s %s %s %s %lld %d %d", samples, seed, identity->name,
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

static bool begin_verify(struct http_request *request, struct problem *problem)
{
    const struct parameter_values *values = request->values;
    struct verification *verification =
        answer_job_new(request, &verify_answer, sizeof *verification, problem);
    if (!verification)
        return false;
    verification->text = values->format == QUERY_TEXT;
    verification->pretty = values->pretty;
    verification->answer.content_type = query_forms[values->format].content_type;
    return read_chunk(values, &verification->chunk, problem);
}

static bool check_range(const struct chunk_digest *chunk, struct problem *problem)
{
    if (chunk_check_range(&chunk->order, &chunk->address, problem))
        return true;
    snprintf(problem->parameter, sizeof problem->parameter, "chunk");
    return false;
}

static bool order_verify(struct http_request *request, struct problem *problem)
{
    struct chunk_digest *chunk = &((struct verification *)request->work)->chunk;
    chunk->order.world = request->worlds[0].base->world;
    return chunk_parse_layers(request->values->layers, &chunk->order, problem) &&
           check_range(chunk, problem) &&
           chunk_check_samples(&chunk->order, 1, request->generation->chunk_samples, problem);
}

static enum handler_result find_verify(struct http_request *request, struct problem *problem)
{
    struct verification *verification = request->work;
    const struct response_caching caching = {response_cache_policy(request->is_pinned), false};
    if (!write_etag(request, verification)) {
        problem_out_of_memory(problem);
        return HANDLER_FAILED;
    }
    return response_not_modified(request, verification->answer.etag, caching) ? HANDLER_DONE
                                                                              : HANDLER_CONTINUE;
}

/* The chunk's samples and their digest, without an encoder. */
static uint64_t verify_price(const struct chunk_digest *chunk)
{
    const struct chunk_order *order = &chunk->order;
    const double metres = place_metres(order->step);
    const struct sampling_where where =
        chunk_where(order, &(struct chunk_area){chunk->address, 1, 1});
    const struct price_layers layers = {order->world,
                                        order->layers,
                                        order->layer_count,
                                        {.step = metres, .spacing = metres, .where = &where}};
    return price_grid(&layers, chunk_side(order), chunk_side(order), PRICE_NUMBER);
}

static bool charge_verify(struct http_request *request, struct charge *charge,
                          struct problem *problem)
{
    (void)problem;
    *charge = (struct charge){
        .nanoseconds = verify_price(&((struct verification *)request->work)->chunk),
        .smaller = query_verify.smaller,
        .example = "/verify?chunk=0,0&size=64",
    };
    return true;
}

const struct route_steps verify_steps = {
    .read = begin_verify,
    .order = order_verify,
    .find = find_verify,
    .charge = charge_verify,
};

enum handler_result handle_verify(struct http_request *request, struct problem *problem)
{
    struct verification *verification = request->work;
    verification->chunk.order.world = request->worlds[0].compiled->world;
    return answer_job_run(request, problem);
}
