/* The client of memcached's text protocol against servers that misbehave. A real memcached is in
 * test_shared.c, malformed replies through the whole tier in test_shared_faults.c. */
#include "server/cache/memcached_connection.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/base/clock.h"

enum { TIMEOUT = 200, LONG_TIMEOUT = 10000 }; /* milliseconds */

/* A server for one client: reads `request_bytes`, sends `reply` in pieces, and closes the
 * connection or waits until the client does. */
struct peer {
    const char *reply;
    size_t reply_length, piece, request_bytes;
    long pause; /* milliseconds after each piece */
    bool closes;

    pthread_t thread;
    int listener;
    struct memcached_address address;
    char request[4096]; /* what it has read, once it has ended */
    size_t request_length;
};

static void pause_milliseconds(long milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000}, NULL);
}

static void *peer_main(void *argument)
{
    struct peer *peer = argument;
    const int client = accept(peer->listener, NULL, NULL);
    while (peer->request_length < peer->request_bytes) {
        const ssize_t count = recv(client, peer->request + peer->request_length,
                                   sizeof peer->request - peer->request_length, 0);
        if (count <= 0)
            break;
        peer->request_length += (size_t)count;
    }
    for (size_t sent = 0; sent < peer->reply_length;) {
        const size_t rest = peer->reply_length - sent;
        const ssize_t count =
            send(client, peer->reply + sent, rest < peer->piece ? rest : peer->piece, MSG_NOSIGNAL);
        if (count <= 0)
            break;
        sent += (size_t)count;
        pause_milliseconds(peer->pause);
    }
    char rest[4096];
    while (!peer->closes && recv(client, rest, sizeof rest, 0) > 0)
        ;
    close(client);
    return NULL;
}

/* Listens; the kernel accepts a client, and nobody reads what it sends. */
static void peer_listen(struct peer *peer)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    peer->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(peer->listener, (struct sockaddr *)&address, length), 0);
    assert_int_equal(listen(peer->listener, 1), 0);
    assert_int_equal(getsockname(peer->listener, (struct sockaddr *)&address, &length), 0);
    memcpy(&peer->address.socket, &address, sizeof address);
    peer->address.length = length;
}

static void peer_start(struct peer *peer)
{
    peer->piece = peer->piece ? peer->piece : peer->reply_length;
    peer->request_bytes = peer->request_bytes ? peer->request_bytes : sizeof "get key\r\n" - 1;
    peer_listen(peer);
    assert_int_equal(pthread_create(&peer->thread, NULL, peer_main, peer), 0);
}

static void peer_stop(struct peer *peer)
{
    pthread_join(peer->thread, NULL);
    close(peer->listener);
}

static struct memcached_request get_request(struct buffer *out)
{
    return (struct memcached_request){.verb = MEMCACHED_GET, .key = "key", .out = out};
}

/* One get from such a server, within `timeout` milliseconds. */
static enum memcached_outcome get_from(struct peer *peer, struct buffer *out, int64_t timeout)
{
    const struct memcached_request get = get_request(out);
    peer_start(peer);
    const int64_t deadline = clock_milliseconds() + timeout;
    const int connection = memcached_connect(&peer->address, wait_limit_at(deadline));
    assert_true(connection >= 0);
    const enum memcached_outcome outcome = memcached_run(connection, &get, wait_limit_at(deadline));
    close(connection);
    peer_stop(peer);
    return outcome;
}

#define REPLY(text) .reply = (text), .reply_length = sizeof(text) - 1

static void a_value_is_appended_however_it_arrives(void **state)
{
    (void)state;
    for (size_t piece = 1; piece < 40; piece++) {
        struct peer peer = {REPLY("VALUE key 4294967295 5\r\na\0\r\nc\r\nEND\r\n"), .piece = piece};
        struct buffer out = {0};
        buffer_text(&out, "before");
        assert_int_equal(get_from(&peer, &out, LONG_TIMEOUT), MEMCACHED_DONE);
        assert_int_equal(out.length, 11);
        assert_memory_equal(out.data, "beforea\0\r\nc", 11);
        assert_memory_equal(peer.request, "get key\r\n", 9);
        assert_int_equal(peer.request_length, 9);
        buffer_free(&out);
    }
}

