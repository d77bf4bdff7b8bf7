/* The main function of the unit tests of one folder.
 *
 *   test [GROUP [TEST]]
 *
 * Each test_*.c of the folder is one cmocka group behind a function of the file's name; the
 * Makefile passes their list as GROUPS. Without an argument all groups run, else the one called
 * GROUP (the file's name, "test_" may be missing), and of its tests only those that match TEST,
 * where * and ? stand for other characters.
 *
 * Each group runs in a process of its own: it starts with fresh static variables, and a group that
 * crashes fails alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define GROUP(name) int name(void);
GROUPS
#undef GROUP

#define GROUP(name) {#name, name},
static const struct group {
    const char *name;
    int (*run)(void);
} groups[] = {GROUPS};
enum { GROUP_COUNT = sizeof groups / sizeof *groups };

static bool run_group(const struct group *group)
{
    int status = 0;
    const pid_t child = fork();
    if (child == 0)
        exit(group->run());
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror(group->name);
        return false;
    }
    if (WIFSIGNALED(status))
        fprintf(stderr, "%s: ended by signal %d\n", group->name, WTERMSIG(status));
    else if (status != 0)
        fprintf(stderr, "%s: exit status %d\n", group->name, WEXITSTATUS(status));
    return status == 0;
}

static bool is_called(const struct group *group, const char *name)
{
    return strcmp(group->name, name) == 0 || strcmp(group->name + strlen("test_"), name) == 0;
}

int main(int argc, char **argv)
{
    bool passed = true, found = false;
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
    for (unsigned i = 0; i < GROUP_COUNT; i++) {
        if (argc > 1 && !is_called(&groups[i], argv[1]))
            continue;
        found = true;
        passed = run_group(&groups[i]) && passed;
    }
    if (!found)
        fprintf(stderr, "%s: no such group\n", argv[1]);
    return passed && found ? 0 : 1;
}
