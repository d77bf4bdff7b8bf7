/* What a job does away from the loops. Everything that takes time for each product is done here, on
 * a render thread: compiling the world, sampling, encoding, the response with its headers, and the
 * sealed record for the tiers. The loop only has to publish the result.
 *
 * Memory is accounted for by the response's owner. A product that the caches take counts as
 * `cacheable` as long as its bytes are in memory; one that is too large has reserved its size in
 * the response budget before the job began, and the cached response releases that when it is freed.
 */
#include "server/http/products/product_job.h"

#include <stdio.h>
#include <string.h>

#include "server/base/clock.h"
#include "server/http/products/product_type.h"

static struct tier_record *seal_record(const struct product_job *product,
                                       const struct cached_response_content *content)
{
    const struct representation form = product_representation(&product->recipe);
    struct record record = {
        .format_version = (uint16_t)form.version,
        .coding = (uint8_t)form.coding,
        .bytes = content->bytes,
        .length = content->length,
    };
    snprintf(record.format, sizeof record.format, "%s", form.name);
    return tiers_seal(product->server->tiers, &product->key, &record);
}

static bool create_response(struct product_job *product,
                            const struct cached_response_content *bytes, struct tile_times times)
{
    struct http_server *server = product->server;
    struct cached_response_content content = *bytes;
    const bool cached = product->reserved == 0;
    content.budget = cached ? &server->cacheable : &server->response_budget;
    content.reserved = cached ? content.length : product->reserved;
    if (cached)
        memory_budget_reserve(&server->cacheable, content.length);
    product->cached = cached_response_new(&product->recipe, product->key.hash, &content, times);
    if (product->cached)
        product->reserved = 0;
    else if (cached)
        memory_budget_release(&server->cacheable, content.length);
    return product->cached != NULL;
}

static bool compile_world(struct product_job *product, struct worker_context *worker,
                          struct error *error)
{
    if (!product->recipe.world->lazy_base)
        return true;
    const int64_t begun = clock_microseconds();
    const bool done = recipe_compile_world(&product->recipe, error);
    metrics_count_render(worker->counts, METRICS_WORLD, clock_microseconds() - begun);
    return done;
}

static bool render_product(struct product_job *product, struct worker_context *worker,
                           struct error *error)
{
    struct tile_times times;
    buffer_clear(&worker->bytes);
    if (!compile_world(product, worker, error) ||
        !product_type(&product->recipe)->render(&product->recipe, worker, &times, error))
        return false;
    const struct cached_response_content content = {.bytes = worker->bytes.data,
                                                    .length = worker->bytes.length};
    if (!create_response(product, &content, times))
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

void product_job_render(struct job *job, struct worker_context *worker)
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

void product_job_use_record(struct product_job *product, const struct record *record,
                            const char *tier)
{
    const struct representation form = product_representation(&product->recipe);
    const struct cached_response_content content = {.bytes = record->bytes,
                                                    .length = record->length};
    if (strcmp(record->format, form.name) != 0 || record->format_version != form.version ||
        record->coding != (uint8_t)form.coding || record->length < form.prefix)
        return;
    create_response(product, &content, (struct tile_times){0});
    product->tier = product->cached ? tier : NULL;
}
