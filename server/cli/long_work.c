#include "server/cli/long_work.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "server/base/clock.h"

/* The terminal and the program that has started this one may both send what is one signal: others
 * in this time are the same one. */
enum { SAME_MS = 500 };

static volatile sig_atomic_t caught; /* the signal, or 0 */
static _Atomic int64_t caught_at;    /* milliseconds */

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

bool long_work_check_disk(const char *path, double least, double about, struct error *error)
{
    struct statvfs disk;
    char *folder = strdup(path);
    size_t length = strlen(path);
    while (folder && length > 1 && folder[length - 1] == '/')
        folder[--length] = '\0'; /* a folder lies in the one before it */
    char *slash = folder ? strrchr(folder, '/') : NULL;
    if (slash)
        slash[1] = '\0';
    const bool is_known = folder && statvfs(slash ? folder : ".", &disk) == 0;
    free(folder);
    if (!is_known)
        return true; /* the opening of the file will say why */
    const double left = (double)disk.f_bavail * (double)disk.f_frsize;
    if (least < left)
        return true;
    char about_text[LONG_WORK_SIZE_TEXT], left_text[LONG_WORK_SIZE_TEXT];
    long_work_format_size(about, about_text);
    long_work_format_size(left, left_text);
    error_set(error, ERROR_LIMIT, "needs about %s, but the disk has %s left", about_text,
              left_text);
    return error_in_path(error, "-o");
}
