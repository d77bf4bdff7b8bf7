/* The bounded queue: order, limit, and that nothing is lost or doubled between threads. */
#include "server/http/jobs/queue.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void first_in_is_first_out(void **state)
{
    (void)state;
    int items[3];
    struct queue *queue = queue_new(3);
    void *item;
    assert_non_null(queue);
    assert_false(queue_pop(queue, &item));
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 3; i++)
            assert_true(queue_push(queue, &items[i], NULL));
        assert_false(queue_push(queue, &items[0], NULL));
        for (int i = 0; i < 3; i++) {
            assert_true(queue_pop(queue, &item));
            assert_ptr_equal(item, &items[i]);
        }
        assert_false(queue_pop(queue, &item));
    }
    queue_free(queue);
}

static void a_cancelled_item_leaves_an_empty_cell(void **state)
{
    (void)state;
    int items[4];
    size_t cell_indexes[4];
    void *item;
    struct queue *queue = queue_new(2);
    for (int round = 0; round < 10; round++) {
        assert_true(queue_push(queue, &items[0], &cell_indexes[0]));
        assert_true(queue_push(queue, &items[1], &cell_indexes[1]));
        assert_true(queue_take_back(queue, cell_indexes[0], &items[0]));
        assert_false(queue_take_back(queue, cell_indexes[0], &items[0]));
        /* Its room is free again, and nobody gets it. */
        assert_true(queue_push(queue, &items[2], &cell_indexes[2]));
        assert_true(queue_pop(queue, &item));
        assert_null(item);
        for (int i = 1; i < 3; i++) {
            assert_true(queue_pop(queue, &item));
            assert_ptr_equal(item, &items[i]);
            assert_false(queue_take_back(queue, cell_indexes[i], &items[i]));
        }
        assert_false(queue_pop(queue, &item));
    }
    /* Only cells whose item was taken back. */
    assert_false(queue_pop_taken_back(queue));
    assert_true(queue_push(queue, &items[0], &cell_indexes[0]));
    assert_false(queue_pop_taken_back(queue));
    assert_true(queue_take_back(queue, cell_indexes[0], &items[0]));
    assert_true(queue_push(queue, &items[1], &cell_indexes[1]));
    assert_true(queue_pop_taken_back(queue));
    assert_false(queue_pop_taken_back(queue));
    assert_true(queue_pop(queue, &item));
    assert_ptr_equal(item, &items[1]);
    /* Cells are used until they are popped. */
    for (int i = 0; i < 4; i++) {
        assert_true(queue_push(queue, &items[i], &cell_indexes[i]));
        assert_true(queue_take_back(queue, cell_indexes[i], &items[i]));
    }
    assert_false(queue_push(queue, &items[0], NULL));
    queue_free(queue);
}

enum { PUSHERS = 3, POPPERS = 3, ITEMS = 20000 };

static struct {
    struct queue *queue;
    unsigned char seen[PUSHERS * ITEMS + 1]; /* atomic */
    unsigned popped;                         /* atomic */
} shared;

static void *push_all(void *argument)
{
    uintptr_t first = (uintptr_t)argument * ITEMS + 1;
    for (uintptr_t i = first; i < first + ITEMS; i++)
        while (!queue_push(shared.queue, (void *)i, NULL))
            sched_yield();
    return NULL;
}

static void *pop_all(void *argument)
{
    (void)argument;
    while (__atomic_load_n(&shared.popped, __ATOMIC_RELAXED) < PUSHERS * ITEMS) {
        void *item;
        if (!queue_pop(shared.queue, &item)) {
            sched_yield();
            continue;
        }
        __atomic_fetch_add(&shared.seen[(uintptr_t)item], 1, __ATOMIC_RELAXED);
        __atomic_fetch_add(&shared.popped, 1, __ATOMIC_RELAXED);
    }
    return NULL;
}

static void every_item_comes_once(void **state)
{
    (void)state;
    pthread_t threads[PUSHERS + POPPERS];
    shared.queue = queue_new(8);
    for (uintptr_t i = 0; i < PUSHERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, push_all, (void *)i), 0);
    for (int i = 0; i < POPPERS; i++)
        assert_int_equal(pthread_create(&threads[PUSHERS + i], NULL, pop_all, NULL), 0);
    for (int i = 0; i < PUSHERS + POPPERS; i++)
        pthread_join(threads[i], NULL);
    for (size_t i = 1; i <= PUSHERS * ITEMS; i++)
        assert_int_equal(shared.seen[i], 1);
    void *item;
    assert_false(queue_pop(shared.queue, &item));
    queue_free(shared.queue);
}

int test_queue(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_in_is_first_out),
        cmocka_unit_test(a_cancelled_item_leaves_an_empty_cell),
        cmocka_unit_test(every_item_comes_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
