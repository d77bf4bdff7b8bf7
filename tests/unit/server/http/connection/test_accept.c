/* The number of connections that the limit of file descriptors allows. Each case runs in a process
 * of its own, as a lowered limit stays low. */
#include "server/http/connection/accept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

struct outcome {
    unsigned connections;
    rlim_t soft;
};

/* The number of connections with these limits. */
static struct outcome reserve(rlim_t soft, rlim_t hard, unsigned connections)
{
    struct outcome outcome = {0};
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit = {soft, hard};
        close(STDERR_FILENO); /* there is a warning */
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
            exit(1);
        outcome.connections = accept_raise_descriptor_limit(connections);
        getrlimit(RLIMIT_NOFILE, &limit);
        outcome.soft = limit.rlim_cur;
        exit(write(pipes[1], &outcome, sizeof outcome) != sizeof outcome);
    }
    int status = -1;
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &outcome, sizeof outcome), sizeof outcome);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(pipes[0]);
    return outcome;
}

static void a_soft_limit_is_raised(void **state)
{
    (void)state;
    const struct outcome outcome = reserve(64, 512, 100);
    assert_int_equal(outcome.connections, 100);
    /* Something is left for what is no connection, and no more is taken than is needed. */
    assert_true(outcome.soft > 120 && outcome.soft < 512);
}

static void a_sufficient_limit_is_not_changed(void **state)
{
    (void)state;
    const struct outcome outcome = reserve(500, 512, 100);
    assert_int_equal(outcome.connections, 100);
    assert_int_equal(outcome.soft, 500);
}

static void a_hard_limit_lowers_the_number(void **state)
{
    (void)state;
    const struct outcome outcome = reserve(256, 512, 1000);
    assert_int_equal(outcome.soft, 512);
    assert_true(outcome.connections > 256 && outcome.connections < 500);
}

static void a_minimum_of_connections_is_kept(void **state)
{
    (void)state;
    for (rlim_t hard = 32; hard <= 128; hard *= 2) {
        const struct outcome outcome = reserve(hard, hard, 1000);
        assert_int_equal(outcome.soft, hard);
        assert_int_equal(outcome.connections, 16);
    }
}

int test_accept(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_soft_limit_is_raised),
        cmocka_unit_test(a_sufficient_limit_is_not_changed),
        cmocka_unit_test(a_hard_limit_lowers_the_number),
        cmocka_unit_test(a_minimum_of_connections_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
