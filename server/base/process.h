/* Resources that this process uses, from the system. */
#ifndef TERRANE_SERVER_BASE_PROCESS_H
#define TERRANE_SERVER_BASE_PROCESS_H

#include <stddef.h>
#include <stdint.h>

struct process_figures {
    int64_t resident, virtual; /* bytes */
    int64_t cpu;               /* microseconds of all threads, in user and system mode */
    int64_t descriptors;       /* open ones */
    int64_t descriptors_max;   /* how many it may have open */
};

/* Unknown figures are -1. Takes a few system calls; on kernels before 6.2, which do not report the
 * number of descriptors, also about a microsecond for each descriptor. */
struct process_figures process_read(void);

/* `wanted` threads, or for 0 one for each core: 1 … `most`. */
unsigned process_threads(unsigned wanted, unsigned most);

/* Gives memory that was freed back to the system, for use after much was freed at once. Takes
 * milliseconds, in which other threads may wait for memory. Does nothing but with glibc. */
void process_return_memory(void);

/* Asks the system for large pages in memory that was allocated and not yet written: much of it then
 * comes in a tenth of the time. Does nothing where there are none. */
void process_use_large_pages(void *memory, size_t size);

#endif
