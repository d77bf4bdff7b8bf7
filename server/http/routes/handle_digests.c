/* POST /digests: the digests of many chunks, and which of them another world has, too. A game that
 * stores edits as differences on the ground so learns on which chunks the ground has changed.
 *
 * A digest is that of /verify and of the header X-Terrane-Digest. The chunks are neither encoded
 * nor cached, as nobody asks for their bytes. The request runs as one job after another: a piece of
 * neighbouring chunks each, as for a batch of chunks; first all of one world, then all of the
 * other, as samplers keep what one world's chunks share. Between two pieces other requests get
 * their turn. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "server/http/jobs/admission.h"
#include "server/http/products/chunk_pieces.h"
#include "server/http/response/answer_job.h"
#include "server/http/routes/handlers.h"
#include "server/http/routes/resolve.h"
#include "server/queries/query_output.h"
#include "server/render/chunk_digest.h"
#include "server/render/cost.h"
#include "server/worlds/catalog_world.h"

/* A world with the digests of its chunks. */
struct digest_list {
    const struct catalog_world *world; /* an owned reference; the other one may be lazy */
    struct chunk_batch batch;          /* the addresses are borrowed */
    struct chunk_price price;
    char (*digests)[CHUNK_DIGEST_TEXT]; /* owned; "" for a chunk beyond the edge of the world */
};

struct digests_job {
    struct answer_job answer;
    struct chunk_batch batch;    /* owned */
    struct digest_list lists[2]; /* of the request's world, and of the other one if there is one */
    unsigned list_count;
    unsigned list; /* that the next piece belongs to; list_count when all is done */
    size_t next;   /* its first chunk without a digest */
};

static void release_digests(struct answer_job *answer)
{
    struct digests_job *job = (struct digests_job *)answer;
    for (int i = 0; i < 2; i++) {
        catalog_release(job->lists[i].world);
        free(job->lists[i].digests);
    }
    chunk_batch_free(&job->batch);
}

/* Null for a chunk beyond the edge of the world. */
static void write_digests(const struct digests_job *job, struct json_writer *json)
{
    json_member_array(json, "digests");
    for (size_t i = 0; i < job->batch.count; i++)
        json_write_string(json, job->lists[0].digests[i][0] ? job->lists[0].digests[i] : NULL);
    json_array_close(json);
}

static void write_changed(const struct digests_job *job, struct json_writer *json)
{
    json_member_object(json, "against");
    query_output_world(json, job->lists[1].world);
    json_object_close(json);
    json_member_array(json, "changed");
    for (size_t i = 0; i < job->batch.count; i++) {
        const char *digest = job->lists[0].digests[i];
        if (digest[0])
            json_write_bool(json, strcmp(digest, job->lists[1].digests[i]) != 0);
        else
            json_write_null(json);
    }
    json_array_close(json);
}

static void write_answer(struct digests_job *job)
{
    struct json_writer json;
    json_begin(&json, &job->answer.out, false);
    json_object_open(&json);
    query_output_world(&json, job->lists[0].world);
    chunk_order_json(&job->batch.order, &json);
    write_digests(job, &json);
    if (job->list_count == 2)
        write_changed(job, &json);
    json_object_close(&json);
    json_finish(&json);
}

/* The other world may have a seed that is not compiled yet. */
static bool compile_world(struct digest_list *list, struct error *error)
{
    if (!list->world->is_lazy)
        return true;
    const struct catalog_world *compiled = catalog_compile(list->world, error);
    if (!compiled)
        return false;
    catalog_release(list->world);
    list->world = compiled;
    list->batch.order.world = compiled->world;
    return true;
}

/* The number of chunks in the next piece, 0 if the batch is empty, and their area. */
static size_t next_piece(const struct digests_job *job, struct chunk_area *area)
{
    return job->batch.count > 0 ? chunk_piece_plan(&job->batch, job->next, area) : 0;
}

