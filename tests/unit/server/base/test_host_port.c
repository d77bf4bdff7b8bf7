/* HOST:PORT in its four forms. */
#include "server/base/host_port.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void the_four_forms_are_split(void **state)
{
    static const struct {
        const char *text, *host, *port; /* the port is null without a colon */
        bool is_name;
    } cases[] = {
        {"cache-1.example", "cache-1.example", NULL, true},
        {"10.0.0.5:11211", "10.0.0.5", "11211", true},
        {"[::1]", "::1", NULL, false},
        {"[fe80::1%eth0]:80", "fe80::1%eth0", "80", false},
        {"a:", "a", "", true},

        {"a b:1", "a b", "1", false},
        {"user@a:1", "user@a", "1", false},
        {"a:1:2", "a", "1:2", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct host_port parts;
        const bool expected = cases[i].host[0] != '\0';
        assert_int_equal(host_port_split(&parts, cases[i].text, strlen(cases[i].text)), expected);
        if (!expected)
            continue;
        assert_int_equal(parts.host_length, strlen(cases[i].host));
        assert_memory_equal(parts.host, cases[i].host, parts.host_length);
        assert_int_equal(parts.bracketed, cases[i].text[0] == '[');
        assert_int_equal(parts.port != NULL, cases[i].port != NULL);
        assert_int_equal(parts.port_length, cases[i].port ? strlen(cases[i].port) : 0);
        assert_int_equal(host_port_is_name(&parts), cases[i].is_name);
    }
}

static void other_texts_are_refused(void **state)
{
    static const char *const texts[] = {"",     ":80",    "[]",      "[]:80",
                                        "[::1", "[::1]x", "[::1]80", "::1"};
    struct host_port parts;
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_false(host_port_split(&parts, texts[i], strlen(texts[i])));
}

/* Only `length` bytes are read: here the colon stands behind them. */
static void the_length_is_respected(void **state)
{
    struct host_port parts;
    (void)state;
    assert_true(host_port_split(&parts, "name:80", 4));
    assert_null(parts.port);
    assert_true(host_port_split(&parts, "[::1]:80", 5));
    assert_null(parts.port);
    assert_false(host_port_split(&parts, "[::1]:80", 4));
}

static void ports_are_numbers_in_a_range(void **state)
{
    static const struct {
        const char *text;
        uint16_t min;
        int port; /* -1: refused */
    } cases[] = {
        {"a", 1, 11211}, {"a:1", 1, 1},       {"a:65535", 1, 65535}, {"a:0", 0, 0},
        {"a:0", 1, -1},  {"a:65536", 0, -1},  {"a:", 0, -1},         {"a:+1", 0, -1},
        {"a:01", 0, -1}, {"a:1/path", 0, -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct host_port parts;
        uint16_t port = 7;
        assert_true(host_port_split(&parts, cases[i].text, strlen(cases[i].text)));
        assert_int_equal(host_port_number(&parts, cases[i].min, 11211, &port), cases[i].port >= 0);
        assert_int_equal(port, cases[i].port >= 0 ? cases[i].port : 7);
    }
}

int test_host_port(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_four_forms_are_split),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(the_length_is_respected),
        cmocka_unit_test(ports_are_numbers_in_a_range),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
