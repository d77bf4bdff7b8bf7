#include "server/http/render.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/catalog_world.h"
#include "server/clock.h"
#include "server/http/admission.h"
#include "server/http/product.h"
#include "server/http/tile.h"

/* One flight: a question to the tiers behind the memory, then the job of a render thread, and after
 * each of them the notice of the loop that started it. */
struct flight_job {
    struct job job; /* first member */
    struct http_server *server;
    struct cache_key key;
    struct recipe recipe;          /* with a reference to the world */
    struct generation *generation; /* whose world it is, held by the loop that started it */
    struct exchange *aboard; /* who begins it: answered at once if it lands meanwhile; then null */
    struct tier_fetch fetch;
    const char *tier;           /* where the tile was found; null if it was rendered */
    struct tier_record *record; /* of the rendered tile, for the tiers; or null */
    size_t reserved;            /* of server->answers, until a tile has it */
    bool found;                 /* nothing had to be made */
    struct tile *tile;          /* what comes of it; if null: */
    struct problem problem;
};

static struct tier_record *seal(const struct flight_job *flight, const struct tile_content *content)
{
    const struct product_form form = product_form(&flight->recipe);
    struct record record = {
        .format_version = (uint16_t)form.version,
        .coding = (uint8_t)form.coding,
        .bytes = content->bytes,
        .length = content->length,
    };
    snprintf(record.format, sizeof record.format, "%s", form.name);
    return tiers_seal(flight->server->tiers, &flight->key, &record);
}

static bool take_bytes(struct flight_job *flight, const struct tile_content *bytes,
                       struct tile_times times)
{
    struct http_server *server = flight->server;
    struct tile_content content = *bytes;
    const bool cached = flight->reserved == 0;
    content.reserve = cached ? &server->tiles : &server->answers;
    content.reserved = cached ? content.length : flight->reserved;
    if (cached)
        reserve_take(&server->tiles, content.length);
    flight->tile = tile_new(&flight->recipe, flight->key.hash, &content, times);
    if (flight->tile)
        flight->reserved = 0;
    else if (cached)
        reserve_give(&server->tiles, content.length);
    return flight->tile != NULL;
}

static bool take_world(struct flight_job *flight, struct tools *tools, struct error *error)
{
    if (!flight->recipe.world->promised_by)
        return true;
    const int64_t begun = clock_microseconds();
    const bool done = recipe_keep_promise(&flight->recipe, error);
    metrics_count_render(tools->counts, METRICS_WORLD, clock_microseconds() - begun);
    return done;
}

static bool make_tile(struct flight_job *flight, struct tools *tools, struct error *error)
{
    struct tile_times times;
    if (!take_world(flight, tools, error) || !product_make(&flight->recipe, tools, &times, error))
        return false;
    const struct tile_content content = {.bytes = tools->bytes.data, .length = tools->bytes.length};
    if (!take_bytes(flight, &content, times))
        return error_memory(error);
    flight->record = seal(flight, &content);
    /* What is not kept in memory shall not be kept here either. */
    if (product_reserve(&flight->recipe) > 0)
        buffer_free(&tools->bytes);
    return true;
}

/* What an order can have wrong that nobody sees before it is made: too many contours. */
static void explain(struct flight_job *flight, const struct error *error)
{
    if (error->code == ERROR_LIMIT && !flight->recipe.is_chunk &&
        flight->recipe.order.format->interval)
        problem_parameter(&flight->problem, "interval", "larger, or left out", "interval: %s",
                          error->message);
    else
        problem_from_error(&flight->problem, PROBLEM_INTERNAL, error);
}

/* On a render thread. */
static void run_flight(struct job *job, struct tools *tools)
{
    struct flight_job *flight = (struct flight_job *)job;
    struct error error;
    job->kind = METRICS_NOTHING;
    if (!tools) {
        problem_set(&flight->problem, PROBLEM_STOPPING, "the server is shutting down");
        return;
    }
    job->kind = product_kind(&flight->recipe);
    if (!make_tile(flight, tools, &error))
        explain(flight, &error);
}

/* On the loop that started it. */
static void flight_free(struct flight_job *flight)
{
    struct loop *loop = flight->job.loop;
    reserve_give(&flight->server->answers, flight->reserved);
    tile_release(flight->tile);
    tier_record_free(flight->record);
    catalog_release(flight->recipe.world);
    generation_leave(&loop->view, flight->generation);
    loop->pending--;
    free(flight);
}