/* If there is no memory for all at once, they are sampled one by one. */
static bool digest_piece(const struct digests_job *job, struct chunk_maker *chunks,
                         struct error *error)
{
    const struct digest_list *list = &job->lists[job->list];
    const struct chunk_order *order = &list->batch.order;
    struct chunk_area area;
    const size_t count = next_piece(job, &area);
    bool done = true;
    if (count > 1)
        chunk_maker_prepare(chunks, order, &area, NULL);
    for (size_t i = job->next; i < job->next + count && done; i++) {
        const struct chunk_address *address = &list->batch.addresses[i];
        if (!chunk_in_range(order, address))
            continue;
        done = chunk_make_digest(chunks, order, address, error);
        memcpy(list->digests[i], chunk_maker_digest(chunks), CHUNK_DIGEST_TEXT);
    }
    chunk_maker_forget(chunks);
    return done;
}

/* One piece; with the last one the output. */
static bool make_piece(struct answer_job *answer, struct worker_context *worker)
{
    struct digests_job *job = (struct digests_job *)answer;
    struct chunk_area area;
    struct error error = {0};
    if (!compile_world(&job->lists[job->list], &error) ||
        !digest_piece(job, worker->chunks, &error))
        return problem_from_error(&answer->problem, PROBLEM_INTERNAL, &error);
    job->next += next_piece(job, &area);
    if (job->next == job->batch.count) {
        job->list++;
        job->next = 0;
    }
    if (job->list == job->list_count)
        write_answer(job);
    return true;
}

/* The whole request was charged before; each job has the cost of its piece. */
static enum handler_result run_piece(struct digests_job *job, struct problem *problem)
{
    struct chunk_area area;
    const size_t count = next_piece(job, &area);
    const struct chunk_price *price = &job->lists[job->list].price;
    job->answer.request->admission.cost =
        COST_REQUEST + (count > 0 ? chunk_piece_cost(price, &area, count) : 0);
    return answer_job_run(&job->answer, problem);
}

static enum handler_result piece_done(struct answer_job *answer, struct problem *problem)
{
    struct digests_job *job = (struct digests_job *)answer;
    return job->list == job->list_count ? answer_job_respond(answer) : run_piece(job, problem);
}

static const struct answer_type digests_answer = {METRICS_QUESTION, true, make_piece, piece_done,
                                                  release_digests};

/* The layer or material of that name in the other world; -1 if there is none. As shares depend on
 * all materials and on their order, those of the worlds must be the same. */
static int find_layer(const struct world *world, unsigned layer, const struct world *other)
{
    const char *name = world_layer(world, layer)->name;
    const unsigned plain = world_layer_count(world), materials = world_material_count(world);
    if (layer < plain)
        return world_find_layer(other, name);
    const unsigned same = world_material_layer(other, layer - plain);
    return world_material_count(other) == materials &&
                   strcmp(world_layer(other, same)->name, name) == 0
               ? (int)same
               : -1;
}

/* Finds the layers of the request's world in the other one. */
static bool find_layers(struct chunk_order *order, const struct catalog_world *other,
                        struct problem *problem)
{
    for (unsigned i = 0; i < order->layer_count; i++) {
        const char *name = world_layer(order->world, order->layers[i])->name;
        const int layer = find_layer(order->world, order->layers[i], other->world);
        if (layer < 0)
            return problem_set(problem, PROBLEM_NOT_FOUND, "the world \"%s\" has no layer \"%s\"%s",
                               other->name, name,
                               order->material_count > 0 ? ", or other materials" : "");
        order->layers[i] = (unsigned)layer;
    }
    order->world = other->world;
    return true;
}

/* Begins the list of a world, whose reference it takes. */
static bool add_list(struct digests_job *job, const struct catalog_world *world,
                     struct problem *problem)
{
    struct digest_list *list = &job->lists[job->list_count++];
    list->world = world;
    list->batch = job->batch;
    if (job->list_count > 1 && !find_layers(&list->batch.order, world, problem))
        return false;
    list->digests = calloc(job->batch.count + 1, sizeof *list->digests);
    list->price = chunk_batch_price(&list->batch, job->batch.count, CODING_IDENTITY);
    return list->digests || problem_out_of_memory(problem);
}

