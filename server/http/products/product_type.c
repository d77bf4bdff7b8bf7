/* The table of product types, and the functions of its rows.
 *
 * The bytes of a chunk or volume begin with what is known only after the samples, and only headers
 * show: its digest, and of a volume its least and greatest sample (struct chunk_prefix). So a
 * cached record has all that its response says, and a hit in any tier needs no rendering. */
#include "server/http/products/product_type.h"

#include <string.h>

#include "server/http/products/chunk_headers.h"
#include "server/render/price.h"

enum {
    CACHED_BYTES_MAX = 1 << 20,      /* larger products are in no cache unless read in parts */
    SHORT_JOB_SAMPLES_MAX = 1 << 16, /* smaller chunks overtake tiles: players wait for them */
};

static struct representation tile_representation(const struct recipe *recipe)
{
    const struct format *format = recipe->order.format;
    return (struct representation){
        .name = format->name,
        .version = format->version,
        .content_type = format->content_type,
        .varies = format->codings != CODINGS_NONE,
        .negotiated = format->globe,
        .coding = recipe->order.coding,
    };
}

static void write_tile_headers(const struct recipe *recipe, const uint8_t *bytes,
                               struct buffer *out)
{
    static const char vary[] = "Vary\0Accept";
    (void)bytes;
    if (tile_representation(recipe).negotiated)
        buffer_append(out, vary, sizeof vary);
}

static bool render_tile(const struct recipe *recipe, struct worker_context *worker,
                        struct tile_times *times, struct error *error)
{
    if (!tile_make(worker->maker, &recipe->order, TILE_FAST, &worker->bytes, error))
        return false;
    *times = tile_maker_times(worker->maker);
    return true;
}

static struct charge tile_charge(const struct recipe *recipe)
{
    return (struct charge){.nanoseconds = price_tile(&recipe->order) +
                                          resolved_world_compile_time(recipe->world),
                           .smaller = "a smaller size",
                           .example = "/tiles/3/4/2.png"};
}

static struct representation chunk_representation(const struct recipe *recipe)
{
    const struct chunk_format *format = recipe->chunk.order.format;
    return (struct representation){
        .name = format->name,
        .version = format->version,
        .content_type = format->content_type,
        .varies = format->codings != CODINGS_NONE,
        .coding = recipe->chunk.coding,
        .prefix = chunk_prefix_length(&recipe->chunk.order),
    };
}

static enum priority chunk_priority(const struct recipe *recipe)
{
    return chunk_samples(&recipe->chunk.order) <= SHORT_JOB_SAMPLES_MAX ? PRIORITY_SHORT
                                                                        : PRIORITY_RENDER;
}

static size_t chunk_uncached_bytes(const struct recipe *recipe)
{
    const size_t bytes = chunk_bytes(&recipe->chunk.order);
    return bytes > CACHED_BYTES_MAX ? bytes : 0;
}

static bool render_chunk(const struct recipe *recipe, struct worker_context *worker,
                         struct tile_times *times, struct error *error)
{
    chunk_maker_take_times(worker->chunks);
    if (!chunk_make_record(worker->chunks, &recipe->chunk, &worker->bytes, error))
        return false;
    const struct chunk_times taken = chunk_maker_take_times(worker->chunks);
    *times = (struct tile_times){taken.render, taken.encode};
    return true;
}

static void chunk_key(const struct recipe *recipe, struct cache_key *key)
{
    recipe_chunk_key(&recipe->chunk, recipe->world->identity.fingerprint, key);
}

static void write_chunk_headers(const struct recipe *recipe, const uint8_t *bytes,
                                struct buffer *out)
{
    const struct chunk_order *order = &recipe->chunk.order;
    const struct chunk_prefix prefix = chunk_prefix_read(order, bytes);
    chunk_headers_write_common(order, recipe->world->identity.fingerprint, out);
    chunk_headers_write_single(order, &recipe->chunk.address, &prefix, out);
}

static uint64_t chunk_price(const void *context, uint64_t size)
{
    const struct recipe *recipe = context;
    struct chunk_order order = recipe->chunk.order;
    order.size = (uint32_t)size;
    const bool placed = chunk_in_range(&order, &recipe->chunk.address);
    const struct sampling_where where =
        placed ? chunk_where(&order, &(struct chunk_area){recipe->chunk.address, 1, 1})
               : (struct sampling_where){.count = 0};
    const struct chunk_price price = price_chunk(
        &order, recipe->chunk.coding, (struct chunk_spread){0.0, 1, placed ? &where : NULL});
    return price_chunks(&price, 1) + resolved_world_compile_time(recipe->world);
}

static struct charge chunk_charge(const struct recipe *recipe)
{
    const struct chunk_order *order = &recipe->chunk.order;
    return (struct charge){
        .nanoseconds = chunk_price(recipe, order->size),
        .smaller = "a smaller size, fewer layers or a coarser step",
        .example = order->shape == CHUNK_VOLUME ? "/volumes/0/0/0.r32f?size=16"
                                                : "/chunks/0/0.r32f?size=64",
        .parts = order->shape == CHUNK_VOLUME ? NULL : "steps a side",
        .count = order->size,
        .nanoseconds_of = chunk_price,
        .context = recipe,
    };
}

static const struct product_type types[] = {
    [PRODUCT_TILE] = {METRICS_TILE, recipe_tile_key, tile_representation, NULL, NULL, render_tile,
                      write_tile_headers, tile_charge},
    [PRODUCT_CHUNK] = {METRICS_CHUNK, chunk_key, chunk_representation, chunk_priority,
                       chunk_uncached_bytes, render_chunk, write_chunk_headers, chunk_charge},
    [PRODUCT_VOLUME] = {METRICS_VOLUME, chunk_key, chunk_representation, chunk_priority,
                        chunk_uncached_bytes, render_chunk, write_chunk_headers, chunk_charge},
};

const struct product_type *product_type(const struct recipe *recipe)
{
    return &types[recipe->product];
}

/* Previews are marked behind the fingerprint: hashes do not resist crafted collisions, so products
 * of files that clients post must not be taken for those of the server's own worlds. */
void product_key(const struct recipe *recipe, struct cache_key *key)
{
    product_type(recipe)->key(recipe, key);
    if (!recipe->world->base->is_preview)
        return;
    key->bytes[CACHE_KEY_WORLD - 1] = 'p';
    cache_key_seal(key);
}

struct representation product_representation(const struct recipe *recipe)
{
    return product_type(recipe)->representation(recipe);
}

enum priority product_priority(const struct recipe *recipe)
{
    const struct product_type *type = product_type(recipe);
    return type->priority ? type->priority(recipe) : PRIORITY_RENDER;
}

size_t product_uncached_bytes(const struct recipe *recipe)
{
    const struct product_type *type = product_type(recipe);
    return type->uncached_bytes ? type->uncached_bytes(recipe) : 0;
}
