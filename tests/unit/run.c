/* The main function of the unit tests of one folder.
 *
 *   test               lists the groups
 *   test GROUP [TEST]  runs a group, or those of its tests whose names match TEST, where * and ?
 *                      stand for other characters
 *
 * Each test_*.c of the folder is one cmocka group behind a function of the file's name; the
 * Makefile passes their list as GROUPS. tests/tools/unit.sh runs each group in a process of its
 * own, so that every group starts with fresh static variables and fails alone if it crashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

int main(int argc, char **argv)
{
    if (argc > 2)
        cmocka_set_test_filter(argv[2]);
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