static void flight_over(struct notice *notice)
{
    flight_free((struct flight_job *)notice);
}

/* Gives all waiters what came of the flight, wakes those who wait, on their own loops, and frees
 * it. */
static void deliver(struct flight_job *flight, struct flight_waiter *waiter)
{
    for (struct flight_waiter *next; waiter; waiter = next) {
        struct exchange *exchange =
            (struct exchange *)(void *)((char *)waiter - offsetof(struct exchange, waiter));
        next = waiter->next;
        if (flight->tile) {
            cache_value_retain(tile_value(flight->tile));
            exchange->tile = flight->tile;
            exchange->rendered = waiter->leads && !flight->found && !flight->tier;
            exchange->tier = waiter->leads ? flight->tier : NULL;
            exchange->job.waited = flight->job.waited;
        } else {
            exchange->problem = flight->problem;
        }
        if (exchange != flight->aboard)
            loop_post(exchange->loop, &exchange->notice);
    }
    flight_free(flight);
}

static void land(struct flight_job *flight)
{
    deliver(flight, flight_finish(flight->server->flights, &flight->key));
}

static void flight_rendered(struct notice *notice);

static void forgo(void *owner)
{
    struct flight_job *flight = owner;
    workers_forgo(flight->server->workers, &flight->job);
}

/* Those who left while the tiers were asked had no job to forgo. Once there is one the flight may
 * end at any time: another loop's waiter may be the last, and withdraw. */
static void queue_flight(struct flight_job *flight)
{
    struct flights *flights = flight->server->flights;
    const struct cache_key key = flight->key;
    flight->job.notice.act = flight_rendered;
    if (workers_submit(flight->server->workers, product_lane(&flight->recipe), &flight->job)) {
        flight_check(flights, &key, forgo);
        return;
    }
    admission_busy(flight->server, &flight->problem,
                   "too much is waiting to be rendered; try again later");
    land(flight);
}

/* Ends a flight that was not made, unless somebody has joined it since. */
static void drop(struct flight_job *flight)
{
    struct flight_waiter *waiters = flight_abandon(flight->server->flights, &flight->key);
    if (!waiters) {
        queue_flight(flight);
        return;
    }
    problem_set(&flight->problem, PROBLEM_BUSY, "the client has ended the connection");
    flight->problem.shed = SHED_ABANDONED;
    deliver(flight, waiters);
}

static void keep(const struct flight_job *flight)
{
    if (product_reserve(&flight->recipe) == 0)
        memory_cache_put(flight->server->cache, &flight->key, tile_value(flight->tile));
}

/* On the loop that started it: the cache's locks are the loops' alone, so that no loop ever waits
 * for a render thread that the system gives no time. */
static void flight_rendered(struct notice *notice)
{
    struct flight_job *flight = (struct flight_job *)notice;
    if (flight->job.dropped) {
        drop(flight);
        return;
    }
    if (flight->tile)
        keep(flight);
    tiers_keep(flight->server->tiers, flight->record);
    flight->record = NULL;
    land(flight);
}

/* Found in a tier or not, on the loop that started it. */
static void flight_fetched(struct notice *notice)
{
    struct flight_job *flight = (struct flight_job *)notice;
    if (!flight->tile) {
        queue_flight(flight);
        return;
    }
    keep(flight);
    land(flight);
}

/* The record is this key's, and so of its format and coding: both are in the key. */
static void take_record(struct flight_job *flight, const struct record *record, const char *tier)
{
    const struct product_form form = product_form(&flight->recipe);
    const struct tile_content content = {.bytes = record->bytes, .length = record->length};
    if (strcmp(record->format, form.name) != 0 || record->format_version != form.version ||
        record->coding != (uint8_t)form.coding || record->length < form.prefix)
        return;
    take_bytes(flight, &content, (struct tile_times){0});
    flight->tier = flight->tile ? tier : NULL;
}

/* On a fetch thread. */
static void fetch_done(struct tier_fetch *fetch, const struct record *record, const char *tier)
{
    struct flight_job *flight =
        (struct flight_job *)(void *)((char *)fetch - offsetof(struct flight_job, fetch));
    if (record)
        take_record(flight, record, tier);
    loop_post(flight->job.loop, &flight->job.notice);
}

