#include "server/http/products/fetch_or_render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/http/jobs/admission.h"
#include "server/http/products/cached_response.h"
#include "server/http/products/product_type.h"
#include "server/worlds/catalog_world.h"

/* One flight: a question to the tiers behind the memory, then the job of a render thread, and after
 * each of them the notice of the loop that started it. */
struct product_job {
    struct job job; /* first member */
    struct http_server *server;
    struct cache_key key;
    struct recipe recipe;          /* with a reference to the world */
    struct generation *generation; /* whose world it is, held by the loop that started it */
    struct http_request
        *initiator; /* who begins it: answered at once if it lands meanwhile; then null */
    struct tier_fetch fetch;
    const char *tier;           /* where the tile was found; null if it was rendered */
    struct tier_record *record; /* of the rendered tile, for the tiers; or null */
    size_t reserved;            /* of server->answers, until a tile has it */
    bool found_in_memory;       /* nothing had to be made */
    struct cached *cached;      /* what comes of it; if null: */
    struct problem problem;
};

static struct tier_record *seal_record(const struct product_job *flight,
                                       const struct cached_response_content *content)
{
    const struct representation form = representation(&flight->recipe);
    struct record record = {
        .format_version = (uint16_t)form.version,
        .coding = (uint8_t)form.coding,
        .bytes = content->bytes,
        .length = content->length,
    };
    snprintf(record.format, sizeof record.format, "%s", form.name);
    return tiers_seal(flight->server->tiers, &flight->key, &record);
}

static bool create_response(struct product_job *flight, const struct cached_response_content *bytes,
                            struct tile_times times)
{
    struct http_server *server = flight->server;
    struct cached_response_content content = *bytes;
    const bool cached = flight->reserved == 0;
    content.budget = cached ? &server->tiles : &server->response_budget;
    content.reserved = cached ? content.length : flight->reserved;
    if (cached)
        memory_budget_reserve(&server->tiles, content.length);
    flight->cached = cached_response_new(&flight->recipe, flight->key.hash, &content, times);
    if (flight->cached)
        flight->reserved = 0;
    else if (cached)
        memory_budget_release(&server->tiles, content.length);
    return flight->cached != NULL;
}

static bool compile_world(struct product_job *flight, struct worker_context *worker,
                          struct error *error)
{
    if (!flight->recipe.world->lazy_base)
        return true;
    const int64_t begun = clock_microseconds();
    const bool done = recipe_compile_world(&flight->recipe, error);
    metrics_count_render(worker->counts, METRICS_WORLD, clock_microseconds() - begun);
    return done;
}

static bool render_product(struct product_job *flight, struct worker_context *worker,
                           struct error *error)
{
    struct tile_times times;
    if (!compile_world(flight, worker, error) ||
        !product_render(&flight->recipe, worker, &times, error))
        return false;
    const struct cached_response_content content = {.bytes = worker->bytes.data,
                                                    .length = worker->bytes.length};
    if (!create_response(flight, &content, times))
        return error_memory(error);
    flight->record = seal_record(flight, &content);
    /* What is not kept in memory shall not be kept here either. */
    if (product_uncached_bytes(&flight->recipe) > 0)
        buffer_free(&worker->bytes);
    return true;
}

/* What an order can have wrong that nobody sees before it is made: too many contours. */
static void set_render_problem(struct product_job *flight, const struct error *error)
{
    if (error->code == ERROR_LIMIT && !flight->recipe.is_chunk &&
        flight->recipe.order.format->interval)
        problem_parameter(&flight->problem, "interval", "larger, or left out", "interval: %s",
                          error->message);
    else
        problem_from_error(&flight->problem, PROBLEM_INTERNAL, error);
}

/* On a render thread. */
static void product_job_run(struct job *job, struct worker_context *worker)
{
    struct product_job *flight = (struct product_job *)job;
    struct error error;
    job->kind = METRICS_NOTHING;
    if (!worker) {
        problem_set(&flight->problem, PROBLEM_SHUTTING_DOWN, "the server is shutting down");
        return;
    }
    job->kind = product_metrics_kind(&flight->recipe);
    if (!render_product(flight, worker, &error))
        set_render_problem(flight, &error);
}

/* On the loop that started it. */
static void product_job_free(struct product_job *flight)
{
    struct event_loop *loop = flight->job.loop;
    memory_budget_release(&flight->server->response_budget, flight->reserved);
    cached_response_release(flight->cached);
    tier_record_free(flight->record);
    catalog_release(flight->recipe.world);
    generation_leave(&loop->view, flight->generation);
    loop->pending_completions--;
    free(flight);
}

