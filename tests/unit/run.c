/* The main function of the unit tests of one folder.
 *
 *   test               lists the groups
 *   test GROUP [TEST]  runs a group, or those of its tests whose names match TEST, where * and ?
 *                      stand for other characters
 *
 * Each test_*.c of the folder is one cmocka group behind a function of the file's name; the
 * Makefile passes their list as GROUPS. tests/tools/unit.sh runs each group in a process of its
 * own, so that every group starts with fresh static variables and fails alone if it crashes.
 *
 * A test that still runs after TERRANE_TEST_SECONDS (20 unless set) fails, and the next one begins:
 * the linker replaces cmocka's function that runs a group (--wrap, see tests/checks.mk) by one that
 * sets an alarm before each test. The seconds are those of limit_clock.h, so that other programs on
 * the machine do not make a test late; on the wall, a test has at most MOST_TIMES as many. */
#include <errno.h>
#include <fnmatch.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/limit_clock.h"

#define GROUP(name) int name(void);
GROUPS
#undef GROUP

#define GROUP(name) {#name, name},
static const struct group {
    const char *name;
    int (*run)(void);
} groups[] = {GROUPS};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

enum { SECONDS = 20, LAST_SECONDS = 5, MOST_TIMES = 30 };

static const char *filter = "*";  /* of the names of tests */
static CMFixtureFunction *setups; /* of the tests of the group, in their order */

static unsigned test_seconds(void)
{
    const char *text = getenv("TERRANE_TEST_SECONDS");
    const int seconds = text ? atoi(text) : 0;
    return seconds > 0 ? (unsigned)seconds : SECONDS;
}

/* Sets the alarm again while the test is not late. Leaves a late one with a jump, as a failed
 * assertion does. A test that hangs where it cannot be left so, such as in an allocation, ends the
 * process some seconds later. */
static void fail_late_test(int number)
{
    const int interrupted_errno = errno;
    const unsigned limit = test_seconds();
    const double wall = limit_clock_wall_seconds();
    const double left = limit - limit_clock_seconds();
    if (left > 0 && wall < (double)limit * MOST_TIMES) {
        alarm(1 + (unsigned)left);
        errno = interrupted_errno;
        return;
    }
    signal(number, SIG_DFL);
    alarm(LAST_SECONDS);
    fail_msg("still running after %u s, %.0f s on this machine", limit, wall);
}

/* cmocka calls it before each test, in the order of the tests. */
static int begin_test(void **state)
{
    const CMFixtureFunction setup = *setups++;
    /* The jump does not leave the handler, so the signal must not stay blocked. */
    const struct sigaction action = {.sa_handler = fail_late_test,
                                     .sa_flags = SA_NODEFER | SA_RESTART};
    sigaction(SIGALRM, &action, NULL);
    limit_clock_start();
    alarm(test_seconds());
    return setup ? setup(state) : 0;
}

int __real__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown);

/* The filter is applied here and not by cmocka, so that begin_test() is called for every test. */
int __wrap__cmocka_run_group_tests(const char *name, const struct CMUnitTest *tests, size_t count,
                                   CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct CMUnitTest chosen[count];
    CMFixtureFunction chosen_setups[count];
    size_t chosen_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (fnmatch(filter, tests[i].name, 0) != 0)
            continue;
        chosen_setups[chosen_count] = tests[i].setup_func;
        chosen[chosen_count] = tests[i];
        chosen[chosen_count++].setup_func = begin_test;
    }
    setups = chosen_setups;
    return __real__cmocka_run_group_tests(name, chosen, chosen_count, setup, teardown);
}

int main(int argc, char **argv)
{
    if (argc > 2)
        filter = argv[2];
    for (unsigned i = 0; i < GROUP_COUNT; i++) {
        if (argc < 2)
            puts(groups[i].name);
        else if (strcmp(groups[i].name, argv[1]) == 0)
            return groups[i].run();
    }
    if (argc < 2)
        return 0;
    fprintf(stderr, "%s: there is no such group\n", argv[1]);
    return 2;
}
