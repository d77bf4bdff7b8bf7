/* Addresses that --listen accepts. */
#include "server/base/listen_address.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void addresses_are_read_and_written(void **state)
{
    static const struct {
        const char *text, *written;
        int family;
        unsigned port, mode;
        bool secure;
    } cases[] = {
        {"127.0.0.1:8080", "http://127.0.0.1:8080", AF_INET, 8080, 0, false},
        {"http://0.0.0.0:0", "http://0.0.0.0:0", AF_INET, 0, 0, false},
        {"https://0.0.0.0:65535", "https://0.0.0.0:65535", AF_INET, 65535, 0, true},
        {"[::1]:80", "http://[::1]:80", AF_INET6, 80, 0, false},
        {"https://[2001:DB8::0001]:443", "https://[2001:db8::1]:443", AF_INET6, 443, 0, true},
        /* A port alone is for this machine, one behind a colon for all. */
        {"8080", "http://127.0.0.1:8080", AF_INET, 8080, 0, false},
        {"http://0", "http://127.0.0.1:0", AF_INET, 0, 0, false},
        {"https://8443", "https://127.0.0.1:8443", AF_INET, 8443, 0, true},
        {":8080", "http://0.0.0.0:8080", AF_INET, 8080, 0, false},
        {"https://:8443", "https://0.0.0.0:8443", AF_INET, 8443, 0, true},
        {"*:80", "http://0.0.0.0:80", AF_INET, 80, 0, false},
        {"localhost:80", "http://127.0.0.1:80", AF_INET, 80, 0, false},
        {"https://LocalHost:80", "https://127.0.0.1:80", AF_INET, 80, 0, true},
        {"unix:/run/t.sock", "unix:/run/t.sock", AF_UNIX, 0, 0660, false},
        {"unix:/run/t.sock?mode=0666", "unix:/run/t.sock", AF_UNIX, 0, 0666, false},
        {"unix:/run/t.sock?mode=7", "unix:/run/t.sock", AF_UNIX, 0, 7, false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listen_address address;
        struct error error = {0};
        char text[LISTEN_ADDRESS_TEXT];
        assert_true(listen_address_parse(&address, cases[i].text, &error));
        listen_address_write(&address, text);
        assert_string_equal(text, cases[i].written);
        assert_int_equal(address.socket.any.sa_family, cases[i].family);
        assert_int_equal(listen_address_port(&address), cases[i].port);
        assert_int_equal(address.mode, cases[i].mode);
        assert_int_equal(address.secure, cases[i].secure);
    }
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = {
        "",
        ":",
        "8080 ",
        "65536",
        ":65536",
        "-1",
        "127.0.0.1",
        "localhost",
        "nas.local:80",
        "localhost.example:80",
        "127.0.0.1:",
        "127.0.0.1:65536",
        "127.0.0.1:-1",
        "127.0.0.1:80 ",
        "::",
        "::1",
        "::1:80",
        "[::1]",
        "[]:80",
        "ftp://127.0.0.1:80",
        "https://unix:/x",
        "unix:",
        "unix:/",
        "unix:relative",
        "unix:/x?mode=",
        "unix:/x?mode=8",
        "unix:/x?mode=1000",
        "unix:/x?mode=06660",
        "unix:/0123456789012345678901234567890123456789012345678901234567890123456789012345678901"
        "2345678901234567890123456",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct listen_address address;
        struct error error = {0};
        if (listen_address_parse(&address, texts[i], &error))
            fail_msg("taken: %s", texts[i]);
        assert_int_equal(error.code, ERROR_VALUE);
    }
}

static void loopback_is_not_public(void **state)
{
    static const struct {
        const char *text;
        bool public;
    } cases[] = {
        {"0.0.0.0:80", true}, {"[::]:80", true},       {"192.0.2.1:80", true},
        {":80", true},        {"127.0.0.1:80", false}, {"127.3.2.1:80", false},
        {"[::1]:80", false},  {"80", false},           {"unix:/run/t.sock", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct listen_address address;
        assert_true(listen_address_parse(&address, cases[i].text, NULL));
        assert_int_equal(listen_address_is_public(&address), cases[i].public);
    }
}

static void the_longest_path_has_107_bytes(void **state)
{
    char text[5 + 107 + 1] = "unix:/";
    struct listen_address address;
    struct error error = {0};
    (void)state;
    memset(text + 6, 'a', 106);
    assert_true(listen_address_parse(&address, text, &error));
    assert_int_equal(strlen(address.socket.local.sun_path), 107);
}

int test_listen_address(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_and_written),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(loopback_is_not_public),
        cmocka_unit_test(the_longest_path_has_107_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
