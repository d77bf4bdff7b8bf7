#include "server/cache/memcached_connection.h"

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
 * lost; so there is a reserve for that, used up only on the way to MEMCACHED_FAILED. */
enum {
    LINE_MOST = 512, /* libmemcached reads lines of up to 350 bytes */
    BLOCK_MOST = MEMCACHED_VALUE_MAX + (64 << 10),
    BLOCK_FRONT = 16, /* keeps malloc's alignment */
    STACK_FILLED = 4096,
    RESERVE = 40 << 10, /* an error takes 2 KB, the server 18 KB */
};

struct memcached_connection {
    memcached_st client;
    memcached_result_st result;
    char behind_result[LINE_MOST];
    bool result_freed;
    size_t reserve_used;
    _Alignas(max_align_t) char reserve[RESERVE];
};

static void *reserve_take(struct memcached_connection *connection, size_t size)
{
    size_t rounded = (size + BLOCK_FRONT - 1) / BLOCK_FRONT * BLOCK_FRONT;
    if (rounded > RESERVE - connection->reserve_used)
        return NULL;
    void *block = connection->reserve + connection->reserve_used;
    connection->reserve_used += rounded;
    return block;
}

static bool is_reserve(const struct memcached_connection *connection, const void *block)
{
    return (const char *)block >= connection->reserve &&
           (const char *)block < connection->reserve + RESERVE;
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
    struct memcached_connection *connection = context;
    (void)client;
    if (block == &connection->result)
        connection->result_freed = true;
    else if (block && !is_reserve(connection, block))
        free((char *)block - BLOCK_FRONT);
}

static bool set_up(struct memcached_connection *connection, const char *address, uint16_t port,
                   unsigned timeout)
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
        &connection->client, block_malloc, block_free, block_realloc, block_calloc, connection));
    for (size_t i = 0; i < sizeof settings / sizeof *settings && done; i++)
        done = memcached_success(
            memcached_behavior_set(&connection->client, settings[i].behavior, settings[i].value));
    done = done && memcached_success(memcached_server_add(&connection->client, address, port)) &&
           memcached_result_create(&connection->client, &connection->result);
    /* With a byte before the first answer, the value always has a block. */
    return done && memcached_success(memcached_result_set_value(&connection->result, " ", 1));
}

struct memcached_connection *memcached_connection_open(const char *address, uint16_t port,
                                                       unsigned timeout_milliseconds)
{
    struct memcached_connection *connection = calloc(1, sizeof *connection);
    if (!connection || !memcached_create(&connection->client)) {
        free(connection);
        return NULL;
    }
    if (set_up(connection, address, port, timeout_milliseconds))
        return connection;
    memcached_connection_close(connection);
    return NULL;
}

void memcached_connection_close(struct memcached_connection *connection)
{
    if (!connection)
        return;
    memcached_behavior_set(&connection->client, MEMCACHED_BEHAVIOR_POLL_TIMEOUT, 0);
    if (connection->result.root && !connection->result_freed)
        memcached_result_free(&connection->result);
    memcached_free(&connection->client);
    free(connection);
}

static bool is_answer_to(const memcached_result_st *result, const char *key)
{
    return result->key_length == strlen(key) &&
           memcmp(result->item_key, key, result->key_length) == 0 &&
           memcached_result_length(result) <= MEMCACHED_VALUE_MAX;
}

__attribute__((noinline, no_sanitize("address"))) static void fill_stack(void)
{
    char blanks[STACK_FILLED];
    memset(blanks, ' ', sizeof blanks);
    __asm__ volatile("" : : "r"(blanks) : "memory");
}

/* The next part of the answer: MEMCACHED_SUCCESS is a value, MEMCACHED_END its end. With a count of
 * 0 libmemcached says "not found" for every other answer too. */
static memcached_return_t fetch(struct memcached_connection *connection)
{
    memcached_return_t status;
    fill_stack();
    connection->result.count = 1;
    return memcached_fetch_result(&connection->client, &connection->result, &status)
               ? MEMCACHED_SUCCESS
               : status;
}

static enum memcached_outcome run_get(struct memcached_connection *connection,
                                      const struct memcached_request *request)
{
    const char *keys[] = {request->key};
    const size_t lengths[] = {strlen(request->key)};
    size_t before = request->out->length;
    memcached_result_reset(&connection->result);
    if (memcached_failed(memcached_mget(&connection->client, keys, lengths, 1)))
        return MEMCACHED_FAILED;
    memcached_return_t status = fetch(connection);
    if (status != MEMCACHED_SUCCESS)
        return status == MEMCACHED_END ? MEMCACHED_MISS : MEMCACHED_FAILED;
    if (!is_answer_to(&connection->result, request->key))
        return MEMCACHED_FAILED;
    buffer_append(request->out, memcached_result_value(&connection->result),
                  memcached_result_length(&connection->result));
    if (fetch(connection) == MEMCACHED_END)
        return MEMCACHED_DONE;
    if (request->out->length > before)
        request->out->length = before;
    return MEMCACHED_FAILED;
}

static enum memcached_outcome run_set(struct memcached_connection *connection,
                                      const struct memcached_request *request)
{
    return memcached_success(memcached_set(&connection->client, request->key, strlen(request->key),
                                           (const char *)request->value, request->length,
                                           (time_t)request->seconds, 0))
               ? MEMCACHED_DONE
               : MEMCACHED_FAILED;
}

static enum memcached_outcome run_delete(struct memcached_connection *connection,
                                         const struct memcached_request *request)
{
    return memcached_success(
               memcached_delete(&connection->client, request->key, strlen(request->key), 0))
               ? MEMCACHED_DONE
               : MEMCACHED_FAILED;
}

enum memcached_outcome memcached_connection_run(struct memcached_connection *connection,
                                                const struct memcached_request *request)
{
    switch (request->verb) {
    case MEMCACHED_SET:
        return run_set(connection, request);
    case MEMCACHED_DELETE:
        return run_delete(connection, request);
    default:
        return run_get(connection, request);
    }
}
