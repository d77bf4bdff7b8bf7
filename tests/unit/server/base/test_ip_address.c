/* IP addresses: text, socket addresses, loopback, networks. The lists of trusted proxies
 * (test_network_list.c) test prefixes further. */
#include "server/base/ip_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void addresses_are_read_and_written(void **state)
{
    static const struct {
        const char *text, *written;
        bool is_v4, is_loopback;
    } cases[] = {
        {"192.0.2.1", "192.0.2.1", true, false},
        {"::ffff:192.0.2.1", "192.0.2.1", true, false},
        {"::192.0.2.1", "::192.0.2.1", false, false},
        {"2001:DB8::0001", "2001:db8::1", false, false},
        {"127.0.0.1", "127.0.0.1", true, true},
        {"127.9.9.9", "127.9.9.9", true, true},
        {"::ffff:127.0.0.1", "127.0.0.1", true, true},
        {"::1", "::1", false, true},
        {"::", "::", false, false},
        {"128.0.0.1", "128.0.0.1", true, false},
        {"7f00::1", "7f00::1", false, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ip_address address;
        char text[IP_ADDRESS_TEXT];
        assert_true(ip_address_parse(&address, cases[i].text));
        ip_address_write(&address, text);
        assert_string_equal(text, cases[i].written);
        assert_int_equal(ip_address_is_v4(&address), cases[i].is_v4);
        assert_int_equal(ip_address_is_loopback(&address), cases[i].is_loopback);
    }
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = {"",      "localhost", "1.2.3",     "0x7f.1",
                                        "[::1]", "::1%lo",    "1.2.3.4:80"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(ip_address_parse(&(struct ip_address){{0}}, texts[i]));
}

static void socket_addresses_of_both_families_are_read(void **state)
{
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct ip_address address, mapped;
    (void)state;
    assert_int_equal(inet_pton(AF_INET, "192.0.2.1", &v4.sin_addr), 1);
    assert_int_equal(inet_pton(AF_INET6, "::ffff:192.0.2.1", &v6.sin6_addr), 1);
    assert_true(ip_address_from_socket(&address, (struct sockaddr *)&v4));
    assert_true(ip_address_from_socket(&mapped, (struct sockaddr *)&v6));
    assert_true(ip_address_equals(&address, &mapped));
    assert_false(ip_address_from_socket(&address, NULL));
    assert_false(ip_address_from_socket(&address, &(struct sockaddr){.sa_family = AF_UNIX}));
}

static void the_host_part_of_ipv6_is_cleared(void **state)
{
    static const struct {
        const char *text, *cleared;
    } cases[] = {
        {"192.0.2.1", "192.0.2.1"},
        {"2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"},
        {"2001:db8:1:2::", "2001:db8:1:2::"},
        {"::1", "::"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ip_address address;
        char text[IP_ADDRESS_TEXT];
        assert_true(ip_address_parse(&address, cases[i].text));
        ip_address_clear_host(&address);
        ip_address_write(&address, text);
        assert_string_equal(text, cases[i].cleared);
    }
}

int test_ip_address(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_and_written),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(socket_addresses_of_both_families_are_read),
        cmocka_unit_test(the_host_part_of_ipv6_is_cleared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
