/* Reads /proc and getrusage(). Each figure fails on its own: in a container without /proc the
 * others are still reported. */
#include "server/base/process.h"

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static void read_memory(struct process_figures *figures)
{
    long long pages = -1, resident = -1;
    const long page = sysconf(_SC_PAGESIZE);
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return;
    if (fscanf(file, "%lld %lld", &pages, &resident) == 2) {
        figures->virtual = pages * page;
        figures->resident = resident * page;
    }
    fclose(file);
}

static int64_t microseconds(struct timeval time)
{
    return (int64_t)time.tv_sec * 1000000 + time.tv_usec;
}

/* -1 without /proc. */
static int64_t count_descriptors(void)
{
    struct stat status;
    /* Since Linux 6.2 the size of the folder is the number of descriptors. */
    if (stat("/proc/self/fd", &status) == 0 && status.st_size > 0)
        return (int64_t)status.st_size;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return -1;
    int64_t count = -1; /* the descriptor of opendir() is not counted */
    for (const struct dirent *entry; (entry = readdir(folder));)
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

struct process_figures process_read(void)
{
    struct process_figures figures = {-1, -1, -1, -1, -1};
    struct rusage usage;
    struct rlimit limit;
    read_memory(&figures);
    if (getrusage(RUSAGE_SELF, &usage) == 0)
        figures.cpu = microseconds(usage.ru_utime) + microseconds(usage.ru_stime);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        figures.descriptors_max = (int64_t)limit.rlim_cur;
    figures.descriptors = count_descriptors();
    return figures;
}

/* glibc alone keeps what was freed between blocks that are in use. */
void process_return_memory(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

void process_use_large_pages(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
    const size_t page = (size_t)1 << 21; /* of most processors */
    const size_t before = -(uintptr_t)memory % page;
    if (size >= before + page)
        madvise((uint8_t *)memory + before, (size - before) / page * page, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)size;
#endif
}

unsigned process_threads(unsigned wanted, unsigned most)
{
    const long cores = wanted > 0 ? (long)wanted : sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores > (long)most ? most : (unsigned)cores;
}
