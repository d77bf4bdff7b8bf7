/* What the system says of a thread's priority afterwards. */
#define _GNU_SOURCE /* SCHED_BATCH */

#include "server/base/priority.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

struct seen {
    int policy, nice;
    uint64_t slice; /* ns; 0 where the system does not say, as Linux before 6.12 */
};

static struct seen look(void)
{
    uint64_t attributes[6] = {0}; /* sched_setattr(2): sched_runtime is behind 24 bytes */
    const int thread = (int)syscall(SYS_gettid);
    syscall(SYS_sched_getattr, 0, attributes, sizeof attributes, 0);
    return (struct seen){sched_getscheduler(0), getpriority(PRIO_PROCESS, (id_t)thread),
                         attributes[3]};
}

static void *lower(void *seen)
{
    priority_lower(PRIORITY_LOW);
    *(struct seen *)seen = look();
    return NULL;
}

static void *shorten(void *seen)
{
    priority_shorten_slice();
    *(struct seen *)seen = look();
    return NULL;
}

static struct seen after(void *(*change)(void *))
{
    struct seen seen;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, change, &seen), 0);
    pthread_join(thread, NULL);
    return seen;
}

static void a_working_thread_has_a_third_of_the_weight(void **state)
{
    (void)state;
    const struct seen own = look(), worker = after(lower);
    assert_int_equal(worker.policy, SCHED_BATCH);
    assert_int_equal(worker.nice, own.nice < 14 ? own.nice + 5 : 19);
    assert_int_equal(look().nice, own.nice);
    assert_int_equal(look().policy, own.policy);
}

static void an_event_loop_has_the_shortest_slice(void **state)
{
    (void)state;
    const struct seen own = look(), loop = after(shorten);
    assert_int_equal(loop.policy, own.policy);
    assert_int_equal(loop.nice, own.nice);
    assert_int_equal(loop.slice, own.slice && own.policy == SCHED_OTHER ? 100000 : own.slice);
}

int test_priority(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_working_thread_has_a_third_of_the_weight),
        cmocka_unit_test(an_event_loop_has_the_shortest_slice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