/* Tiles that the cache has let go of, but slow readers have not, share the answers' memory. */
static bool reserve_answer(struct http_server *server, size_t wanted)
{
    const size_t tiles = reserve_taken(&server->tiles);
    const size_t cached = memory_cache_capacity(server->cache);
    const size_t limit = __atomic_load_n(&server->answers.limit, __ATOMIC_RELAXED);
    const size_t held = (tiles > cached ? tiles - cached : 0) + reserve_taken(&server->answers);
    return held <= limit && wanted <= limit - held && reserve_take(&server->answers, wanted);
}

static void start_flight(struct flight_job *flight)
{
    const size_t wanted = product_reserve(&flight->recipe);
    if (!reserve_answer(flight->server, wanted)) {
        problem_set(&flight->problem, PROBLEM_BUSY,
                    "too many large answers are being sent; try again soon");
        flight->problem.shed = SHED_MEMORY;
        land(flight);
        return;
    }
    flight->reserved = wanted;
    flight->job.notice.act = flight_fetched;
    flight->fetch.key = flight->key;
    flight->fetch.done = fetch_done;
    if (!tiers_fetch(flight->server->tiers, &flight->fetch))
        queue_flight(flight);
}

static struct flight_job *flight_new(struct exchange *exchange, const struct recipe *recipe,
                                     const struct cache_key *key)
{
    struct flight_job *flight = calloc(1, sizeof *flight);
    if (!flight)
        return NULL;
    flight->job = (struct job){
        .loop = exchange->loop,
        .run = run_flight,
        .kind = METRICS_NOTHING,
        .cost = exchange->cost,
    };
    flight->server = exchange->loop->server;
    flight->key = *key;
    flight->recipe = *recipe;
    catalog_world_retain(recipe->world);
    flight->generation = exchange->generation;
    generation_hold(&exchange->loop->view, flight->generation);
    exchange->loop->pending++;
    return flight;
}

static void take_off(struct flight_job *flight)
{
    struct http_server *server = flight->server;
    /* The last flight may have landed between the look into the cache and this one's start. */
    flight->tile = tile_of_value(memory_cache_get(server->cache, &flight->key));
    if (flight->tile) {
        flight->found = true;
        land(flight);
    } else {
        start_flight(flight);
    }
}

static void leave(struct exchange *exchange)
{
    flight_leave(exchange->loop->server->flights, &exchange->waiter, forgo);
}

/* What is being painted is waited for. */
static bool release(void *owner, bool last)
{
    struct flight_job *flight = owner;
    if (workers_have_begun(&flight->job))
        return false;
    return !last || workers_withdraw(flight->server->workers, &flight->job);
}

static bool withdraw(struct exchange *exchange)
{
    void *owner;
    const enum flight_exit exit =
        flight_withdraw(exchange->loop->server->flights, &exchange->waiter, release, &owner);
    if (exit == FLIGHT_ENDED) {
        struct flight_job *flight = owner;
        flight->job.notice.act = flight_over;
        loop_post(flight->job.loop, &flight->job.notice);
    }
    return exit != FLIGHT_STAYS;
}

enum handled render_tile(struct exchange *exchange, const struct recipe *recipe,
                         const struct cache_key *key, exchange_handler *resume)
{
    struct http_server *server = exchange->loop->server;
    exchange_await(exchange, resume);
    exchange_watch(exchange, leave);
    exchange_limit(exchange, withdraw);
    struct flight_job *flight = flight_new(exchange, recipe, key);
    enum flight_role role =
        flight ? flight_join(server->flights, key, &exchange->waiter, flight) : FLIGHT_FAILED;
    if (role == FLIGHT_LEADS) {
        flight->aboard = exchange;
        take_off(flight);
        /* A refusal, for one, costs less than waiting would. */
        if (!exchange->waiter.flight)
            return resume(exchange, &exchange->problem);
        flight->aboard = NULL;
        return WAITING;
    }
    if (flight)
        flight_free(flight);
    if (role == FLIGHT_FOLLOWS)
        return WAITING;
    problem_set(&exchange->problem, PROBLEM_BUSY, "out of memory");
    return FAILED;
}
