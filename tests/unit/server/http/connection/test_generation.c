/* Generations: which one a request gets, and that each is freed once, and not before its time. */
#include "server/http/connection/generation.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

enum { LOOPS = 3 };

static struct generation *make(void)
{
    struct generation *made = generation_new(NULL, LOOPS);
    assert_non_null(made);
    return made;
}

static void begin(struct generations *all, struct generation_view views[LOOPS])
{
    *all = (struct generations){.event = -1};
    generations_publish(all, make());
    for (unsigned i = 0; i < LOOPS; i++)
        generation_view_begin(&views[i], all, i);
}

static void end(struct generations *all, struct generation_view views[LOOPS])
{
    for (unsigned i = 0; i < LOOPS; i++)
        generation_view_end(&views[i]);
    generations_free(all);
}

static void a_request_keeps_its_generation(void **state)
{
    (void)state;
    struct generations all;
    struct generation_view views[LOOPS];
    begin(&all, views);
    struct generation *first = generation_enter(&views[0]);
    assert_int_equal(first->number, 1);
    generations_publish(&all, make());
    struct generation *second = generation_enter(&views[0]);
    assert_int_equal(second->number, 2);
    assert_ptr_equal(generation_enter(&views[1]), second);
    generation_leave(&views[1], second);
    generation_leave(&views[0], second);
    generation_leave(&views[0], first);
    end(&all, views);
}

/* Returns true if some generation was waiting to be freed, and frees it. */
static bool is_over(struct generations *all)
{
    const bool over = all->retired;
    generations_collect(all);
    return over;
}

static void a_generation_is_retired_when_its_last_request_ends(void **state)
{
    (void)state;
    struct generations all;
    struct generation_view views[LOOPS];
    begin(&all, views);
    struct generation *held[] = {generation_enter(&views[0]), generation_enter(&views[0])};
    generations_publish(&all, make());
    generations_publish(&all, make());
    for (unsigned i = 0; i < LOOPS; i++)
        generation_view_advance(&views[i]);
    assert_true(is_over(&all)); /* the second, in which nothing began */
    generation_leave(&views[0], held[0]);
    assert_false(is_over(&all));
    generation_leave(&views[0], held[1]);
    assert_true(is_over(&all));
    generation_leave(&views[1], generation_enter(&views[1]));
    assert_false(is_over(&all)); /* the present one stays, used or not */
    end(&all, views);
}

static void a_retained_generation_outlives_its_request(void **state)
{
    (void)state;
    struct generations all;
    struct generation_view views[LOOPS];
    begin(&all, views);
    struct generation *first = generation_enter(&views[0]);
    generation_retain(&views[0], first);
    generations_publish(&all, make());
    for (unsigned i = 0; i < LOOPS; i++)
        generation_view_advance(&views[i]);
    generation_leave(&views[0], first);
    assert_false(is_over(&all));
    generation_leave(&views[0], first);
    assert_true(is_over(&all));
    end(&all, views);
}

static void an_event_signals_a_retired_generation(void **state)
{
    (void)state;
    struct generations all;
    struct generation_view views[LOOPS];
    uint64_t events = 0;
    begin(&all, views);
    all.event = eventfd(0, EFD_NONBLOCK);
    generations_publish(&all, make());
    generation_view_advance(&views[0]);
    generation_view_advance(&views[1]);
    assert_true(read(all.event, &events, sizeof events) < 0);
    generation_view_advance(&views[2]);
    assert_int_equal(read(all.event, &events, sizeof events), sizeof events);
    close(all.event);
    all.event = -1;
    end(&all, views);
}

struct runner {
    struct generation_view *view;
    const bool *over;          /* atomic */
    const unsigned *published; /* atomic */
    unsigned faults;
};

/* Holds a few requests at a time; a generation's contents must stay, and never be an older one than
 * was published when the request began. */
static void *run_loop(void *argument)
{
    struct runner *runner = argument;
    struct generation *held[4] = {NULL};
    for (unsigned i = 0; !__atomic_load_n(runner->over, __ATOMIC_RELAXED); i++) {
        struct generation **slot = &held[i % 4];
        if (*slot)
            generation_leave(runner->view, *slot);
        const unsigned least = __atomic_load_n(runner->published, __ATOMIC_ACQUIRE);
        *slot = generation_enter(runner->view);
        for (unsigned k = 0; k < 4; k++)
            if (held[k] && held[k]->chunk_samples != held[k]->number)
                runner->faults++;
        if ((*slot)->number < least)
            runner->faults++;
        if (i % 64 == 0)
            sched_yield();
    }
    for (unsigned i = 0; i < 4; i++)
        if (held[i])
            generation_leave(runner->view, held[i]);
    return NULL;
}

static void loops_follow_while_generations_change(void **state)
{
    (void)state;
    struct generations all;
    struct generation_view views[LOOPS];
    struct runner runners[LOOPS];
    pthread_t threads[LOOPS];
    bool over = false;
    unsigned published = 1;
    begin(&all, views);
    all.current->chunk_samples = 1;
    for (unsigned i = 0; i < LOOPS; i++) {
        runners[i] = (struct runner){&views[i], &over, &published, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, run_loop, &runners[i]), 0);
    }
    for (unsigned n = 2; n <= 2000; n++) {
        struct generation *next = make();
        next->chunk_samples = n;
        generations_publish(&all, next);
        __atomic_store_n(&published, n, __ATOMIC_RELEASE);
        generations_collect(&all);
    }
    __atomic_store_n(&over, true, __ATOMIC_RELAXED);
    for (unsigned i = 0; i < LOOPS; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(runners[i].faults, 0);
    }
    end(&all, views);
}

int test_generation(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_keeps_its_generation),
        cmocka_unit_test(a_generation_is_retired_when_its_last_request_ends),
        cmocka_unit_test(a_retained_generation_outlives_its_request),
        cmocka_unit_test(an_event_signals_a_retired_generation),
        cmocka_unit_test(loops_follow_while_generations_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
