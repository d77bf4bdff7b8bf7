/* Deadlines of connections, with times of the test's own. A client that was shut down is seen by
 * the other end of its socket. */
#include "server/http/reaper.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static const struct reaper_limits limits = {.headers = 10, .body = 20, .send = 30, .idle = 15};

struct pair {
    struct client client;
    int other;
};

static void pair_open(struct pair *pair)
{
    int sockets[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets), 0);
    *pair = (struct pair){.client.socket = sockets[0], .other = sockets[1]};
}

static bool is_open(const struct pair *pair)
{
    char byte;
    return recv(pair->other, &byte, 1, 0) < 0 && errno == EAGAIN;
}

static void pair_close(struct pair *pair)
{
    close(pair->client.socket);
    close(pair->other);
}

static void each_phase_has_its_limit(void **state)
{
    static const struct {
        enum client_phase phase;
        int64_t limit;
    } cases[] = {
        {PHASE_HEADERS, 10000},
        {PHASE_BODY, 20000},
        {PHASE_IDLE, 15000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reaper reaper = {0};
        struct pair pair;
        pair_open(&pair);
        reaper_set(&reaper, &limits);
        reaper_add(&reaper, &pair.client, 500);
        reaper_move(&reaper, &pair.client, cases[i].phase, 1000);
        assert_int_equal(reaper_wait(&reaper, 1000, 60000), cases[i].limit);
        reaper_run(&reaper, 1000 + cases[i].limit - 1);
        assert_true(is_open(&pair));
        assert_int_equal(reaper_wait(&reaper, 1000 + cases[i].limit, 60000), 0);
        reaper_run(&reaper, 1000 + cases[i].limit);
        assert_false(is_open(&pair));
        assert_int_equal(reaper.reaped[cases[i].phase], 1);
        assert_int_equal(reaper_wait(&reaper, 0, 60000), 60000);
        reaper_remove(&reaper, &pair.client);
        pair_close(&pair);
    }
}

static void who_is_worked_for_has_no_deadline(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    reaper_set(&reaper, &limits);
    reaper_add(&reaper, &pair.client, 0);
    reaper_move(&reaper, &pair.client, PHASE_WORKING, 0);
    reaper_run(&reaper, INT64_C(1) << 40);
    assert_true(is_open(&pair));
    reaper_remove(&reaper, &pair.client);
    pair_close(&pair);
}

static void a_request_that_begins_has_the_time_for_headers(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    reaper_set(&reaper, &limits);
    reaper_add(&reaper, &pair.client, 0);
    reaper_begin(&reaper, &pair.client, 4000);
    assert_int_equal(reaper_wait(&reaper, 0, 60000), 10000);
    reaper_move(&reaper, &pair.client, PHASE_IDLE, 5000);
    assert_int_equal(reaper_wait(&reaper, 0, 60000), 20000);
    reaper_begin(&reaper, &pair.client, 6000);
    assert_int_equal(reaper_wait(&reaper, 0, 60000), 16000);
    reaper_move(&reaper, &pair.client, PHASE_IDLE, 7000);
    reaper_begin(&reaper, &pair.client, 21000);
    assert_int_equal(reaper_wait(&reaper, 0, 60000), 31000);
    reaper_remove(&reaper, &pair.client);
    pair_close(&pair);
}

static void what_has_come_at_the_last_moment_is_read(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    reaper_set(&reaper, &limits);
    reaper_add(&reaper, &pair.client, 0);
    reaper_move(&reaper, &pair.client, PHASE_IDLE, 1000);
    assert_int_equal(send(pair.other, "G", 1, 0), 1);
    assert_int_equal(reaper_run(&reaper, 16000), 0);
    assert_true(is_open(&pair));
    assert_int_equal(pair.client.phase, PHASE_HEADERS);
    assert_int_equal(reaper_run(&reaper, 26000), 1);
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

static void drain(int socket, size_t most)
{
    char bytes[4096];
    ssize_t taken;
    while (most >= sizeof bytes && (taken = recv(socket, bytes, sizeof bytes, 0)) > 0)
        most -= (size_t)taken;
}

/* A new one, which has an answer from 0 s on and takes none of it until its limit's half. */
static size_t begin_sending(struct reaper *reaper, struct pair *pair)
{
    pair_open(pair);
    pair->client.local = true;
    reaper_set(reaper, &limits);
    reaper_add(reaper, &pair->client, 0);
    reaper_move(reaper, &pair->client, PHASE_SENDING, 0);
    const size_t room = fill(pair->client.socket);
    assert_int_equal(reaper_run(reaper, 15000), 0);
    return room;
}

static void who_takes_nothing_of_a_unix_socket_is_shut_down(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    begin_sending(&reaper, &pair);
    assert_int_equal(reaper_run(&reaper, 29999), 0);
    assert_int_equal(reaper_run(&reaper, 30000), 1);
    assert_int_equal(reaper.reaped[PHASE_SENDING], 1);
    pair_close(&pair);
}

/* Whoever takes all at once and waits is seen with a full buffer at every look. */
static void who_takes_all_now_and_then_is_not(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    const size_t room = begin_sending(&reaper, &pair);
    for (int64_t now = 30000; now < 300000; now += 15000) {
        drain(pair.other, SIZE_MAX);
        fill(pair.client.socket);
        assert_int_equal(reaper_run(&reaper, now), 0);
    }
    drain(pair.other, SIZE_MAX);
    reaper_move(&reaper, &pair.client, PHASE_IDLE, 300000);
    assert_int_equal(fill(pair.client.socket), room);
    reaper_remove(&reaper, &pair.client);
    pair_close(&pair);
}

static void who_takes_a_piece_is_not(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    begin_sending(&reaper, &pair);
    drain(pair.other, 64 * 1024);
    assert_int_equal(reaper_run(&reaper, 30000), 0);
    assert_int_equal(reaper_run(&reaper, 45000), 0);
    assert_int_equal(reaper_run(&reaper, 60000), 1);
    pair_close(&pair);
}

static void who_has_nothing_to_take_is_not_late(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    begin_sending(&reaper, &pair);
    drain(pair.other, SIZE_MAX);
    for (int64_t now = 30000; now < 300000; now += 15000)
        assert_int_equal(reaper_run(&reaper, now), 0);
    reaper_remove(&reaper, &pair.client);
    pair_close(&pair);
}

static void only_those_who_are_late_are_shut_down(void **state)
{
    enum { COUNT = 9 };
    struct reaper reaper = {0};
    struct pair pairs[COUNT];
    (void)state;
    reaper_set(&reaper, &limits);
    for (int i = 0; i < COUNT; i++) {
        pair_open(&pairs[i]);
        reaper_add(&reaper, &pairs[i].client, 1000 * i);
    }
    /* One of the middle and both ends leave the list. */
    reaper_move(&reaper, &pairs[4].client, PHASE_BODY, 8000);
    reaper_move(&reaper, &pairs[0].client, PHASE_IDLE, 8000);
    reaper_remove(&reaper, &pairs[8].client);
    reaper_run(&reaper, 15000);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(is_open(&pairs[i]), i == 0 || i == 4 || i > 5);
    assert_int_equal(reaper.reaped[PHASE_HEADERS], 4);
    assert_int_equal(reaper_wait(&reaper, 15000, 60000), 1000);
    for (int i = 0; i < COUNT; i++) {
        reaper_remove(&reaper, &pairs[i].client);
        pair_close(&pairs[i]);
    }
}

static void new_limits_are_for_those_who_are_there_too(void **state)
{
    static const struct reaper_limits longer = {.headers = 40, .body = 20, .send = 30, .idle = 15};
    static const struct reaper_limits shorter = {.headers = 2, .body = 20, .send = 30, .idle = 15};
    struct reaper reaper = {0};
    struct pair first, second;
    (void)state;
    pair_open(&first);
    pair_open(&second);
    reaper_set(&reaper, &limits);
    reaper_add(&reaper, &first.client, 0);
    reaper_set(&reaper, &longer);
    reaper_add(&reaper, &second.client, 1000);
    reaper_run(&reaper, 39999);
    assert_true(is_open(&first));
    assert_int_equal(reaper_wait(&reaper, 2000, 60000), 38000);
    reaper_set(&reaper, &shorter);
    assert_int_equal(reaper_wait(&reaper, 1500, 60000), 500);
    reaper_run(&reaper, 2000);
    assert_false(is_open(&first));
    assert_true(is_open(&second));
    reaper_run(&reaper, 3000);
    assert_false(is_open(&second));
    reaper_remove(&reaper, &first.client);
    reaper_remove(&reaper, &second.client);
    pair_close(&first);
    pair_close(&second);
}

static void what_was_shut_down_does_not_come_back(void **state)
{
    struct reaper reaper = {0};
    struct pair pair;
    (void)state;
    pair_open(&pair);
    reaper_set(&reaper, &limits);
    reaper_add(&reaper, &pair.client, 0);
    reaper_run(&reaper, 10000);
    reaper_move(&reaper, &pair.client, PHASE_IDLE, 10000);
    reaper_begin(&reaper, &pair.client, 10000);
    assert_int_equal(reaper_wait(&reaper, 10000, 60000), 60000);
    pair_close(&pair);
}

static void the_longest_waiting_make_room(void **state)
{
    struct reaper reaper = {0};
    struct pair begun, idle, body, working;
    (void)state;
    pair_open(&begun);
    pair_open(&idle);
    pair_open(&body);
    pair_open(&working);
    reaper_set(&reaper, &limits);
    reaper_add(&reaper, &working.client, 0);
    reaper_move(&reaper, &working.client, PHASE_WORKING, 0);
    reaper_add(&reaper, &body.client, 0);
    reaper_move(&reaper, &body.client, PHASE_BODY, 1800);
    reaper_add(&reaper, &idle.client, 0);
    reaper_move(&reaper, &idle.client, PHASE_IDLE, 1700);
    reaper_add(&reaper, &begun.client, 1500);
    assert_int_equal(reaper_evict(&reaper, 9, 1999), 0); /* nobody has waited half a second */
    assert_int_equal(reaper_evict(&reaper, 1, 9000), 1);
    assert_false(is_open(&begun));
    assert_true(is_open(&idle));
    assert_int_equal(reaper_evict(&reaper, 1, 9000), 1);
    assert_false(is_open(&idle));
    assert_true(is_open(&body));
    assert_int_equal(reaper_evict(&reaper, 9, 9000), 1);
    assert_false(is_open(&body));
    assert_true(is_open(&working));
    assert_int_equal(reaper.evicted, 3);
    pair_close(&begun);
    pair_close(&idle);
    pair_close(&body);
    pair_close(&working);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_phase_has_its_limit),
        cmocka_unit_test(who_is_worked_for_has_no_deadline),
        cmocka_unit_test(a_request_that_begins_has_the_time_for_headers),
        cmocka_unit_test(what_has_come_at_the_last_moment_is_read),
        cmocka_unit_test(who_takes_nothing_of_a_unix_socket_is_shut_down),
        cmocka_unit_test(who_takes_all_now_and_then_is_not),
        cmocka_unit_test(who_takes_a_piece_is_not),
        cmocka_unit_test(who_has_nothing_to_take_is_not_late),
        cmocka_unit_test(only_those_who_are_late_are_shut_down),
        cmocka_unit_test(new_limits_are_for_those_who_are_there_too),
        cmocka_unit_test(what_was_shut_down_does_not_come_back),
        cmocka_unit_test(the_longest_waiting_make_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
