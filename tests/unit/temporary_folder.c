#define _GNU_SOURCE /* asprintf, nftw */
#include "tests/unit/temporary_folder.h"

#include <ftw.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The folder, and the paths in it that were given out. */
static char *folder;
static char **paths;
static size_t path_count;
static pid_t owner; /* a forked child of the test leaves the folder alone when it ends */

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

int temporary_folder_remove(void **state)
{
    (void)state;
    enum { DESCRIPTORS = 8 };
    if (!folder)
        return 0;
    const int result = nftw(folder, remove_entry, DESCRIPTORS, FTW_DEPTH | FTW_PHYS);
    for (size_t i = 0; i < path_count; i++)
        free(paths[i]);
    free(paths);
    free(folder);
    paths = NULL;
    folder = NULL;
    path_count = 0;
    return result;
}

static void remove_at_exit(void)
{
    if (getpid() == owner)
        temporary_folder_remove(NULL);
}

static void make_folder(void)
{
    const char *parent = getenv("TMPDIR");
    if (asprintf(&folder, "%s/terrane-test-XXXXXX", parent && *parent ? parent : "/tmp") < 0)
        abort();
    if (!mkdtemp(folder)) {
        perror(folder);
        abort();
    }
    if (!owner)
        atexit(remove_at_exit);
    owner = getpid();
}

const char *temporary_folder(void)
{
    if (!folder)
        make_folder();
    return folder;
}

const char *temporary_path(const char *format, ...)
{
    char *name, *path;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&name, format, arguments) < 0 ||
        asprintf(&path, "%s/%s", temporary_folder(), name) < 0)
        abort();
    va_end(arguments);
    free(name);
    paths = realloc(paths, (path_count + 1) * sizeof *paths);
    if (!paths)
        abort();
    paths[path_count++] = path;
    return path;
}
