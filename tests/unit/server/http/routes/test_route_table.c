#include "server/http/routes/router.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void every_route_is_documented(void **state)
{
    (void)state;
    const struct route *route;
    for (size_t i = 0; (route = router_route_at(i)); i++) {
        assert_int_equal(router_index(route), i);
        assert_non_null(route->make);
        assert_non_null(route->id);
        assert_non_null(route->tag);
        assert_non_null(route->summary);
        assert_true(route->examples[0] == (route->body ? '{' : '/'));
        assert_true(route->type || route->content != ROUTE_SINGLE_TYPE);
        for (size_t k = 0; k < i; k++) {
            assert_string_not_equal(route->id, router_route_at(k)->id);
            assert_string_not_equal(route->pattern, router_route_at(k)->pattern);
        }
    }
    assert_int_equal(router_index(NULL), router_count());
}

static void every_query_has_a_route_for_each_output(void **state)
{
    (void)state;
    const struct query *query;
    for (size_t i = 0; (query = query_at_index(i)); i++) {
        unsigned routes = 0, wanted = 1;
        for (int form = 0; form < QUERY_FORMS; form++)
            wanted += query->more_examples[form] != NULL;
        for (size_t k = 0; router_route_at(k); k++)
            routes += router_route_at(k)->query == query;
        assert_int_equal(routes, wanted);
    }
}

int test_route_table(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_route_is_documented),
        cmocka_unit_test(every_query_has_a_route_for_each_output),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
