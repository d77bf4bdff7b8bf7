/* The part of memcached's text protocol (doc/protocol.txt there) that a cache needs.
 *
 * Why not libmemcached: its timeout is for each wait, so a server that sends a byte now and then
 * holds a thread for as long as it likes, and version 1.1.4 trusts lengths and lines that a server
 * sends. Here the socket never blocks: each call is tried first, and wait_for() waits for the rest
 * of the time until the deadline.
 *
 * A reply to get is exactly "END\r\n", or "VALUE key flags length\r\n", the value, "\r\nEND\r\n",
 * with the requested key and no cas. Everything else is invalid: an error line, another key, a
 * length beyond MEMCACHED_VALUE_MAX, a second value, a byte behind the end. The reply is received
 * into the caller's buffer and the text around the value is removed there, which costs one move of
 * the value but no second buffer.
 *
 * Replies to set and delete would cost a wait each and tell nothing that the cache acts upon, hence
 * "noreply". A server reports some errors all the same; the next get then reads an error line,
 * fails and is repeated on a new connection (shared_server.c). */
#include "server/cache/memcached_connection.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/number.h"

enum {
    LINE_BYTES_MAX = MEMCACHED_KEY_MAX + 64, /* "set key flags seconds length noreply" and less */
    RECEIVE_BYTES_MIN = 4096,
};

static const char miss_text[] = "END\r\n";
static const char end_text[] = "\r\nEND\r\n";
enum { MISS_LENGTH = sizeof miss_text - 1, END_LENGTH = sizeof end_text - 1 };

static bool finish_connecting(int connection, struct wait_limit limit)
{
    int reason = 0;
    socklen_t size = sizeof reason;
    return errno == EINPROGRESS && wait_for(connection, POLLOUT, limit) &&
           getsockopt(connection, SOL_SOCKET, SO_ERROR, &reason, &size) == 0 && reason == 0;
}

int memcached_connect(const struct memcached_address *address, struct wait_limit limit)
{
    const struct sockaddr *any = (const struct sockaddr *)&address->socket;
    if (address->length == 0)
        return -1;
    int connection = socket(any->sa_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (connection < 0)
        return -1;
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    if (connect(connection, any, address->length) == 0 || finish_connecting(connection, limit))
        return connection;
    close(connection);
    return -1;
}

/* Takes `length` bytes that must be `expected`. */
static bool take_text(const char **text, const char *end, const char *expected, size_t length)
{
    if ((size_t)(end - *text) < length || memcmp(*text, expected, length) != 0)
        return false;
    *text += length;
    return true;
}

/* The line without its end: "VALUE key flags length". */
static bool parse_value_line(const char *line, const char *end, const char *key, size_t *value)
{
    int64_t flags, length;
    if (!take_text(&line, end, "VALUE ", 6) || !take_text(&line, end, key, strlen(key)) ||
        !take_text(&line, end, " ", 1))
        return false;
    const char *blank = memchr(line, ' ', (size_t)(end - line));
    if (!blank || !number_parse_integer(line, (size_t)(blank - line), 0, UINT32_MAX, &flags) ||
        !number_parse_integer(blank + 1, (size_t)(end - blank - 1), 0, MEMCACHED_VALUE_MAX,
                              &length))
        return false;
    *value = (size_t)length;
    return true;
}

enum memcached_reply_state memcached_parse_reply(struct memcached_reply *reply, const char *key,
                                                 const uint8_t *bytes, size_t length)
{
    const char *text = (const char *)bytes;
    const char *line_end = length > 0 ? memchr(text, '\n', length) : NULL;
    *reply = (struct memcached_reply){.missing = 1};
    if (!line_end)
        return length < LINE_BYTES_MAX ? MEMCACHED_REPLY_INCOMPLETE : MEMCACHED_REPLY_INVALID;
    if (length == MISS_LENGTH && memcmp(text, miss_text, MISS_LENGTH) == 0)
        return MEMCACHED_REPLY_MISS;
    if (line_end == text || line_end[-1] != '\r' ||
        !parse_value_line(text, line_end - 1, key, &reply->value_length))
        return MEMCACHED_REPLY_INVALID;
    reply->value_at = (size_t)(line_end + 1 - text);
    const size_t end_at = reply->value_at + reply->value_length, total = end_at + END_LENGTH;
    if (length < total) {
        reply->missing = total - length;
        return MEMCACHED_REPLY_INCOMPLETE;
    }
    return length == total && memcmp(text + end_at, end_text, END_LENGTH) == 0
               ? MEMCACHED_REPLY_HIT
               : MEMCACHED_REPLY_INVALID;
}

/* Appends at least one byte, and as many more as have arrived. */
static bool receive_some(int connection, struct buffer *out, size_t wanted, struct wait_limit limit)
{
    if (wanted < RECEIVE_BYTES_MIN)
        wanted = RECEIVE_BYTES_MIN;
    uint8_t *room = buffer_reserve(out, wanted);
    if (!room || !wait_for(connection, POLLIN, limit))
        return false;
    const ssize_t count = recv(connection, room, wanted, 0);
    if (count <= 0)
        return count < 0 && (errno == EAGAIN || errno == EINTR);
    out->length += (size_t)count;
    return true;
}

/* Receives the reply behind what `out` holds, and leaves only the value of it there. */
static enum memcached_outcome receive_reply(int connection, const char *key, struct buffer *out,
                                            struct wait_limit limit)
{
    const size_t start = out->length;
    struct memcached_reply reply = {.missing = 1};
    enum memcached_reply_state state = MEMCACHED_REPLY_INCOMPLETE;
    while (state == MEMCACHED_REPLY_INCOMPLETE) {
        if (!receive_some(connection, out, reply.missing, limit))
            break;
        state = memcached_parse_reply(&reply, key, out->data + start, out->length - start);
    }
    out->length = start;
    if (state == MEMCACHED_REPLY_HIT) {
        memmove(out->data + start, out->data + start + reply.value_at, reply.value_length);
        out->length += reply.value_length;
        return MEMCACHED_DONE;
    }
    return state == MEMCACHED_REPLY_MISS ? MEMCACHED_MISS : MEMCACHED_FAILED;
}

static bool send_set(int connection, const struct memcached_request *request,
                     struct wait_limit limit)
{
    char line[LINE_BYTES_MAX];
    const int length = snprintf(line, sizeof line, "set %s 0 %u %zu noreply\r\n", request->key,
                                request->seconds, request->length);
    return wait_to_send(connection, line, (size_t)length, MSG_MORE, limit) &&
           wait_to_send(connection, request->value, request->length, MSG_MORE, limit) &&
           wait_to_send(connection, "\r\n", 2, 0, limit);
}

enum memcached_outcome memcached_run(int connection, const struct memcached_request *request,
                                     struct wait_limit limit)
{
    char line[LINE_BYTES_MAX];
    const bool is_get = request->verb == MEMCACHED_GET;
    const size_t key_length = strlen(request->key);
    if (key_length == 0 || key_length > MEMCACHED_KEY_MAX || request->length > MEMCACHED_VALUE_MAX)
        return MEMCACHED_FAILED;
    if (request->verb == MEMCACHED_SET)
        return send_set(connection, request, limit) ? MEMCACHED_DONE : MEMCACHED_FAILED;
    const int length =
        snprintf(line, sizeof line, is_get ? "get %s\r\n" : "delete %s noreply\r\n", request->key);
    if (!wait_to_send(connection, line, (size_t)length, 0, limit))
        return MEMCACHED_FAILED;
    return is_get ? receive_reply(connection, request->key, request->out, limit) : MEMCACHED_DONE;
}