/* The world of "against", with a reference for the caller; null with 404, 410 or 503. */
static const struct catalog_world *find_other(const struct digests_job *job,
                                              struct problem *problem)
{
    const struct http_request *request = job->answer.request;
    const struct reference *reference = &job->batch.against;
    const char *seed = reference->has_seed ? reference->seed : NULL;
    struct catalog *catalog = request->generation->catalog;
    struct error error = {0};
    const struct catalog_world *base = resolve_base(request, reference, &error);
    const struct catalog_world *world = base ? catalog_acquire_ready(catalog, base, seed) : NULL;
    if (base && !world)
        world = catalog_lazy_world(catalog, base, seed, &error);
    catalog_release(base);
    if (!world) {
        problem_from_error(problem, PROBLEM_BODY, &error);
        problem->list_path = error.code == ERROR_UNKNOWN ? "/worlds" : NULL;
        return NULL;
    }
    if (reference_check_pin(reference, REFERENCE_WORLD, world->fingerprint, problem))
        return world;
    catalog_release(world);
    return NULL;
}

static bool add_lists(struct digests_job *job, struct problem *problem)
{
    if (!add_list(job, catalog_world_retain(job->answer.request->world), problem))
        return false;
    if (!job->batch.against.name[0])
        return true;
    const struct catalog_world *other = find_other(job, problem);
    if (other && add_list(job, other, problem))
        return true;
    snprintf(problem->parameter, sizeof problem->parameter, "against");
    return false;
}

/* The cost of the first chunks. */
static uint64_t digests_cost(const void *context, uint64_t count)
{
    const struct digests_job *job = context;
    uint64_t cost = 0;
    for (unsigned i = 0; i < job->list_count; i++)
        cost += chunk_batch_cost(&job->lists[i].batch, count, CODING_IDENTITY, 0) +
                (i > 0 ? cost_lazy_world(job->lists[i].world) : 0);
    return cost;
}

/* The body is read: checks what it costs, and begins with the first piece. */
static enum handler_result start_digests(struct answer_job *answer, struct problem *problem)
{
    struct digests_job *job = (struct digests_job *)answer;
    if (!add_lists(job, problem))
        return HANDLER_FAILED;
    const struct charge charge = {
        .cost = digests_cost(job, job->batch.count),
        .smaller = "fewer or smaller chunks, fewer layers or a coarser step",
        .example = "/digests",
        .parts = "chunks",
        .count = job->batch.count,
        .cost_of = digests_cost,
        .context = job,
    };
    const enum handler_result charged = resolve_charge(answer, &charge, problem);
    if (charged != HANDLER_DONE)
        return charged;
    answer->type = &digests_answer;
    return run_piece(job, problem);
}

static bool read_digests(struct answer_job *answer, struct worker_context *worker)
{
    const struct http_request *request = answer->request;
    const struct buffer *body = &request->body;
    (void)worker;
    return digest_batch_parse(body->data ? (const char *)body->data : "", body->length,
                              request->world->world, request->generation->chunk_samples,
                              &((struct digests_job *)answer)->batch, &answer->problem);
}

static const struct answer_type digests_reading = {METRICS_NOTHING, false, read_digests,
                                                   start_digests, release_digests};

enum handler_result handle_digests(struct http_request *request, struct problem *problem)
{
    if (!resolve_lazy_world(request, request->world_text, problem))
        return HANDLER_FAILED;
    struct digests_job *job = answer_job_new(request, &digests_reading, sizeof *job, problem);
    if (!job)
        return HANDLER_FAILED;
    job->answer.content_type = "application/json";
    return answer_job_read_body(&job->answer, problem);
}
