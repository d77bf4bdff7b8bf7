/* Valid and invalid public URLs. Their use in requests is tested over HTTP. */
#include "server/http/response/base_url.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static void plain_addresses_are_taken(void **state)
{
    (void)state;
    static const char *const urls[] = {
        "http://maps.example",   "HTTPS://maps.example:65535",
        "https://maps.example/", "https://maps.example/a/b-c_d.e~f/",
        "http://127.0.0.1:80",   "http://[2001:db8::1]:80/x",
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct error error;
        if (!base_url_check(urls[i], &error))
            fail_msg("%s: %s", urls[i], error.message);
    }
}

static void others_are_refused(void **state)
{
    (void)state;
    static char overlong[400] = "http://";
    memset(overlong + 7, 'a', sizeof overlong - 8);
    const char *const urls[] = {
        "",
        "maps.example",
        "//maps.example",
        "://maps.example",
        "ftp://maps.example",
        "javascript:alert(1)",
        "javascript://maps.example",
        "http://",
        "http:///a",
        "http://user@maps.example",
        "http://maps.example:a",
        "http://maps.example:65536",
        "http://maps.example?a=b",
        "http://maps.example/?a=b",
        "http://maps.example/#a",
        "http://maps.example/a b",
        "http://maps.example/a\"b",
        "http://maps.example/a'b",
        "http://maps.example/<b>",
        "http://maps.example/%2e%2e",
        "http://maps.example/../a",
        "http://maps.example//a",
        "http://maps.example/a\r\nb",
        "http://maps.example\\a",
        overlong,
    };
    for (size_t i = 0; i < sizeof urls / sizeof *urls; i++) {
        struct error error;
        if (base_url_check(urls[i], &error))
            fail_msg("%s was taken", urls[i]);
        assert_non_null(strstr(error.message, "https://maps.example/terrane"));
    }
}

static void allowed_hosts_have_no_port(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool taken;
    } cases[] = {
        {"maps.example", true},
        {"192.0.2.1", true},
        {"[2001:db8::1]", true},
        {"*", true},
        {"maps.example:80", false},
        {"*.example", false},
        {"", false},
        {"http://a", false},
        {"2001:db8::1", false},
        {"a b", false},
        {"maps.example/x", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct error error;
        assert_int_equal(base_url_check_host(cases[i].text, &error), cases[i].taken);
    }
}

int test_base_url(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_addresses_are_taken),
        cmocka_unit_test(others_are_refused),
        cmocka_unit_test(allowed_hosts_have_no_port),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
