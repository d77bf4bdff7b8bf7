/* The settings of a generation: checked and copied. */
#include "server/http/server_settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { LOOPS = 3 };

static void settings_are_copied(void **state)
{
    (void)state;
    const char *hosts[] = {"maps.example"}, *proxies[] = {"10.0.0.0/8"};
    struct error error = {0};
    struct settings settings;
    settings_resolve(&(struct options){0}, &settings);
    settings.public_url = "https://maps.example/t/";
    settings.allowed_hosts = (setting_list){hosts, 1};
    settings.trusted_proxies = (setting_list){proxies, 1};
    struct generation *made = generation_from_settings(NULL, &settings, LOOPS, &error);
    assert_non_null(made);
    assert_string_equal(made->public_url, "https://maps.example/t");
    assert_string_equal(made->allowed_hosts[0], "maps.example");
    assert_int_equal(made->trusted_proxies.count, 1);
    assert_int_equal(made->chunk_samples, 1 << 22);
    generation_free(made);
    settings.public_url = "maps.example";
    assert_null(generation_from_settings(NULL, &settings, LOOPS, &error));
    assert_string_equal(error.path, "public_url");
    settings.public_url = NULL;
    proxies[0] = "10.0.0.0/33";
    assert_null(generation_from_settings(NULL, &settings, LOOPS, &error));
}

int test_server_settings(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_are_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
