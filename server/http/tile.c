#include "server/http/tile.h"

#include <stdlib.h>
#include <string.h>

#include "server/cache/block.h"
#include "server/http/product.h"

/* A response with its headers, each in blocks of its own: 1167 bytes by mallinfo2(); and half of a
 * further header. */
enum { RESPONSE_COST = 1200, HEADER_COST = 72 };

/* The bytes outlive the tile while a response sends them. */
struct tile_bytes {
    unsigned references; /* atomic */
    struct reserve *reserve;
    size_t reserved, length;
    uint8_t data[];
};

struct tile {
    struct cache_value value;
    struct tile_bytes *bytes;
    struct product_form form;
    struct buffer headers; /* of the product's own */
    struct tile_times times;
    char etag[ETAG_TEXT];
    struct MHD_Response
        *shared[2]; /* atomic: made when first asked for; by policy, unpinned first */
};

static void bytes_release(void *context)
{
    struct tile_bytes *bytes = context;
    if (!bytes || __atomic_sub_fetch(&bytes->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (bytes->reserved > 0)
        reserve_give(bytes->reserve, bytes->reserved);
    block_free(bytes);
}

static void tile_destroy(struct cache_value *value)
{
    struct tile *tile = tile_of_value(value);
    for (size_t i = 0; i < sizeof tile->shared / sizeof *tile->shared; i++)
        if (tile->shared[i])
            MHD_destroy_response(tile->shared[i]);
    bytes_release(tile->bytes);
    buffer_free(&tile->headers);
    free(tile);
}

static struct tile_bytes *bytes_new(const struct tile_content *content)
{
    struct tile_bytes *bytes = block_new(sizeof *bytes + content->length);
    if (!bytes)
        return NULL;
    bytes->references = 1;
    bytes->reserve = content->reserve;
    bytes->reserved = 0;
    bytes->length = content->length;
    if (content->length > 0)
        memcpy(bytes->data, content->bytes, content->length);
    return bytes;
}

static size_t tile_cost(const struct tile *tile)
{
    size_t responses = RESPONSE_COST;
    for (size_t at = 0; at < tile->headers.length;
         at += strlen((char *)tile->headers.data + at) + 1)
        responses += HEADER_COST;
    return cache_allocation(sizeof *tile) + block_cost(tile->bytes) +
           cache_allocation(tile->headers.capacity) + 2 * responses;
}

struct tile *tile_new(const struct recipe *recipe, struct hash128 hash,
                      const struct tile_content *content, struct tile_times times)
{
    struct tile *tile = calloc(1, sizeof *tile);
    if (!tile)
        return NULL;
    tile->form = product_form(recipe);
    tile->times = times;
    tile->bytes = bytes_new(content);
    product_headers(recipe, content->bytes, &tile->headers);
    if (!tile->bytes || tile->headers.failed) {
        bytes_release(tile->bytes);
        buffer_free(&tile->headers);
        free(tile);
        return NULL;
    }
    tile->bytes->reserved = content->reserved;
    etag_write(hash, tile->etag);
    etag_add_length(tile->etag, content->length - tile->form.prefix);
    cache_value_init(&tile->value, tile_cost(tile), tile_destroy);
    return tile;
}

void tile_release(struct tile *tile)
{
    if (tile)
        cache_value_release(&tile->value);
}

struct cache_value *tile_value(struct tile *tile)
{
    return &tile->value;
}

struct tile *tile_of_value(struct cache_value *value)
{
    return (struct tile *)value;
}

const uint8_t *tile_bytes(const struct tile *tile, size_t *length)
{
    *length = tile->bytes->length - tile->form.prefix;
    return tile->bytes->data + tile->form.prefix;
}

/* A new response that sends the tile's bytes. */
static struct MHD_Response *make_response(struct tile *tile, enum cache_policy policy,
                                          const char *cache)
{
    struct tile_bytes *bytes = tile->bytes;
    const struct product_form *form = &tile->form;
    __atomic_fetch_add(&bytes->references, 1, __ATOMIC_RELAXED);
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        bytes->length - form->prefix, bytes->data + form->prefix, bytes_release, bytes);
    if (!response)
        bytes_release(bytes);
    response = response_finish(response, form->content_type, policy);
    if (!response || ((!form->varies || response_vary(response, form->coding)) &&
                      response_headers(response, &tile->headers) &&
                      response_header(response, "ETag", tile->etag) &&
                      response_header(response, "X-Terrane-Cache", cache)))
        return response;
    MHD_destroy_response(response);
    return NULL;
}

static struct MHD_Response *shared_response(struct tile *tile, enum cache_policy policy)
{
    struct MHD_Response **slot = &tile->shared[policy == CACHE_FOR_EVER];
    struct MHD_Response *response = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (response)
        return response;
    struct MHD_Response *made = make_response(tile, policy, "memory");
    if (!made || __atomic_compare_exchange_n(slot, &response, made, false, __ATOMIC_ACQ_REL,
                                             __ATOMIC_ACQUIRE))
        return made;
    MHD_destroy_response(made);
    return response;
}

static struct MHD_Response *rendered_response(struct tile *tile, enum cache_policy policy,
                                              uint32_t waited)
{
    const struct response_times times = {waited, tile->times.render, tile->times.encode};
    struct MHD_Response *response = make_response(tile, policy, "render");
    response_timing(response, times);
    return response;
}

enum handled tile_answer(struct exchange *exchange, bool rendered, enum cache_policy policy)
{
    struct tile *tile = exchange->tile;
    exchange->body_length = tile->bytes->length - tile->form.prefix;
    bool known = headers_match(&exchange->headers, tile->etag);
    response_answer(exchange, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
                    rendered         ? rendered_response(tile, policy, exchange->job.waited)
                    : exchange->tier ? make_response(tile, policy, exchange->tier)
                                     : shared_response(tile, policy));
    exchange->response_shared = !rendered && !exchange->tier;
    exchange->cache = rendered ? "render" : exchange->tier ? exchange->tier : "memory";
    return HANDLED;
}