static void product_job_withdrawn(struct completion *completion)
{
    product_job_free((struct product_job *)completion);
}

/* Gives all waiters what came of the flight, wakes those who wait, on their own loops, and frees
 * it. */
static void notify_waiters(struct product_job *flight, struct single_flight_waiter *waiter)
{
    for (struct single_flight_waiter *next; waiter; waiter = next) {
        struct http_request *request =
            (struct http_request *)(void *)((char *)waiter - offsetof(struct http_request, waiter));
        next = waiter->next;
        if (flight->cached) {
            cache_value_retain(cached_response_value(flight->cached));
            request->cached = flight->cached;
            request->rendered = waiter->is_leader && !flight->found_in_memory && !flight->tier;
            request->tier = waiter->is_leader ? flight->tier : NULL;
            request->job.waited = flight->job.waited;
        } else {
            request->problem = flight->problem;
        }
        if (request != flight->initiator)
            event_loop_post(request->loop, &request->completion);
    }
    product_job_free(flight);
}

static void complete(struct product_job *flight)
{
    notify_waiters(flight, single_flight_finish(flight->server->single_flights, &flight->key));
}

static void render_completed(struct completion *completion);

static void abandon_job(void *owner)
{
    struct product_job *flight = owner;
    workers_abandon(flight->server->workers, &flight->job);
}

/* Those who left while the tiers were asked had no job to forgo. Once there is one the flight may
 * end at any time: another loop's waiter may be the last, and withdraw. */
static void submit_render(struct product_job *flight)
{
    struct single_flight_table *single_flights = flight->server->single_flights;
    const struct cache_key key = flight->key;
    flight->job.completion.callback = render_completed;
    if (workers_submit(flight->server->workers, product_priority(&flight->recipe), &flight->job)) {
        single_flight_check_abandoned(single_flights, &key, abandon_job);
        return;
    }
    admission_set_busy(flight->server, &flight->problem,
                       "too much is waiting to be rendered; try again later");
    complete(flight);
}

/* Ends a flight that was not made, unless somebody has joined it since. */
static void cancel_render(struct product_job *flight)
{
    struct single_flight_waiter *waiters =
        single_flight_end_abandoned(flight->server->single_flights, &flight->key);
    if (!waiters) {
        submit_render(flight);
        return;
    }
    problem_set(&flight->problem, PROBLEM_BUSY, "the client has ended the connection");
    flight->problem.shed_reason = SHED_ABANDONED;
    notify_waiters(flight, waiters);
}

static void store_in_memory_cache(const struct product_job *flight)
{
    if (product_uncached_bytes(&flight->recipe) == 0)
        memory_cache_put(flight->server->cache, &flight->key,
                         cached_response_value(flight->cached));
}

/* On the loop that started it: the cache's locks are the loops' alone, so that no loop ever waits
 * for a render thread that the system gives no time. */
static void render_completed(struct completion *completion)
{
    struct product_job *flight = (struct product_job *)completion;
    if (flight->job.abandoned) {
        cancel_render(flight);
        return;
    }
    if (flight->cached)
        store_in_memory_cache(flight);
    tiers_put(flight->server->tiers, flight->record);
    flight->record = NULL;
    complete(flight);
}

/* Found in a tier or not, on the loop that started it. */
static void fetch_completed(struct completion *completion)
{
    struct product_job *flight = (struct product_job *)completion;
    if (!flight->cached) {
        submit_render(flight);
        return;
    }
    store_in_memory_cache(flight);
    complete(flight);
}

/* The record is this key's, and so of its format and coding: both are in the key. */
static void use_tier_record(struct product_job *flight, const struct record *record,
                            const char *tier)
{
    const struct representation form = representation(&flight->recipe);
    const struct cached_response_content content = {.bytes = record->bytes,
                                                    .length = record->length};
    if (strcmp(record->format, form.name) != 0 || record->format_version != form.version ||
        record->coding != (uint8_t)form.coding || record->length < form.prefix)
        return;
    create_response(flight, &content, (struct tile_times){0});
    flight->tier = flight->cached ? tier : NULL;
}

/* On a fetch thread. */
static void fetch_answered(struct tier_fetch *fetch, const struct record *record, const char *tier)
{
    struct product_job *flight =
        (struct product_job *)(void *)((char *)fetch - offsetof(struct product_job, fetch));
    if (record)
        use_tier_record(flight, record, tier);
    event_loop_post(flight->job.loop, &flight->job.completion);
}

