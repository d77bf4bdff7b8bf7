/* The ring between a loop and the access log's thread: order, bounds, nothing torn. */
#include "server/log/log_ring.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void an_empty_ring_has_nothing(void **state)
{
    (void)state;
    struct log_ring *ring = log_ring_new(1024);
    assert_non_null(ring);
    assert_null(log_ring_take(ring));
    assert_non_null(log_ring_reserve(ring, 10));
    assert_null(log_ring_take(ring));
    log_ring_free(ring);
    log_ring_free(NULL);
}

static void a_full_ring_refuses_and_goes_on(void **state)
{
    (void)state;
    struct log_ring *ring = log_ring_new(1024);
    assert_non_null(ring);
    assert_null(log_ring_reserve(ring, 257));
    uint32_t put = 0, taken = 0;
    for (int round = 0; round < 100; round++) {
        uint32_t *room;
        unsigned held = 0;
        while ((room = log_ring_reserve(ring, 56))) {
            *room = put++;
            log_ring_put(ring);
            held++;
        }
        /* 64 bytes each with their span: sixteen fit into 1024. */
        assert_int_equal(held, round == 0 ? 16 : 1 + round % 16);
        for (int i = 0; i <= (round + 1) % 16; i++) {
            const uint32_t *oldest = log_ring_take(ring);
            assert_non_null(oldest);
            assert_int_equal(*oldest, taken++);
            assert_ptr_equal(log_ring_take(ring), oldest);
            log_ring_drop(ring);
        }
    }
    log_ring_free(ring);
}

enum { RECORDS = 200000, LARGEST = 200 };

/* Record i has so many bytes, all of them i's low byte. */
static size_t length_of(uint32_t i)
{
    return sizeof i + i * 2654435761u % LARGEST;
}

static void *put_all(void *argument)
{
    struct log_ring *ring = argument;
    for (uint32_t i = 0; i < RECORDS; i++) {
        uint8_t *room;
        while (!(room = log_ring_reserve(ring, length_of(i))))
            sched_yield();
        memset(room, (int)(i & 0xFF), length_of(i));
        memcpy(room, &i, sizeof i);
        log_ring_put(ring);
    }
    return NULL;
}

static void records_arrive_whole_and_in_order(void **state)
{
    pthread_t thread;
    uint32_t number;
    (void)state;
    struct log_ring *ring = log_ring_new(4096);
    assert_non_null(ring);
    assert_int_equal(pthread_create(&thread, NULL, put_all, ring), 0);
    for (uint32_t i = 0; i < RECORDS; i++) {
        const uint8_t *record;
        while (!(record = log_ring_take(ring)))
            sched_yield();
        memcpy(&number, record, sizeof number);
        assert_int_equal(number, i);
        for (size_t k = sizeof number; k < length_of(i); k++)
            if (record[k] != (i & 0xFF))
                fail_msg("record %u is torn at %zu", i, k);
        log_ring_drop(ring);
    }
    pthread_join(thread, NULL);
    assert_null(log_ring_take(ring));
    log_ring_free(ring);
}

int test_log_ring(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_ring_has_nothing),
        cmocka_unit_test(a_full_ring_refuses_and_goes_on),
        cmocka_unit_test(records_arrive_whole_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
