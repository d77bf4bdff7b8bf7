/* Lists of trusted proxies. */
#include "server/base/network_list.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool contains(const struct network_list *list, const char *text)
{
    struct ip_address address;
    assert_true(ip_address_parse(&address, text));
    return network_list_contains(list, &address);
}

static void addresses_are_compared_by_prefix(void **state)
{
    (void)state;
    static const struct {
        const char *proxy, *peer;
        bool trusted;
    } cases[] = {
        {"127.0.0.1", "127.0.0.1", true},
        {"127.0.0.1", "127.0.0.2", false},
        {"127.0.0.1", "::ffff:127.0.0.1", true},
        {"127.0.0.1", "::127.0.0.1", false},
        {"::ffff:10.1.2.3", "10.1.2.3", true},
        {"10.0.0.0/8", "10.255.255.255", true},
        {"10.0.0.0/8", "11.0.0.0", false},
        {"10.9.9.9/8", "10.0.0.1", true},
        {"192.0.2.128/25", "192.0.2.255", true},
        {"192.0.2.128/25", "192.0.2.127", false},
        {"172.16.0.0/12", "172.31.255.255", true},
        {"172.16.0.0/12", "172.32.0.0", false},
        {"192.0.2.7/31", "192.0.2.6", true},
        {"192.0.2.7/31", "192.0.2.8", false},
        {"0.0.0.0/0", "203.0.113.9", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"::/0", "2001:db8::1", true},
        {"::/0", "203.0.113.9", true},
        {"::1", "::1", true},
        {"::1", "::2", false},
        {"fd00::/8", "fdff::1", true},
        {"fd00::/8", "fe00::1", false},
        {"2001:db8::/33", "2001:db8:7fff::", true},
        {"2001:db8::/33", "2001:db8:8000::", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct network_list list;
        struct error error;
        assert_true(network_list_parse(&list, &cases[i].proxy, 1, &error));
        if (contains(&list, cases[i].peer) != cases[i].trusted)
            fail_msg("%s in %s", cases[i].peer, cases[i].proxy);
        network_list_free(&list);
    }
}

static void one_network_of_several_is_enough(void **state)
{
    (void)state;
    static const char *const texts[] = {"192.0.2.1", "fd00::/8"};
    struct network_list list;
    struct error error;
    assert_true(network_list_parse(&list, texts, 2, &error));
    assert_true(contains(&list, "192.0.2.1"));
    assert_true(contains(&list, "fd12::"));
    assert_false(contains(&list, "192.0.2.2"));
    network_list_free(&list);
    assert_false(contains(&list, "192.0.2.1"));
    assert_true(network_list_parse(&list, NULL, 0, &error));
    assert_false(contains(&list, "127.0.0.1"));
    network_list_free(&list);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "localhost",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/",
        "10.0.0.0/8/8",
        "10.0.0/8",
        "10.0.0.0 /8",
        "10.0.0.0/+8",
        "10.0.0.0/08",
        "::/129",
        "[::1]",
        "fe80::1%lo",
        "127.0.0.1:80",
        "/8",
        "*",
        "10.0.0.0/a",
        "0x7f.1",
        "1.2.3.4,::",
        "1111:2222:3333:4444:5555:6666:7777:8888:9999:aaaa:bbbb:cccc",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct network_list list;
        struct error error;
        if (network_list_parse(&list, &texts[i], 1, &error))
            fail_msg("\"%s\" was taken", texts[i]);
        assert_non_null(strstr(error.message, texts[i]));
        network_list_free(&list);
    }
}

int test_network_list(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_compared_by_prefix),
        cmocka_unit_test(one_network_of_several_is_enough),
        cmocka_unit_test(other_texts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
