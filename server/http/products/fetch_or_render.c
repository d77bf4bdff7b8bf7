/* One product_job serves all requests that miss the same product at once (single flight). It goes
 * through these steps, each followed by a completion on the loop that started it:
 *
 *   look_up_and_fetch()  the memory cache once more, as the last job may just have ended; then
 *   start_fetch()        a fetch thread queries the tiers (disk, shared);
 *   submit_render()      if no tier has it in time, a render thread makes it and seals its record;
 *   complete()           every waiting request gets a reference and is woken on its own loop.
 *
 * Only loops touch the memory cache, so that none of them ever waits for its lock while a render
 * thread, which has a low priority, holds it and gets no time.
 *
 * When all its clients have ended their sending, a job goes to the end of PRIORITY_LAST; a request
 * that joins brings it back. When the last waiter times out or its connection breaks before the
 * render has begun, the job is taken back from the queue and freed.
 *
 * Products of previews are kept in memory alone: they would push others out of the tiers and are
 * seldom asked for again.
 *
 * Everything that takes time for each product is done on a render thread: compiling the world,
 * sampling, encoding, the response with its headers, and the sealed record for the tiers. The loop
 * only has to publish the result.
 *
 * Memory is accounted for by the response's owner. A product that the caches take counts as
 * `cacheable` as long as its bytes are in memory; one that is too large has reserved its size in
 * the response budget before the job began, and the cached response releases that when it is freed.
 * After a HEAD or a range of it requests for the rest follow: then it goes into the memory cache
 * after all, and the job releases what it has reserved. */
#include "server/http/products/fetch_or_render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/http/jobs/admission.h"
#include "server/http/jobs/http_request_wait.h"
#include "server/http/jobs/server_state.h"
#include "server/http/jobs/stopped_jobs.h"
#include "server/http/products/cached_response.h"
#include "server/http/products/product_type.h"

struct product_job {
    struct job job; /* first member */
    struct http_server *server;
    struct cache_key key;
    struct resolved_world world;   /* with references of its own */
    struct recipe recipe;          /* of that world */
    struct generation *generation; /* of the world; retained by the loop that started the job */
    struct tier_fetch fetch;
    const char *tier;               /* where the product was found; null if it was rendered */
    struct tier_record *record;     /* of the rendered product, for the tiers; or null */
    size_t reserved;                /* of the response budget, until `cached` has it */
    bool more_to_come;              /* HEAD, or a range: requests for the rest will follow */
    bool found_in_memory;           /* nothing had to be made */
    struct cached_response *cached; /* the result; if null: */
    struct problem problem;
};

static struct tier_record *seal_record(const struct product_job *product,
                                       const struct cached_response_content *content)
{
    const struct representation form = product_representation(&product->recipe);
    if (product->world.base->is_preview)
        return NULL;
    struct record record = {
        .format_version = (uint16_t)form.version,
        .coding = (uint8_t)form.coding,
        .bytes = content->bytes,
        .length = content->length,
    };
    snprintf(record.format, sizeof record.format, "%s", form.name);
    return tiers_seal(product->server->tiers, &product->key, &record);
}

static bool create_response(struct product_job *product, struct cached_response_content content,
                            struct tile_times times)
{
    struct http_server *server = product->server;
    const bool cached = product->reserved == 0 || product->more_to_come;
    content.budget = cached ? &server->cacheable : &server->response_budget;
    content.reserved = cached ? content.length : product->reserved;
    if (cached)
        memory_budget_reserve(&server->cacheable, content.length);
    product->cached = cached_response_new(&product->recipe, product->key.hash, &content, times);
    if (product->cached && !cached)
        product->reserved = 0;
    if (!product->cached && cached)
        memory_budget_release(&server->cacheable, content.length);
    return product->cached != NULL;
}

static bool compile_world(struct product_job *product, struct worker_context *worker,
                          struct error *error)
{
    if (product->world.compiled)
        return true;
    const int64_t begun = clock_microseconds();
    const bool done = resolved_world_compile(&product->world, product->generation->catalog, error);
    metrics_count_render(worker->counts, METRICS_WORLD, clock_microseconds() - begun);
    return done;
}

