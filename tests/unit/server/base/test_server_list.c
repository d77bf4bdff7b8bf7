/* The URLs of memcached servers. */
#include "server/base/server_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void urls_are_read(void **state)
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
        struct server_list list = {0};
        assert_true(server_list_add(&list, cases[i].url, NULL));
        assert_int_equal(list.count, 1);
        assert_string_equal(list.servers[0].host, cases[i].host);
        assert_int_equal(list.servers[0].port, cases[i].port);
    }
}

static void several_urls_make_one_list(void **state)
{
    (void)state;
    struct server_list list = {0};
    assert_true(server_list_add(&list, "memcached://a:1,b:2", NULL));
    assert_true(server_list_add(&list, "memcached://[::1]:3,c", NULL));
    assert_int_equal(list.count, 4);
    assert_string_equal(list.servers[1].host, "b");
    assert_string_equal(list.servers[3].host, "c");
}

static void a_malformed_url_is_refused(void **state)
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
        struct server_list list = {0};
        struct error error = {0};
        assert_false(server_list_add(&list, cases[i].url, &error));
        assert_int_equal(error.code, ERROR_VALUE);
        assert_memory_equal(error.message, cases[i].message, strlen(cases[i].message));
    }
}

static void the_number_of_servers_is_limited(void **state)
{
    (void)state;
    struct server_list list = {0};
    struct error error = {0};
    char url[64];
    for (int i = 0; i <= SERVERS_MAX; i++) {
        snprintf(url, sizeof url, "memcached://cache-%d", i);
        assert_int_equal(server_list_add(&list, url, &error), i < SERVERS_MAX);
    }
    assert_int_equal(error.code, ERROR_LIMIT);
    char long_name[400] = "memcached://";
    memset(long_name + strlen(long_name), 'a', 300);
    assert_false(server_list_add(&(struct server_list){0}, long_name, &error));
}

int test_server_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(urls_are_read),
        cmocka_unit_test(several_urls_make_one_list),
        cmocka_unit_test(a_malformed_url_is_refused),
        cmocka_unit_test(the_number_of_servers_is_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
