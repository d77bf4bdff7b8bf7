#include "server/http/products/product_type.h"

#include <string.h>

#include "server/http/jobs/admission.h"
#include "server/http/products/cached_response.h"
#include "server/http/products/chunk_headers.h"
#include "server/http/products/chunk_response.h"
#include "server/http/products/fetch_or_render.h"
#include "server/render/cost.h"

enum {
    CACHED_BYTES_MAX = 1 << 20, /* bytes */
    SHORT_JOB_SAMPLES_MAX =
        1 << 16, /* of a chunk that is made before tiles, while somebody waits */
};

struct representation representation(const struct recipe *recipe)
{
    if (recipe->is_chunk) {
        const struct chunk_format *format = recipe->chunk.order.format;
        return (struct representation){format->name,         format->version,
                                       format->content_type, format->codings != CODINGS_NONE,
                                       recipe->chunk.coding, CHUNK_DIGEST_LENGTH};
    }
    const struct format *format = recipe->order.format;
    return (struct representation){format->name,         format->version,
                                   format->content_type, format->codings != CODINGS_NONE,
                                   recipe->order.coding, 0};
}

enum metrics_kind product_metrics_kind(const struct recipe *recipe)
{
    if (!recipe->is_chunk)
        return METRICS_TILE;
    return recipe->chunk.order.shape == CHUNK_VOLUME ? METRICS_VOLUME : METRICS_CHUNK;
}

enum priority product_priority(const struct recipe *recipe)
{
    return recipe->is_chunk && chunk_samples(&recipe->chunk.order) <= SHORT_JOB_SAMPLES_MAX
               ? PRIORITY_SHORT
               : PRIORITY_RENDER;
}

size_t product_uncached_bytes(const struct recipe *recipe)
{
    const size_t bytes = recipe->is_chunk ? chunk_bytes(&recipe->chunk.order) : 0;
    return bytes > CACHED_BYTES_MAX ? bytes : 0;
}

static bool render_chunk(const struct recipe *recipe, struct worker_context *worker,
                         struct tile_times *times, struct error *error)
{
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(worker->maker));
    chunk_maker_take_times(worker->chunks);
    if (!chunk_make_record(worker->chunks, sampler, &recipe->chunk, &worker->bytes, error))
        return false;
    const struct chunk_times taken = chunk_maker_take_times(worker->chunks);
    *times = (struct tile_times){taken.render, taken.encode};
    return true;
}

bool product_render(const struct recipe *recipe, struct worker_context *worker,
                    struct tile_times *times, struct error *error)
{
    buffer_clear(&worker->bytes);
    if (recipe->is_chunk)
        return render_chunk(recipe, worker, times, error);
    if (!tile_make(worker->maker, &recipe->order, TILE_SERVE, &worker->bytes, error))
        return false;
    *times = tile_maker_times(worker->maker);
    return true;
}

void product_write_headers(const struct recipe *recipe, const uint8_t *bytes, struct buffer *out)
{
    char digest[CHUNK_DIGEST_TEXT];
    if (!recipe->is_chunk)
        return;
    memcpy(digest, bytes, CHUNK_DIGEST_LENGTH);
    digest[CHUNK_DIGEST_LENGTH] = '\0';
    chunk_headers_write_common(&recipe->chunk.order, recipe->world->fingerprint, out);
    chunk_headers_write_single(&recipe->chunk.order, &recipe->chunk.address, digest, out);
}

/* The contract: under a pinned world for ever. Colours and ranges are in no world's fingerprint, so
 * whoever wants to see a style's edits pins the style as well, as every document does. */
static enum cache_policy product_cache_policy(const struct http_request *request)
{
    return request->world_pinned ? CACHE_IMMUTABLE : CACHE_REVALIDATE;
}

static enum handler_result product_completed(struct http_request *request, struct problem *problem)
{
    (void)problem; /* the flight filled the exchange's, which it is */
    if (!request->cached)
        return HANDLER_FAILED;
    /* Somebody else's rendering, or another tier's. */
    if (!request->rendered)
        admission_refund(request);
    return cached_response_respond(request, request->rendered, product_cache_policy(request));
}

static bool product_check_cost(struct http_request *request, const struct recipe *recipe,
                               struct problem *problem)
{
    if (recipe->is_chunk)
        return chunk_check_cost(request, &recipe->chunk.order, 1, problem);
    const struct charge charge = {cost_tile(&recipe->order) + cost_lazy_world(recipe->world),
                                  "a smaller size", "/tiles/3/4/2.png"};
    return admission_check_cost(request, &charge, problem);
}

enum handler_result product_respond(struct http_request *request, const struct recipe *recipe,
                                    struct problem *problem)
{
    const struct response_caching caching = {product_cache_policy(request),
                                             representation(recipe).varies};
    struct cache_key key;
    char etag[ETAG_TEXT];
    recipe_key(recipe, &key);
    request->cached =
        cached_response_of_value(memory_cache_get(request->loop->server->cache, &key));
    if (request->cached) {
        metrics_count(request->loop->counts, MEMORY_HIT);
        return cached_response_respond(request, false, caching.policy);
    }
    etag_write(key.hash, etag);
    if (response_not_modified(request, etag, caching))
        return HANDLER_DONE;
    metrics_count(request->loop->counts, MEMORY_MISS);
    if (!product_check_cost(request, recipe, problem))
        return HANDLER_FAILED;
    return fetch_or_render(request, recipe, &key, product_completed);
}