static void malformed_replies_fail(void **state)
{
    static const struct peer cases[] = {
        {REPLY("\0\0\0\0\0\0\0\0"), .closes = true},
        {REPLY("\0\r\n")},
        {REPLY("VALUE key 0 3\0\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key\0 0 3\r\nabc\r\nEND\r\n")},
        {REPLY("END\0\r\n")},
        {REPLY("END\n")},
        {REPLY("END\r\nEND\r\n")},
        {REPLY("VALUE kez 0 3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key1 0 3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE ke 0 3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE  key 0 3\r\nabc\r\nEND\r\n")},
        {REPLY("value key 0 3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 3\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 3 7\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 3 \r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 4294967296 3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 03\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 +3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 -3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 3\r\nabcd\r\nEND\r\n")},
        {REPLY("VALUE key 0 3\r\nabc\r\nEND\r\nX")},
        {REPLY("VALUE key 0 3\r\nabc\r\nEND\rX")},
        {REPLY("VALUE key 0 3\r\nabc\r\nVALUE key 0 3\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 1047553\r\n")},              /* one more than MEMCACHED_VALUE_MAX */
        {REPLY("VALUE key 0 18446744073709551616\r\n")}, /* 2⁶⁴, which wraps to 0 */
        {REPLY("VALUE key 0 18446744073709551619\r\nabc\r\nEND\r\n")},
        {REPLY("VALUE key 0 4294967299\r\nabc\r\nEND\r\n")}, /* 2³² + 3 */
        {REPLY("VERSION\0\r\n")},
        {REPLY("ERROR\r\n")},
        {REPLY("SERVER_ERROR out of memory\r\n")},
        {.reply = "", .closes = true},
        {REPLY("VALUE key 0 3\r\nab"), .closes = true},
        {REPLY("EN"), .closes = true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct peer peer = cases[i];
        struct buffer out = {0};
        buffer_text(&out, "before");
        const int64_t start = clock_milliseconds();
        if (get_from(&peer, &out, LONG_TIMEOUT) != MEMCACHED_FAILED)
            fail_msg("case %zu was taken", i);
        assert_true(clock_milliseconds() - start < LONG_TIMEOUT); /* no deadline was waited for */
        assert_int_equal(out.length, 6);
        buffer_free(&out);
    }
}

static void a_miss_is_a_miss(void **state)
{
    struct peer peer = {REPLY("END\r\n"), .piece = 1};
    struct buffer out = {0};
    (void)state;
    assert_int_equal(get_from(&peer, &out, LONG_TIMEOUT), MEMCACHED_MISS);
    assert_int_equal(out.length, 0);
    buffer_free(&out);
}

/* A byte every 30 ms: each wait is short, and all of them together would take four seconds. */
static void a_peer_that_drips_cannot_extend_the_deadline(void **state)
{
    char reply[160] = "VALUE key 0 128\r\n";
    struct peer peer = {
        .reply = reply, .reply_length = sizeof reply, .piece = 1, .pause = 30, .closes = true};
    struct buffer out = {0};
    const struct memcached_request get = get_request(&out);
    (void)state;
    peer_start(&peer);
    const int64_t start = clock_milliseconds(), deadline = start + TIMEOUT;
    const int connection = memcached_connect(&peer.address, wait_limit_at(deadline));
    assert_true(connection >= 0);
    assert_int_equal(memcached_run(connection, &get, wait_limit_at(deadline)), MEMCACHED_FAILED);
    assert_in_range(clock_milliseconds() - start, TIMEOUT, 10 * TIMEOUT);
    assert_int_equal(out.length, 0);
    close(connection);
    peer_stop(&peer);
    buffer_free(&out);
}

/* The same when nothing comes at all. */
static void a_silent_peer_costs_the_time_until_the_deadline(void **state)
{
    struct peer peer = {.reply = ""};
    struct buffer out = {0};
    const int64_t start = clock_milliseconds();
    (void)state;
    assert_int_equal(get_from(&peer, &out, TIMEOUT), MEMCACHED_FAILED);
    assert_in_range(clock_milliseconds() - start, TIMEOUT, 10 * TIMEOUT);
    buffer_free(&out);
}

/* For a server that reads nothing: the connection's buffers hold less than two such values. */
static void a_set_that_is_not_taken_fails_at_the_deadline(void **state)
{
    struct peer peer = {0};
    const struct memcached_request set = {.verb = MEMCACHED_SET,
                                          .key = "key",
                                          .value = calloc(1, MEMCACHED_VALUE_MAX),
                                          .length = MEMCACHED_VALUE_MAX};
    enum memcached_outcome outcome = MEMCACHED_DONE;
    (void)state;
    assert_non_null(set.value);
    peer_listen(&peer);
    const int connection =
        memcached_connect(&peer.address, wait_limit_at(clock_milliseconds() + LONG_TIMEOUT));
    assert_true(connection >= 0);
    setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &(int){65536}, sizeof(int));
    const int64_t start = clock_milliseconds();
    for (int i = 0; i < 8 && outcome == MEMCACHED_DONE; i++)
        outcome = memcached_run(connection, &set, wait_limit_at(start + TIMEOUT));
    assert_int_equal(outcome, MEMCACHED_FAILED);
    assert_in_range(clock_milliseconds() - start, TIMEOUT, 10 * TIMEOUT);
    close(connection);
    close(peer.listener);
    free((void *)(uintptr_t)set.value);
}

