/* The memory for a load's arcs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/drainage/store/arc_pool.h"

enum { RUNS = 200 };

/* How many arcs the n-th run has: 1 … ARC_CHUNK. */
static uint32_t run_length(uint32_t n)
{
    return n * 37 % ARC_CHUNK + 1;
}

/* Takes runs, each of which has its number in all of its arcs. */
static void take_runs(struct arc_pool *pool, struct arc *runs[RUNS])
{
    for (uint32_t n = 0; n < RUNS; n++) {
        runs[n] = arc_pool_take(pool, run_length(n));
        assert_non_null(runs[n]);
        for (uint32_t i = 0; i < run_length(n); i++)
            runs[n][i].path = n;
    }
}

/* No run overlaps another one, and none is moved by those that are taken later. */
static void check_runs(struct arc *const runs[RUNS])
{
    for (uint32_t n = 0; n < RUNS; n++)
        for (uint32_t i = 0; i < run_length(n); i++)
            assert_int_equal(runs[n][i].path, n);
}

static void arcs_stay_where_they_are(void **unused)
{
    (void)unused;
    struct arc_pool pool = {0};
    struct arc *runs[RUNS];
    take_runs(&pool, runs);
    check_runs(runs);
    arc_pool_free(&pool);
    assert_int_equal(arc_pool_bytes(&pool), 0);
}

static void cleared_memory_is_taken_again(void **unused)
{
    (void)unused;
    struct arc_pool pool = {0};
    struct arc *runs[RUNS];
    take_runs(&pool, runs);
    const size_t bytes = arc_pool_bytes(&pool);
    const struct arc *first = runs[0];
    arc_pool_clear(&pool);
    take_runs(&pool, runs);
    check_runs(runs);
    assert_ptr_equal(runs[0], first);
    assert_int_equal(arc_pool_bytes(&pool), bytes);
    arc_pool_free(&pool);
}

int test_arc_pool(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arcs_stay_where_they_are),
        cmocka_unit_test(cleared_memory_is_taken_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
