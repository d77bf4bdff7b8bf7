/* What the rows of routes must have for the order of their steps. */
#include "server/http/routes/steps.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "server/http/routes/router.h"

/* Compiling a world is charged with the price of what it is for. */
static void what_needs_a_compiled_world_has_a_price(void **state)
{
    (void)state;
    const struct route *route;
    unsigned compiled = 0;
    for (size_t i = 0; (route = router_route_at(i)); i++) {
        if (route->world != ROUTE_WORLD_COMPILED)
            continue;
        compiled++;
        if (!route->steps || !route->steps->charge)
            fail_msg("/%s has no price", route->pattern);
    }
    assert_true(compiled > 0);
}

static void steps_have_what_they_read(void **state)
{
    (void)state;
    const struct route *route;
    for (size_t i = 0; (route = router_route_at(i)); i++) {
        const struct route_steps *steps = route->steps;
        if (!steps)
            continue;
        if (steps->read_body && !route->body)
            fail_msg("/%s has no body", route->pattern);
        if (steps->order && route->world == ROUTE_WORLD_NONE)
            fail_msg("/%s has no world", route->pattern);
        if (!steps->read)
            fail_msg("/%s begins no work", route->pattern);
    }
}

/* The parameters world, a and b name worlds, which only routes with a world resolve. */
static void routes_with_references_have_a_world(void **state)
{
    (void)state;
    const struct route *route;
    const parameter_set references = PARAMETER_BIT(WORLD) | PARAMETER_BIT(A) | PARAMETER_BIT(B);
    for (size_t i = 0; (route = router_route_at(i)); i++)
        if (route->world == ROUTE_WORLD_NONE &&
            (route->scope != ROUTE_FIXED || route->parameters & references))
            fail_msg("/%s names worlds and resolves none", route->pattern);
}

int test_steps(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_needs_a_compiled_world_has_a_price),
        cmocka_unit_test(steps_have_what_they_read),
        cmocka_unit_test(routes_with_references_have_a_world),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
