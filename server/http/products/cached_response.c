/* Responses with the same bytes differ in the cache policy, which depends on whether the URL was
 * pinned, and in X-Terrane-Cache: rendered, found in a tier, or found in memory. Only the last is
 * sent again and again, so one for each policy is kept and shared; the others are made for the one
 * request that they are true of. So are those with a range of the bytes. None copies them.
 *
 * The bytes are counted apart from the struct: a slow reader keeps them, but not the rest, after
 * the cache has evicted the product. */
#include "server/http/products/cached_response.h"

#include <stdlib.h>
#include <string.h>

#include "server/base/memory_budget.h"
#include "server/cache/block.h"
#include "server/http/products/product_type.h"

/* The bytes that the library allocates for a response with the common headers (1328 by
 * mallinfo2()), and for each further header. */
enum { RESPONSE_BYTES = 1360, HEADER_BYTES = 72 };

enum { POLICIES = 2 }; /* revalidate, immutable */

/* Outlive the cached response while they are being sent. */
struct cached_response_bytes {
    unsigned references; /* atomic */
    struct memory_budget *budget;
    size_t reserved, length;
    uint8_t data[];
};

struct cached_response {
    struct cache_value value;
    struct cached_response_bytes *bytes;
    struct representation form;
    struct buffer headers; /* of the product type's own: see product_type.h */
    struct tile_times times;
    char etag[ETAG_TEXT];
    struct MHD_Response *shared[POLICIES]; /* atomic: null until first requested */
};

static void shared_bytes_release(void *context)
{
    struct cached_response_bytes *bytes = context;
    if (!bytes || __atomic_sub_fetch(&bytes->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    if (bytes->reserved > 0)
        memory_budget_release(bytes->budget, bytes->reserved);
    block_free(bytes);
}

static void cached_response_destroy(struct cache_value *value)
{
    struct cached_response *cached = cached_response_of_value(value);
    for (size_t i = 0; i < POLICIES; i++)
        response_destroy(cached->shared[i]);
    shared_bytes_release(cached->bytes);
    buffer_free(&cached->headers);
    free(cached);
}

static struct cached_response_bytes *shared_bytes_new(const struct cached_response_content *content)
{
    struct cached_response_bytes *bytes = block_new(sizeof *bytes + content->length);
    if (!bytes)
        return NULL;
    bytes->references = 1;
    bytes->budget = content->budget;
    bytes->reserved = 0;
    bytes->length = content->length;
    if (content->length > 0)
        memcpy(bytes->data, content->bytes, content->length);
    return bytes;
}

static size_t cached_response_size(const struct cached_response *cached)
{
    size_t responses = RESPONSE_BYTES;
    for (size_t at = 0; at < cached->headers.length;
         at += strlen((char *)cached->headers.data + at) + 1)
        responses += HEADER_BYTES;
    return allocated_size(sizeof *cached) + block_memory(cached->bytes) +
           allocated_size(cached->headers.capacity) + POLICIES * responses;
}

struct cached_response *cached_response_new(const struct recipe *recipe, struct hash128 hash,
                                            const struct cached_response_content *content,
                                            struct tile_times times)
{
    struct cached_response *cached = calloc(1, sizeof *cached);
    if (!cached)
        return NULL;
    cached->form = product_representation(recipe);
    cached->times = times;
    cached->bytes = shared_bytes_new(content);
    if (product_type(recipe)->write_headers)
        product_type(recipe)->write_headers(recipe, content->bytes, &cached->headers);
    if (!cached->bytes || cached->headers.failed) {
        shared_bytes_release(cached->bytes);
        buffer_free(&cached->headers);
        free(cached);
        return NULL;
    }
    cached->bytes->reserved = content->reserved;
    etag_write(hash, cached->etag);
    etag_add_length(cached->etag, content->length - cached->form.prefix);
    cache_value_init(&cached->value, cached_response_size(cached), cached_response_destroy);
    return cached;
}

void cached_response_release(struct cached_response *cached)
{
    if (cached)
        cache_value_release(&cached->value);
}

struct cache_value *cached_response_value(struct cached_response *cached)
{
    return &cached->value;
}

struct cached_response *cached_response_of_value(struct cache_value *value)
{
    return (struct cached_response *)value;
}

const uint8_t *cached_response_record(const struct cached_response *cached, size_t *length)
{
    *length = cached->bytes->length;
    return cached->bytes->data;
}

/* With the bytes of the range. `cache_status` is the value of X-Terrane-Cache. */
static struct response new_response(struct cached_response *cached, const struct byte_range *range,
                                    enum cache_policy policy, const char *cache_status)
{
    struct cached_response_bytes *bytes = cached->bytes;
    const struct representation *form = &cached->form;
    const struct response_bytes part = {bytes->data + form->prefix + range->first, range->count,
                                        shared_bytes_release, bytes};
    __atomic_fetch_add(&bytes->references, 1, __ATOMIC_RELAXED);
    struct response response = response_from_bytes(&part, form->content_type, policy);
    if (form->varies)
        response_add_vary(&response, form->coding);
    response_add_headers(&response, &cached->headers);
    response_add_header(&response, "ETag", cached->etag);
    response_add_header(&response, "Accept-Ranges", "bytes");
    response_add_header(&response, "X-Terrane-Cache", cache_status);
    return response;
}

/* Null when memory is out. */
static struct MHD_Response *shared_response(struct cached_response *cached,
                                            const struct byte_range *whole,
                                            enum cache_policy policy)
{
    struct MHD_Response **slot = &cached->shared[policy == CACHE_IMMUTABLE];
    struct MHD_Response *shared = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
    if (shared)
        return shared;
    struct response response = new_response(cached, whole, policy, "memory");
    struct MHD_Response *made = response_finish(&response);
    if (!made ||
        __atomic_compare_exchange_n(slot, &shared, made, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        return made;
    response_destroy(made);
    return shared;
}

/* Range is of GET alone, and If-None-Match goes before it (RFC 9110, 13.2.2 and 14.2). */
static enum range_outcome select_range(const struct http_request *request, const char *etag,
                                       uint64_t length, struct byte_range *range)
{
    if (request->method != METHOD_GET || headers_match_etag(&request->headers, etag))
        return RANGE_WHOLE;
    return headers_select_range(&request->headers, etag, length, range);
}

static enum handler_result fail_range(struct problem *problem, size_t length)
{
    problem_set(problem, PROBLEM_RANGE, "the answer has %zu bytes, none of them in this range",
                length);
    problem->complete_length = length;
    return HANDLER_FAILED;
}

enum handler_result cached_response_respond(struct http_request *request, bool rendered)
{
    const struct request_product *product = &request->product;
    struct cached_response *cached = product->cached;
    const enum cache_policy policy = response_cache_policy(request->is_pinned);
    const size_t length = cached->bytes->length - cached->form.prefix;
    const char *own_status = rendered ? "render" : product->tier;
    struct byte_range range = {0, length};
    const enum range_outcome selected = select_range(request, cached->etag, length, &range);
    if (selected == RANGE_BEYOND)
        return fail_range(&request->problem, length);
    request->response.cache_status = own_status ? own_status : "memory";
    if (!own_status && selected == RANGE_WHOLE)
        return response_set_shared(request, cached->etag, length,
                                   shared_response(cached, &range, policy));
    struct response response = new_response(cached, &range, policy, request->response.cache_status);
    if (rendered)
        response_add_server_timing(
            &response,
            (struct response_times){product->waited, cached->times.render, cached->times.encode});
    return selected == RANGE_PART ? response_set_part(request, &range, length, response)
                                  : response_set_tagged(request, cached->etag, length, response);
}
