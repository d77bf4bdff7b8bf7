/* Addresses of a shared cache, and which server keeps a key. */
#include "server/cache/shared_ring.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void addresses_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *url, *host;
        uint16_t port;
    } cases[] = {
        {"memcached://127.0.0.1:11311", "127.0.0.1", 11311},
        {"memcached://cache-1.internal", "cache-1.internal", 11211},
        {"memcached://[::1]:65535", "::1", 65535},
        {"memcached://[fe80::1%eth0]", "fe80::1%eth0", 11211},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shared_addresses addresses = {0};
        assert_true(shared_addresses_add(&addresses, cases[i].url, NULL));
        assert_int_equal(addresses.count, 1);
        assert_string_equal(addresses.list[0].host, cases[i].host);
        assert_int_equal(addresses.list[0].port, cases[i].port);
    }
}

static void lists_add_up(void **state)
{
    (void)state;
    struct shared_addresses addresses = {0};
    assert_true(shared_addresses_add(&addresses, "memcached://a:1,b:2", NULL));
    assert_true(shared_addresses_add(&addresses, "memcached://[::1]:3,c", NULL));
    assert_int_equal(addresses.count, 4);
    assert_string_equal(addresses.list[1].host, "b");
    assert_string_equal(addresses.list[3].host, "c");
}

static void what_is_wrong_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *url, *message;
    } cases[] = {
        {"", "must be memcached://HOST:PORT[,HOST:PORT...], not \"\""},
        {"10.0.0.5:11211", "must be memcached://HOST:PORT[,HOST:PORT...], not \"10.0.0.5:11211\""},
        {"redis://a:1", "must be memcached://HOST:PORT[,HOST:PORT...], not \"redis://a:1\""},
        {"memcached://", "\"\" must be HOST:PORT"},
        {"memcached://a:1,", "\"\" must be HOST:PORT"},
        {"memcached://a:1,,b:2", "\"\" must be HOST:PORT"},
        {"memcached://a:", "\"a:\" must be HOST:PORT"},
        {"memcached://a:0", "\"a:0\" must be HOST:PORT"},
        {"memcached://a:65536", "\"a:65536\" must be HOST:PORT"},
        {"memcached://a:1/path", "\"a:1/path\" must be HOST:PORT"},
        {"memcached://:11211", "\":11211\" must be HOST:PORT"},
        {"memcached://::1", "\"::1\" must be HOST:PORT"},
        {"memcached://[::1", "\"[::1\" must be HOST:PORT"},
        {"memcached://[::1]x", "\"[::1]x\" must be HOST:PORT"},
        {"memcached://[a]:1", "\"[a]:1\" must be HOST:PORT"},
        {"memcached:///tmp/socket", "\"/tmp/socket\" must be HOST:PORT"},
        {"memcached://user@a:1", "\"user@a:1\" must be HOST:PORT"},
        {"memcached://a:1,b,a:1", "a:1 is named twice"},
        {"memcached://a,a:11211", "a:11211 is named twice"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shared_addresses addresses = {0};
        struct error error = {0};
        assert_false(shared_addresses_add(&addresses, cases[i].url, &error));
        assert_int_equal(error.code, ERROR_VALUE);
        assert_memory_equal(error.message, cases[i].message, strlen(cases[i].message));
    }
}

static void there_is_a_most(void **state)
{
    (void)state;
    struct shared_addresses addresses = {0};
    struct error error = {0};
    char url[64];
    for (int i = 0; i <= SHARED_SERVERS_MAX; i++) {
        snprintf(url, sizeof url, "memcached://cache-%d", i);
        assert_int_equal(shared_addresses_add(&addresses, url, &error), i < SHARED_SERVERS_MAX);
    }
    assert_int_equal(error.code, ERROR_LIMIT);
    char long_name[400] = "memcached://";
    memset(long_name + strlen(long_name), 'a', 300);
    assert_false(shared_addresses_add(&(struct shared_addresses){0}, long_name, &error));
}

/* The 24 keys terrane1:0…0 to terrane1:0…17 (hex), by an implementation of ketama in Python: MD5 of
 * "host:port-i" ("host-i" on port 11211), 40 of them a server, four points each. */
static void keys_go_where_ketama_says(void **state)
{
    (void)state;
    static const char three[] = "222122001020011111001121", two[] = "000100110101111010111101";
    static const struct {
        const char *url, *expected;
    } cases[] = {
        {"memcached://cache-1:11211,cache-2:11211,10.0.0.7:11311", three},
        {"memcached://10.0.0.7:11311,cache-1", two},
        {"memcached://cache-1", "000000000000000000000000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct shared_addresses addresses = {0};
        assert_true(shared_addresses_add(&addresses, cases[i].url, NULL));
        struct shared_ring *ring = shared_ring_new(&addresses);
        assert_non_null(ring);
        for (unsigned k = 0; k < 24; k++) {
            char key[64];
            snprintf(key, sizeof key, "terrane1:%032x", k);
            assert_int_equal(shared_ring_find(ring, key, strlen(key)), cases[i].expected[k] - '0');
        }
        shared_ring_free(ring);
    }
}

int test_shared_ring(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read),        cmocka_unit_test(lists_add_up),
        cmocka_unit_test(what_is_wrong_is_said),     cmocka_unit_test(there_is_a_most),
        cmocka_unit_test(keys_go_where_ketama_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
