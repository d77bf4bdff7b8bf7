#include "server/cache/link.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <libmemcached/memcached.h>

/* libmemcached 1.1.4 trusts what it reads from a server:
 * - it copies the key of an answer, up to a line long, into result.item_key, which is shorter; so
 *   the result has room behind it, and no command but "get" reads an answer into libmemcached's own
 *   result: the others ask for none ("noreply").
 * - it allocates whatever length the answer names, and for lengths near 2⁶⁴ writes a zero or two in
 *   front of the value; so its allocator has a limit, and room in front of each block.
 * - it looks for a blank behind "VERSION", in a buffer on the stack of which only the line has been
 *   written, and goes on without one; so there are blanks on the stack.
 * And it ends the program if it has no memory to describe an error in, or to remember the server it
 * lost; so there is a reserve for that, used up only on the way to LINK_FAILED. */
enum {
    LINE_MOST = 512, /* libmemcached reads lines of up to 350 bytes */
    BLOCK_MOST = LINK_VALUE_MAX + (64 << 10),
    BLOCK_FRONT = 16, /* keeps malloc's alignment */
    STACK_FILLED = 4096,
    RESERVE = 40 << 10, /* an error takes 2 KB, the server 18 KB */
};

struct link {
    memcached_st client;
    memcached_result_st result;
    char behind_result[LINE_MOST];
    bool result_freed;
    size_t reserve_used;
    _Alignas(max_align_t) char reserve[RESERVE];
};

static void *reserve_take(struct link *link, size_t size)
{
    size_t rounded = (size + BLOCK_FRONT - 1) / BLOCK_FRONT * BLOCK_FRONT;
    if (rounded > RESERVE - link->reserve_used)
        return NULL;
    void *block = link->reserve + link->reserve_used;
    link->reserve_used += rounded;
    return block;
}

static bool is_reserve(const struct link *link, const void *block)
{
    return (const char *)block >= link->reserve && (const char *)block < link->reserve + RESERVE;
}

static void *block_realloc(const memcached_st *client, void *block, size_t size, void *context)
{
    (void)client;
    (void)context;
    if (size > BLOCK_MOST)
        return NULL;
    char *front = realloc(block ? (char *)block - BLOCK_FRONT : NULL, size + BLOCK_FRONT);
    return front ? front + BLOCK_FRONT : NULL;
}

/* What is allocated so is never resized. */
static void *block_malloc(const memcached_st *client, size_t size, void *context)
{
    void *block = block_realloc(client, NULL, size, context);
    return block ? block : reserve_take(context, size);
}

static void *block_calloc(const memcached_st *client, size_t count, size_t size, void *context)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        return NULL;
    void *block = block_realloc(client, NULL, bytes, context);
    return block ? memset(block, 0, bytes) : NULL;
}

/* A key that is too long says that the result itself is to be freed. */
static void block_free(const memcached_st *client, void *block, void *context)
{
    struct link *link = context;
    (void)client;
    if (block == &link->result)
        link->result_freed = true;
    else if (block && !is_reserve(link, block))
        free((char *)block - BLOCK_FRONT);
}

static bool set_up(struct link *link, const char *address, uint16_t port, unsigned timeout)
{
    const struct {
        memcached_behavior_t behavior;
        uint64_t value;
    } settings[] = {
        {MEMCACHED_BEHAVIOR_TCP_NODELAY, 1},
        {MEMCACHED_BEHAVIOR_TCP_KEEPALIVE, 1},
        {MEMCACHED_BEHAVIOR_NOREPLY, 1},
        {MEMCACHED_BEHAVIOR_CONNECT_TIMEOUT, timeout},
        {MEMCACHED_BEHAVIOR_POLL_TIMEOUT, timeout},
    };
    bool done = memcached_success(memcached_set_memory_allocators(
        &link->client, block_malloc, block_free, block_realloc, block_calloc, link));
    for (size_t i = 0; i < sizeof settings / sizeof *settings && done; i++)
        done = memcached_success(
            memcached_behavior_set(&link->client, settings[i].behavior, settings[i].value));
    done = done && memcached_success(memcached_server_add(&link->client, address, port)) &&
           memcached_result_create(&link->client, &link->result);
    /* With a byte before the first answer, the value always has a block. */
    return done && memcached_success(memcached_result_set_value(&link->result, " ", 1));
}

struct link *link_open(const char *address, uint16_t port, unsigned timeout_milliseconds)
{
    struct link *link = calloc(1, sizeof *link);
    if (!link || !memcached_create(&link->client)) {
        free(link);
        return NULL;
    }
    if (set_up(link, address, port, timeout_milliseconds))
        return link;
    link_close(link);
    return NULL;
}

void link_close(struct link *link)
{
    if (!link)
        return;
    memcached_behavior_set(&link->client, MEMCACHED_BEHAVIOR_POLL_TIMEOUT, 0);
    if (link->result.root && !link->result_freed)
        memcached_result_free(&link->result);
    memcached_free(&link->client);
    free(link);
}

static bool is_answer_to(const memcached_result_st *result, const char *key)
{
    return result->key_length == strlen(key) &&
           memcmp(result->item_key, key, result->key_length) == 0 &&
           memcached_result_length(result) <= LINK_VALUE_MAX;
}

__attribute__((noinline, no_sanitize("address"))) static void fill_stack(void)
{
    char blanks[STACK_FILLED];
    memset(blanks, ' ', sizeof blanks);
    __asm__ volatile("" : : "r"(blanks) : "memory");
}

/* The next part of the answer: MEMCACHED_SUCCESS is a value, MEMCACHED_END its end. With a count of
 * 0 libmemcached says "not found" for every other answer too. */
static memcached_return_t fetch(struct link *link)
{
    memcached_return_t status;
    fill_stack();
    link->result.count = 1;
    return memcached_fetch_result(&link->client, &link->result, &status) ? MEMCACHED_SUCCESS
                                                                         : status;
}

static enum link_result link_get(struct link *link, const struct link_request *request)
{
    const char *keys[] = {request->key};
    const size_t lengths[] = {strlen(request->key)};
    size_t before = request->out->length;
    memcached_result_reset(&link->result);
    if (memcached_failed(memcached_mget(&link->client, keys, lengths, 1)))
        return LINK_FAILED;
    memcached_return_t status = fetch(link);
    if (status != MEMCACHED_SUCCESS)
        return status == MEMCACHED_END ? LINK_MISS : LINK_FAILED;
    if (!is_answer_to(&link->result, request->key))
        return LINK_FAILED;
    buffer_append(request->out, memcached_result_value(&link->result),
                  memcached_result_length(&link->result));
    if (fetch(link) == MEMCACHED_END)
        return LINK_DONE;
    if (request->out->length > before)
        request->out->length = before;
    return LINK_FAILED;
}

static enum link_result link_set(struct link *link, const struct link_request *request)
{
    return memcached_success(memcached_set(&link->client, request->key, strlen(request->key),
                                           (const char *)request->value, request->length,
                                           (time_t)request->seconds, 0))
               ? LINK_DONE
               : LINK_FAILED;
}

static enum link_result link_delete(struct link *link, const struct link_request *request)
{
    return memcached_success(memcached_delete(&link->client, request->key, strlen(request->key), 0))
               ? LINK_DONE
               : LINK_FAILED;
}

enum link_result link_run(struct link *link, const struct link_request *request)
{
    switch (request->verb) {
    case LINK_SET:
        return link_set(link, request);
    case LINK_DELETE:
        return link_delete(link, request);
    default:
        return link_get(link, request);
    }
}
