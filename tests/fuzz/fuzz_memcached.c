/* Replies of a memcached to "get k1": the input is all that the server sends. A value that comes
 * out stands in the input behind the requested key; nothing else changes the buffer. */
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server/base/clock.h"
#include "server/cache/memcached_connection.h"

enum {
    INPUT_MAX = 6000, /* as in tests/tools/fuzz.sh; fits into a socket's buffer */
    TIMEOUT = 10000,  /* milliseconds; never reached, as the server's end is shut down */
};

static bool contains(const uint8_t *data, size_t size, const void *part, size_t length)
{
    for (size_t i = 0; i + length <= size; i++)
        if (length == 0 || memcmp(data + i, part, length) == 0)
            return true;
    return false;
}

/* A reply is complete at one length only: no shorter prefix is, and no longer input. */
static void parse_prefixes(const uint8_t *data, size_t size)
{
    size_t shortest = 0; /* by what earlier prefixes said to miss */
    bool ended = false;
    for (size_t length = 0; length <= size && length < 400; length++) {
        struct memcached_reply reply;
        const enum memcached_reply_state state = memcached_parse_reply(&reply, "k1", data, length);
        const bool complete = state == MEMCACHED_REPLY_HIT || state == MEMCACHED_REPLY_MISS;
        fuzz_expect(!ended || state == MEMCACHED_REPLY_INVALID);
        fuzz_expect(!complete || length >= shortest);
        fuzz_expect(state != MEMCACHED_REPLY_HIT || reply.value_at + reply.value_length < length);
        if (state == MEMCACHED_REPLY_INCOMPLETE) {
            fuzz_expect(reply.missing > 0);
            shortest = length + reply.missing;
        }
        ended = ended || state != MEMCACHED_REPLY_INCOMPLETE;
    }
}

/* These wait for no reply, whatever the server sends. */
static void set_and_delete(int connection, int64_t deadline)
{
    const struct memcached_request set = {
        .verb = MEMCACHED_SET, .key = "k1", .value = (const uint8_t *)"abc", .length = 3};
    const struct memcached_request delete = {.verb = MEMCACHED_DELETE, .key = "k1"};
    fuzz_expect(memcached_run(connection, &set, wait_limit_at(deadline)) == MEMCACHED_DONE);
    fuzz_expect(memcached_run(connection, &delete, wait_limit_at(deadline)) == MEMCACHED_DONE);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int ends[2];
    if (size > INPUT_MAX)
        return 0;
    parse_prefixes(data, size);
    fuzz_expect(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) == 0);
    fuzz_expect(send(ends[1], data, size, 0) == (ssize_t)size);
    shutdown(ends[1], SHUT_WR);
    struct buffer out = {0};
    const int64_t deadline = clock_milliseconds() + TIMEOUT;
    const struct memcached_request get = {.verb = MEMCACHED_GET, .key = "k1", .out = &out};
    if (size % 2)
        set_and_delete(ends[0], deadline);
    buffer_text(&out, "before");
    const enum memcached_outcome outcome = memcached_run(ends[0], &get, wait_limit_at(deadline));
    fuzz_expect(out.length >= 6 && memcmp(out.data, "before", 6) == 0);
    fuzz_expect(outcome == MEMCACHED_DONE || out.length == 6);
    fuzz_expect(outcome != MEMCACHED_DONE || contains(data, size, "VALUE k1 ", 9));
    fuzz_expect(contains(data, size, out.data + 6, out.length - 6));
    close(ends[0]);
    close(ends[1]);
    buffer_free(&out);
    return 0;
}
