/* Whose request it is. The texts are what proxies write. */
#include "server/http/request/client_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* As text, IPv4 as IPv6 maps it; "" without one. */
static const char *find(const char *peer, const char *const *forwarded,
                        const struct network_list *trusted)
{
    static char text[INET6_ADDRSTRLEN];
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    struct headers headers = {.host_count = 0};
    struct ip_address address;
    bool is_v4 = inet_pton(AF_INET, peer, &v4.sin_addr) == 1;
    if (!is_v4)
        assert_int_equal(inet_pton(AF_INET6, peer, &v6.sin6_addr), 1);
    for (; *forwarded; forwarded++)
        headers_add(&headers, "x-forwarded-for", *forwarded);
    const void *socket_address = is_v4 ? (const void *)&v4 : &v6;
    if (!client_address_network(&address, socket_address, &headers, trusted))
        return "";
    return inet_ntop(AF_INET6, &address, text, sizeof text);
}

static void the_client_is_the_last_untrusted_address(void **state)
{
    (void)state;
    static const char *const texts[] = {"127.0.0.1", "10.0.0.0/8", "2001:db8:aa::/48"};
    static const struct {
        const char *peer;
        const char *forwarded[6];
        const char *client;
    } cases[] = {
        /* No proxy: nobody believes the header. */
        {"192.0.2.1", {NULL}, "::ffff:192.0.2.1"},
        {"192.0.2.1", {"198.51.100.7"}, "::ffff:192.0.2.1"},
        {"2001:db8:1:2:3:4:5:6", {NULL}, "2001:db8:1:2::"},
        {"::ffff:192.0.2.1", {NULL}, "::ffff:192.0.2.1"},
        {"::1", {NULL}, "::1"},
        /* One proxy. */
        {"127.0.0.1", {"198.51.100.7"}, "::ffff:198.51.100.7"},
        {"127.0.0.1", {"2001:db8:1:2:ffff::9"}, "2001:db8:1:2::"},
        {"10.1.2.3", {"198.51.100.7:4711"}, "::ffff:198.51.100.7"},
        {"10.1.2.3", {"[2001:db8:1:2::9]:4711"}, "2001:db8:1:2::"},
        {"10.1.2.3", {"[2001:db8:1:2::9]"}, "2001:db8:1:2::"},
        /* The client's own entries come first. */
        {"127.0.0.1", {"1.1.1.1, 198.51.100.7"}, "::ffff:198.51.100.7"},
        {"127.0.0.1", {"127.0.0.1,198.51.100.7"}, "::ffff:198.51.100.7"},
        {"127.0.0.1", {"1.1.1.1", "198.51.100.7"}, "::ffff:198.51.100.7"},
        /* Several proxies, in one header and in several. */
        {"127.0.0.1", {"1.1.1.1, 198.51.100.7, 10.0.0.1 , 2001:db8:aa::1"}, "::ffff:198.51.100.7"},
        {"127.0.0.1", {"1.1.1.1, 198.51.100.7", "10.0.0.1", "10.0.0.2"}, "::ffff:198.51.100.7"},
        /* Nobody else is named: the farthest proxy is the client. */
        {"127.0.0.1", {NULL}, "::ffff:127.0.0.1"},
        {"127.0.0.1", {"10.0.0.1, 10.0.0.2"}, "::ffff:10.0.0.1"},
        /* An entry that is no address ends the search. */
        {"127.0.0.1", {"unknown"}, "::ffff:127.0.0.1"},
        {"127.0.0.1", {"198.51.100.7, unknown, 10.0.0.1"}, "::ffff:10.0.0.1"},
        {"127.0.0.1", {"198.51.100.7,"}, "::ffff:127.0.0.1"},
        {"127.0.0.1", {""}, "::ffff:127.0.0.1"},
        {"127.0.0.1", {"[198.51.100.7"}, "::ffff:127.0.0.1"},
        {"127.0.0.1", {"0x7f.1"}, "::ffff:127.0.0.1"},
        /* Only so many headers are looked at. */
        {"127.0.0.1",
         {"198.51.100.7", "10.0.0.4", "10.0.0.3", "10.0.0.2", "10.0.0.1"},
         "::ffff:10.0.0.4"},
    };
    struct network_list trusted;
    struct error error;
    assert_true(network_list_parse(&trusted, texts, 3, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(find(cases[i].peer, cases[i].forwarded, &trusted), cases[i].client);
    network_list_free(&trusted);
}

static void other_families_have_no_address(void **state)
{
    (void)state;
    const struct sockaddr local = {.sa_family = AF_UNIX};
    const struct headers headers = {.host_count = 0};
    const struct network_list nobody = {.count = 0};
    struct ip_address address;
    assert_false(client_address_network(&address, &local, &headers, &nobody));
    assert_false(client_address_network(&address, NULL, &headers, &nobody));
}

static void a_unix_socket_is_a_proxy_without_an_address(void **state)
{
    static const struct {
        const char *forwarded[3];
        const char *client;
    } cases[] = {
        {{NULL}, ""},
        {{"198.51.100.7"}, "::ffff:198.51.100.7"},
        {{"1.1.1.1, 198.51.100.7, 10.0.0.1"}, "::ffff:198.51.100.7"},
        {{"1.1.1.1, 198.51.100.7", "10.0.0.1"}, "::ffff:198.51.100.7"},
        {{"10.0.0.1"}, "::ffff:10.0.0.1"},
        {{"198.51.100.7, unknown"}, ""},
        {{"unknown, 10.0.0.1"}, "::ffff:10.0.0.1"},
    };
    static const char *const texts[] = {"10.0.0.0/8"};
    const struct sockaddr peer = {.sa_family = AF_UNIX};
    struct network_list trusted;
    struct error error;
    (void)state;
    assert_true(network_list_parse(&trusted, texts, 1, &error));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct headers headers = {.host_count = 0};
        char text[INET6_ADDRSTRLEN] = "";
        struct ip_address address;
        for (const char *const *one = cases[i].forwarded; *one; one++)
            headers_add(&headers, "X-Forwarded-For", *one);
        if (client_address_network(&address, &peer, &headers, &trusted))
            inet_ntop(AF_INET6, &address, text, sizeof text);
        assert_string_equal(text, cases[i].client);
    }
    network_list_free(&trusted);
}

int test_client_address(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_unix_socket_is_a_proxy_without_an_address),
        cmocka_unit_test(the_client_is_the_last_untrusted_address),
        cmocka_unit_test(other_families_have_no_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
