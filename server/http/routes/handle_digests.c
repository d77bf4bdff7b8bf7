/* POST /digests: the digests of many chunks, and which of them another world has, too. A game that
 * stores edits as differences on the ground so learns on which chunks the ground has changed.
 *
 * A digest is that of /verify and of the header X-Terrane-Digest. The chunks are neither encoded
 * nor cached, as nobody asks for their bytes. The request runs as one job after another: a piece of
 * neighbouring chunks each, as for a batch of chunks; first all of one world, then all of the
 * other, as samplers keep what one world's chunks share. Between two pieces other requests get
 * their turn. */
#include <stdlib.h>
#include <string.h>

#include "core/base/json_writer.h"
#include "server/http/products/chunk_pieces.h"
#include "server/http/response/answer_pieces.h"
#include "server/http/routes/handlers.h"
#include "server/queries/query_output.h"
#include "server/render/chunk_digest.h"
#include "server/render/price.h"

/* A world with the digests of its chunks. */
struct digest_list {
    struct chunk_batch batch; /* the addresses are borrowed */
    struct chunk_price price;
    char (*digests)[CHUNK_DIGEST_TEXT]; /* owned; "" for a chunk beyond the edge of the world */
};

struct digests_job {
    struct answer_job answer;
    struct chunk_batch batch;                      /* owned */
    struct digest_list lists[HTTP_REQUEST_WORLDS]; /* of each of the request's worlds */
    unsigned list_count;
    unsigned list; /* that the next piece belongs to; list_count when all is done */
    size_t next;   /* its first chunk without a digest */
};

static void release_digests(struct answer_job *answer)
{
    struct digests_job *job = (struct digests_job *)answer;
    for (int i = 0; i < HTTP_REQUEST_WORLDS; i++)
        free(job->lists[i].digests);
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
    query_output_world(json, job->answer.request->worlds[1].compiled);
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
    json_begin_object(&json, &job->answer.out, false);
    query_output_world(&json, job->answer.request->worlds[0].compiled);
    chunk_order_json(&job->batch.order, &json);
    write_digests(job, &json);
    if (job->list_count == 2)
        write_changed(job, &json);
    json_finish_object(&json);
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
    if (!digest_piece(job, worker->chunks, &error))
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

static enum handler_result run_piece(struct digests_job *job, struct problem *problem)
{
    struct chunk_area area;
    const size_t count = next_piece(job, &area);
    const struct chunk_price *price = &job->lists[job->list].price;
    return answer_piece_run(&job->answer, count > 0 ? chunk_piece_price(price, &area, count) : 0,
                            problem);
}

static enum handler_result piece_done(struct answer_job *answer, struct problem *problem)
{
    struct digests_job *job = (struct digests_job *)answer;
    answer_piece_end(answer);
    return job->list == job->list_count ? answer_job_respond(answer) : run_piece(job, problem);
}

static const struct answer_type digests_answer = {METRICS_QUESTION, true, make_piece, piece_done,
                                                  release_digests};

static bool begin_digests(struct http_request *request, struct problem *problem)
{
    struct digests_job *job = answer_job_new(request, &digests_answer, sizeof *job, problem);
    if (!job)
        return false;
    job->answer.content_type = "application/json";
    return true;
}

static bool read_digests(struct answer_job *answer, struct worker_context *worker)
{
    struct chunk_batch *batch = &((struct digests_job *)answer)->batch;
    (void)worker;
    batch->order.shape = CHUNK_FLAT;
    batch->is_of_digests = true;
    return chunk_batch_read(answer->request, batch, &answer->problem);
}

static const struct reference *against(const struct http_request *request, const char **name)
{
    const struct reference *reference = &((struct digests_job *)request->work)->batch.against;
    *name = "against";
    return reference->name[0] ? reference : NULL;
}

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
                               other->identity.name, name,
                               order->material_count > 0 ? ", or other materials" : "");
        order->layers[i] = (unsigned)layer;
    }
    order->world = other->world;
    return true;
}

/* Begins the list of a world. */
static bool add_list(struct digests_job *job, const struct catalog_world *world,
                     struct problem *problem)
{
    struct digest_list *list = &job->lists[job->list_count++];
    list->batch = job->batch;
    if (job->list_count > 1 && !find_layers(&list->batch.order, world, problem))
        return problem_set_parameter(problem, "against");
    list->digests = calloc(job->batch.count + 1, sizeof *list->digests);
    list->price = chunk_batch_price(&list->batch, job->batch.count, CODING_IDENTITY);
    return list->digests || problem_out_of_memory(problem);
}

static bool order_digests(struct http_request *request, struct problem *problem)
{
    for (int i = 0; i < HTTP_REQUEST_WORLDS; i++)
        if (request->worlds[i].base && !add_list(request->work, request->worlds[i].base, problem))
            return false;
    return true;
}

/* The price of the first chunks. */
static uint64_t digests_price(const void *context, uint64_t count)
{
    const struct digests_job *job = context;
    uint64_t price = 0;
    for (unsigned i = 0; i < job->list_count; i++)
        price += chunk_batch_total(&job->lists[i].batch, count, CODING_IDENTITY, 0);
    return price;
}

static bool charge_digests(struct http_request *request, struct charge *charge,
                           struct problem *problem)
{
    const struct digests_job *job = request->work;
    (void)problem;
    *charge = (struct charge){
        .nanoseconds = digests_price(job, job->batch.count),
        .smaller = "fewer or smaller chunks, fewer layers or a coarser step",
        .example = "/digests",
        .parts = "chunks",
        .count = job->batch.count,
        .nanoseconds_of = digests_price,
        .context = job,
    };
    return true;
}

const struct route_steps digests_steps = {
    .read = begin_digests,
    .read_body = read_digests,
    .other_world = against,
    .order = order_digests,
    .charge = charge_digests,
    .is_paid_by_piece = true,
};

/* Begins with the first piece. */
enum handler_result handle_digests(struct http_request *request, struct problem *problem)
{
    struct digests_job *job = request->work;
    for (unsigned i = 0; i < job->list_count; i++)
        job->lists[i].batch.order.world = request->worlds[i].compiled->world;
    return run_piece(job, problem);
}