/* Tiles that the cache has let go of, but slow readers have not, share the answers' memory. */
static bool reserve_answer_memory(struct http_server *server, size_t wanted)
{
    const size_t tiles = memory_budget_used(&server->tiles);
    const size_t cached = memory_cache_capacity(server->cache);
    const size_t limit = __atomic_load_n(&server->response_budget.limit, __ATOMIC_RELAXED);
    const size_t held =
        (tiles > cached ? tiles - cached : 0) + memory_budget_used(&server->response_budget);
    return held <= limit && wanted <= limit - held &&
           memory_budget_reserve(&server->response_budget, wanted);
}

static void start_fetch(struct product_job *flight)
{
    const size_t wanted = product_uncached_bytes(&flight->recipe);
    if (!reserve_answer_memory(flight->server, wanted)) {
        problem_set(&flight->problem, PROBLEM_BUSY,
                    "too many large answers are being sent; try again soon");
        flight->problem.shed_reason = SHED_MEMORY;
        complete(flight);
        return;
    }
    flight->reserved = wanted;
    flight->job.completion.callback = fetch_completed;
    flight->fetch.key = flight->key;
    flight->fetch.done = fetch_answered;
    if (!tiers_fetch(flight->server->tiers, &flight->fetch))
        submit_render(flight);
}

static struct product_job *product_job_new(struct http_request *request,
                                           const struct recipe *recipe, const struct cache_key *key)
{
    struct product_job *flight = calloc(1, sizeof *flight);
    if (!flight)
        return NULL;
    flight->job = (struct job){
        .loop = request->loop,
        .run = product_job_run,
        .kind = METRICS_NOTHING,
        .cost = request->cost,
    };
    flight->server = request->loop->server;
    flight->key = *key;
    flight->recipe = *recipe;
    catalog_world_retain(recipe->world);
    flight->generation = request->generation;
    generation_retain(&request->loop->view, flight->generation);
    request->loop->pending_completions++;
    return flight;
}

static void look_up_and_fetch(struct product_job *flight)
{
    struct http_server *server = flight->server;
    /* The last flight may have landed between the look into the cache and this one's start. */
    flight->cached = cached_response_of_value(memory_cache_get(server->cache, &flight->key));
    if (flight->cached) {
        flight->found_in_memory = true;
        complete(flight);
    } else {
        start_fetch(flight);
    }
}

static void remove_waiter_on_disconnect(struct http_request *request)
{
    single_flight_detach(request->loop->server->single_flights, &request->waiter, abandon_job);
}

/* What is being painted is waited for. */
static bool release_waiter(void *owner, bool last)
{
    struct product_job *flight = owner;
    if (workers_job_has_begun(&flight->job))
        return false;
    return !last || workers_take_back(flight->server->workers, &flight->job);
}

static bool remove_waiter_on_timeout(struct http_request *request)
{
    void *owner;
    const enum single_flight_removal exit = single_flight_remove_waiter(
        request->loop->server->single_flights, &request->waiter, release_waiter, &owner);
    if (exit == SINGLE_FLIGHT_REMOVED_LAST) {
        struct product_job *flight = owner;
        flight->job.completion.callback = product_job_withdrawn;
        event_loop_post(flight->job.loop, &flight->job.completion);
    }
    return exit != SINGLE_FLIGHT_NOT_REMOVED;
}

enum handler_result fetch_or_render(struct http_request *request, const struct recipe *recipe,
                                    const struct cache_key *key, http_handler *resume)
{
    struct http_server *server = request->loop->server;
    http_request_await(request, resume);
    http_request_on_disconnect(request, remove_waiter_on_disconnect);
    http_request_set_timeout(request, remove_waiter_on_timeout);
    struct product_job *flight = product_job_new(request, recipe, key);
    enum single_flight_role role =
        flight ? single_flight_join(server->single_flights, key, &request->waiter, flight)
               : SINGLE_FLIGHT_NO_MEMORY;
    if (role == SINGLE_FLIGHT_LEADER) {
        flight->initiator = request;
        look_up_and_fetch(flight);
        /* A refusal, for one, costs less than waiting would. */
        if (!request->waiter.flight)
            return resume(request, &request->problem);
        flight->initiator = NULL;
        return HANDLER_WAITING;
    }
    if (flight)
        product_job_free(flight);
    if (role == SINGLE_FLIGHT_FOLLOWER)
        return HANDLER_WAITING;
    problem_set(&request->problem, PROBLEM_BUSY, "out of memory");
    return HANDLER_FAILED;
}