static void set_and_delete_do_not_wait_for_a_reply(void **state)
{
    static const char expected[] = "set key 0 7 3 noreply\r\na\0b\r\ndelete key noreply\r\n";
    struct peer peer = {.reply = "", .request_bytes = sizeof expected - 1};
    const struct memcached_request set = {.verb = MEMCACHED_SET,
                                          .key = "key",
                                          .value = (const uint8_t *)"a\0b",
                                          .length = 3,
                                          .seconds = 7},
                                   delete = {.verb = MEMCACHED_DELETE, .key = "key"};
    (void)state;
    peer_start(&peer);
    const int64_t deadline = clock_milliseconds() + LONG_TIMEOUT;
    const int connection = memcached_connect(&peer.address, wait_limit_at(deadline));
    assert_true(connection >= 0);
    assert_int_equal(memcached_run(connection, &set, wait_limit_at(deadline)), MEMCACHED_DONE);
    assert_int_equal(memcached_run(connection, &delete, wait_limit_at(deadline)), MEMCACHED_DONE);
    assert_true(clock_milliseconds() < deadline);
    close(connection);
    peer_stop(&peer);
    assert_int_equal(peer.request_length, sizeof expected - 1);
    assert_memory_equal(peer.request, expected, sizeof expected - 1);
}

/* Writing to a connection that the server has closed would raise SIGPIPE. */
static void a_closed_connection_fails_without_a_signal(void **state)
{
    struct peer peer = {.reply = "", .closes = true, .request_bytes = 1};
    const struct memcached_request delete = {.verb = MEMCACHED_DELETE, .key = "key"};
    enum memcached_outcome outcome = MEMCACHED_DONE;
    (void)state;
    peer_start(&peer);
    const int64_t deadline = clock_milliseconds() + LONG_TIMEOUT;
    const int connection = memcached_connect(&peer.address, wait_limit_at(deadline));
    assert_true(connection >= 0);
    while (outcome == MEMCACHED_DONE && clock_milliseconds() < deadline)
        outcome = memcached_run(connection, &delete, wait_limit_at(deadline));
    assert_int_equal(outcome, MEMCACHED_FAILED);
    close(connection);
    peer_stop(&peer);
}

static void a_refused_connection_is_a_failure(void **state)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    struct memcached_address nowhere = {.length = length}, none = {.length = 0};
    const int bound = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0); /* does not listen */
    (void)state;
    assert_int_equal(bind(bound, (struct sockaddr *)&address, length), 0);
    assert_int_equal(getsockname(bound, (struct sockaddr *)&address, &length), 0);
    memcpy(&nowhere.socket, &address, sizeof address);
    assert_int_equal(
        memcached_connect(&nowhere, wait_limit_at(clock_milliseconds() + LONG_TIMEOUT)), -1);
    assert_int_equal(memcached_connect(&none, wait_limit_at(clock_milliseconds() + LONG_TIMEOUT)),
                     -1);
    close(bound);
}

static void requests_beyond_the_limits_are_not_sent(void **state)
{
    char key[MEMCACHED_KEY_MAX + 2];
    struct buffer out = {0};
    struct memcached_request request = get_request(&out);
    (void)state;
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    request.key = key;
    assert_int_equal(memcached_run(-1, &request, wait_limit_at(0)), MEMCACHED_FAILED);
    request.key = "";
    assert_int_equal(memcached_run(-1, &request, wait_limit_at(0)), MEMCACHED_FAILED);
    request = (struct memcached_request){
        .verb = MEMCACHED_SET, .key = "key", .length = MEMCACHED_VALUE_MAX + 1};
    assert_int_equal(memcached_run(-1, &request, wait_limit_at(0)), MEMCACHED_FAILED);
}

int test_memcached_connection(void)
{
    signal(SIGPIPE, SIG_DFL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_appended_however_it_arrives),
        cmocka_unit_test(malformed_replies_fail),
        cmocka_unit_test(a_miss_is_a_miss),
        cmocka_unit_test(a_peer_that_drips_cannot_extend_the_deadline),
        cmocka_unit_test(a_silent_peer_costs_the_time_until_the_deadline),
        cmocka_unit_test(a_set_that_is_not_taken_fails_at_the_deadline),
        cmocka_unit_test(set_and_delete_do_not_wait_for_a_reply),
        cmocka_unit_test(a_closed_connection_fails_without_a_signal),
        cmocka_unit_test(a_refused_connection_is_a_failure),
        cmocka_unit_test(requests_beyond_the_limits_are_not_sent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