static bool render_product(struct product_job *product, struct worker_context *worker,
                           struct error *error)
{
    struct tile_times times;
    buffer_clear(&worker->bytes);
    if (!compile_world(product, worker, error) || !recipe_use_compiled(&product->recipe, error) ||
        !product_type(&product->recipe)->render(&product->recipe, worker, &times, error))
        return false;
    const struct cached_response_content content = {worker->bytes.data, worker->bytes.length, NULL,
                                                    0};
    if (!create_response(product, content, times))
        return error_memory(error);
    product->record = seal_record(product, &content);
    /* A product too large for the cache would keep the thread's buffer that large, too. */
    if (product_uncached_bytes(&product->recipe) > 0)
        buffer_free(&worker->bytes);
    return true;
}

/* The one error of the client that shows only while rendering: too many contours. */
static void set_render_problem(struct product_job *product, const struct error *error)
{
    if (error->code == ERROR_LIMIT && product->recipe.product == PRODUCT_TILE &&
        product->recipe.order.format->interval)
        problem_parameter(&product->problem, "interval", "larger, or left out", "interval: %s",
                          error->message);
    else
        problem_from_error(&product->problem, PROBLEM_INTERNAL, error);
}

/* On a render thread. */
static void render(struct job *job, struct worker_context *worker)
{
    struct product_job *product = (struct product_job *)job;
    struct error error;
    job->kind = METRICS_NOTHING;
    if (!worker) {
        problem_shutting_down(&product->problem);
        return;
    }
    job->kind = product_type(&product->recipe)->kind;
    if (!render_product(product, worker, &error))
        set_render_problem(product, &error);
}

/* On a fetch thread. A record of another format or version is passed over. */
static void use_record(struct product_job *product, const struct record *record, const char *tier)
{
    const struct representation form = product_representation(&product->recipe);
    const struct cached_response_content content = {record->bytes, record->length, NULL, 0};
    if (strcmp(record->format, form.name) != 0 || record->format_version != form.version ||
        record->coding != (uint8_t)form.coding || record->length < form.prefix)
        return;
    create_response(product, content, (struct tile_times){0});
    product->tier = product->cached ? tier : NULL;
}

/* On the loop that started the job. */
static void product_job_free(struct product_job *product)
{
    struct event_loop *loop = product->job.loop;
    memory_budget_release(&product->server->response_budget, product->reserved);
    cached_response_release(product->cached);
    tier_record_free(product->record);
    resolved_world_release(&product->world);
    generation_leave(&loop->view, product->generation);
    loop->pending_completions--;
    free(product);
}

static void product_job_withdrawn(struct completion *completion)
{
    product_job_free((struct product_job *)completion);
}

static struct http_request *request_of_waiter(struct single_flight_waiter *waiter)
{
    return (struct http_request *)(void *)((char *)waiter -
                                           offsetof(struct http_request, product.waiter));
}

/* Gives the result to all waiting requests, wakes each on its own loop, and frees the job. */
static void notify_waiters(struct product_job *product, struct single_flight_waiter *waiter)
{
    for (struct single_flight_waiter *next; waiter; waiter = next) {
        struct http_request *request = request_of_waiter(waiter);
        next = waiter->next;
        if (product->cached) {
            cache_value_retain(cached_response_value(product->cached));
            request->product.cached = product->cached;
            request->product.rendered =
                waiter->is_leader && !product->found_in_memory && !product->tier;
            request->product.tier = waiter->is_leader ? product->tier : NULL;
            request->product.waited = product->job.waited;
        } else {
            request->product.rendered = waiter->is_leader && product->job.stopped;
            request->problem = product->problem;
        }
        request->admission.used = request->product.rendered ? product->job.used : 0;
        if (!request->product.starting)
            event_loop_post(request->loop, &request->completion);
    }
    product_job_free(product);
}

