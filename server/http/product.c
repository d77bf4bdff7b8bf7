#include "server/http/product.h"

#include <string.h>

#include "server/cost.h"
#include "server/http/admission.h"
#include "server/http/chunk_answer.h"
#include "server/http/chunk_headers.h"
#include "server/http/render.h"
#include "server/http/tile.h"

enum {
    DIGEST = CHUNK_DIGEST_TEXT - 1,
    KEPT_MAX = 1 << 20,      /* bytes */
    QUICK_SAMPLES = 1 << 16, /* of a chunk that is made before tiles, while somebody waits */
};

struct product_form product_form(const struct recipe *recipe)
{
    if (recipe->is_chunk) {
        const struct chunk_format *format = recipe->chunk.order.format;
        return (struct product_form){format->name,         format->version,
                                     format->content_type, format->codings != CODINGS_NONE,
                                     recipe->chunk.coding, DIGEST};
    }
    const struct format *format = recipe->order.format;
    return (struct product_form){format->name,         format->version,
                                 format->content_type, format->codings != CODINGS_NONE,
                                 recipe->order.coding, 0};
}

enum metrics_kind product_kind(const struct recipe *recipe)
{
    if (!recipe->is_chunk)
        return METRICS_TILE;
    return recipe->chunk.order.shape == CHUNK_VOLUME ? METRICS_VOLUME : METRICS_CHUNK;
}

enum lane product_lane(const struct recipe *recipe)
{
    return recipe->is_chunk && chunk_samples(&recipe->chunk.order) <= QUICK_SAMPLES ? LANE_QUESTIONS
                                                                                    : LANE_TILES;
}

size_t product_reserve(const struct recipe *recipe)
{
    const size_t bytes = recipe->is_chunk ? chunk_bytes(&recipe->chunk.order) : 0;
    return bytes > KEPT_MAX ? bytes : 0;
}

/* The digest is known only behind the samples, so its place is kept free. */
static bool make_chunk(const struct recipe *recipe, struct tools *tools, struct tile_times *times,
                       struct error *error)
{
    const struct chunk_recipe *chunk = &recipe->chunk;
    struct buffer *bytes = &tools->bytes;
    struct sampler *sampler = canvas_sampler(tile_maker_canvas(tools->maker));
    chunk_maker_take_times(tools->chunks);
    if (!buffer_reserve(bytes, DIGEST))
        return error_memory(error);
    bytes->length = DIGEST;
    if (!chunk_make(tools->chunks, sampler, &chunk->order, &chunk->address, bytes, error) ||
        !chunk_compress(tools->chunks, chunk->coding, DIGEST, bytes, error))
        return false;
    memcpy(bytes->data, chunk_maker_digest(tools->chunks), DIGEST);
    const struct chunk_times taken = chunk_maker_take_times(tools->chunks);
    *times = (struct tile_times){taken.render, taken.encode};
    return true;
}

bool product_make(const struct recipe *recipe, struct tools *tools, struct tile_times *times,
                  struct error *error)
{
    buffer_clear(&tools->bytes);
    if (recipe->is_chunk)
        return make_chunk(recipe, tools, times, error);
    if (!tile_make(tools->maker, &recipe->order, TILE_SERVE, &tools->bytes, error))
        return false;
    *times = tile_maker_times(tools->maker);
    return true;
}

void product_headers(const struct recipe *recipe, const uint8_t *bytes, struct buffer *out)
{
    char digest[CHUNK_DIGEST_TEXT];
    if (!recipe->is_chunk)
        return;
    memcpy(digest, bytes, DIGEST);
    digest[DIGEST] = '\0';
    chunk_headers_order(&recipe->chunk.order, recipe->world->fingerprint, out);
    chunk_headers_place(&recipe->chunk.order, &recipe->chunk.address, digest, out);
}

/* The contract: under a pinned world for ever. Colours and ranges are in no world's fingerprint, so
 * whoever wants to see a style's edits pins the style as well, as every document does. */
static enum cache_policy product_policy(const struct exchange *exchange)
{
    return exchange->world_pinned ? CACHE_FOR_EVER : CACHE_REVALIDATE;
}

static enum handled product_made(struct exchange *exchange, struct problem *problem)
{
    (void)problem; /* the flight filled the exchange's, which it is */
    if (!exchange->tile)
        return FAILED;
    /* Somebody else's rendering, or another tier's. */
    if (!exchange->rendered)
        admission_refund(exchange);
    return tile_answer(exchange, exchange->rendered, product_policy(exchange));
}

static bool admit(struct exchange *exchange, const struct recipe *recipe, struct problem *problem)
{
    if (recipe->is_chunk)
        return chunk_admit(exchange, &recipe->chunk.order, 1, problem);
    const struct charge charge = {cost_tile(&recipe->order) + cost_promise(recipe->world),
                                  "a smaller size", "/tiles/3/4/2.png"};
    return admission_check(exchange, &charge, problem);
}

enum handled product_answer(struct exchange *exchange, const struct recipe *recipe,
                            struct problem *problem)
{
    const struct response_form form = {product_policy(exchange), product_form(recipe).varies};
    struct cache_key key;
    char etag[ETAG_TEXT];
    recipe_key(recipe, &key);
    exchange->tile = tile_of_value(memory_cache_get(exchange->loop->server->cache, &key));
    if (exchange->tile) {
        metrics_count_memory(exchange->loop->counts, METRICS_HIT);
        return tile_answer(exchange, false, form.policy);
    }
    etag_write(key.hash, etag);
    if (response_unchanged(exchange, etag, form))
        return HANDLED;
    metrics_count_memory(exchange->loop->counts, METRICS_MISS);
    if (!admit(exchange, recipe, problem))
        return FAILED;
    return render_tile(exchange, recipe, &key, product_made);
}
