/* Counting: which bucket and status a request goes to, sums over threads, exactness under load. */
#include "server/log/metrics.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t row_of(const char *name)
{
    char text[8];
    for (size_t row = 0; row < METRICS_STATUSES; row++) {
        metrics_status_name(row, text);
        if (strcmp(text, name) == 0)
            return row;
    }
    fail_msg("no status %s", name);
    return 0;
}

static size_t bucket_of(const char *name)
{
    for (size_t bucket = 0; bucket < METRICS_BUCKETS; bucket++)
        if (strcmp(metrics_bucket_name(bucket), name) == 0)
            return bucket;
    fail_msg("no bucket %s", name);
    return 0;
}

static void a_time_goes_to_the_first_bucket_that_holds_it(void **state)
{
    static const struct {
        int64_t microseconds;
        const char *bucket;
    } cases[] = {
        {-3, "0.0005"},   {0, "0.0005"},    {500, "0.0005"},   {501, "0.001"},
        {1000, "0.001"},  {2500, "0.0025"}, {2501, "0.005"},   {10000, "0.01"},
        {25000, "0.025"}, {25001, "0.05"},  {99999, "0.1"},    {250000, "0.25"},
        {1000000, "1.0"}, {5000000, "5.0"}, {5000001, "+Inf"}, {INT64_MAX, "+Inf"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct metrics *metrics = metrics_new(1, 0);
        assert_non_null(metrics);
        metrics_count_render(metrics_thread(metrics, 0), METRICS_TILE, cases[i].microseconds);
        struct metrics_counts *sum = metrics_sum(metrics);
        assert_non_null(sum);
        for (size_t bucket = 0; bucket < METRICS_BUCKETS; bucket++)
            assert_int_equal(sum->renders[METRICS_TILE].buckets[bucket],
                             bucket == bucket_of(cases[i].bucket));
        assert_int_equal(sum->renders[METRICS_TILE].microseconds,
                         cases[i].microseconds > 0 ? cases[i].microseconds : 0);
        free(sum);
        metrics_free(metrics);
    }
}

static void statuses_have_rows_of_their_own(void **state)
{
    static const struct {
        unsigned status;
        const char *row;
    } cases[] = {
        {200, "200"}, {304, "304"}, {404, "404"}, {421, "421"},   {431, "431"},
        {503, "503"}, {505, "505"}, {0, "none"},  {299, "other"}, {1, "other"},
    };
    (void)state;
    struct metrics *metrics = metrics_new(1, 2);
    assert_non_null(metrics);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k <= i; k++)
            metrics_count_request(metrics_thread(metrics, 0), 1, cases[i].status, 10);
    struct metrics_counts *sum = metrics_sum(metrics);
    assert_non_null(sum);
    assert_int_equal(sum->routes[1].statuses[row_of("200")], 1);
    assert_int_equal(sum->routes[1].statuses[row_of("421")], 4);
    assert_int_equal(sum->routes[1].statuses[row_of("505")], 7);
    assert_int_equal(sum->routes[1].statuses[row_of("none")], 8);
    assert_int_equal(sum->routes[1].statuses[row_of("other")], 9 + 10);
    assert_int_equal(sum->routes[1].seconds.buckets[0], 55);
    assert_int_equal(sum->routes[1].seconds.microseconds, 550);
    assert_int_equal(sum->routes[0].statuses[row_of("200")], 0);
    free(sum);
    metrics_free(metrics);
}

/* A hole in a table would be a null name. */
static void every_metric_has_a_unique_name(void **state)
{
    char a[8], b[8];
    (void)state;
    for (int i = 0; i < METRICS_KINDS; i++)
        for (int k = 0; k < i; k++)
            assert_string_not_equal(metrics_kind_name((enum metrics_kind)i),
                                    metrics_kind_name((enum metrics_kind)k));
    const char *help = NULL;
    for (int i = COUNTER_NONE + 1; i < METRICS_COUNTERS; i++) {
        const struct metrics_counter_row *row = &metrics_counter_table[i], *before = row - 1;
        const bool same = row->family && before->family && strcmp(row->family, before->family) == 0;
        assert_non_null(row->label);
        assert_int_equal(row->help != NULL, row->family != NULL && !same);
        assert_false(same && strcmp(row->label, before->label) == 0);
        help = row->help ? row->help : help;
    }
    assert_non_null(help);
    for (size_t i = 0; i < METRICS_STATUSES; i++) {
        metrics_status_name(i, a);
        for (size_t k = 0; k < i; k++) {
            metrics_status_name(k, b);
            assert_string_not_equal(a, b);
        }
    }
}

enum { THREADS = 4, COUNTS = 50000 };

static void *count_much(void *argument)
{
    struct metrics_counts *counts = argument;
    for (unsigned i = 0; i < COUNTS; i++) {
        metrics_count_request(counts, 3, i % 10 == 0 ? 304 : 200, i);
        metrics_count(counts, i % 4 == 0 ? MEMORY_MISS : MEMORY_HIT);
        metrics_count(counts, i % 100 == 0 ? SHED_QUEUE : COUNTER_NONE);
        metrics_count_render(counts, METRICS_NOTHING, 5);
    }
    return NULL;
}

static void no_count_is_lost_and_none_goes_down(void **state)
{
    struct metrics *metrics = metrics_new(THREADS, 5);
    pthread_t threads[THREADS];
    uint64_t seen = 0;
    (void)state;
    assert_non_null(metrics);
    for (size_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, count_much, metrics_thread(metrics, i)),
                         0);
    for (int look = 0; look < 200; look++) {
        struct metrics_counts *sum = metrics_sum(metrics);
        assert_non_null(sum);
        assert_true(sum->counters[MEMORY_HIT] >= seen);
        seen = sum->counters[MEMORY_HIT];
        free(sum);
    }
    for (size_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct metrics_counts *sum = metrics_sum(metrics);
    assert_non_null(sum);
    assert_int_equal(sum->routes[3].statuses[row_of("304")], THREADS * COUNTS / 10);
    assert_int_equal(sum->routes[3].statuses[row_of("200")], THREADS * COUNTS / 10 * 9);
    assert_int_equal(sum->counters[MEMORY_MISS], THREADS * COUNTS / 4);
    assert_int_equal(sum->counters[SHED_QUEUE], THREADS * COUNTS / 100);
    assert_int_equal(sum->counters[COUNTER_NONE], 0);
    assert_int_equal(sum->renders[METRICS_NOTHING].microseconds, 0);
    assert_int_equal(sum->routes[3].seconds.buckets[0], THREADS * 501);
    assert_int_equal(sum->routes[3].seconds.microseconds,
                     (uint64_t)THREADS * COUNTS / 2 * (COUNTS - 1));
    free(sum);
    metrics_free(metrics);
}

static void reloads_are_counted_by_result(void **state)
{
    struct metrics *metrics = metrics_new(1, 0);
    (void)state;
    assert_non_null(metrics);
    metrics_count_reload(metrics, true);
    metrics_count_reload(metrics, true);
    metrics_count_reload(metrics, false);
    assert_int_equal(metrics_reloads(metrics, true), 2);
    assert_int_equal(metrics_reloads(metrics, false), 1);
    metrics_free(metrics);
}

int test_metrics(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_time_goes_to_the_first_bucket_that_holds_it),
        cmocka_unit_test(statuses_have_rows_of_their_own),
        cmocka_unit_test(every_metric_has_a_unique_name),
        cmocka_unit_test(no_count_is_lost_and_none_goes_down),
        cmocka_unit_test(reloads_are_counted_by_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
