/* A signal only sets a flag, which the work looks at between its pieces. Free room on disks is
 * compared with what an export needs at least, and with what it takes as estimated. */
#include "server/base/long_work.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "server/base/clock.h"

/* The terminal and the program that has started this one may both send what is one signal: others
 * in this time are the same one. */
enum { SAME_MS = 500 };

/* Both are without a lock, as a handler needs them, and atomic, as all threads look at them. */
static _Atomic int caught;        /* the signal, or 0 */
static _Atomic int64_t caught_at; /* milliseconds */

static void interrupt(int signal_number)
{
    const int64_t now = clock_milliseconds();
    if (!caught) {
        caught_at = now;
        caught = signal_number;
    } else if (now - caught_at > SAME_MS) {
        signal(signal_number, SIG_DFL);
        raise(signal_number);
    }
}

/* A signal that is ignored, as by nohup, stays so. */
void long_work_catch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        struct sigaction action;
        if (sigaction(ending[i], NULL, &action) != 0 || action.sa_handler == SIG_IGN)
            continue;
        action = (struct sigaction){.sa_handler = interrupt};
        sigaction(ending[i], &action, NULL);
    }
}

bool long_work_is_interrupted(void)
{
    return caught != 0;
}

int long_work_exit_status(int status)
{
    return status != 0 && caught != 0 ? 128 + caught : status;
}

void long_work_format_size(double bytes, char text[LONG_WORK_SIZE_TEXT])
{
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
    unsigned unit = 0;
    while (bytes >= 1000 && unit < sizeof units / sizeof *units - 1) {
        bytes /= 1000;
        unit++;
    }
    snprintf(text, LONG_WORK_SIZE_TEXT, bytes < 10 && unit > 0 ? "%.1f %s" : "%.0f %s", bytes,
             units[unit]);
}

/* The folder whose disk counts; null when memory is out. A folder may be one where another disk
 * begins. */
static char *folder_of(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return strdup(path);
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--; /* a folder lies in the one before it */
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length > 0 ? strndup(path, length) : strdup(".");
}

bool long_work_shares_disk(const char *path, const char *other)
{
    struct stat a, b;
    char *folder = folder_of(path), *beside = folder_of(other);
    const bool is_same = !folder || !beside || stat(folder, &a) != 0 || stat(beside, &b) != 0 ||
                         a.st_dev == b.st_dev;
    free(folder);
    free(beside);
    return is_same;
}

static bool refuse(const struct long_work_space *space, double left, struct error *error)
{
    char about_text[LONG_WORK_SIZE_TEXT], left_text[LONG_WORK_SIZE_TEXT],
        there[LONG_WORK_SIZE_TEXT];
    long_work_format_size(space->about, about_text);
    long_work_format_size(left, left_text);
    long_work_format_size(space->there, there);
    error_set(error, ERROR_LIMIT, "needs about %s, but the disk has %s left%s%s%s", about_text,
              left_text, space->there > 0 ? ", besides " : "", space->there > 0 ? there : "",
              space->there > 0 ? " that are there already: make room, and go on with --resume"
                               : "");
    return error_in_path(error, "-o");
}

bool long_work_check_disk(const char *path, const struct long_work_space *space,
                          struct error *error)
{
    struct statvfs disk;
    char *folder = folder_of(path);
    const bool is_known = folder && statvfs(folder, &disk) == 0;
    free(folder);
    if (!is_known)
        return true; /* the opening of the file will say why */
    const double left = (double)disk.f_bavail * (double)disk.f_frsize;
    return space->least < left + space->there || refuse(space, left, error);
}
