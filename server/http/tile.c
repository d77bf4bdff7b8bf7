#include "server/http/tile.h"

#include <stdlib.h>
#include <string.h>

/* A response with its headers, each in blocks of its own: 1167 bytes by mallinfo2(). */
enum { RESPONSE_COST = 1200 };

/* The bytes outlive the tile while a response sends them. */
struct tile_bytes {
    unsigned references; /* atomic */
    size_t length;
    uint8_t data[];
};

struct tile {
    struct cache_value value;
    struct tile_bytes *bytes;
    const struct format *format;
    enum coding coding;
    struct tile_times times;
    char etag[ETAG_TEXT];
    struct MHD_Response
        *shared[2]; /* atomic: made when first asked for; by policy, unpinned first */
};

static void bytes_release(void *context)
{
    struct tile_bytes *bytes = context;
    if (__atomic_sub_fetch(&bytes->references, 1, __ATOMIC_ACQ_REL) == 0)
        free(bytes);
}

static void tile_destroy(struct cache_value *value)
{
    struct tile *tile = tile_of_value(value);
    for (size_t i = 0; i < sizeof tile->shared / sizeof *tile->shared; i++)
        if (tile->shared[i])
            MHD_destroy_response(tile->shared[i]);
    bytes_release(tile->bytes);
    free(tile);
}

struct tile *tile_new(const struct tile_content *content, struct hash128 recipe,
                      struct tile_times times)
{
    const size_t length = content->length;
    struct tile *tile = calloc(1, sizeof *tile);
    struct tile_bytes *copy = malloc(sizeof *copy + length);
    if (!tile || !copy) {
        free(tile);
        free(copy);
        return NULL;
    }
    copy->references = 1;
    copy->length = length;
    if (length > 0)
        memcpy(copy->data, content->bytes, length);
    tile->bytes = copy;
    tile->format = content->format;
    tile->coding = content->coding;
    tile->times = times;
    etag_write(recipe, tile->etag);
    etag_add_length(tile->etag, length);
    size_t cost = cache_allocation(sizeof *tile) + cache_allocation(sizeof *copy + length) +
                  2 * RESPONSE_COST;
    cache_value_init(&tile->value, cost, tile_destroy);
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

/* A new response that sends the tile's bytes. */
static struct MHD_Response *make_response(struct tile *tile, enum cache_policy policy,
                                          const char *cache)
{
    struct tile_bytes *bytes = tile->bytes;
    __atomic_fetch_add(&bytes->references, 1, __ATOMIC_RELAXED);
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        bytes->length, bytes->data, bytes_release, bytes);
    if (!response)
        bytes_release(bytes);
    response = response_finish(response, tile->format->content_type, policy);
    if (!response || ((!tile->format->codings || response_vary(response, tile->coding)) &&
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
    bool known = headers_match(&exchange->headers, tile->etag);
    response_answer(exchange, known ? MHD_HTTP_NOT_MODIFIED : MHD_HTTP_OK,
                    rendered         ? rendered_response(tile, policy, exchange->job.waited)
                    : exchange->tier ? make_response(tile, policy, exchange->tier)
                                     : shared_response(tile, policy));
    exchange->response_shared = !rendered && !exchange->tier;
    exchange->body_length = tile->bytes->length;
    exchange->cache = rendered ? "render" : exchange->tier ? exchange->tier : "memory";
    return HANDLED;
}
