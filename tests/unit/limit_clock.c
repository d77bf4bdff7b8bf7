#define _GNU_SOURCE /* getdents64 */
#include "tests/unit/limit_clock.h"

#include <dirent.h>
#include <fcntl.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

enum { CONTENT_SIZE = 100, ENTRIES_SIZE = 4096 };

/* Seconds: on the wall, of all processors, and of all threads that could run but did not. */
struct times {
    double wall, ran, waited;
};
static struct times begin;

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The second number of a thread's file "RAN WAITED SLICES", in seconds. */
static double read_waited(int tasks, const char *thread)
{
    char text[CONTENT_SIZE];
    const int folder = openat(tasks, thread, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int file = openat(folder, "schedstat", O_RDONLY | O_CLOEXEC);
    const ssize_t length = read(file, text, sizeof text);
    close(file);
    close(folder);
    ssize_t at = 0;
    while (at < length && text[at] != ' ')
        at++;
    double waited = 0;
    for (at++; at < length && text[at] >= '0' && text[at] <= '9'; at++)
        waited = waited * 10 + (text[at] - '0');
    return waited / 1e9;
}

static struct times read_times(void)
{
    struct times times = {seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_PROCESS_CPUTIME_ID), 0};
    const int tasks = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    _Alignas(struct dirent64) char entries[ENTRIES_SIZE];
    for (ssize_t size; (size = getdents64(tasks, entries, sizeof entries)) > 0;) {
        for (ssize_t at = 0; at < size;) {
            const struct dirent64 *entry = (const void *)(entries + at);
            if (entry->d_name[0] != '.')
                times.waited += read_waited(tasks, entry->d_name);
            at += entry->d_reclen;
        }
    }
    close(tasks);
    return times;
}

void limit_clock_start(void)
{
    begin = read_times();
}

double limit_clock_wall_seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC) - begin.wall;
}

double limit_clock_seconds(void)
{
    const struct times now = read_times();
    const double wall = now.wall - begin.wall;
    const double waited = now.waited > begin.waited ? now.waited - begin.waited : 0;
    const double at_once = (now.ran - begin.ran + waited) / wall;
    const double lost = at_once > 1 ? waited / at_once : waited;
    return wall - lost;
}
