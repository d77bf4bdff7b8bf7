/* Deadlines of connections, with times of the test's own. A client that was shut down is seen by
 * the other end of its socket. */
#include "server/http/connection/timeouts.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static const struct time_limits limits = {.headers = 10, .body = 20, .send = 30, .idle = 15};

struct pair {
    struct connection connection;
    int other;
};

static void pair_open(struct pair *pair)
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
    *pair = (struct pair){.connection.socket = sockets[0], .other = sockets[1]};
}

static bool is_open(const struct pair *pair)
{
    char byte;
    return recv(pair->other, &byte, 1, 0) < 0 && errno == EAGAIN;
}

static void pair_close(struct pair *pair)
{
    close(pair->connection.socket);
    close(pair->other);
}

static void each_phase_has_its_limit(void **state)
{
    static const struct {
        enum connection_phase phase;
        int64_t limit;
    } cases[] = {
        {PHASE_HEADERS, 10000},
        {PHASE_BODY, 20000},
        {PHASE_IDLE, 15000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct timeouts timeouts = {0};
        struct pair pair;
        pair_open(&pair);
        timeouts_set_limits(&timeouts, &limits);
        timeouts_add(&timeouts, &pair.connection, 500);
        timeouts_set_phase(&timeouts, &pair.connection, cases[i].phase, 1000);
        assert_int_equal(timeouts_next(&timeouts, 1000, 60000), cases[i].limit);
        timeouts_expire(&timeouts, 1000 + cases[i].limit - 1);
        assert_true(is_open(&pair));
        assert_int_equal(timeouts_next(&timeouts, 1000 + cases[i].limit, 60000), 0);
        timeouts_expire(&timeouts, 1000 + cases[i].limit);
        assert_false(is_open(&pair));
        assert_int_equal(timeouts.timed_out[cases[i].phase], 1);
        assert_int_equal(timeouts_next(&timeouts, 0, 60000), 60000);
        timeouts_remove(&timeouts, &pair.connection);
        pair_close(&pair);
    }
}

static void a_request_being_worked_on_has_no_deadline(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    timeouts_set_limits(&timeouts, &limits);
    timeouts_add(&timeouts, &pair.connection, 0);
    timeouts_set_phase(&timeouts, &pair.connection, PHASE_WORKING, 0);
    timeouts_expire(&timeouts, INT64_C(1) << 40);
    assert_true(is_open(&pair));
    timeouts_remove(&timeouts, &pair.connection);
    pair_close(&pair);
}

static void a_request_that_begins_has_the_time_for_headers(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    timeouts_set_limits(&timeouts, &limits);
    timeouts_add(&timeouts, &pair.connection, 0);
    timeouts_begin(&timeouts, &pair.connection, 4000);
    assert_int_equal(timeouts_next(&timeouts, 0, 60000), 10000);
    timeouts_set_phase(&timeouts, &pair.connection, PHASE_IDLE, 5000);
    assert_int_equal(timeouts_next(&timeouts, 0, 60000), 20000);
    timeouts_begin(&timeouts, &pair.connection, 6000);
    assert_int_equal(timeouts_next(&timeouts, 0, 60000), 16000);
    timeouts_set_phase(&timeouts, &pair.connection, PHASE_IDLE, 7000);
    timeouts_begin(&timeouts, &pair.connection, 21000);
    assert_int_equal(timeouts_next(&timeouts, 0, 60000), 31000);
    timeouts_remove(&timeouts, &pair.connection);
    pair_close(&pair);
}

static void bytes_that_arrive_at_the_deadline_are_read(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    timeouts_set_limits(&timeouts, &limits);
    timeouts_add(&timeouts, &pair.connection, 0);
    timeouts_set_phase(&timeouts, &pair.connection, PHASE_IDLE, 1000);
    assert_int_equal(send(pair.other, "G", 1, 0), 1);
    assert_int_equal(timeouts_expire(&timeouts, 16000), 0);
    assert_true(is_open(&pair));
    assert_int_equal(pair.connection.phase, PHASE_HEADERS);
    assert_int_equal(timeouts_expire(&timeouts, 26000), 1);
    assert_false(is_open(&pair));
    pair_close(&pair);
}

static size_t fill(int socket)
{
    static const char bytes[64 * 1024];
    size_t filled = 0;
    for (ssize_t sent; (sent = send(socket, bytes, sizeof bytes, 0)) > 0;)
        filled += (size_t)sent;
    return filled;
}

static void drain(int socket, size_t max)
{
    char bytes[4096];
    ssize_t taken;
    while (max >= sizeof bytes && (taken = recv(socket, bytes, sizeof bytes, 0)) > 0)
        max -= (size_t)taken;
}

/* A new one, which has an answer from 0 s on and takes none of it until its limit's half. */
static size_t begin_sending(struct timeouts *timeouts, struct pair *pair)
{
    pair_open(pair);
    pair->connection.unix_socket = true;
    timeouts_set_limits(timeouts, &limits);
    timeouts_add(timeouts, &pair->connection, 0);
    timeouts_set_phase(timeouts, &pair->connection, PHASE_SENDING, 0);
    const size_t room = fill(pair->connection.socket);
    assert_int_equal(timeouts_expire(timeouts, 15000), 0);
    return room;
}

static void a_stalled_reader_of_a_unix_socket_is_shut_down(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    begin_sending(&timeouts, &pair);
    assert_int_equal(timeouts_expire(&timeouts, 29999), 0);
    assert_int_equal(timeouts_expire(&timeouts, 30000), 1);
    assert_int_equal(timeouts.timed_out[PHASE_SENDING], 1);
    pair_close(&pair);
}

/* Whoever takes all at once and waits is seen with a full buffer at every look. */
static void a_reader_that_takes_all_in_bursts_is_kept(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    const size_t room = begin_sending(&timeouts, &pair);
    for (int64_t now = 30000; now < 300000; now += 15000) {
        drain(pair.other, SIZE_MAX);
        fill(pair.connection.socket);
        assert_int_equal(timeouts_expire(&timeouts, now), 0);
    }
    drain(pair.other, SIZE_MAX);
    timeouts_set_phase(&timeouts, &pair.connection, PHASE_IDLE, 300000);
    assert_int_equal(fill(pair.connection.socket), room);
    timeouts_remove(&timeouts, &pair.connection);
    pair_close(&pair);
}

static void a_reader_that_takes_a_piece_is_kept(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    begin_sending(&timeouts, &pair);
    drain(pair.other, 64 * 1024);
    assert_int_equal(timeouts_expire(&timeouts, 30000), 0);
    assert_int_equal(timeouts_expire(&timeouts, 45000), 0);
    assert_int_equal(timeouts_expire(&timeouts, 60000), 1);
    pair_close(&pair);
}

static void a_reader_with_nothing_to_read_is_kept(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    begin_sending(&timeouts, &pair);
    drain(pair.other, SIZE_MAX);
    for (int64_t now = 30000; now < 300000; now += 15000)
        assert_int_equal(timeouts_expire(&timeouts, now), 0);
    timeouts_remove(&timeouts, &pair.connection);
    pair_close(&pair);
}

static void only_late_connections_are_shut_down(void **state)
{
    enum { COUNT = 9 };
    struct timeouts timeouts = {0};
    struct pair pairs[COUNT];
    (void)state;
    timeouts_set_limits(&timeouts, &limits);
    for (int i = 0; i < COUNT; i++) {
        pair_open(&pairs[i]);
        timeouts_add(&timeouts, &pairs[i].connection, 1000 * i);
    }
    /* One of the middle and both ends leave the list. */
    timeouts_set_phase(&timeouts, &pairs[4].connection, PHASE_BODY, 8000);
    timeouts_set_phase(&timeouts, &pairs[0].connection, PHASE_IDLE, 8000);
    timeouts_remove(&timeouts, &pairs[8].connection);
    timeouts_expire(&timeouts, 15000);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(is_open(&pairs[i]), i == 0 || i == 4 || i > 5);
    assert_int_equal(timeouts.timed_out[PHASE_HEADERS], 4);
    assert_int_equal(timeouts_next(&timeouts, 15000, 60000), 1000);
    for (int i = 0; i < COUNT; i++) {
        timeouts_remove(&timeouts, &pairs[i].connection);
        pair_close(&pairs[i]);
    }
}

static void new_limits_apply_to_open_connections(void **state)
{
    static const struct time_limits longer = {.headers = 40, .body = 20, .send = 30, .idle = 15};
    static const struct time_limits shorter = {.headers = 2, .body = 20, .send = 30, .idle = 15};
    struct timeouts timeouts = {0};
    struct pair first, second;
    (void)state;
    pair_open(&first);
    pair_open(&second);
    timeouts_set_limits(&timeouts, &limits);
    timeouts_add(&timeouts, &first.connection, 0);
    timeouts_set_limits(&timeouts, &longer);
    timeouts_add(&timeouts, &second.connection, 1000);
    timeouts_expire(&timeouts, 39999);
    assert_true(is_open(&first));
    assert_int_equal(timeouts_next(&timeouts, 2000, 60000), 38000);
    timeouts_set_limits(&timeouts, &shorter);
    assert_int_equal(timeouts_next(&timeouts, 1500, 60000), 500);
    timeouts_expire(&timeouts, 2000);
    assert_false(is_open(&first));
    assert_true(is_open(&second));
    timeouts_expire(&timeouts, 3000);
    assert_false(is_open(&second));
    timeouts_remove(&timeouts, &first.connection);
    timeouts_remove(&timeouts, &second.connection);
    pair_close(&first);
    pair_close(&second);
}

static void a_shut_down_connection_stays_shut_down(void **state)
{
    struct timeouts timeouts = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    timeouts_set_limits(&timeouts, &limits);
    timeouts_add(&timeouts, &pair.connection, 0);
    timeouts_expire(&timeouts, 10000);
    timeouts_set_phase(&timeouts, &pair.connection, PHASE_IDLE, 10000);
    timeouts_begin(&timeouts, &pair.connection, 10000);
    assert_int_equal(timeouts_next(&timeouts, 10000, 60000), 60000);
    pair_close(&pair);
}

static void the_longest_waiting_connections_make_room(void **state)
{
    struct timeouts timeouts = {0};
    struct pair begun, idle, body, working;
    (void)state;
    pair_open(&begun);
    pair_open(&idle);
    pair_open(&body);
    pair_open(&working);
    timeouts_set_limits(&timeouts, &limits);
    timeouts_add(&timeouts, &working.connection, 0);
    timeouts_set_phase(&timeouts, &working.connection, PHASE_WORKING, 0);
    timeouts_add(&timeouts, &body.connection, 0);
    timeouts_set_phase(&timeouts, &body.connection, PHASE_BODY, 1800);
    timeouts_add(&timeouts, &idle.connection, 0);
    timeouts_set_phase(&timeouts, &idle.connection, PHASE_IDLE, 1700);
    timeouts_add(&timeouts, &begun.connection, 1500);
    assert_int_equal(timeouts_evict(&timeouts, 9, 1999), 0); /* nobody has waited half a second */
    assert_int_equal(timeouts_evict(&timeouts, 1, 9000), 1);
    assert_false(is_open(&begun));
    assert_true(is_open(&idle));
    assert_int_equal(timeouts_evict(&timeouts, 1, 9000), 1);
    assert_false(is_open(&idle));
    assert_true(is_open(&body));
    assert_int_equal(timeouts_evict(&timeouts, 9, 9000), 1);
    assert_false(is_open(&body));
    assert_true(is_open(&working));
    assert_int_equal(timeouts.evicted, 3);
    pair_close(&begun);
    pair_close(&idle);
    pair_close(&body);
    pair_close(&working);
}

int test_timeouts(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_phase_has_its_limit),
        cmocka_unit_test(a_request_being_worked_on_has_no_deadline),
        cmocka_unit_test(a_request_that_begins_has_the_time_for_headers),
        cmocka_unit_test(bytes_that_arrive_at_the_deadline_are_read),
        cmocka_unit_test(a_stalled_reader_of_a_unix_socket_is_shut_down),
        cmocka_unit_test(a_reader_that_takes_all_in_bursts_is_kept),
        cmocka_unit_test(a_reader_that_takes_a_piece_is_kept),
        cmocka_unit_test(a_reader_with_nothing_to_read_is_kept),
        cmocka_unit_test(only_late_connections_are_shut_down),
        cmocka_unit_test(new_limits_apply_to_open_connections),
        cmocka_unit_test(a_shut_down_connection_stays_shut_down),
        cmocka_unit_test(the_longest_waiting_connections_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
