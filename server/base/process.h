/* What the system says of this process. */
#ifndef TERRANE_SERVER_BASE_PROCESS_H
#define TERRANE_SERVER_BASE_PROCESS_H

#include <stdint.h>

struct process_figures {
    int64_t resident, virtual; /* bytes */
    int64_t cpu;               /* microseconds of all threads, in user and system mode */
    int64_t descriptors;       /* open ones */
    int64_t descriptors_max;   /* how many it may have open */
};

/* What the system does not tell is -1. Takes some system calls, and where there is nothing better
 * than counting the descriptors, about a microsecond for each. */
struct process_figures process_read(void);

#endif