static void complete(struct product_job *product)
{
    const bool stopped = product->job.stopped && !product->cached;
    if (stopped) /* before others may begin a flight of their own */
        stopped_jobs_add(product->server->stopped_jobs, product->key.hash, &product->job);
    struct single_flight_waiter *waiters =
        single_flight_end(product->server->single_flights, &product->key, false);
    if (stopped)
        stopped_jobs_report(&product->job, waiters ? request_of_waiter(waiters) : NULL,
                            &product->problem);
    notify_waiters(product, waiters);
}

static void render_completed(struct completion *completion);

static void do_job_last(void *owner)
{
    struct product_job *product = owner;
    workers_move(product->server->workers, PRIORITY_LAST, &product->job);
}

static void do_job_in_turn(void *owner)
{
    struct product_job *product = owner;
    workers_move(product->server->workers, product_priority(&product->recipe), &product->job);
}

/* Clients may all have ended their sending while the tiers were queried, when there was no queued
 * job to move; so that is checked afterwards. Once the job is queued it may end at any time, as
 * another loop may take the last waiter out: from there on only the copies are used. */
static void submit_render(struct product_job *product)
{
    struct single_flight_table *single_flights = product->server->single_flights;
    const struct cache_key key = product->key;
    if (!stopped_jobs_check(product->server->stopped_jobs, key.hash, product->job.loop,
                            &product->problem)) {
        complete(product);
        return;
    }
    product->job.completion.callback = render_completed;
    if (workers_submit(product->server->workers, product_priority(&product->recipe),
                       &product->job)) {
        single_flight_check_abandoned(single_flights, &key, do_job_last);
        return;
    }
    admission_set_queue_full(product->server, &product->problem);
    complete(product);
}

/* PRIORITY_LAST is full: ends the job, or submits it again if a request has joined since. */
static void cancel_render(struct product_job *product)
{
    struct single_flight_waiter *waiters =
        single_flight_end(product->server->single_flights, &product->key, true);
    if (!waiters) {
        submit_render(product);
        return;
    }
    admission_set_busy(product->server, &product->problem,
                       "the client has ended its sending, and many others wait");
    product->problem.shed_reason = SHED_ABANDONED;
    notify_waiters(product, waiters);
}

static void store_in_memory_cache(const struct product_job *product)
{
    if (product->more_to_come || product_uncached_bytes(&product->recipe) == 0)
        memory_cache_put(product->server->cache, &product->key,
                         cached_response_value(product->cached));
}

/* On the loop that started the job. */
static void render_completed(struct completion *completion)
{
    struct product_job *product = (struct product_job *)completion;
    if (product->job.abandoned) {
        cancel_render(product);
        return;
    }
    if (product->cached)
        store_in_memory_cache(product);
    tiers_put(product->server->tiers, product->record);
    product->record = NULL;
    complete(product);
}

/* On the loop that started the job. */
static void fetch_completed(struct completion *completion)
{
    struct product_job *product = (struct product_job *)completion;
    if (!product->cached) {
        submit_render(product);
        return;
    }
    store_in_memory_cache(product);
    complete(product);
}

/* On a fetch thread, or on the tiers' timer without a record. */
static void fetch_answered(struct tier_fetch *fetch, const struct record *record, const char *tier)
{
    struct product_job *product =
        (struct product_job *)(void *)((char *)fetch - offsetof(struct product_job, fetch));
    if (record)
        use_record(product, record, tier);
    event_loop_post(product->job.loop, &product->job.completion);
}

/* Products that are in memory but not in the cache, as slow readers hold them when it has evicted
 * them, count against the budget, too. */
static bool reserve_response_memory(struct http_server *server, size_t wanted)
{
    const size_t cacheable = memory_budget_used(&server->cacheable);
    const size_t cached = memory_cache_statistics(server->cache).bytes;
    const size_t limit = memory_budget_limit(&server->response_budget);
    const size_t held = (cacheable > cached ? cacheable - cached : 0) +
                        memory_budget_used(&server->response_budget);
    return held <= limit && wanted <= limit - held &&
           memory_budget_reserve(&server->response_budget, wanted);
}

