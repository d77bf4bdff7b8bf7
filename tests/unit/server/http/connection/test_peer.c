/* The address that identifies a client for limits, and the counts by address. */
#include "server/http/connection/peer.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct ip_address peer(const char *text)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
        return peer_of((struct sockaddr *)&v4);
    assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
    return peer_of((struct sockaddr *)&v6);
}

static void addresses_are_one_peer_by_network(void **state)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {
        {"192.0.2.1", "192.0.2.1", true},
        {"192.0.2.1", "192.0.2.2", false},
        {"192.0.2.1", "::ffff:192.0.2.1", true},
        {"::ffff:192.0.2.1", "::ffff:192.0.2.2", false},
        {"2001:db8:1:2::1", "2001:db8:1:2:ffff::2", true},
        {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
        {"2001:db8::1", "192.0.2.1", false},
        {"::1", "::2", true},
        {"::1", "127.0.0.1", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ip_address a = peer(cases[i].a), b = peer(cases[i].b);
        assert_int_equal(ip_address_equals(&a, &b), cases[i].same);
    }
}

static void a_unix_socket_has_no_address(void **state)
{
    struct sockaddr local = {.sa_family = AF_UNIX};
    struct ip_address none = peer_of(&local);
    char text[PEER_TEXT];
    (void)state;
    peer_write(&none, text);
    assert_string_equal(text, "a unix socket");
}

static void peers_are_written_as_text(void **state)
{
    static const struct {
        const char *address, *written;
    } cases[] = {
        {"192.0.2.1", "192.0.2.1"},
        {"::ffff:192.0.2.1", "192.0.2.1"},
        {"2001:db8:1:2:3::4", "2001:db8:1:2::/64"},
        {"::1", "::1"},
        {"::", "::1"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[PEER_TEXT];
        struct ip_address one = peer(cases[i].address);
        peer_write(&one, text);
        assert_string_equal(text, cases[i].written);
    }
}

/* The number of a peer's connections: it may have one more as soon as the limit is above it. */
static unsigned count_of(struct peer_counts *counts, const struct ip_address *peer)
{
    unsigned limit = 0;
    while (!peer_counts_add(counts, peer, limit))
        limit++;
    peer_counts_remove(counts, peer);
    return limit - 1;
}

static void each_peer_has_a_limit_of_its_own(void **state)
{
    struct peer_counts *counts = peer_counts_new(8);
    struct ip_address a = peer("192.0.2.1"), b = peer("192.0.2.2");
    (void)state;
    assert_non_null(counts);
    assert_true(peer_counts_add(counts, &a, 2));
    assert_true(peer_counts_add(counts, &a, 2));
    assert_false(peer_counts_add(counts, &a, 2));
    assert_int_equal(count_of(counts, &a), 2);
    assert_true(peer_counts_add(counts, &b, 2));
    peer_counts_remove(counts, &a);
    assert_true(peer_counts_add(counts, &a, 2));
    assert_int_equal(count_of(counts, &b), 1);
    peer_counts_remove(counts, &b);
    assert_int_equal(count_of(counts, &b), 0);
    peer_counts_free(counts);
}

/* The same adds and removes in plain arrays: removing closes gaps of colliding peers rightly. */
static void a_full_table_agrees_with_plain_counts(void **state)
{
    enum { PEERS = 200, MOST = 100, STEPS = 20000 };
    struct peer_counts *counts = peer_counts_new(MOST);
    struct ip_address peers[PEERS];
    unsigned plain[PEERS] = {0}, total = 0, max = MOST;
    uint32_t random = 1;
    (void)state;
    assert_non_null(counts);
    for (unsigned i = 0; i < PEERS; i++) {
        struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(i)};
        peers[i] = peer_of((struct sockaddr *)&v4);
    }
    for (unsigned step = 0; step < STEPS; step++) {
        random = random * 1664525 + 1013904223;
        unsigned i = (random >> 8) % PEERS;
        if (random >> 31 && plain[i] > 0) {
            peer_counts_remove(counts, &peers[i]);
            plain[i]--;
            total--;
        } else if (total < max) {
            assert_int_equal(peer_counts_add(counts, &peers[i], 3), plain[i] < 3);
            total += plain[i] < 3;
            plain[i] += plain[i] < 3;
        }
        if (step == STEPS / 2)
            assert_true(peer_counts_grow(counts, max = 3 * MOST));
        if (step % 100 == 0)
            for (unsigned k = 0; k < PEERS; k++)
                assert_int_equal(count_of(counts, &peers[k]), plain[k]);
    }
    peer_counts_free(counts);
}

int test_peer(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_one_peer_by_network),
        cmocka_unit_test(a_unix_socket_has_no_address),
        cmocka_unit_test(peers_are_written_as_text),
        cmocka_unit_test(each_peer_has_a_limit_of_its_own),
        cmocka_unit_test(a_full_table_agrees_with_plain_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