static void start_fetch(struct product_job *product)
{
    const size_t wanted = product_uncached_bytes(&product->recipe);
    if (!reserve_response_memory(product->server, wanted)) {
        problem_response_memory(&product->problem);
        complete(product);
        return;
    }
    product->reserved = wanted;
    product->job.completion.callback = fetch_completed;
    product->fetch.key = product->key;
    product->fetch.done = fetch_answered;
    if (product->world.base->is_preview || !tiers_fetch(product->server->tiers, &product->fetch))
        submit_render(product);
}

static struct product_job *product_job_new(struct http_request *request,
                                           const struct recipe *recipe, const struct cache_key *key)
{
    struct product_job *product = calloc(1, sizeof *product);
    if (!product)
        return NULL;
    product->job = (struct job){
        .loop = request->loop,
        .run = render,
        .kind = METRICS_NOTHING,
        .expected = request->admission.expected,
    };
    product->server = request->server;
    product->more_to_come = request->method == METHOD_HEAD || request->headers.range;
    product->key = *key;
    product->recipe = *recipe;
    product->world = resolved_world_copy(recipe->world);
    product->recipe.world = &product->world;
    product->generation = request->generation;
    generation_retain(&request->loop->view, product->generation);
    request->loop->pending_completions++;
    return product;
}

static void look_up_and_fetch(struct product_job *product)
{
    /* Another job may have ended between the look into the cache and the start of this one. */
    product->cached =
        cached_response_of_value(memory_cache_get(product->server->cache, &product->key));
    if (product->cached) {
        product->found_in_memory = true;
        complete(product);
    } else {
        start_fetch(product);
    }
}

static void detach_waiter(struct http_request *request, bool gone)
{
    (void)gone;
    single_flight_detach(request->server->single_flights, &request->product.waiter, do_job_last);
}

/* A render that has begun is waited for. */
static bool release_waiter(void *owner, bool last)
{
    struct product_job *product = owner;
    if (workers_job_has_begun(&product->job))
        return false;
    return !last || workers_take_back(product->server->workers, &product->job);
}

static bool remove_waiter(struct http_request *request)
{
    void *owner;
    const enum single_flight_removal exit =
        single_flight_remove_waiter(request->server->single_flights, &request->product.waiter,
                                    release_waiter, do_job_last, &owner);
    if (exit == SINGLE_FLIGHT_REMOVED_LAST) {
        struct product_job *product = owner;
        product->job.completion.callback = product_job_withdrawn;
        event_loop_post(product->job.loop, &product->job.completion);
    }
    return exit != SINGLE_FLIGHT_NOT_REMOVED;
}

enum handler_result fetch_or_render(struct http_request *request, const struct recipe *recipe,
                                    const struct cache_key *key, http_handler *resume)
{
    struct http_server *server = request->server;
    http_request_await(request, resume, detach_waiter, remove_waiter);
    struct product_job *product = product_job_new(request, recipe, key);
    enum single_flight_role role =
        product ? single_flight_join(server->single_flights, key, &request->product.waiter, product)
                : SINGLE_FLIGHT_NO_MEMORY;
    if (role == SINGLE_FLIGHT_LEADER) {
        request->product.starting = true;
        look_up_and_fetch(product);
        request->product.starting = false;
        /* The job may have ended already, with a hit or a refusal: then no wait is needed. */
        return request->product.waiter.flight ? HANDLER_WAITING
                                              : resume(request, &request->problem);
    }
    if (product)
        product_job_free(product);
    if (role == SINGLE_FLIGHT_FOLLOWER) {
        single_flight_check_wanted(server->single_flights, &request->product.waiter,
                                   do_job_in_turn);
        return HANDLER_WAITING;
    }
    problem_out_of_memory(&request->problem);
    return HANDLER_FAILED;
}
